/** Submits a run to a board, from code, and watches it to its end. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Board, RunSpec, RunStatus } from '../../checkpoint/board/board.js';
import { boardAt } from '../../checkpoint/board/board-address.js';
import type { Configuration } from '../../config/configuration.js';
import type { ExpectedConfiguration } from '../../config/expected-configuration.js';
import { ExtractError } from '../../core/errors/errors.js';
import { defined } from '../../core/util/defined.js';
import type { Summary } from '../job-stats.js';
import type { ExtractOptions } from '../options.js';
import { cancelRun, retryRun, statusOfRun } from './change-run.js';
import { describeWork } from './describe-work.js';
import { stateOf } from './state-of-run.js';
import { summaryOfDone } from './summary-of-done.js';

/** The options of a run, without those that many processes cannot share. Its sinks are addresses. */
export interface SubmitOptions extends ExtractOptions {
  /** The address of the board, such as `postgres://localhost/jobs`. */
  readonly on: string;
  /** The name of the run, which no other run at the board has. */
  readonly name: string;
  /** The most rows of a page that a task walks the child jobs of. Absent: as many as take five seconds. */
  readonly block?: number;
  /** The state at the board that has what jobs remember from run to run. Absent: they remember nothing. */
  readonly stateName?: string;
}

/** How a run has ended. */
export interface SubmittedResult {
  readonly state: 'done' | 'failed' | 'cancelled';
  readonly tasks: RunStatus['tasks'];
  /** Why tasks failed last; a few of them. */
  readonly errors: RunStatus['errors'];
  /** The totals of all processes: absent unless it is done. */
  readonly summary?: Summary;
}

/** A run at a board. Methods reject with ERR_STATE if the board cannot be reached. */
export interface SubmittedRun {
  readonly name: string;
  status(): Promise<RunStatus>;
  /** Settles when the run has ended. A board that is away is asked again. Rejects with the reason of the signal. */
  ended(options?: { readonly signal?: AbortSignal }): Promise<SubmittedResult>;
  /**
   * No task is taken any more, and processes lose those that they have. Rejects with ERR_USAGE if it is done, or a
   * process publishes it.
   */
  cancel(): Promise<void>;
  /**
   * Tasks that have failed are taken again, and those of a cancelled run. Rejects with ERR_USAGE if it is done, or its
   * state has changed.
   */
  retry(): Promise<void>;
  /** Closes the connection: the run stays at the board. */
  close(): void;
}

/**
 * Checks a configuration as `extract` does, and submits it to a board, where workers do it. Rejects as `extract`, with
 * ERR_USAGE for what many processes cannot share and for a name that is taken, and with ERR_STATE if the board cannot
 * be reached. docs/08-in-code.md#in-several-processes.
 */
export async function submitRun<Given = Configuration>(
  configuration: ExpectedConfiguration<Given>,
  { on, name, block, stateName, ...options }: SubmitOptions,
): Promise<SubmittedRun> {
  const board = boardAt(on, contextOf(options));
  const submit = async (): Promise<RunSpec> => {
    const state = await stateOf(board, stateName, name);
    const start = await describeWork(name, configuration, options, defined({ remembered: state?.remembered }));
    const spec = { ...start, name, ...defined({ block, state: state?.ofRun }) };
    await board.submit(spec);
    return spec;
  };
  const spec = await submit().catch((thrown: unknown) => {
    board.end();
    throw thrown;
  });
  const summary = () => summaryOfDone<Given>(board, spec, configuration, options);
  return {
    name,
    status: () => statusOfRun(board, name),
    ended: ({ signal } = {}) => endOf(board, name, { summary, signal }),
    cancel: () => cancelRun(board, name),
    retry: () => retryRun(board, name),
    close: board.end,
  };
}

/** For addresses. */
export const contextOf = ({ env = {}, notify }: Pick<ExtractOptions, 'env' | 'notify'>) => ({
  env,
  ...defined({ notify }),
});

interface EndOptions {
  readonly summary: () => Promise<Summary>;
  readonly signal: AbortSignal | undefined;
}

/** In ms, between two questions: the longer it takes, the longer. */
const [leastWait, mostWait] = [50, 1000];

async function endOf(board: Board, name: string, { summary, signal }: EndOptions): Promise<SubmittedResult> {
  for (let wait = leastWait; ; wait = Math.min(1.2 * wait, mostWait)) {
    signal?.throwIfAborted();
    const status = await statusOfRun(board, name).catch(unlessAway);
    if (status !== undefined && status.state !== 'running') {
      const { state, tasks, errors } = status;
      return { state, tasks, errors, ...(state === 'done' ? { summary: await summary() } : {}) };
    }
    await sleep(wait, undefined, defined({ signal })).catch(() => {});
  }
}

function unlessAway(thrown: unknown): undefined {
  if (thrown instanceof ExtractError && thrown.code === 'ERR_STATE') return;
  throw thrown;
}
