/** Watches a run that workers share until it has ended: how far it is, and whether somebody works at it. */
import { setTimeout } from 'node:timers/promises';
import { asyncScheduler } from 'rxjs';
import type { Board, RunStatus } from '../../checkpoint/board/board.js';
import { asExtractError } from '../../core/errors/errors.js';
import type { Notify } from '../../core/model/notice.js';
import { usageError } from '../../core/util/check-value.js';
import type { SharedProgress } from '../live/shared-progress.js';

type WatchedBoard = Pick<Board, 'status' | 'totals'>;

export interface WatchOptions {
  /** The jobs of the run in the order of their numbers. */
  readonly jobNames: readonly string[];
  readonly onProgress: (progress: SharedProgress) => void;
  readonly notify: Notify;
  readonly signal: AbortSignal;
  /** Waits so many ms, and rejects when the signal aborts. Default: a timer. */
  readonly wait?: (ms: number, signal: AbortSignal) => Promise<unknown>;
}

const timer = (ms: number, signal: AbortSignal) => setTimeout(ms, undefined, { signal });

/** In ms. */
const [leastWait, mostWait] = [100, 1000];

/** A run of which no task is taken for so long, in ms, waits for a worker. */
const idleTime = 10_000;

/**
 * Resolves when the run has ended. A board that cannot be reached is asked again and again. Rejects when the signal
 * aborts, and with ERR_USAGE when the run is removed.
 */
export async function watchShared(board: WatchedBoard, name: string, options: WatchOptions): Promise<RunStatus> {
  const { signal, onProgress, wait = timer } = options;
  const begun = asyncScheduler.now();
  const says = sayOnce(options, begun);
  // A board that is away is asked for a minute.
  const interrupted = new Promise<never>((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
  interrupted.catch(() => {});
  for (;;) {
    signal.throwIfAborted();
    const asked = asyncScheduler.now();
    const found = await Promise.race([ask(board, name, options).catch(says.away), interrupted]);
    const now = asyncScheduler.now();
    if (found !== undefined) {
      const { status, progress } = found;
      says.seen(status, now);
      onProgress(progress);
      if (status.state !== 'running') return status;
    }
    // A large run is asked for less often; a short one ends without a long wait.
    const ms = Math.max(leastWait, 10 * (now - asked), Math.min(mostWait, (now - begun) / 20));
    await wait(ms, signal).catch(() => signal.throwIfAborted());
  }
}

async function ask(board: WatchedBoard, name: string, { jobNames }: WatchOptions) {
  const status = await board.status(name);
  if (status === undefined) throw usageError(`the run "${name}" was removed from the board`);
  const totals = await board.totals(name);
  const named = totals.map(({ job, ...counts }) => ({ job: jobNames[job] ?? '', ...counts }));
  return { status, progress: { totals: named, tasks: status.tasks, workers: status.workers } };
}

/** What is worth a line, once until it changes. */
function sayOnce({ notify }: WatchOptions, begun: number) {
  let isAway = false;
  let isIdle = false;
  let activeAt = begun;
  return {
    away(thrown: unknown) {
      const error = asExtractError(thrown);
      if (error.code !== 'ERR_STATE') throw thrown;
      if (!isAway) notify({ level: 'info', code: 'board-away', message: `${error.message}; asking again` });
      isAway = true;
      return undefined;
    },
    seen({ workers, tasks }: RunStatus, now: number) {
      if (isAway) notify({ level: 'info', code: 'board-back', message: 'the board can be reached again' });
      isAway = false;
      if (workers.length > 0) activeAt = now;
      if (workers.length > 0) isIdle = false;
      if (isIdle || tasks.ready === 0 || now - activeAt < idleTime) return;
      isIdle = true;
      notify({
        level: 'info',
        code: 'no-worker',
        message: 'no worker takes the tasks of the run: start `rxtract worker` with the address of --on',
      });
    },
  };
}
