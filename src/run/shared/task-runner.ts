/** Runs the tasks of a board, each as the resume of its journal. */
import type { Board, Crowd, Lease, RunSpec } from '../../checkpoint/board/board.js';
import { type Checkpoint, openCheckpoint } from '../../checkpoint/checkpoint.js';
import { ExtractError } from '../../core/errors/errors.js';
import type { Receipt } from '../../core/model/page.js';
import { runToCompletion } from '../consume/run-to-completion.js';
import type { KeptEngine } from '../extract.js';
import type { Extraction } from '../extraction.js';
import { createKeptEngines, type EngineUse, type KeptEngines, type RunWork } from './kept-engines.js';

export type Resolve = (spec: RunSpec) => RunWork | Promise<RunWork>;

/** A task that is ready to run. */
export interface PreparedTask {
  /** Settles when it is done. Rejects with its error. */
  run(onReceipt: (receipt: Receipt) => void, signal: AbortSignal): Promise<void>;
  /** Lets no further page begin. Settles when those in progress are recorded. */
  stop(): Promise<void>;
}

/** Rejects with ERR_STATE if the board fails, and with another error if this process cannot do the task. */
export type PrepareTask = (lease: Lease, crowd: Crowd) => Promise<PreparedTask>;

/** What is known of a run. */
interface KnownRun {
  readonly spec: RunSpec;
  readonly work: RunWork;
}

/** What is known of so many runs is kept. */
const mostRuns = 16;

export interface TaskRunner {
  readonly prepare: PrepareTask;
  /** Closes connections that are kept from task to task. No task is running. */
  end(): Promise<void>;
}

export function taskRunner(board: Pick<Board, 'find' | 'open'>, resolve: Resolve): TaskRunner {
  const engines = createKeptEngines();
  const known = new Map<string, Promise<KnownRun>>();
  const find = async (name: string): Promise<KnownRun> => {
    const spec = await board.find(name);
    if (spec === undefined) throw new ExtractError('ERR_STATE', `there is no run "${name}" any more`);
    return { spec, work: await resolve(spec) };
  };
  const knownRun = (name: string): Promise<KnownRun> => {
    const found = known.get(name) ?? find(name);
    known.delete(name);
    known.set(name, found);
    found.catch(() => known.delete(name));
    const [oldest] = known.keys();
    if (known.size > mostRuns && oldest !== undefined) known.delete(oldest);
    return found;
  };
  const prepare: PrepareTask = async (lease, crowd) => {
    for (;;) {
      const { spec, work } = await knownRun(lease.run);
      const checkpoint = await openCheckpoint(board.open(lease, spec, crowd), { resume: 'only' });
      try {
        // A run that was removed can have a successor with its name.
        if (isOf(checkpoint, spec)) return prepared(work, engines, checkpoint);
        known.delete(lease.run);
      } catch (thrown) {
        await checkpoint.close();
        throw thrown;
      }
      await checkpoint.close();
    }
  };
  return { prepare, end: engines.end };
}

/** Without a record the task is not there any more: its first write is refused. */
const isOf = ({ earlier: [last] }: Checkpoint, { begin }: RunSpec): boolean =>
  last === undefined || last.begin.run === begin.run;

/** The engine is that of all tasks of the run; sinks are made anew, so that each has the fence of its task. */
function prepared(work: RunWork, engines: KeptEngines, checkpoint: Checkpoint): PreparedTask {
  const use = engines.use(work);
  const extraction = begun(use, { to: work.options.to, checkpoint });
  return {
    async run(onReceipt, signal) {
      let isDone = false;
      try {
        await runToCompletion(() => extraction, { onReceipt, signals: [signal] });
        isDone = true;
      } finally {
        use.end(isDone);
        await checkpoint.close();
      }
    },
    stop: extraction.stop,
  };
}

function begun({ engine, end }: EngineUse, task: Parameters<KeptEngine['extract']>[0]): Extraction {
  try {
    return engine.extract(task);
  } catch (thrown) {
    end(false);
    throw thrown;
  }
}
