/** Builds an extraction over an engine: totals, walks, books where a state is kept, and the faces. */
import { defer, type Observable } from 'rxjs';
import { guaranteeOf, type Sink, weakest } from '../../sinks/contract.js';
import type { Keeping } from '../checkpoint/keeping.js';
import type { Known } from '../checkpoint/known.js';
import { type JobConfig, withChildren } from '../config/config.js';
import type { Receipt } from '../core/model/page.js';
import { jobNamed } from './choose-jobs.js';
import { createConsumers } from './consume/consumers.js';
import { createRefCount, type RefCount } from './consume/ref-count.js';
import { startRun } from './consume/start-run.js';
import type { Faces } from './consume/types.js';
import type { Iteration, RunContext } from './engine.js';
import type { Extraction, JobExtraction } from './extraction.js';
import { createStatsRecorder, type StatsRecorder, type Summary } from './job-stats.js';
import { keepEarlier } from './keep-earlier.js';
import { keepingOf, nothingToDoOf } from './keeping-of.js';
import { createLifecycle, subscribeOnce } from './lifecycle.js';
import type { ExtractOptions } from './options.js';
import { createOutputNames, type OutputNames } from './output-names.js';
import { createScheduler } from './scheduler.js';

interface BuildOptions<Item> extends ExtractOptions<Item> {
  /** What the run is known again by. */
  readonly known: Known;
}

/**
 * Builds it over an engine. Nothing is begun. Throws ERR_USAGE, and ERR_RESUME where the checkpoint is that of another
 * run.
 */
export function buildExtraction<Item>(
  engine: RunContext,
  jobs: readonly JobConfig[],
  {
    to,
    concurrency,
    outputNames,
    dataFolder = false,
    replaceEmpty = dataFolder,
    checkpoint,
    known,
    ...bounds
  }: BuildOptions<Item>,
): Omit<Extraction<Item>, 'state'> {
  const totals = createStatsRecorder(withChildren<JobConfig>(jobs));
  const uses = createRefCount(engine);
  const names = createOutputNames(outputNames);
  const outputs = names.outputsOf(engine.iterations.map(withAll), withChildren<JobConfig>(jobs));
  const keeping = checkpoint === undefined ? undefined : keepingOf(engine, { checkpoint, known, outputs, totals });
  const walks = createScheduler({ engine, totals, bounds, concurrency, keeping });
  const { kept, alone } = enginesOf(engine, names, keeping);
  const hasSink = to !== undefined || checkpoint !== undefined;
  const faces = (chosen: readonly JobConfig[]): Faces<Item> => {
    const walk = (own: RunContext) => walks(chosen, () => own);
    return createConsumers(startRun({ engine, totals, uses, jobs: withChildren<JobConfig>(chosen), walk, hasSink }));
  };
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
    ...wholeRun(engine, { outputs, totals, uses, keeping, replaceEmpty }, walks(jobs, kept)),
    stop: () => stop(engine, keeping),
    summary: () => summaryOf(engine, { totals, names, keeping }),
    check: engine.check,
    mask: engine.secrets.mask,
  };
}

/** The jobs of an iteration with all that lie below them. */
const withAll = ({ tables, jobs }: Iteration) => ({ tables, jobs: withChildren<JobConfig>(jobs) });

/** What jobs of an iteration walk on: with the books of the run, or apart from it, when somebody walks a job alone. */
function enginesOf(engine: RunContext, names: OutputNames, keeping: Keeping | undefined) {
  const withBooks = ({ tables: { bucket } }: Iteration, kept: Keeping | undefined): RunContext => ({
    ...engine,
    sink: names.within(engine.sink, bucket),
    sinks: engine.sinks.map((sink) => names.within(sink, bucket)),
    books: kept?.books((dataType) => names.nameOf(dataType, bucket)),
  });
  return {
    kept: (iteration: Iteration) => withBooks(iteration, keeping),
    alone: (iteration: Iteration) => withBooks(iteration, undefined),
  };
}

interface WholeRun {
  readonly outputs: Parameters<typeof createLifecycle>[1];
  readonly totals: StatsRecorder;
  readonly uses: RefCount;
  readonly keeping: Keeping | undefined;
  readonly replaceEmpty: boolean;
}

/** The run of all jobs, with the sink opened and closed around it. */
function wholeRun(
  engine: RunContext,
  whole: WholeRun,
  run: Observable<Receipt>,
): Pick<Extraction, 'receipts' | 'closed'> {
  const { outputs, totals, uses, keeping } = whole;
  if (keeping?.isDone === true) {
    const { receipts, closed } = nothingToDoOf(engine, keeping);
    return { receipts: subscribeOnce(receipts), closed };
  }
  const sink = sinkOf(engine, whole);
  const lifecycle = createLifecycle({ ...engine, sink, release: uses.release }, outputs, totals);
  const begun = defer(() => {
    uses.acquire();
    return lifecycle.around(keeping?.around(run) ?? run);
  });
  return { receipts: subscribeOnce(begun), closed: lifecycle.closed };
}

/** How the run opens and ends its sink. */
function sinkOf({ sink, sinks, runId, notify }: RunContext, whole: WholeRun): Pick<Sink, 'open' | 'close' | 'abort'> {
  const { keeping, replaceEmpty } = whole;
  const ends = keeping?.sink ?? withoutState(sink, sinks, runId);
  return {
    open: (dataType, job, opening) => ends.open?.(dataType, job, opening),
    close: async () => ends.close(replaceEmpty ? undefined : await keepEarlier({ ...whole, sink, notify })),
    abort: (reason) => ends.abort(reason),
  };
}

/** Nothing is stored, and so there is nothing to go back to. */
function withoutState(sink: Sink, sinks: readonly Sink[], run: string): Pick<Sink, 'open' | 'close' | 'abort'> {
  const fresh = { run, epoch: 1, isStored: false, phase: 'writing', checkpoints: new Map() } as const;
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

async function stop({ inFlight }: RunContext, keeping: Keeping | undefined): Promise<void> {
  await inFlight.stop();
  await keeping?.settled();
}

interface SummaryContext {
  readonly totals: StatsRecorder;
  readonly names: OutputNames;
  readonly keeping: Keeping | undefined;
}

const summaryOf = ({ sink, sinks }: RunContext, { totals, names, keeping }: SummaryContext): Summary => ({
  jobs: totals.jobs(),
  outputs: names.told(keeping?.isDone === true ? keeping.told : (sink.summary?.() ?? [])),
  ...(keeping === undefined ? {} : { guarantee: weakest(sinks.map(guaranteeOf)) }),
});
