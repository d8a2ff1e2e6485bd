/**
 * `rxtract run`: pulls the jobs of a configuration into sinks. Loads the engine only when there is something to run.
 */

import type { Sink } from '../../sinks/contract.js';
import type { Checkpoint, openCheckpoint } from '../checkpoint/checkpoint.js';
import type { Notice } from '../core/model/notice.js';
import type { Receipt } from '../core/model/page.js';
import { usageError } from '../core/util/check-value.js';
import type { extract } from '../run/extract.js';
import type { ParsedArguments } from './arguments.js';
import type { Command, CommandResult } from './command.js';
import { prepare, readDocument, sayUnlessAllowed } from './document.js';
import { follow } from './execute-run.js';
import { logOption, setOption, strictOption } from './options.js';
import type { Report } from './report.js';
import { atMost, choicesOf } from './run-options.js';
import type { Source } from './run-source.js';
import type { Shell } from './shell.js';
import { sinkHelp } from './sink-help.js';

export interface RunEngine {
  readonly extract: typeof extract<unknown>;
  readonly openCheckpoint: typeof openCheckpoint;
  /** Epoch ms. */
  now(): number;
}

const options = {
  to: { value: 'URI', about: 'sink for the items; may be repeated (default: ndjson:out)' },
  job: { value: 'NAME', about: 'run only this job; may be repeated (default: all)' },
  ...setOption,
  'max-items': { value: 'N', about: 'end each job after exactly N items' },
  'max-pages': { value: 'N', about: 'end each job after N pages' },
  'max-duration': { value: 'TIME', about: 'request no page after this time, such as 90s, 10m or 1h30m' },
  concurrency: { value: 'N', about: 'send at most N requests at a time, over all jobs (default: 1)' },
  state: { value: 'PATH', about: 'save the progress of the run in the folder PATH, for --resume' },
  resume: { about: 'continue the interrupted run in --state PATH; if there is none, start a new run' },
  drain: { value: 'SECONDS', about: 'with --state: how long an interrupt waits for the current page (default: 5)' },
  'data-dir': { value: 'DIR', about: 'use a data folder instead of CONFIG, see below (default: KBC_DATADIR, if set)' },
  'cache-dir': {
    value: 'DIR',
    about: 'folder of the response cache, see `cache` (default: in the cache folder of the user)',
  },
  proxy: { value: 'URL', about: 'http, https or socks5 proxy; "env" uses HTTP_PROXY, HTTPS_PROXY and NO_PROXY' },
  'max-body-bytes': { value: 'SIZE', about: 'fail if a response is larger, such as 500M or 2G (default: no limit)' },
  'max-item-bytes': { value: 'SIZE', about: 'fail if an item is larger (default: 64M, at most 512M)' },
  'replace-empty': { about: 'replace earlier output even if no page has a value at `dataField`' },
  ...strictOption,
  quiet: { about: 'print only warnings and errors' },
  ...logOption,
};

const examples = `Examples
  rxtract run config.json                                each data type to out/<data type>.ndjson
  rxtract run config.json --to stdout: | jq .name        items to another program, at its pace
  rxtract run config.json --job users --to null:         count the items of one job
  rxtract run config.json --to stdout: --max-items 10    a first look at an API
  rxtract run - --log json --quiet < config.json         for a scheduler: warnings, errors and the summary as JSON
  rxtract run config.json --set config.since=2026-01-01  change one value
  rxtract run config.json --state st --resume            continue the last run if it was interrupted
  rxtract run --data-dir /data                           configuration, state and items in one folder

Resume: a run with --state that fails, is interrupted or is killed loses nothing. The same command with --resume
continues after the last page that was written. After a successful run, --resume does nothing; without --resume, a new
run starts.

Data folder: rxtract reads config.json and in/state.json. It writes items to out/tables/<bucket>.<data type>.ndjson,
and the next state to out/state.json after the whole run has succeeded. CONFIG and --to are not allowed with it.

Output: during the run, a file is named .ndjson.partial. It replaces the earlier file after the whole run has succeeded.

Interrupt: the first Ctrl-C ends the run in order, the second ends it at once.
`;

export const run = runWith(loadEngine);

/** Creates the command for an engine; tests pass their own. */
export function runWith(load: () => Promise<RunEngine>): Command {
  return {
    name: 'run',
    summary: 'pull the jobs of a configuration into files or other sinks',
    options,
    details: async () => `${await sinkHelp()}\n${examples}`,
    execute: async (words, shell, report) => runJobs(words, shell, report, load),
  };
}

async function loadEngine(): Promise<RunEngine> {
  const [{ extract }, { openCheckpoint }, { asyncScheduler }] = await Promise.all([
    import('../run/extract.js'),
    import('../checkpoint/checkpoint.js'),
    import('rxjs'),
  ]);
  return { extract, openCheckpoint, now: () => asyncScheduler.now() };
}

async function runJobs(
  words: ParsedArguments,
  shell: Shell,
  report: Report,
  load: () => Promise<RunEngine>,
): Promise<CommandResult> {
  const [choices, keeping] = [choicesOf(words), keepingOf(words)];
  await sayProxy(words, report);
  const source = await sourceOf(words, shell, report);
  const engine = await load();
  const checkpoint = await keeping?.open(engine.openCheckpoint);
  try {
    const options = { ...choices, ...source.options, ...(checkpoint === undefined ? {} : { checkpoint }) };
    return await runSource({ ...source, options }, { engine, words, shell, report, drainMs: keeping?.drainMs });
  } finally {
    await checkpoint?.close();
  }
}

/** Process lists show the arguments of a command to all users of a machine. */
async function sayProxy(words: ParsedArguments, { notice }: Report): Promise<void> {
  const given = words.list('proxy');
  if (given.includes('')) throw usageError('--proxy needs the address of a proxy, or env');
  if (given.length === 0) return;
  const { hasLiteralPassword } = await import('../http/transport/proxy.js');
  if (given.some(hasLiteralPassword)) sayUnlessAllowed([passwordInArguments], words, notice);
}

const passwordInArguments: Notice = {
  level: 'warning',
  code: 'password-in-arguments',
  message: `--proxy: process lists show the password in the command; use an environment variable instead: --proxy 'http://user:\${PROXY_PASSWORD}@host:port'`,
};

interface Running {
  readonly engine: RunEngine;
  readonly words: ParsedArguments;
  readonly shell: Shell;
  readonly report: Report;
  /** How long an interrupt waits; absent: no state is kept. */
  readonly drainMs: number | undefined;
}

async function runSource({ label, content, to, options, keep }: Source, running: Running): Promise<CommandResult> {
  const { engine, words, shell, report, drainMs } = running;
  const { extract, now } = engine;
  const live = writesToStdout(words) ? undefined : await report.live();
  const heard = live === undefined ? {} : { onActivity: live.hear };
  const extraction = prepare(label, () =>
    extract(content, { ...options, ...heard, to, env: shell.env, notify: report.notice }),
  );
  report.maskWith(extraction.mask);
  live?.show(() => extraction.summary().jobs);

  const notify = (notice: Notice) => {
    live?.end(); // What follows is no work of the jobs, and a second interrupt must not leave a frame behind.
    report.notice(notice);
  };
  const page = (receipt: Receipt) => report.page(receipt, now());
  const drain = drainMs === undefined ? {} : { drainMs };
  const outcome = await follow(extraction, { page, notify, ...drain }, shell);
  const summary = extraction.summary();
  const failure = outcome.failure ?? (await failureOf(() => keep(extraction.state, summary)));
  return { ...outcome, ...(failure === undefined ? {} : { failure }), summary };
}

async function sourceOf(words: ParsedArguments, shell: Shell, report: Report): Promise<Source> {
  const dir = words.last('data-dir') ?? (words.positionals.length === 0 ? shell.env.KBC_DATADIR : undefined);
  if (words.last('data-dir') === '') throw usageError('--data-dir needs a directory');
  if (dir !== undefined && dir !== '') {
    const { openDataFolder } = await import('./data-folder.js');
    return openDataFolder(dir, words, shell, report);
  }
  const to = await sinksOf(words, shell, report);
  const document = await readDocument(words, shell, report.notice);
  return { ...document, to, options: await keptIn(words, shell), keep: async () => {} };
}

async function keptIn(words: ParsedArguments, { env }: Shell): Promise<Source['options']> {
  const given = words.last('cache-dir');
  if (given === '') throw usageError('--cache-dir needs a directory');
  const folder = given ?? (await import('./cache-folder.js')).cacheFolder(env);
  return folder === undefined ? {} : { cacheFolder: folder };
}

async function failureOf(work: () => Promise<void>): Promise<unknown> {
  try {
    await work();
    return undefined;
  } catch (thrown) {
    return thrown;
  }
}

/** The options with `--state`; undefined: no state is kept. */
function keepingOf(words: ParsedArguments) {
  const path = words.last('state');
  const alone = ['resume', 'drain'].find((name) => words.has(name));
  if (path === undefined && alone !== undefined) throw usageError(`--${alone} needs --state PATH`);
  if (path === undefined) return undefined;
  if (path === '') throw usageError('--state needs a folder');
  return {
    drainMs: seconds('drain', words.last('drain') ?? '5') * 1000,
    async open(openCheckpoint: RunEngine['openCheckpoint']): Promise<Checkpoint> {
      const { stateFolder } = await import('../checkpoint/folder.js');
      return openCheckpoint(stateFolder(path), { resume: words.has('resume') });
    },
  };
}

/** Of `--drain`: more than a day. */
const mostSeconds = 99_999;

function seconds(name: string, text: string): number {
  if (!/^\d+$/.test(text)) throw usageError(`--${name} is a whole number of seconds, found "${text}"`);
  return atMost(name, text, { value: Number(text), most: mostSeconds, written: String(mostSeconds) });
}

/** Its reader may write to the terminal on which a display would be drawn. */
const writesToStdout = (words: ParsedArguments): boolean => words.list('to').some((uri) => uri.startsWith('stdout:'));

async function sinksOf(words: ParsedArguments, { stdout }: Shell, { notice }: Report): Promise<Sink> {
  const given = words.list('to');
  const twice = given.find((uri, index) => given.indexOf(uri) !== index);
  if (twice !== undefined) throw usageError(`--to ${twice} is given twice`);
  const [{ sinkFromUri }, { all }] = await Promise.all([
    import('../../sinks/registry.js'),
    import('../../sinks/fan-out.js'),
  ]);
  const uris = given.length === 0 ? ['ndjson:out'] : given;
  return all(uris.map((uri) => sinkFromUri(uri, { stdout, notify: notice })));
}
