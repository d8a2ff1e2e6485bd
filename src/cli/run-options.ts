/** The options of `rxtract run`: their table, their help and their values. */

import { wrap } from '../tools/text/lines.js';
import { exchangeOptions, itemErrorOption, logOption, proxyOption, setOption, strictOption } from './options.js';

export const runOptions = {
  to: {
    value: '[NAME=]URI',
    about: 'sink for the items, or those of data type NAME; may be repeated (default: ndjson:out)',
  },
  select: {
    value: '[NAME:]MEMBERS',
    about: 'members of items for sinks: "users: id, address.city as city, !password"; repeatable',
  },
  job: { value: 'NAME', about: 'run only this job; may be repeated (default: all)' },
  ...setOption,
  'max-items': { value: 'N', about: 'end each job after exactly N items' },
  'max-pages': { value: 'N', about: 'end each job after N pages' },
  'min-items': {
    value: '[NAME=]N',
    about: 'fail, and publish nothing, if data type NAME (default: any) has fewer items; repeatable',
  },
  'max-duration': { value: 'TIME', about: 'request no page after this time, such as 90s, 10m or 1h30m' },
  concurrency: { value: 'N', about: 'send at most N requests at a time, over all jobs (default: 1)' },
  prefetch: {
    value: 'K|auto',
    offers: ['auto'],
    about: 'request K pages of each job ahead (default: `prefetch` of its pagination)',
  },
  state: { value: 'PATH', about: 'save the progress of the run in the folder PATH, for --resume' },
  resume: { about: 'continue the run in --state PATH if it was interrupted, or else start a new run' },
  'resume-only': { about: 'the same, but do nothing if that run is complete: for supervisors that start a run again' },
  drain: { value: 'SECONDS', about: 'with --state: how long an interrupt waits for the current page (default: 5)' },
  'on-changed-page': {
    value: 'fail|again',
    oneOf: ['fail', 'again'],
    about: 'with --state: a page changed that a sink has: fail, or send it again (default: fail)',
  },
  ...itemErrorOption,
  'data-dir': { value: 'DIR', about: 'use a data folder instead of CONFIG, see below (default: KBC_DATADIR, if set)' },
  'cache-dir': {
    value: 'DIR',
    about: 'folder of the response cache, see `cache` (default: in the cache folder of the user)',
  },
  proxy: {
    ...proxyOption.proxy,
    about: 'http, https or socks5 proxy; "env" uses HTTP_PROXY, HTTPS_PROXY and NO_PROXY',
  },
  'max-body-bytes': {
    value: 'SIZE',
    about: 'fail if a response is larger, such as 500MB or 64MiB (default: no limit)',
  },
  'max-item-bytes': { value: 'SIZE', about: 'fail if an item is larger (default: 64MiB, at most 512MiB)' },
  ...exchangeOptions,
  'replace-empty': { about: 'replace earlier output even if no page has a value at `dataField`' },
  ...strictOption,
  quiet: { about: 'print only warnings and errors' },
  ...logOption,
};

const examples = `Examples
  rxtract run config.json                                each data type to out/<data type>.ndjson
  rxtract run config.json --to stdout: | jq .name        items to another program, at its pace
  rxtract run config.json --job users --to null:         count the items of one job
  rxtract run config.json --to users=ndjson:a --to null: the users to files; count all other items
  rxtract run config.json --select 'id, name, !password' only these members of each item
  rxtract run config.json --to stdout: --max-items 10    a first look at an API
  rxtract run - --log json --quiet < config.json         for a scheduler: warnings, errors and the summary as JSON
  rxtract run config.json --set config.since=2026-01-01  change one value
  rxtract run config.json --state st --resume            continue the last run if it was interrupted, else a new run
  rxtract run config.json --record run.jsonl             keep all responses; --replay run.jsonl needs no API then
  rxtract run --data-dir /data                           configuration, state and items in one folder

Resume: a run with --state that fails, is interrupted or is killed loses nothing. The same command with --resume
continues after the last page that was written; after a successful run it starts a new one. With --resume-only it does
nothing then. Without both, a new run starts.

Data folder: rxtract reads config.json and in/state.json. It writes items to out/tables/<bucket>.<data type>.ndjson,
and the next state to out/state.json after the whole run has succeeded. CONFIG and --to are not allowed with it.

Output: during the run, a file is named .ndjson.partial. It replaces the earlier file after the whole run has succeeded.

Interrupt: the first Ctrl-C ends the run in order, the second ends it at once.
`;

/** The text of `rxtract run --help` after the options. */
export const runDetails = async (): Promise<string> => `${await sinkHelp()}\n${examples}`;

/** Loads the registry, which is small: no sink opens anything before it is used. */
async function sinkHelp(): Promise<string> {
  const { sinks } = await import('../../sinks/registry.js');
  const rows = Object.values(sinks).flatMap(({ address, summary }) => [
    `  ${address.form}`,
    ...wrap(summary, '      ', '      '),
  ]);
  return ['Sinks (rxtract sinks lists their guarantees and options)', ...rows, ''].join('\n');
}
