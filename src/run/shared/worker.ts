/** A worker: takes tasks from a board, runs some of them at once, and leaves them to others when it ends. */
import { hostname } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Board, Crowd, GiveBack, Lease } from '../../checkpoint/board/board.js';
import { asExtractError, ExtractError } from '../../core/errors/errors.js';
import type { Receipt } from '../../core/model/page.js';
import { deferred } from '../../core/util/deferred.js';
import { type PreparedTask, type PrepareTask, type Resolve, taskRunner } from './task-runner.js';

export interface WorkerOptions {
  readonly board: Pick<Board, 'find' | 'open' | 'take' | 'beat' | 'giveBack'>;
  /** At the board. Absent: host and number of the process. */
  readonly name?: string;
  /** How many tasks it runs at once, from 1. */
  readonly slots: number;
  /** How long the board leaves a task to a process without a beat, in ms. */
  readonly lease: number;
  /** What a run is run with. It is called once, and again for a run that was not used for long. */
  readonly resolve: Resolve;
  readonly report?: (event: WorkerEvent) => void;
  /** A task that makes others is left for a while when more tasks of its run wait. Default: 10,000. */
  readonly mostReady?: number;
  /** How long `stop` waits for pages in progress, in ms. Default: 10,000. */
  readonly drainMs?: number;
  /** The least and most between two questions for a task when there is none, in ms. Default: 50 and 1,000. */
  readonly idleMs?: readonly [least: number, most: number];
}

/** What happens at a worker, for a display. Errors are masked. */
export type WorkerEvent =
  | { readonly type: 'taken' | 'done'; readonly lease: Lease }
  /** Another process has the task, or will: the board was away, or this process was suspended. */
  | { readonly type: 'lost'; readonly lease: Lease }
  | { readonly type: 'page'; readonly lease: Lease; readonly receipt: Receipt }
  | { readonly type: 'given-back'; readonly lease: Lease; readonly why: GiveBack }
  /** The board cannot be reached: the worker asks it again until it can. */
  | { readonly type: 'away'; readonly error: ExtractError }
  | { readonly type: 'back' };

export interface Worker {
  /** Settles when the worker has ended: after `stop`. Rejects if the board refuses it, or a package is missing. */
  readonly done: Promise<void>;
  /** Takes no further task, and gives back those that it has, after their pages in progress. */
  stop(): Promise<void>;
}

/** Starts at once, whether or not the board can be reached. */
export function startWorker(options: WorkerOptions): Worker {
  const { board, slots, report = () => {}, idleMs = [50, 1000] } = options;
  const { name = `${hostname()} ${process.pid}` } = options;
  const tasks = taskRunner(board, options.resolve);
  const running = new Map<RunningTask, Promise<void>>();
  const stopping = new AbortController();
  const pause = createPause(idleMs, stopping.signal);
  const contact = createContact(report);

  const start = (lease: Lease) => {
    const task = runningTask({ ...options, report }, lease, tasks.prepare);
    report({ type: 'taken', lease });
    const ended = task.run().finally(() => {
      running.delete(task);
      pause.end(); // other tasks may follow from it
    });
    running.set(task, ended);
  };
  const takeOne = async (): Promise<boolean> => {
    try {
      const lease = await board.take(name);
      contact.reached();
      if (lease === undefined) return false;
      if (stopping.signal.aborted) await board.giveBack(lease, 'drained');
      else start(lease);
      return true;
    } catch (thrown) {
      contact.failed(thrown);
      return false;
    }
  };
  const drain = async () => {
    stopping.abort();
    for (const task of running.keys()) void task.drain();
    await Promise.all(running.values());
    await tasks.end();
  };
  const work = async () => {
    try {
      while (!stopping.signal.aborted) {
        if (running.size >= slots) await Promise.race(running.values());
        else if (await takeOne()) pause.reset();
        else await pause.wait();
      }
    } finally {
      await drain();
    }
  };
  const done = work();
  return {
    done,
    async stop() {
      void drain();
      await done;
    },
  };
}

/** Waits longer each time. A part of each wait is random, so that workers that start together do not stay together. */
function createPause([least, most]: readonly [number, number], signal: AbortSignal) {
  let next = least;
  let waiting = new AbortController();
  return {
    reset() {
      next = least;
    },
    async wait() {
      waiting = new AbortController();
      const ms = next * (0.5 + Math.random() / 2);
      next = Math.min(2 * next, most);
      await sleep(ms, undefined, { signal: AbortSignal.any([waiting.signal, signal]) }).catch(() => {});
    },
    end() {
      next = least;
      waiting.abort();
    },
  };
}

/** Reports when the board cannot be reached, and when it can be again. */
function createContact(report: (event: WorkerEvent) => void) {
  let isAway = false;
  return {
    reached() {
      if (isAway) report({ type: 'back' });
      isAway = false;
    },
    /** Throws an error that stays as it is. */
    failed(thrown: unknown) {
      const error = asExtractError(thrown, 'ERR_STATE');
      if (error.code !== 'ERR_STATE') throw error;
      if (!isAway) report({ type: 'away', error });
      isAway = true;
    },
  };
}

interface RunningTask {
  /** Settles when it has ended, in whatever way; never rejects. */
  run(): Promise<void>;
  /** Ends it after its pages in progress. */
  drain(): Promise<void>;
}

type TaskOptions = Pick<WorkerOptions, 'board' | 'lease' | 'mostReady' | 'drainMs'> & {
  readonly report: (event: WorkerEvent) => void;
};

function runningTask(
  { board, report, mostReady = 10_000, drainMs = 10_000, ...options }: TaskOptions,
  lease: Lease,
  prepare: PrepareTask,
): RunningTask {
  const ending = new AbortController();
  const ready = deferred();
  let task: PreparedTask | undefined;
  let end: keyof typeof reasons | undefined;
  const endAs = (as: keyof typeof reasons) => {
    end ??= as;
    ending.abort(new ExtractError('ERR_ABORTED', reasons[as]));
  };
  const giveBack = async (why: GiveBack) => {
    const isMine = await board.giveBack(lease, why).catch(() => false); // else the lease passes
    report(isMine ? { type: 'given-back', lease, why } : { type: 'lost', lease });
  };
  const leave = async (thrown: unknown) => {
    if (end === 'lost') report({ type: 'lost', lease });
    else if (end !== undefined) await giveBack(end);
    else if (task === undefined) await giveBack({ error: textOf(thrown), delay: otherDelay, isOfWorker: true });
    else
      await giveBack({ error: textOf(thrown), delay: firstDelay, ...(isLasting(thrown) ? { isLasting: true } : {}) });
  };
  const stopAs = async (as: 'drained' | 'parked') => {
    await ready.promise;
    const over = new AbortController();
    const late = sleep(drainMs, undefined, { signal: over.signal });
    await Promise.race([task?.stop(), late]).catch(() => {});
    over.abort();
    endAs(as);
  };
  const crowd: Crowd = { most: mostReady, onCrowded: () => void stopAs('parked') };
  return {
    async run() {
      const stopBeats = beatRegularly(board, lease, options.lease, () => endAs('lost'));
      try {
        task = await prepare(lease, crowd).finally(ready.resolve);
        await task.run((receipt) => report({ type: 'page', lease, receipt }), ending.signal);
        report({ type: 'done', lease });
      } catch (thrown) {
        await leave(thrown);
      } finally {
        stopBeats();
      }
    },
    drain: () => stopAs('drained'),
  };
}

/** Why a task ends here before it is done. */
const reasons = {
  lost: 'another process has the task',
  drained: 'the worker ends',
  parked: 'more tasks of the run wait than a worker leaves behind',
} as const;

/** In ms, until the second attempt. */
const firstDelay = 500;

/** In ms: other workers have this time to take what this one cannot do. */
const otherDelay = 10_000;

/** Of the configuration, or of what it says of the data. */
const lastingCodes: readonly string[] = ['ERR_CONFIG', 'ERR_FUNCTION', 'ERR_INCREMENTAL'];

/** An API that has refused a request with one of these may answer it later: to other credentials, or after a while. */
const passingStatuses: readonly number[] = [401, 403, 408, 409, 421, 423, 425, 429];

/** Whether another attempt gets the same error. */
function isLasting(thrown: unknown): boolean {
  const { code, where } = asExtractError(thrown);
  const { status = 0 } = where;
  const isOfRequest = code === 'ERR_STATUS' && status >= 400 && status < 500 && !passingStatuses.includes(status);
  return lastingCodes.includes(code) || isOfRequest;
}

/** The most of an error that the board keeps. */
const longestError = 2000;

function textOf(thrown: unknown): string {
  const { code, message } = asExtractError(thrown);
  return `${code}: ${message}`.slice(0, longestError);
}

/** Extends the lease until the result is called. A board that is away is asked again. */
function beatRegularly(board: Pick<Board, 'beat'>, lease: Lease, length: number, onLost: () => void): () => void {
  let isWaiting = false;
  const beat = async () => {
    if (isWaiting) return;
    isWaiting = true;
    const isMine = await board.beat(lease).catch(() => true);
    isWaiting = false;
    if (!isMine) onLost();
  };
  const timer = setInterval(() => void beat(), length / 4);
  return () => clearInterval(timer);
}
