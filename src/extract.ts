/** The engine for code: a configuration becomes observables of receipts, with a sink opened and closed around them. */
import {
  catchError,
  defer,
  from,
  lastValueFrom,
  map,
  mergeMap,
  NEVER,
  type Observable,
  of,
  takeUntil,
  tap,
  throwError,
} from 'rxjs';
import { scroll } from '../operators/scroll.js';
import { fromFunction } from '../sinks/from-function.js';
import { nullSink } from '../sinks/null.js';
import { parseConfig } from './config/parse-config.js';
import { createEngine, type Engine } from './engine.js';
import { asExtractError, ExtractError } from './errors.js';
import { fromPlain } from './exact.js';
import { aborted, createLifecycle, interruption, once } from './lifecycle.js';
import { maskError } from './mask-error.js';
import { didYouMean } from './nearest.js';
import { strictError } from './notices.js';
import type { Dispatcher } from './send.js';
import { createTotals, type Spent, type Summary, type Totals } from './totals.js';
import type { Job, Notify, Receipt, Sink, SinkFunction } from './types.js';
import { createVisits, type Visit } from './visit.js';

export interface ExtractOptions {
  /** Where items go; without it they are counted and dropped. */
  readonly to?: Sink | SinkFunction;
  /** Names of the jobs to run; without it all. */
  readonly jobs?: readonly string[];
  /** The most requests in flight over all jobs; 1. */
  readonly concurrency?: number;
  /** Warnings become errors. */
  readonly strict?: boolean;
  /** Hears warnings and waits; messages are masked. */
  readonly notify?: Notify;
  /** The largest item in bytes; 64 MiB. */
  readonly maxItemBytes?: number;
  /** An undici dispatcher to send with: a proxy agent, a MockAgent. Closing it stays with the caller. */
  readonly dispatcher?: Dispatcher;
}

export interface RunOptions extends ExtractOptions {
  /** Called with each receipt: progress. */
  readonly onReceipt?: (receipt: Receipt) => void;
  /** Aborting it interrupts the run: the request in flight is aborted, the sink left valid. Rejects with ERR_ABORTED. */
  readonly signal?: AbortSignal;
}

/** One job of an extraction. */
export interface JobExtraction {
  readonly name: string;
  readonly dataType: string;
  /** Walks this job alone into the sink; opening and closing the sink is then the subscriber's. */
  readonly receipts: Observable<Receipt>;
}

export interface Extraction {
  readonly jobs: readonly JobExtraction[];
  /** Runs all jobs, a receipt a page. Opens the sink before and closes it after; an error or unsubscribing aborts it. Once only. */
  readonly receipts: Observable<Receipt>;
  /** Settles when the sink has been closed or aborted and nothing is under way any more. */
  readonly closed: Promise<void>;
  /** What was done so far; at any time, also after an error. */
  summary(): Summary;
  /** Hides all secrets that the extraction knows of. */
  mask(text: string): string;
}

/**
 * Prepares a configuration: a plain object, or an exact document. Nothing is requested before `receipts` is subscribed to.
 * Throws ERR_CONFIG with every fault at once, ERR_FUNCTION, ERR_USAGE, and ERR_STRICT for warnings under `strict`.
 */
export function extract(configuration: object, options: ExtractOptions = {}): Extraction {
  const document = fromPlain(configuration);
  const { config, notices } = parseConfig(document);
  const warnings = notices.filter(({ level }) => level === 'warning');
  if (options.strict === true && warnings.length > 0) throw strictError(warnings);

  const engine = createEngine(config, document, { ...options, to: sinkOf(options.to) });
  for (const notice of notices) engine.notify(notice);
  const jobs = chooseJobs(engine.jobs, options.jobs);
  const totals = createTotals(jobs);
  const walks = jobs.map((job) => ({ name: job.name, dataType: job.dataType, receipts: walk(engine, job, totals) }));
  const lifecycle = createLifecycle(engine, walks, totals);

  return {
    jobs: walks,
    receipts: once(lifecycle.around(side(walks, concurrencyOf(engine, options)))),
    closed: lifecycle.closed,
    summary: () => ({ jobs: totals.jobs(), outputs: engine.sink.summary?.() ?? [] }),
    mask: engine.secrets.mask,
  };
}

/** Runs a configuration to its end. Rejects with the error of the first job that failed; see `extract`. */
export async function run(configuration: object, options: RunOptions = {}): Promise<Summary> {
  const { onReceipt = () => {}, signal, ...rest } = options;
  const extraction = extract(configuration, rest);
  // Nothing is opened yet, so nothing is there to be aborted.
  if (signal?.aborted === true) throw interruption(signal);
  const stopped = signal === undefined ? NEVER : aborted(signal);
  try {
    await lastValueFrom(extraction.receipts.pipe(tap(onReceipt), takeUntil(stopped)), { defaultValue: undefined });
  } finally {
    await extraction.closed;
  }
  return extraction.summary();
}

const sinkOf = (to: Sink | SinkFunction = nullSink()): Sink => (typeof to === 'function' ? fromFunction(to) : to);

function chooseJobs(all: readonly Job[], names: readonly string[] | undefined): readonly Job[] {
  const known = all.map(({ name }) => name);
  for (const name of names ?? []) {
    if (known.includes(name)) continue;
    const list = known.map((each) => `"${each}"`).join(', ');
    throw new ExtractError('ERR_USAGE', `there is no job "${name}"${didYouMean(name, known)}; the jobs are ${list}`);
  }
  return names === undefined ? all : all.filter(({ name }) => names.includes(name));
}

/** With a login before every request, requests take turns: more than one at a time would only wait. Decision 4. */
function concurrencyOf(engine: Engine, { concurrency = 1 }: ExtractOptions): number {
  if (!Number.isSafeInteger(concurrency) || concurrency < 1) {
    throw new ExtractError('ERR_USAGE', 'concurrency: expected a whole number from 1 up');
  }
  if (concurrency === 1 || !engine.isSequential) return concurrency;
  engine.notify({
    level: 'warning',
    code: 'sequential-login',
    message: 'expires is 0: a login goes before every request, so requests go one at a time and the concurrency is 1',
  });
  return 1;
}

function walk(engine: Engine, job: Job, totals: Totals): Observable<Receipt> {
  return defer(() => {
    totals.start(job.name);
    const first: Visit = { request: engine.scroller.first(job), index: 0 };
    const lose = (spent: Spent) => totals.lose(job.name, spent);
    return of(first).pipe(scroll(createVisits(engine, job, engine.scroller, lose)));
  }).pipe(
    map(({ receipt }) => receipt),
    tap((receipt) => totals.add(receipt)),
    catchError((thrown) => throwError(() => maskError(asExtractError(thrown), engine.secrets))),
  );
}

const side = (walks: readonly JobExtraction[], concurrency: number): Observable<Receipt> =>
  from(walks).pipe(mergeMap(({ receipts }) => receipts, concurrency));
