/** Builds an extraction over a run context: totals, walks, the journal if a state is kept, and the consumers. */
import { concat, defer, ignoreElements, type Observable } from 'rxjs';
import { checkRoutes, sinksFor } from '../../sinks/addresses/routes.js';
import { type Earlier, guaranteeOf, type Sink, weakest } from '../../sinks/contract.js';
import { inSink } from '../../sinks/errors.js';
import { leavesOut } from '../../sinks/shape/judge.js';
import type { ResumeSession } from '../checkpoint/resume-session.js';
import type { FingerprintedRun } from '../checkpoint/run-identity.js';
import { noJournal } from '../checkpoint/run-journal.js';
import { type JobConfig, withChildren } from '../config/config.js';
import { ExtractError } from '../core/errors/errors.js';
import type { Receipt } from '../core/model/page.js';
import { usageError } from '../core/util/check-value.js';
import { defined } from '../core/util/defined.js';
import { jobNamed } from './choose-jobs.js';
import { createConsumers } from './consume/consumers.js';
import { createRefCount, type RefCount } from './consume/ref-count.js';
import { startRun } from './consume/start-run.js';
import type { Consumers } from './consume/types.js';
import type { Extraction, JobExtraction } from './extraction.js';
import { sampling } from './item-sample.js';
import { createStatsRecorder, type SinkPromise, type StatsRecorder, type Summary } from './job-stats.js';
import { createLifecycle, subscribeOnce } from './lifecycle.js';
import type { CompleteOptions } from './options.js';
import type { RuledSinks } from './output/handled-sinks.js';
import { type Judging, judgeOutputs } from './output/judge-outputs.js';
import { createLeastItems } from './output/min-items.js';
import { createOutputNames, type JobOutput, type OutputNames } from './output/output-names.js';
import { warnOfReplaced } from './output/warn-of-replaced.js';
import { completedRun, createResumeSession } from './resume-session.js';
import type { Iteration, RunContext } from './run-context.js';
import { descriptionOf } from './run-description.js';
import { createScheduler } from './scheduler.js';
import { noPlace } from './walk/store-file.js';

interface BuildOptions extends CompleteOptions {
  /** Identifies the run for a resume. */
  readonly known: FingerprintedRun;
  readonly handled: RuledSinks;
}

/**
 * Builds the extraction and starts nothing. Throws ERR_USAGE, and ERR_RESUME if the checkpoint is that of another run.
 */
export function buildExtraction<Item>(
  context: RunContext,
  jobs: readonly JobConfig[],
  options: BuildOptions,
): Omit<Extraction<Item>, 'state' | 'shape' | 'proof'> {
  const { concurrency, outputNames, checkpoint, known, handled } = options;
  const all = withChildren<JobConfig>(jobs);
  const totals = createStatsRecorder(all);
  const uses = createRefCount(context);
  const names = createOutputNames(outputNames);
  const asked = all.filter((job) => context.failedWalks?.includes(job) !== false);
  const outputs = names.outputsOf(context.iterations.map(withAll), asked);
  checkSinks(context, outputs);
  const session =
    checkpoint === undefined ? undefined : createResumeSession(context, { checkpoint, known, outputs, totals });
  if (session !== undefined && !session.isDone) warnOfReplaced(all, { ...options, ...context, outputs });
  const walks = createScheduler({ context, totals, bounds: options, concurrency, session });
  const { kept, alone } = contextsOf(context, names, session);
  const isSinceResume = mayLeaveOut(options) && (checkpoint?.earlier.length ?? 0) > 0;
  const excludedBy = excludes.find((name) => options[name] !== undefined);
  const consumers = (chosen: readonly JobConfig[]): Consumers<Item> => {
    const walk = (own: RunContext) => walks(chosen, () => own);
    return createConsumers(startRun({ context, totals, uses, jobs: withChildren(chosen), walk, excludedBy }));
  };
  const extractions = jobs.map((job) => ({
    name: job.name,
    dataType: job.dataType,
    receipts: walks([job], alone),
    ...consumers([job]),
  }));

  return {
    jobs: extractions,
    // One for each job; the caller vouches for the type.
    job: <Own extends Item>(name: string) => extractions[jobs.indexOf(jobNamed(jobs, name))] as JobExtraction<Own>,
    ...consumers(jobs),
    ...wholeRun(
      context,
      {
        outputs,
        totals,
        uses,
        session,
        startedAt: known.startedAt,
        ...judgingOf(context, options),
        mayLackRefused: isSinceResume,
      },
      walks(jobs, kept),
    ),
    stop: () => stop(context, session),
    summary: () => summaryOf(context, { totals, names, session, handled, isSinceResume }),
    check: context.check,
    mask: context.secrets.mask, // whole: the command passes texts that it has cut
  };
}

/** Throws ERR_USAGE for routes that do not fit, and for a sink that gets files and has no place for them. */
function checkSinks({ sinks, jobs }: RunContext, outputs: readonly JobOutput[]): void {
  checkRoutes(sinks, withChildren<JobConfig>(jobs), outputs);
  for (const { dataType, hasFiles } of outputs) {
    const lacking = sinksFor(sinks, dataType).find(({ file }) => file === undefined);
    if (hasFiles === true && lacking !== undefined) throw noPlace(dataType, lacking.name);
  }
}

/** Whether items may be missing in sinks because of what they are. */
const mayLeaveOut = ({ onItemError, handled: { judge } }: BuildOptions): boolean =>
  onItemError !== 'fail' || (judge !== undefined && leavesOut(judge.rule));

/** The jobs of an iteration, with their children. */
const withAll = ({ tables, jobs, address }: Iteration) => ({ tables, address, jobs: withChildren<JobConfig>(jobs) });

/** Run contexts for the jobs of an iteration: `kept` has the journal of the run, `alone` has none, for a single job. */
function contextsOf(context: RunContext, names: OutputNames, session: ResumeSession | undefined) {
  const plain = context.sample === undefined ? context.sink : sampling(context.sample, context.sink);
  const sink = context.shapes?.before(plain) ?? plain;
  const withJournal = ({ tables: { bucket } }: Iteration, kept: ResumeSession | undefined): RunContext => ({
    ...context,
    sink: names.within(kept === undefined ? plain : sink, bucket),
    sinks: context.sinks.map((sink) => names.within(sink, bucket)),
    journal: kept?.journal((dataType) => names.nameOf(dataType, bucket)) ?? noJournal,
    comparesAll: kept !== undefined && context.sinks.some(({ recovery }) => recovery === 'transaction'),
  });
  return {
    kept: (iteration: Iteration) => withJournal(iteration, session),
    alone: (iteration: Iteration) => withJournal(iteration, undefined),
  };
}

/** Options with which items cannot be pulled. */
const excludes = ['to', 'checkpoint', 'minItems'] as const;

type JudgingOptions = Pick<Judging, 'refusedOf' | 'leastItems' | 'unanswered' | 'configured' | 'isFull'>;

function judgingOf(
  { jobs }: RunContext,
  {
    handled,
    minItems,
    replaceEmpty,
    dataFolder,
    full = false,
  }: Pick<BuildOptions, 'handled' | 'minItems' | 'replaceEmpty' | 'dataFolder' | 'full'>,
): JudgingOptions {
  const configured = withChildren<JobConfig>(jobs);
  const leastItems = createLeastItems(minItems, configured);
  const isKept = !(replaceEmpty ?? dataFolder);
  const unanswered = isKept ? 'keep' : replaceEmpty === true ? 'replace silently' : 'replace';
  return { refusedOf: handled.refusedOf, leastItems, unanswered, configured, isFull: full };
}

interface WholeRun extends JudgingOptions, Pick<Judging, 'mayLackRefused'> {
  readonly outputs: Parameters<typeof createLifecycle>[1];
  readonly totals: StatsRecorder;
  readonly uses: RefCount;
  readonly session: ResumeSession | undefined;
  readonly startedAt: number;
}

/** The run of all jobs; it opens the sink before and closes it after. */
function wholeRun(
  context: RunContext,
  whole: WholeRun,
  run: Observable<Receipt>,
): Pick<Extraction, 'receipts' | 'closed'> {
  const { outputs, totals, uses, session } = whole;
  if (session?.isDone === true) {
    const { receipts, closed } = completedRun(context, session);
    return { receipts: subscribeOnce(receipts), closed };
  }
  const sink = sinkOf(context, whole);
  const describe = () => descriptionOf(context, totals.jobs());
  const lifecycle = createLifecycle({ ...context, sink, release: uses.release, describe }, outputs, totals);
  const walks = context.failedWalks === undefined ? run : concat(mustAdd(context, outputs, session), run);
  const begun = defer(() => {
    uses.acquire();
    totals.begin();
    return lifecycle.around(session?.around(walks) ?? walks);
  });
  return { receipts: subscribeOnce(begun), closed: lifecycle.closed };
}

/** Throws ERR_USAGE if the items of a few requests would replace those of the run that is complete. */
const mustAdd = (
  { sink }: Pick<RunContext, 'sink'>,
  outputs: WholeRun['outputs'],
  session: ResumeSession | undefined,
): Observable<never> =>
  defer(async () => {
    if (session?.kept !== undefined) return;
    const published = outputs.map(({ dataType }) => inSink(async () => (await sink.published?.(dataType)) ?? []));
    const [name] = (await Promise.all(published)).flat();
    if (name === undefined) return;
    const advice = 'write to another place, or add with `?mode=append`; that holds for dead letters too';
    throw usageError(
      `requests that failed are sent again, and their items would replace those in "${name}": ${advice}`,
    );
  }).pipe(ignoreElements());

/** Opens and ends the sink of the run. */
function sinkOf(context: RunContext, whole: WholeRun): Pick<Sink, 'open' | 'close' | 'abort'> {
  const { sink, sinks, runId, notify, selects } = context;
  const { session } = whole;
  const ends = session?.sink ?? withoutState(sink, sinks, { run: runId, startedAt: whole.startedAt });
  return {
    open: (dataType, job, opening) => ends.open?.(dataType, job, opening),
    async close() {
      // The process that publishes the run judges it.
      if (session?.isTask === true) return ends.close();
      const closing = await rejecting(session, () => {
        selects.report(notify);
        return judgeOutputs({ ...whole, sink, sinks, notify, kept: session?.kept });
      });
      return ends.close(closing);
    },
    abort: (reason) => ends.abort(reason),
  };
}

/** Records in the state that the result of the run is not accepted, if `judge` says so. */
async function rejecting<T>(session: ResumeSession | undefined, judge: () => Promise<T>): Promise<T> {
  try {
    return await judge();
  } catch (thrown) {
    if (thrown instanceof ExtractError && rejections.has(thrown.code)) await session?.reject();
    throw thrown;
  }
}

const rejections: ReadonlySet<string> = new Set(['ERR_STRICT', 'ERR_MIN_ITEMS']);

/** Without a state: sinks resume once, before they open, without checkpoints. */
function withoutState(
  sink: Sink,
  sinks: readonly Sink[],
  known: Pick<Earlier, 'run' | 'startedAt'>,
): Pick<Sink, 'open' | 'close' | 'abort'> {
  const fresh = { ...known, epoch: 1, isStored: false, phase: 'writing', checkpoints: new Map() } as const;
  let resuming: Promise<void> | undefined;
  const resume = async () => {
    for (const each of sinks) await each.resume?.(fresh);
  };
  return {
    async open(dataType, job, opening) {
      resuming ??= resume();
      await resuming;
      await sink.open?.(dataType, job, opening);
    },
    close: (closing) => sink.close(closing),
    abort: (reason) => sink.abort(reason),
  };
}

async function stop({ inFlight }: RunContext, session: ResumeSession | undefined): Promise<void> {
  await inFlight.stop();
  await session?.settled();
}

interface SummaryContext {
  readonly totals: StatsRecorder;
  readonly names: OutputNames;
  readonly session: ResumeSession | undefined;
  readonly handled: RuledSinks;
  /** The run leaves refused items out, and earlier processes of it may have done so. */
  readonly isSinceResume: boolean;
}

const summaryOf = (
  context: RunContext,
  { totals, names, session, handled: { refused, judge }, isSinceResume }: SummaryContext,
): Summary => ({
  ran: totals.hasRun(),
  jobs: totals.jobs(),
  outputs: names.withDataTypes(session?.isDone === true ? session.outputs : (context.sink.summary?.() ?? [])),
  ...(session === undefined ? {} : promisesOf(context)),
  ...(refused().length === 0 ? {} : { refused: refused() }),
  ...(isSinceResume ? { refusedSinceResume: true } : {}),
  ...defined({ drift: judge?.drift() }),
  ...((context.shapes?.changes() ?? []).length === 0 ? {} : { shapeChanges: context.shapes?.changes() ?? [] }),
});

/** The guarantee of each sink, and of all together. */
function promisesOf({ sinks, weakened }: RunContext): Pick<Summary, 'guarantee' | 'sinks'> {
  const all = sinks.map((sink, index): SinkPromise => {
    const { name = `sink ${index + 1}` } = sink;
    return { name, guarantee: weakened.has(index) ? 'at least once' : guaranteeOf(sink) };
  });
  return { guarantee: weakest(all.map(({ guarantee }) => guarantee)), ...(all.length > 1 ? { sinks: all } : {}) };
}
