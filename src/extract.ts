/** The engine for code: a configuration becomes observables of receipts, with a sink opened and closed around them. */
import { asyncScheduler, concatMap, defer, from, mergeMap, type Observable } from 'rxjs';
import { inTurn } from '../operators/in-turn.js';
import { fromFunction } from '../sinks/from-function.js';
import { nullSink } from '../sinks/null.js';
import type { OnActivity } from './activity.js';
import { type BoundOptions, createBounds } from './bounds.js';
import { checkConfiguration, checkFolder, checkOptionNames, checkSinkGiven } from './check-options.js';
import { chooseJobs, jobNamed } from './choose-jobs.js';
import type { Client } from './client.js';
import { withChildren } from './config/children.js';
import type { JobConfig } from './config/config.js';
import { type Environment, fillFromEnv } from './config/env.js';
import { parseConfig } from './config/parse-config.js';
import { builtIn } from './config/registries.js';
import { tableNotice } from './config/table-settings.js';
import { createEngine, type Engine } from './engine.js';
import { asExtractError, ExtractError } from './errors.js';
import { type Exact, type ExactObject, fromPlain } from './exact.js';
import { beginning } from './faces/begin.js';
import { drive } from './faces/drive.js';
import { type Faces, facesOf } from './faces/faces.js';
import { createUses } from './faces/uses.js';
import { createLifecycle, once } from './lifecycle.js';
import { maskedNames } from './masked-names.js';
import { strictError } from './notices.js';
import { createOutputNames, type OutputNaming } from './output-names.js';
import type { Dispatcher } from './send.js';
import { type Checkpoint, openCheckpoint } from './state/checkpoint.js';
import { keepingOf, nothingToDoOf } from './state/keeping-of.js';
import type { Known } from './state/known.js';
import type { Store } from './state/store.js';
import { beginState } from './state.js';
import { createTotals, type Summary } from './totals.js';
import type { Notify, Receipt, Sink, SinkFunction } from './types.js';
import { walkJob } from './walk.js';
import { allowing, checkAllowed } from './warnings.js';

/** What the scanner can address. */
const mostItemBytes = 512 * 1024 * 1024;

export interface ExtractOptions<Item = unknown> extends BoundOptions {
  /** Where items go; without it they are counted and dropped. */
  readonly to?: Sink<Item> | SinkFunction<Item>;
  /** Names of the jobs to run; without it all. */
  readonly jobs?: readonly string[];
  /** The most requests in flight over all jobs; 1. */
  readonly concurrency?: number;
  /** Warnings become errors. */
  readonly strict?: boolean;
  /** Codes of warnings that are none to you: they are told for debugging, and no error under `strict`. */
  readonly allow?: readonly string[];
  /** Hears warnings and waits; messages are masked. */
  readonly notify?: Notify;
  /** The largest item in bytes; 64 MiB, at most 512 MiB. */
  readonly maxItemBytes?: number;
  /** The largest body in bytes, decoded; without it a body may have any size, as it is never held whole. */
  readonly maxBodyBytes?: number;
  /** The state that the last run left, a plain object: what `time` expressions refer to. Without it this is the first run. */
  readonly state?: object;
  /** What `{"env": "NAME"}` in the configuration refers to, `process.env` for instance; without it there are no variables. */
  readonly env?: Environment;
  /**
   * What sinks are told as data types: those of the jobs (`dataType`, the default), or with the bucket of the configuration in front,
   * where it has one.
   */
  readonly outputNames?: OutputNaming;
  /** An undici dispatcher to send with: a proxy agent, a MockAgent. Closing it stays with the caller. */
  readonly dispatcher?: Dispatcher;
  /** Where answers are kept if the configuration has `cache`; without it they are not. Made when it is needed, for its owner alone. */
  readonly cacheFolder?: string;
  /** Hears what each job waits for and how far its page has come: for a display. Without it nothing is counted on the way. */
  readonly onActivity?: OnActivity;
  /**
   * Where `receipts` keep their state, and where they go on: what `openCheckpoint` gives. It is closed with the run; where `receipts` are never
   * subscribed to, by whoever opened it. Without it no state is kept.
   */
  readonly checkpoint?: Checkpoint;
}

export interface RunOptions<Item = unknown> extends ExtractOptions<Item> {
  /** Called with each receipt: progress. */
  readonly onReceipt?: (receipt: Receipt) => void;
  /** Aborting it interrupts the run: the request in flight is aborted, the sink left valid. Rejects with ERR_ABORTED. */
  readonly signal?: AbortSignal;
  /** Keeps the state of the run, so that another can go on where it is broken off; with `resume` this one does, where there is something. */
  readonly store?: Store;
  readonly resume?: boolean;
}

/** One top-level job of an extraction. Its faces give its items, and those of its children. */
export interface JobExtraction<Item = unknown> extends Faces<Item> {
  readonly name: string;
  readonly dataType: string;
  /** Walks this job alone into the sink; opening and closing the sink is then the subscriber's. */
  readonly receipts: Observable<Receipt>;
}

/** Its faces give the items of all jobs; with them `to` is left out. `Item` is the caller's word: nothing is checked. */
export interface Extraction<Item = unknown> extends Faces<Item> {
  readonly jobs: readonly JobExtraction<Item>[];
  /** The job of that name, and what its items are. Throws ERR_USAGE where there is none. */
  job<Own extends Item = Item>(name: string): JobExtraction<Own>;
  /** Runs all jobs, a receipt a page. Opens the sink before and closes it after; an error or unsubscribing aborts it. Once only. */
  readonly receipts: Observable<Receipt>;
  /** Settles when the sink of `receipts` has been closed or aborted and nothing of it is under way any more. */
  readonly closed: Promise<void>;
  /**
   * Looks at what only loading can tell, still without a request: the private key of an `sshProxy` (ERR_CONFIG), and whether `ssh2` is installed
   * (the warning `missing-package`). A run finds it out by itself.
   */
  check(): Promise<void>;
  /** No further page begins; settles when those under way are through and, where a state is kept, written down. Unsubscribe then. */
  stop(): Promise<void>;
  /** What was done so far, all runs of faces together; at any time, also after an error. */
  summary(): Summary;
  /** The state for the next run, once this one has succeeded: an exact value, `stringifyExact` writes it. */
  readonly state: ExactObject;
  /** Hides all secrets that the extraction knows of. */
  mask(text: string): string;
}

/**
 * Prepares a configuration: a plain object, or what `parseDocument` gives. Nothing is requested before `receipts` is subscribed to or a face is asked.
 * Throws ERR_CONFIG with every fault at once, ERR_FUNCTION, ERR_USAGE, and ERR_STRICT for warnings under `strict`.
 */
export function extract<Item = unknown>(configuration: object, options: ExtractOptions<Item> = {}): Extraction<Item> {
  checkConfiguration(configuration);
  checkOptionNames(options, extractOptions);
  checkSinkGiven(options.to);
  checkFolder('cacheFolder', options.cacheFolder);
  const { document, values, notices: ofEnv } = fillFromEnv(documentOf(configuration), options.env ?? {});
  const allow = options.allow ?? [];
  checkAllowed(allow);
  const { configs, notices: read } = parseConfig(document, builtIn, options.notify);
  const notices = [...ofEnv, ...read, ...maskedNames(configs, values)];
  const warnings = notices.map(allowing(allow)).filter(({ level }) => level === 'warning');
  if (options.strict === true && warnings.length > 0) throw strictError(warnings);

  if (options.maxItemBytes !== undefined) checkCount('maxItemBytes', options.maxItemBytes, mostItemBytes);
  if (options.maxBodyBytes !== undefined) checkCount('maxBodyBytes', options.maxBodyBytes);
  for (const name of boundNames) if (options[name] !== undefined) checkCount(name, options[name]);
  const { checkpoint } = options;
  checkpoint?.take();
  const before = fromPlain(options.state ?? {});
  const startedAt = checkpoint?.earlier[0]?.begin.startedAt ?? asyncScheduler.now();
  const state = beginState(before, startedAt);
  const engine = createEngine(configs, document, {
    ...options,
    to: sinkOf(options.to),
    time: state.time,
    hidden: values,
  });
  const unused = tableNotice(
    configs.map(({ tables }) => tables),
    options.outputNames,
  );
  for (const notice of [...notices, ...(unused === undefined ? [] : [unused])]) engine.notify(notice);
  const jobs = chooseJobs(engine.jobs, options.jobs);
  const written = documentOf(configuration);
  const { outputNames } = options;
  const known = { written, filled: document, state: before, jobs, outputNames, bounds: options, startedAt };
  return { ...extractionOf(engine, jobs, { ...options, known }), state: state.next };
}

/** A client's jobs with all that lie below them. */
const withAll = ({ tables, jobs }: Client) => ({ tables, jobs: withChildren<JobConfig>(jobs) });

interface Building<Item> extends ExtractOptions<Item> {
  /** What the run is known again by. */
  readonly known: Known;
}

function extractionOf<Item>(
  engine: Engine,
  jobs: readonly JobConfig[],
  { to, concurrency, outputNames, checkpoint, known, ...bounds }: Building<Item>,
): Omit<Extraction<Item>, 'state'> {
  const totals = createTotals(withChildren<JobConfig>(jobs));
  const uses = createUses(engine);
  const names = createOutputNames(outputNames);
  const outputs = names.outputsOf(engine.clients.map(withAll), withChildren<JobConfig>(jobs));
  const keeping = checkpoint === undefined ? undefined : keepingOf(engine, { checkpoint, known, outputs, totals });
  const sink = keeping?.sink ?? engine.sink;
  const lifecycle = createLifecycle({ ...engine, sink, release: uses.leave }, outputs, totals);
  const atOnce = concurrencyOf(engine, concurrency);
  const named = ({ tables: { bucket } }: Client): Engine => ({
    ...engine,
    sink: names.within(engine.sink, bucket),
    books: keeping?.books((dataType) => names.nameOf(dataType, bucket)),
  });
  const alone = (client: Client): Engine => ({ ...named(client), books: undefined });
  const walks = (chosen: readonly JobConfig[], engineOf: (client: Client) => Engine) =>
    defer(() => {
      const inBounds = createBounds(bounds, keeping?.shares());
      const shared = { totals, atOnce, slot: inTurn(atOnce), budget: { kept: 0 }, bounds: inBounds };
      return from(engine.clients).pipe(
        concatMap((client) =>
          from(client.jobs.filter((job) => chosen.includes(job))).pipe(
            mergeMap((job) => walkJob({ ...shared, engine: engineOf(client), client }, job), atOnce),
          ),
        ),
      );
    });
  const begun = defer(() => {
    uses.enter();
    const run = walks(jobs, named);
    return lifecycle.around(keeping?.around(run) ?? run);
  });
  const faces = (chosen: readonly JobConfig[]): Faces<Item> =>
    facesOf(
      beginning({
        engine,
        totals,
        uses,
        jobs: withChildren<JobConfig>(chosen),
        walk: (own) => walks(chosen, () => own),
        hasSink: to !== undefined || checkpoint !== undefined,
      }),
    );
  const nothingToDo = nothingToDoOf(engine, keeping);
  const extractions = jobs.map((job) => ({
    name: job.name,
    dataType: job.dataType,
    receipts: walks([job], alone),
    ...faces([job]),
  }));

  return {
    jobs: extractions,
    job: <Own extends Item>(name: string) => extractions[jobs.indexOf(jobNamed(jobs, name))] as JobExtraction<Own>, // one for each; whoever names a type vouches for it
    ...faces(jobs),
    receipts: once(keeping?.isDone === true ? nothingToDo.receipts : begun),
    closed: keeping?.isDone === true ? nothingToDo.closed : lifecycle.closed,
    async stop() {
      engine.inFlight.stop();
      await engine.inFlight.idle();
      await keeping?.settled();
    },
    summary: () => ({
      jobs: totals.jobs(),
      outputs: names.told(keeping?.isDone === true ? keeping.told : (engine.sink.summary?.() ?? [])),
      ...(keeping === undefined ? {} : { guarantee: engine.sink.guarantee ?? 'at least once' }),
    }),
    check: engine.check,
    mask: engine.secrets.mask,
  };
}

/** Runs a configuration to its end. Rejects with the error of the first job that failed; see `extract`, and `openCheckpoint` for the store. */
export async function run<Item = unknown>(configuration: object, options: RunOptions<Item> = {}): Promise<Summary> {
  checkOptionNames(options, [...extractOptions, 'onReceipt', 'signal', 'store', 'resume']);
  const { onReceipt, signal, store, resume, ...rest } = options;
  if (store !== undefined && rest.checkpoint !== undefined) throw usage('store: cannot go together with checkpoint');
  if (store === undefined && resume === true)
    throw usage('resume: needs a store, where there may be something to go on with');
  const checkpoint = store === undefined ? rest.checkpoint : await openCheckpoint(store, { resume: resume === true });
  try {
    const extraction = extract<Item>(configuration, { ...rest, ...(checkpoint === undefined ? {} : { checkpoint }) });
    await drive(() => extraction, { onReceipt, signals: [signal] });
    return extraction.summary();
  } finally {
    await checkpoint?.close();
  }
}

const usage = (message: string) => new ExtractError('ERR_USAGE', message);

const optionTable: Readonly<Record<keyof ExtractOptions, true>> = {
  to: true,
  jobs: true,
  concurrency: true,
  strict: true,
  allow: true,
  notify: true,
  maxItemBytes: true,
  maxBodyBytes: true,
  maxPages: true,
  maxItems: true,
  maxDuration: true,
  state: true,
  env: true,
  outputNames: true,
  dispatcher: true,
  cacheFolder: true,
  onActivity: true,
  checkpoint: true,
};
const extractOptions: readonly string[] = Object.keys(optionTable);
const boundNames = ['maxPages', 'maxItems', 'maxDuration'] as const;

const sinkOf = <Item>(to: Sink<Item> | SinkFunction<Item> = nullSink()): Sink<Item> =>
  typeof to === 'function' ? fromFunction(to) : to;

/** With a login before every request, requests take turns: more than one at a time would only wait. Decision 4. */
function concurrencyOf(engine: Engine, concurrency = 1): number {
  checkCount('concurrency', concurrency);
  if (concurrency === 1 || !engine.isSequential) return concurrency;
  engine.notify({
    level: 'warning',
    code: 'sequential-login',
    message: 'expires is 0: a login goes before every request, so requests go one at a time and the concurrency is 1',
  });
  return 1;
}

function documentOf(configuration: object): Exact {
  try {
    return fromPlain(configuration);
  } catch (thrown) {
    const { message } = asExtractError(thrown);
    throw new ExtractError('ERR_CONFIG', message, { cause: thrown, problems: [{ path: '', message }] });
  }
}

function checkCount(name: string, value: number, most = Number.MAX_SAFE_INTEGER): void {
  if (Number.isSafeInteger(value) && value >= 1 && value <= most) return;
  const upTo = most === Number.MAX_SAFE_INTEGER ? 'up' : `to ${most}`;
  throw new ExtractError('ERR_USAGE', `${name}: expected a whole number from 1 ${upTo}`);
}
