/**
 * Starts one run of chosen jobs into the sink of a consumer. Runs of one extraction may overlap: each has its own turns
 * and drain.
 */
import type { Observable } from 'rxjs';
import type { Sink } from '../../../sinks/contract.js';
import type { JobConfig } from '../../config/config.js';
import { ExtractError } from '../../core/errors/errors.js';
import type { Receipt } from '../../core/model/page.js';
import { bytes } from '../../core/options/kinds.js';
import { valueInCode } from '../../core/options/read-options.js';
import { createRunId } from '../../core/util/run-id.js';
import { createDrain } from '../drain.js';
import type { StatsRecorder } from '../job-stats.js';
import { createLifecycle } from '../lifecycle.js';
import { type RunContext, turnsOfDataTypes } from '../run-context.js';
import type { RefCount } from './ref-count.js';
import { type CompletedRun, runToCompletion } from './run-to-completion.js';
import type { ConsumerOptions } from './types.js';

/** Runs jobs into the sink. Settles when the run has released everything; `left` aborts when the consumer leaves. */
export type StartRun<Item> = (sink: Sink<Item>, options: ConsumerOptions, left: AbortSignal) => Promise<void>;

export interface StartRunContext {
  readonly context: RunContext;
  readonly totals: Pick<StatsRecorder, 'halt' | 'jobs'>;
  readonly uses: RefCount;
  /** The receipts of the jobs in this run context. */
  readonly walk: (context: RunContext) => Observable<Receipt>;
  readonly jobs: readonly Pick<JobConfig, 'name' | 'dataType'>[];
  /** The option of the extraction that excludes pulling its items; undefined: none does. */
  readonly excludedBy: 'to' | 'checkpoint' | 'minItems' | undefined;
}

const mostBatchBytes = 64 * 1024 * 1024;

/**
 * Returns a function that starts runs. Each run has its own sink, turns of data types and drain: otherwise a consumer
 * of two consumers would wait for itself. Runs share credentials and connections.
 */
export function startRun<Item>(context: StartRunContext): StartRun<Item> {
  return (sink, { signal, onReceipt, batchBytes }, left) =>
    runToCompletion(() => beginRun(context, sink, batchBytes), { onReceipt, signals: [left, signal] });
}

function beginRun(
  { context, totals, uses, walk, jobs, excludedBy }: StartRunContext,
  sink: Sink,
  batchBytes?: number,
): CompletedRun {
  if (excludedBy !== undefined) throw new ExtractError('ERR_USAGE', exclusions[excludedBy]);
  const limits = {
    ...context.limits,
    ...(batchBytes === undefined ? {} : { batchBytes: valueInCode('batchBytes', bytes(mostBatchBytes), batchBytes) }),
  };
  uses.acquire();
  const own: RunContext = {
    ...context,
    runId: createRunId(),
    sink,
    sinks: [sink],
    limits,
    inFlight: createDrain(),
    acquire: turnsOfDataTypes(),
    release: uses.release,
  };
  const names = jobs.map(({ name }) => name);
  const lifecycle = createLifecycle(own, jobs, { jobs: totals.jobs, halt: (reason) => totals.halt(reason, names) });
  return { receipts: lifecycle.around(walk(own)), closed: lifecycle.closed };
}

const exclusions = {
  to: 'the items go to the sink in `to`: remove `to` to pull them',
  checkpoint: 'the progress of pulled items is not stored: remove `checkpoint` to pull them',
  minItems: 'pulled items are not counted against `minItems`: remove it to pull them',
} as const;
