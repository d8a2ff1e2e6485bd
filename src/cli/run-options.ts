/** The options of `rxtract run`: their table, their help and their values. */
import { usageError } from '../core/util/check-value.js';
import { defined } from '../core/util/defined.js';
import { mostThreads } from '../page/threads/most-threads.js';
import { isPrefetch, prefetchType } from '../pagination/prefetch.js';
import type { Prefetch } from '../pagination/types.js';
import type { ExtractOptions } from '../run/options.js';
import type { ParsedArguments } from './arguments.js';
import { exchangeOptions, itemErrorOption, logOption, proxyOption, setOption, strictOption } from './options.js';
import { wrap } from './text.js';

const changedPageRules = ['fail', 'again'] as const;

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
  'max-duration': { value: 'TIME', about: 'request no page after this time, such as 90s, 10m or 1h30m' },
  concurrency: { value: 'N', about: 'send at most N requests at a time, over all jobs (default: 1)' },
  prefetch: {
    value: 'K|auto',
    offers: ['auto'],
    about: 'request K pages of each job ahead (default: `prefetch` of its pagination)',
  },
  threads: { value: 'N', about: 'scan large pages in N threads (default: 2 from four processors on; 1: off)' },
  state: { value: 'PATH', about: 'save the progress of the run in the folder PATH, for --resume' },
  resume: { about: 'continue the interrupted run in --state PATH; if there is none, start a new run' },
  drain: { value: 'SECONDS', about: 'with --state: how long an interrupt waits for the current page (default: 5)' },
  'on-changed-page': {
    value: 'fail|again',
    oneOf: changedPageRules,
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
  'max-body-bytes': { value: 'SIZE', about: 'fail if a response is larger, such as 500M or 2G (default: no limit)' },
  'max-item-bytes': { value: 'SIZE', about: 'fail if an item is larger (default: 64M, at most 512M)' },
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
  rxtract run config.json --state st --resume            continue the last run if it was interrupted
  rxtract run config.json --record run.jsonl             keep all responses; --replay run.jsonl needs no API then
  rxtract run --data-dir /data                           configuration, state and items in one folder

Resume: a run with --state that fails, is interrupted or is killed loses nothing. The same command with --resume
continues after the last page that was written. After a successful run, --resume does nothing; without --resume, a new
run starts.

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
  const rows = Object.values(sinks).flatMap(({ uri, summary }) => [`  ${uri}`, ...wrap(summary, '      ', '      ')]);
  return ['Sinks (rxtract sinks lists their guarantees and options)', ...rows, ''].join('\n');
}

/** Reads a number of pages, or auto. Throws ERR_USAGE. */
function pagesAhead(name: string, text: string): Prefetch {
  const value = text === 'auto' ? text : Number(/^\d+$/.test(text) ? text : Number.NaN);
  if (isPrefetch(value)) return value;
  throw usageError(`--${name} is ${prefetchType.replaceAll('"', '')}, found "${text}"`);
}

/** Reads the options of a run. Throws ERR_USAGE for an invalid value. */
export function readRunOptions(args: ParsedArguments): ExtractOptions {
  const select = args.list('select');
  return {
    ...readJobOptions(args),
    concurrency: optional(args, 'concurrency', wholeNumber) ?? 1,
    ...(args.has('replace-empty') ? { replaceEmpty: true } : {}),
    ...defined({
      threads: optional(args, 'threads', threadCount),
      maxPages: optional(args, 'max-pages', wholeNumber),
      maxItems: optional(args, 'max-items', wholeNumber),
      maxDuration: optional(args, 'max-duration', parseTime),
      maxBodyBytes: optional(args, 'max-body-bytes', parseSize),
      maxItemBytes: optional(args, 'max-item-bytes', parseSize),
      prefetch: optional(args, 'prefetch', pagesAhead),
      proxy: args.last('proxy'),
      onChangedPage: changedPageRules.find((rule) => rule === args.last('on-changed-page')),
    }),
    ...(select.length === 0 ? {} : { select }),
  };
}

/** Reads the options that all commands with jobs have: which jobs, and what becomes of warnings. */
export function readJobOptions(args: ParsedArguments): Pick<ExtractOptions, 'jobs' | 'strict' | 'allow'> {
  const [jobs, allow] = [args.list('job'), args.list('allow')];
  return {
    strict: args.has('strict'),
    ...(jobs.length === 0 ? {} : { jobs }),
    ...(allow.length === 0 ? {} : { allow }),
  };
}

/** Reads a whole number from 1 to `most`; undefined: it is not given. Throws ERR_USAGE. */
export const countOf = (args: ParsedArguments, name: string, most: number): number | undefined =>
  optional(args, name, (_, text) => wholeNumber(name, text, most));

function optional<T>(args: ParsedArguments, name: string, parse: (name: string, text: string) => T): T | undefined {
  const text = args.last(name);
  return text === undefined ? undefined : parse(name, text);
}

const units: Readonly<Record<string, number>> = { '': 1, K: 2 ** 10, M: 2 ** 20, G: 2 ** 30 };

function parseSize(name: string, text: string): number {
  const [, digits = '0', unit = ''] = /^(\d+)([KMG]?)$/i.exec(text) ?? [];
  const bytes = Number(digits) * (units[unit.toUpperCase()] ?? 1);
  if (bytes === 0) throw usageError(`--${name} is a number of bytes, or one such as 500M or 2G, found "${text}"`);
  return atMost(name, text, { value: bytes, most: mostGigabytes * 2 ** 30, written: `${mostGigabytes}G` });
}

/** The largest exact number of bytes: 8,388,607. */
const mostGigabytes = Math.floor(Number.MAX_SAFE_INTEGER / 2 ** 30);

function parseTime(name: string, text: string): number {
  const ms = parseDuration(text);
  if (ms === undefined) throw usageError(`--${name} is a time such as 90s, 10m or 1h30m, found "${text}"`);
  return atMost(name, text, { value: ms, most: mostDays * 86_400_000, written: `${mostDays}d` });
}

/** A hundred years. */
const mostDays = 36_500;

function wholeNumber(name: string, text: string, most = mostCount): number {
  const value = /^\d+$/.test(text) ? Number(text) : 0;
  if (value === 0) throw usageError(`--${name} is a whole number from 1 up, found "${text}"`);
  return atMost(name, text, { value, most, written: String(most) });
}

const threadCount = (name: string, text: string): number => wholeNumber(name, text, mostThreads);

const mostCount = 999_999_999;

interface Bound {
  readonly value: number;
  readonly most: number;
  /** The bound as an argument. */
  readonly written: string;
}

/** Returns the value. Throws ERR_USAGE with the bound if it is larger. */
export function atMost(name: string, text: string, { value, most, written }: Bound): number {
  if (value <= most) return value;
  const found = text.length > 40 ? '' : `, found "${text}"`;
  throw usageError(`--${name} is at most ${written}${found}`);
}

const unitMs = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

/**
 * Parses `90`, `90s`, `10m`, `1h30m`, `500ms` to milliseconds; a number alone is seconds. Returns `undefined` for other
 * texts and for zero. There is no upper bound.
 */
export function parseDuration(text: string): number | undefined {
  if (/^\d+$/.test(text)) return positive(Number(text) * unitMs.s);
  if (!/^(?:\d+d)?(?:\d+h)?(?:\d+m)?(?:\d+s)?(?:\d+ms)?$/.test(text)) return undefined;
  const parts = text.matchAll(/(\d+)(ms|[smhd])/g);
  return positive([...parts].reduce((sum, [, count = '', unit]) => sum + Number(count) * msOf(unit), 0));
}

const positive = (ms: number): number | undefined => (ms > 0 ? ms : undefined);

const msOf = (unit = ''): number => Object.entries(unitMs).find(([name]) => name === unit)?.[1] ?? 0;
