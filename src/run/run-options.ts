/**
 * The options of a run, one row each. A flag, its option in code, its member of `case.json` and its row in the
 * documentation are this row: docs/05-command-line.md, docs/08-in-code.md.
 */
import type { Sink, SinkFunction } from '../../sinks/contract.js';
import type { Checkpoint, CheckpointOptions } from '../checkpoint/checkpoint.js';
import type { Store } from '../checkpoint/store/store.js';
import type { EnvironmentVariables } from '../config/env.js';
import { type ExactObject, fromPlain } from '../core/json/exact.js';
import type { Notify } from '../core/model/notice.js';
import type { OnOutlook } from '../core/model/outlook.js';
import type { Receipt } from '../core/model/page.js';
import type { Kind, OptionRow, OptionRows } from '../core/options/kind.js';
import {
  bytes,
  callback,
  duration,
  flag,
  folder,
  hasMethods,
  inCode,
  named,
  nonEmptyText,
  objectWith,
  text,
  whole,
  word,
} from '../core/options/kinds.js';
import { listOf, mapOf, objectOf, oneOrList, union } from '../core/options/object-kinds.js';
import { valueBy } from '../core/options/read-options.js';
import type { CredentialBroker } from '../http/credential-broker.js';
import type { Exchanges } from '../http/exchanges.js';
import type { Observe } from '../http/observer.js';
import type { MakeRateLimiter, RateLimiter } from '../http/rate-limiter.js';
import type { Dispatcher } from '../http/transport/transport.js';
import type { OnActivity } from '../page/progress.js';
import { prefetch } from '../pagination/prefetch.js';

const texts = listOf(text, 'texts');

const select = oneOrList(nonEmptyText, 'texts');

/** All data types that are not named. */
const others = '*';

const count = whole(0);

/** By data type. */
const counts = mapOf(count, 'an object whose values are whole numbers from 0 up');

function readCount(given: string): unknown {
  const at = given.lastIndexOf('=');
  const { value } = valueBy(count, given.slice(at + 1), 'text');
  return value === undefined || at === 0 ? given : { [at === -1 ? others : given.slice(0, at)]: value };
}

const leastItems = {
  ...union(count, counts, `${count.struct.type}, or an object whose values are such numbers`),
  each: { ...counts, text: { read: readCount, expected: 'a whole number, or one such as users=100' } },
  text: {
    read: (given: string) => given,
    expected: 'a whole number',
    value: '[NAME=]N',
    // Unlike an assignment, this keeps the name __proto__.
    join: (values: readonly object[]) => Object.fromEntries(values.flatMap((each) => Object.entries(each))),
  },
};

/** What is made by a function of the package checks itself where it is used. */
const made = <T>(): Kind<T> =>
  inCode<T>('an object', (value) => typeof value === 'object' && value !== null && !Array.isArray(value));

/** `leavesOut`: a run with the option may end without all items. */
interface RunRow extends OptionRow {
  readonly leavesOut?: true;
}

type RunRows = Readonly<Record<string, RunRow>>;

/** Which jobs run, and what becomes of warnings: options of every command with jobs. */
export const jobRows = {
  jobs: {
    leavesOut: true,
    kind: texts,
    flag: 'job',
    value: 'NAME',
    summary: 'run only this job',
    otherwise: 'all',
    details:
      'The name of a job is its data type, or else its endpoint; `validate` shows the names. [Children](04-child-jobs.md) run with the job they belong to',
  },
  strict: { kind: flag, default: false, summary: 'treat warnings as errors', mayChangeOnResume: true },
  allow: {
    kind: texts,
    value: 'WARNING',
    summary: 'suppress [this warning](01-configuration.md#faults-and-warnings), also with `strict`',
    details: 'It becomes a notice of the level `debug`',
    mayChangeOnResume: true,
  },
} satisfies RunRows;

/** Whether a configuration may open files and run programs: of every command with one. */
export const commandRows = {
  commands: {
    kind: flag,
    default: true,
    flag: 'no-commands',
    summary: 'refuse [secrets from files and commands](01-configuration.md#secrets-from-files-and-commands)',
    otherwise: 'they are read',
    details: 'In code `commands: false` refuses them. A data folder always does',
    mayChangeOnResume: true,
  },
  hosts: {
    kind: texts,
    flag: 'host',
    value: 'HOST',
    summary: 'send requests [to this host alone](05-command-line.md#hosts-of-requests), logins and redirects included',
    otherwise: 'to those that the configuration leads to',
    mayChangeOnResume: true,
  },
} satisfies OptionRows;

/** Changes of the configuration: of every command with one, and of a test case. */
export const setRows = {
  set: {
    kind: texts,
    value: 'PATH=VALUE',
    summary: '[change a value](05-command-line.md#changing-single-values), such as config.jobs[0].params.limit=100',
  },
} satisfies OptionRows;

/** Options of a run that a test case has too. */
export const choiceRows = {
  select: {
    kind: select,
    value: '[NAME:]MEMBERS',
    summary: '[members of items](07-sinks.md#select) for sinks: "users: id, address.city as city, !password"',
    otherwise: 'all',
  },
  maxItems: {
    leavesOut: true,
    kind: whole(1),
    summary: 'end [each job](03-pagination.md#bounds-of-a-run) after exactly N items',
    otherwise: 'no limit',
  },
  maxPages: {
    leavesOut: true,
    kind: whole(1),
    summary: 'end [each job](03-pagination.md#bounds-of-a-run) after N pages',
    otherwise: 'no limit',
  },
  minItems: {
    kind: leastItems,
    summary: 'fail, and publish nothing, if data type NAME (default: any) has fewer items',
    details:
      "[An earlier output](07-sinks.md#an-earlier-output) stays. A name counts before the number for all, and 0 requires nothing. In code a number, or an object such as `{ users: 100, '*': 1 }`; items cannot be pulled then",
    mayChangeOnResume: true,
  },
} satisfies RunRows;

/** Further options that a run has as flags and in code. */
export const sharedRows = {
  full: {
    kind: flag,
    excludes: ['since'],
    summary:
      'with `incremental` or `revalidate`: ask for [everything](13-second-run.md#everything-again), and remember anew',
  },
  since: {
    kind: nonEmptyText,
    value: 'VALUE',
    summary: 'with `incremental`: [a backfill](13-second-run.md#a-backfill) from this value on',
    otherwise: 'what is remembered',
  },
  until: {
    kind: nonEmptyText,
    value: 'VALUE',
    summary: 'the end of a backfill: items from this value on are left out',
    otherwise: 'no end',
  },
  remember: {
    kind: flag,
    summary: 'a backfill advances [what is remembered](13-second-run.md#a-backfill)',
    otherwise: 'it changes nothing',
  },
  maxDuration: {
    leavesOut: true,
    kind: duration('s', 1, 36_500 * 86_400_000),
    summary: 'request no page after this time, such as 90s, 10m or 1h30m',
    otherwise: 'no limit',
    details: 'A flag without a unit is in seconds; in code it is in ms',
    mayChangeOnResume: true,
  },
  concurrency: {
    kind: whole(1),
    default: 1,
    summary: 'send at most N requests at a time, over all jobs',
    details:
      'Also over [children of one page](04-child-jobs.md#side-by-side). The pages of one job are read one after the other',
    mayChangeOnResume: true,
  },
  prefetch: {
    kind: prefetch,
    summary: 'request K pages of each job [ahead](03-pagination.md#pages-requested-ahead)',
    otherwise: '`prefetch` of its pagination',
    details: 'From 0 to 100, or `auto`, with `pagenum` and `offset`. These requests do not count for `concurrency`',
    mayChangeOnResume: true,
  },
  onChangedPage: {
    kind: word('fail', 'again'),
    default: 'fail',
    summary:
      'with a state: [a page changed](06-resume.md#a-page-that-changed-meanwhile) that a sink has: fail, or send it again',
    mayChangeOnResume: true,
  },
  onDrift: {
    kind: word('warn', 'fail', 'drop', 'dead-letter', 'evolve'),
    summary: 'with a shape: what becomes of [an item that differs](15-tables.md#items-that-differ)',
    otherwise: 'warn',
    mayChangeOnResume: true,
  },
  cacheFolder: {
    kind: folder,
    flag: 'cache-dir',
    summary: 'folder of [the response cache](05-command-line.md#kept-answers), see `cache`',
    otherwise: 'nothing is stored',
    details: 'It is created when needed. Do not use the folder of another person: it may contain their responses',
    mayChangeOnResume: true,
  },
  proxy: {
    kind: { ...named('the URL of a proxy, or env', 'URL'), offers: ['env', 'http://', 'https://', 'socks5://'] },
    summary:
      'http, https or socks5 [proxy](05-command-line.md#through-a-proxy); "env" uses HTTP_PROXY, HTTPS_PROXY and NO_PROXY',
    otherwise: 'direct connections',
    mayChangeOnResume: true,
  },
  maxBodyBytes: {
    kind: bytes(),
    summary: 'fail if a response is larger, such as 500MB or 64MiB',
    otherwise: 'no limit',
    details: 'The size is that of the decoded body; a larger one is `ERR_BODY_SIZE`',
    mayChangeOnResume: true,
  },
  maxItemBytes: {
    // The most that the scanner can address.
    kind: bytes(512 * 1024 * 1024),
    default: 64 * 1024 * 1024,
    summary: 'fail if an item is larger, at most 512MiB',
    details: 'A larger one is `ERR_ITEM_SIZE`',
    mayChangeOnResume: true,
  },
  replaceEmpty: {
    kind: flag,
    summary: 'replace [earlier output](07-sinks.md#an-earlier-output) even if no page has a value at `dataField`',
    otherwise: 'it is kept, with a warning',
    details: 'An output may also lose all its items without a warning',
    mayChangeOnResume: true,
  },
} satisfies RunRows;

const sinkWords = 'a sink, such as ndjson("out") of rxtract/sinks, or a function';

const isSink = (value: unknown): boolean => typeof value === 'function' || hasMethods(value, ['write', 'close']);

const isLimiterOrMaker = (value: unknown) => typeof value === 'function' || hasMethods(value, ['pass', 'around']);

const target = inCode<unknown>(
  `${sinkWords}, or an address such as "ndjson:out"`,
  (value) => typeof value === 'string' || isSink(value),
);

const letters = inCode<Sink | SinkFunction | string>(
  `${sinkWords}, or an address such as "ndjson:letters"`,
  (value) => typeof value === 'string' || isSink(value),
);

/** As `ItemErrorRule`; the sink can be an address too. */
export type ItemErrorOption = 'fail' | 'skip' | { readonly deadLetter: Sink | SinkFunction | string };

const itemErrors: Kind<ItemErrorOption> = union(
  word('fail', 'skip'),
  objectOf({ deadLetter: { kind: letters, required: true, summary: 'the sink of dead letters' } }),
  '"fail", "skip" or { deadLetter: sink }',
);

/** Options that only code has. */
const codeRows = {
  to: {
    kind: oneOrList(target, 'sinks'),
    summary: "[a sink, a function, an address such as `'ndjson:out'`](08-in-code.md#sinks), or a list of these",
    otherwise: 'counts and drops',
    mayChangeOnResume: true,
  },
  onItemError: {
    kind: itemErrors,
    default: 'fail',
    summary: '[items that a destination refuses](07-sinks.md#items-that-a-destination-refuses)',
    details:
      "`'skip'` leaves them out; `{ deadLetter: sink }` stores them in another sink too, which can be an address",
    mayChangeOnResume: true,
  },
  shape: {
    kind: made<object>(),
    summary: '[the shape](15-tables.md#shapes) of the items, which each item is compared with',
    otherwise: 'items are not compared',
    details: 'A document as `rxtract shape` writes it, a plain object or an exact one',
    mayChangeOnResume: true,
  },
  certify: {
    kind: flag,
    summary: 'each receipt has `proof`, and `proof()` of the extraction what [a certificate](18-certificates.md) says',
  },
  notify: {
    kind: callback<Notify>(),
    summary: 'called with each [notice](08-in-code.md#notices-and-strict)',
    mayChangeOnResume: true,
  },
  env: {
    kind: made<EnvironmentVariables>(),
    summary:
      'the variables for [`{"env": "NAME"}`](01-configuration.md#values-of-the-environment), such as `process.env`',
    otherwise: 'no variables',
    mayChangeOnResume: true,
  },
  state: {
    kind: made<object>(),
    summary: 'the `state` of the last successful extraction, a plain object or an exact one',
    otherwise: 'that of a first run',
    details: '`time.previousStart` is read from it. `stringifyExact(extraction.state)` writes the next one',
  },
  outputNames: {
    kind: word('dataType', 'bucket.dataType'),
    default: 'dataType',
    summary: 'the data types that sinks get',
    details: "`'bucket.dataType'` adds the bucket of the configuration as a prefix, if there is one",
  },
  dataFolder: {
    kind: flag,
    default: false,
    summary: 'the run uses the rules of a [data folder](05-command-line.md#a-data-folder)',
    details:
      '`maxRetries` also counts for [a server that is not there](01-configuration.md#a-server-that-is-not-there), an earlier output is always replaced, and [repeated items](03-pagination.md#repeated-pages-and-loops) are only a warning',
    mayChangeOnResume: true,
  },
  checkpoint: {
    kind: made<Checkpoint>(),
    summary: 'the result of `openCheckpoint(store, { resume })`, where `receipts` store their progress',
    otherwise: 'no state is stored',
    details: 'They resume from it: [chapter 6](06-resume.md#in-code)',
    mayChangeOnResume: true,
  },
  onActivity: {
    kind: callback<OnActivity>(),
    summary: 'called with [what each job waits for](08-in-code.md#what-a-job-waits-for)',
    mayChangeOnResume: true,
  },
  onOutlook: {
    kind: callback<OnOutlook>(),
    summary: 'called after each page of a top-level job with [what is left of it](08-in-code.md#what-a-job-waits-for)',
    mayChangeOnResume: true,
  },
  observe: {
    kind: oneOrList(made<Observe>(), 'observers'),
    summary:
      'what [watches the run](20-watching.md#in-code): the result of `createMetrics()`, `createTraces()` or `createLineage()`, or a list of such',
    otherwise: 'nothing does',
    mayChangeOnResume: true,
  },
  rateLimiter: {
    kind: inCode<RateLimiter | MakeRateLimiter>(
      'the result of createRateLimiter({ rates }) of rxtract, or a function that returns such a limiter',
      isLimiterOrMaker,
    ),
    summary:
      '[a rate limiter](08-in-code.md#shared-rates-and-logins) that replaces `api.http.rateLimit` and `rateLimitHeaders`, or a function that makes one of them',
    otherwise: 'each extraction has its own',
    mayChangeOnResume: true,
  },
  credentials: {
    kind: made<CredentialBroker>(),
    summary:
      '[a credential broker](08-in-code.md#shared-rates-and-logins): extractions with the same broker share logins',
    otherwise: 'each extraction logs in',
    mayChangeOnResume: true,
  },
  exchanges: {
    kind: made<Exchanges>(),
    summary:
      'the result of `recordExchanges(path)`, which records [every request and response](05-command-line.md#a-recording), or of `replayExchanges(path)`, which answers them',
    otherwise: 'requests are sent',
    details:
      'Each is for one run, and the caller closes it. Until then `asyncScheduler` of rxjs has the time of the recording, so nothing else in the process should use it',
    mayChangeOnResume: true,
  },
  dispatcher: {
    kind: objectWith<Dispatcher>('a dispatcher of undici', 'dispatch'),
    summary: '[an undici dispatcher](08-in-code.md#a-dispatcher-of-your-own), which the caller closes',
    otherwise: 'its own connections',
    mayChangeOnResume: true,
  },
} satisfies OptionRows;

/** What a flag and code say in the same way. */
export const flagRows = { ...jobRows, ...choiceRows, ...sharedRows, ...commandRows };

/** The options of `extract`. */
export const extractRows = { ...codeRows, ...flagRows };

/** The options that leave items out. */
export const leavingOut = namesOf(flagRows);

function namesOf<const Rows extends RunRows>(rows: Rows): readonly (keyof Rows & string)[] {
  return Object.keys(rows).filter((name) => rows[name]?.leavesOut === true);
}

/**
 * The options of a run that decide which items it extracts: a resume needs the same. Absent ones have their default, or
 * are null.
 */
export const decidingOptions = (options: Readonly<Record<string, unknown>>): ExactObject =>
  new Map(
    Object.entries<OptionRow>(extractRows).flatMap(([name, row]) =>
      row.mayChangeOnResume === true ? [] : [[name, fromPlain(options[name] ?? row.default ?? null)] as const],
    ),
  );

/** Options that only `run` has. */
export const ownRows = {
  onReceipt: { kind: callback<(receipt: Receipt) => void>(), summary: 'called with each receipt, for progress' },
  signal: {
    kind: made<AbortSignal>(),
    summary: 'an `AbortSignal`: [interrupting](08-in-code.md#interrupting) the run rejects with ERR_ABORTED',
  },
  store: {
    kind: inCode<Store>('a store', () => true), // openCheckpoint checks it
    summary: "the store of the state, such as `stateFolder('st')`: [chapter 6](06-resume.md#in-code)",
    excludes: ['checkpoint'],
  },
  resume: {
    kind: inCode<NonNullable<CheckpointOptions['resume']>>('true, false, "only" or "failed"', () => true), // the same
    summary: "whether to resume the run of the store: `true`, `'only'`, `'failed'` or `false`",
  },
} satisfies OptionRows;

/** The options of `run`. */
export const runRows = { ...extractRows, ...ownRows };
