/** The engine for code: a configuration becomes observables of receipts, which open and close their sink. */

import { asyncScheduler } from 'rxjs';
import { mustBeComplete } from '../../sinks/recovery.js';
import { type Checkpoint, openCheckpoint } from '../checkpoint/checkpoint.js';
import { namedSecrets } from '../checkpoint/named-secrets.js';
import type { FingerprintedRun } from '../checkpoint/run-identity.js';
import { createSecretReferences } from '../checkpoint/secret-refs.js';
import { type JobConfig, withChildren } from '../config/config.js';
import type { Configuration } from '../config/configuration.js';
import type { ExpectedConfiguration } from '../config/expected-configuration.js';
import { tableNotices } from '../config/table-settings.js';
import { type Exact, fromPlain } from '../core/json/exact.js';
import type { Notice } from '../core/model/notice.js';
import { optionError, usageError } from '../core/util/check-value.js';
import { defined } from '../core/util/defined.js';
import { digestOf } from '../core/util/digest.js';
import { version } from '../core/util/version.js';
import type { RunMemory } from '../incremental/run-memory.js';
import { buildExtraction } from './build-extraction.js';
import { chooseJobs } from './choose-jobs.js';
import { runToCompletion } from './consume/run-to-completion.js';
import type { Extraction } from './extraction.js';
import { type BackfillOptions, createIncrementalRun, type IncrementalRun } from './incremental-run.js';
import { createIncrementalState } from './incremental-state.js';
import type { Summary } from './job-stats.js';
import { observeMemory } from './observe-memory.js';
import { type CompleteOptions, type ExtractOptions, type RunOptions, readRunOptions } from './options.js';
import { mustHaveShapes, mustTakeLetters, type RuledSinks, ruledSinks } from './output/handled-sinks.js';
import { selectTexts } from './output/selects.js';
import { hiding, type ReadRun, readRun } from './read-run.js';
import { createRememberedShapes, type RememberedShapes } from './remembered-shapes.js';
import { createRevalidation, hasRevalidation, type Revalidation } from './revalidation.js';
import { createRunContext, type RunContext, type SharedEngine } from './run-context.js';
import { decidingOptions, leavingOut } from './run-options.js';
import { runProof } from './run-proof.js';
import type { FailedWalks } from './walk/failed-walk.js';
import { failedWalks } from './walk/failed-walks.js';

/**
 * Prepares a configuration: a plain object, the result of `parseConfiguration`, or that of `parseDocument`. Requests
 * nothing before a subscription to `receipts` or the use of a consumer. Throws ERR_CONFIG with every problem at once,
 * ERR_FUNCTION, ERR_USAGE, ERR_RESUME for the checkpoint of another run, and ERR_STRICT for warnings under `strict`.
 */
export function extract<Item = unknown, Given = Configuration>(
  configuration: ExpectedConfiguration<Given>,
  options: ExtractOptions<Item> = {},
): Extraction<Item> {
  return extractionOf<Item>(prepareRun(configuration, options));
}

/** An engine that runs one extraction after the other, or some at once, such as the tasks of a shared run. */
export interface KeptEngine {
  /** Throws as `extract`. */
  extract(task: Pick<TaskOptions<unknown>, 'to' | 'checkpoint'>): Extraction;
  /** Each request needs a login of its own: its extractions run one after the other. */
  isSequential(): boolean;
  /** Closes connections, and those that sinks have kept. No extraction is running. */
  close(): Promise<void>;
}

/** Reads the configuration once for several extractions, and makes their clients once. Throws as `extract`. */
export function keepEngine(configuration: object, options: ExtractOptions): KeptEngine {
  const read = readRun(configuration, options);
  const span = new AbortController();
  let engine: SharedEngine | undefined;
  return {
    extract(task) {
      const prepared = prepareRead(read, { ...task, span: span.signal });
      engine = prepared.engine;
      return extractionOf(prepared);
    },
    isSequential: () => engine?.isSequential === true,
    async close() {
      span.abort();
      await engine?.release();
    },
  };
}

function extractionOf<Item>(prepared: ReturnType<typeof prepareRead>): Extraction<Item> {
  const { context, jobs, complete, known, handled, state } = prepared;
  hiding(context.secrets, () => mustTakeLetters(jobs, context.sinks));
  const { checkpoint } = complete;
  return {
    ...buildExtraction<Item>(context, jobs, { ...complete, known, handled }),
    state,
    shape: handled.shape,
    proof: () => runProof(context, { known, checkpoint }),
  };
}

interface KnownOptions extends Omit<CompleteOptions, 'jobs'> {
  readonly jobs: readonly JobConfig[];
  /** The state that was given. */
  readonly before: Exact;
  readonly startedAt: number;
}

/** What identifies the run for a resume. */
function knownOf(read: ReadRun, { jobs, before, startedAt, ...options }: KnownOptions): FingerprintedRun {
  const { written, document: filled, values } = read;
  const applied = {
    ...options,
    jobs: jobs.map(({ name }) => name).join(', '),
    select: options.select === undefined ? null : selectTexts(options.select).join('\n'),
    state: before,
  };
  const deciding = { options: decidingOptions(applied), unsetOptions: decidingOptions({}) };
  const identity = { written, filled, values, ...deciding, startedAt };
  return { ...identity, fingerprint: () => read.fingerprint(identity) };
}

/** What a run knows of those before it. */
type Past = Pick<Checkpoint, 'remembered' | 'earlier' | 'forgotten'>;

const pastOf = (remembered: RunMemory | undefined): Past | undefined =>
  remembered === undefined ? undefined : { remembered, earlier: [] };

/**
 * Everything of `extract` but the extraction: reads the configuration, and makes the engine with all clients.
 * `remembered`: of a run without a checkpoint, which only describes what others do.
 */
export function prepareRun<Item = unknown>(configuration: object, given: ExtractOptions<Item>, remembered?: RunMemory) {
  return prepareRead<Item>(readRun(configuration, given), { ...given, past: pastOf(remembered) });
}

interface TaskOptions<Item> {
  readonly to?: ExtractOptions<Item>['to'];
  readonly checkpoint?: Checkpoint | undefined;
  /** Of a run without a checkpoint. */
  readonly past?: Past | undefined;
  /** `SinkContext.span`. */
  readonly span?: AbortSignal;
}

/** The same for a configuration that was read; its engine may have been made. */
function prepareRead<Item>(read: ReadRun, { to, checkpoint, past = checkpoint, span }: TaskOptions<Item>) {
  const { written, document, secrets, configs } = read;
  const options: CompleteOptions = { ...read.options, ...defined({ checkpoint }) };
  checkpoint?.take();
  const before = fromPlain(options.state ?? {});
  const startedAt = checkpoint?.earlier[0]?.begin.startedAt ?? asyncScheduler.now();
  const state = createIncrementalState(before, startedAt);
  const runId = checkpoint?.earlier[0]?.begin.run;
  const hooks = {
    notify: (notice: Notice) => context.notify(notice),
    mask: (text: string) => context.secrets.mask(text),
  };
  const handled: RuledSinks = ruledSinks<Item>(to, { ...options, span }, hooks);
  const endFollowing = secrets.follow(() => handled.sink.secrets ?? []);
  const engine = read.engine(state.time);
  const release = async () => {
    endFollowing();
    await (span === undefined ? engine.release() : engine.settled());
  };
  const own = { ...engine, release };
  const context = hiding(secrets, () => createRunContext(own, { ...options, to: handled.sink, runId }));
  const hasTables = context.sinks.some(({ hasBuckets }) => hasBuckets === true);
  const outputNames = hasTables ? 'bucket.dataType' : options.outputNames;
  const tables = configs.map((config) => config.tables);
  for (const notice of tableNotices(tables, { outputNames, hasTables })) context.notify(notice);
  for (const sink of context.sinks) mustBeComplete(sink);
  const chosen = hiding(secrets, () => chooseJobs(context.jobs, options.jobs));
  const failedWalks = hiding(secrets, () => failedWalksOf(context, options, { written, document }));
  const jobs = failedWalks === undefined ? chosen : chosen.filter(({ name }) => failedWalks.of(name).length > 0);
  hiding(secrets, () => mustHaveShapes(handled.judge, jobs));
  const increments = hiding(secrets, () => incrementsOf(context, jobs, options, { past, startedAt }));
  const revalidation = revalidationOf(context, jobs, options, { past, read });
  const shapes = failedWalks === undefined ? shapesOf(context, options, { past, read }) : undefined;
  const known = knownOf(read, { ...options, outputNames, jobs, before, startedAt });
  return {
    engine,
    context: { ...context, increments, revalidation, shapes, failedWalks },
    configs,
    jobs,
    complete: { ...options, outputNames },
    known,
    handled,
    state: state.next,
  };
}

/**
 * Runs a configuration to its end. Rejects with the error of the first job that fails. See `extract`, and
 * `openCheckpoint` for the store.
 */
export async function run<Item = unknown, Given = Configuration>(
  configuration: ExpectedConfiguration<Given>,
  options: RunOptions<Item> = {},
): Promise<Summary> {
  readRunOptions(options);
  const { onReceipt, signal, store, resume, ...rest } = options;
  if (store === undefined && resume !== undefined && resume !== false) {
    throw usageError('resume: needs a store to resume from');
  }
  const checkpoint = store === undefined ? rest.checkpoint : await openCheckpoint(store, defined({ resume }));
  try {
    const extraction = extract<Item, Given>(configuration, {
      ...rest,
      ...defined({ checkpoint }),
    });
    await runToCompletion(() => extraction, { onReceipt, signals: [signal] });
    return extraction.summary();
  } finally {
    await checkpoint?.close();
  }
}

/** Undefined: the run takes all walks. Throws ERR_USAGE for options that would leave some of them out. */
function failedWalksOf(
  { jobs, secrets, notify }: RunContext,
  options: CompleteOptions,
  { written, document }: { readonly written: Exact; readonly document: Exact },
): FailedWalks | undefined {
  const { again, lost = 0 } = options.checkpoint ?? {};
  if (again === undefined) return undefined;
  const given = leavingOut.find((name) => options[name] !== undefined);
  if (given !== undefined) throw optionError(given, 'cannot be used with requests that failed: all of them are sent');
  const why =
    'what their job remembers makes the next run ask for them, or they contain secrets that are never stored, or are more than 10,000';
  if (lost > 0) notify(notSentAgain(lost, why));
  return failedWalks(again, jobs, createSecretReferences(secrets, namedSecrets(written, document)));
}

const notSentAgain = (count: number, why: string): Notice => ({
  level: 'warning',
  code: 'not-sent-again',
  message: `${count === 1 ? 'a request that failed is' : `${count} requests that failed are`} not sent again: ${why}`,
});

/** What jobs remember, of a run with its jobs chosen. */
function incrementsOf(
  { secrets, notify, observer }: RunContext,
  jobs: readonly JobConfig[],
  options: CompleteOptions,
  { past, startedAt }: { readonly past: Past | undefined; readonly startedAt: number },
): IncrementalRun | undefined {
  const { remembered, forgotten = 0 } = past ?? {};
  const backfill = backfillOf(options);
  const increments = createIncrementalRun({
    jobs,
    startedAt,
    secrets,
    notify,
    ...backfill,
    ...defined({ remembered }),
  });
  if (increments !== undefined && forgotten > 0 && options.full !== true)
    notify(notSentAgain(forgotten, 'this run asks for what is new; run with --retry-failed before it'));
  if (increments === undefined || observer === undefined) return increments;
  return observeMemory(increments, observer, remembered);
}

/** Pages that an earlier run has had. Undefined: no job asks. The configuration is read whole only if one does. */
function revalidationOf(
  { sinks, notify }: RunContext,
  jobs: readonly JobConfig[],
  { select, full, since, until, exchanges }: CompleteOptions,
  { past, read }: { readonly past: Past | undefined; readonly read: Pick<ReadRun, 'mark'> },
): Revalidation | undefined {
  if (past === undefined) return undefined;
  const asking = { jobs: withChildren<JobConfig>(jobs), remembered: past.remembered };
  if (!hasRevalidation(asking)) return undefined;
  const places = [select === undefined ? [] : selectTexts(select), sinks.map(({ name = '' }) => name)];
  return createRevalidation({
    ...asking,
    mark: digestOf(JSON.stringify([version, read.mark(), places])),
    sends: full !== true && exchanges === undefined,
    isBackfill: since !== undefined || until !== undefined,
    notify,
  });
}

/** What items were in earlier runs. A backfill has items of another time. */
function shapesOf(
  { secrets, notify }: RunContext,
  { select, since, until }: CompleteOptions,
  { past, read }: { readonly past: Past | undefined; readonly read: Pick<ReadRun, 'mark'> },
): RememberedShapes | undefined {
  if (past === undefined || since !== undefined || until !== undefined) return undefined;
  const selected = select === undefined ? [] : selectTexts(select);
  return createRememberedShapes({
    remembered: past.remembered,
    // The number is that of the stored form.
    mark: digestOf(JSON.stringify(['1', read.mark(), selected])).slice(0, 16),
    notify,
    mask: secrets.mask,
    isRest: past.earlier.some(({ phase }) => phase !== 'done'),
  });
}

/** The options that decide where jobs with `incremental` begin. */
const backfillOf = ({ full, since, until, remember }: CompleteOptions): BackfillOptions =>
  defined({ full, since, until, remember });
