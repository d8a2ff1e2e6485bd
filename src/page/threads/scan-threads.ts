/** The threads that scan large pages: how many, when they start, and which pages they get. */
import { availableParallelism } from 'node:os';
import type { Notice } from '../../core/model/notice.js';
import { usageError } from '../../core/util/check-value.js';
import type { ScanOptions } from '../scanner/scan.js';
import { mostThreads } from './most-threads.js';
import { type ScanThread, startScanThread } from './scan-thread.js';
import type { ThreadScan } from './thread-scan.js';

/** When threads are used; sizes in bytes of a body. docs/decisions/025. */
export interface ThreadRules {
  /** The number of threads beside the main thread; 0: none. */
  readonly most: number;
  /** Bodies from this size on are scanned in a thread. */
  readonly fromBytes: number;
  /** A thread starts when so many bytes of such bodies have been announced. */
  readonly startBytes: number;
  /** A body from this size on waits until a thread has started. */
  readonly waitBytes: number;
}

/** Threads that scan large pages, for the option `threads` of several extractions. */
export interface ScanThreads {
  /** Ends all threads; settles when they have ended. Pages that follow are scanned in the main thread. */
  close(): Promise<void>;
}

/** The same as a run sees it. */
export interface ThreadPool extends ScanThreads {
  /**
   * Returns a function that starts the scan of a body in a thread, or undefined: the scan stays in the main thread.
   * `bytes`: the size of the body as far as it is known, else that of the page before. Returns a promise only if the
   * body waits for a thread to start.
   */
  choose(bytes: number): StartThreadScan | undefined | Promise<StartThreadScan | undefined>;
}

/** Starts a scan, see `ScanThread.start`; undefined: all threads are busy. */
export type StartThreadScan = (options: ScanOptions, early?: number) => ThreadScan | undefined;

export interface ThreadsContext {
  readonly notify: (notice: Notice) => void;
  /** Replaces the start of a thread in tests. */
  readonly start?: (onEnd: (reason: string) => void) => ScanThread;
}

/** Creates the threads of a run; none starts yet. */
export const createThreads = (rules: ThreadRules, context: ThreadsContext): ThreadPool => new Threads(rules, context);

export interface ScanThreadsOptions {
  /** The number of threads, that of the caller included; default 2. */
  readonly threads?: number;
  /** Bodies from this size in bytes on are scanned in a thread; default 256 KiB. */
  readonly fromBytes?: number;
}

/**
 * Creates threads that several extractions share. A thread starts when it is needed, and the first large page waits
 * for it. They do not keep the process alive; `close` ends them. Throws ERR_USAGE.
 */
export function createScanThreads({ threads = 2, fromBytes = largeBytes }: ScanThreadsOptions = {}): ScanThreads {
  checkThreadCount(threads);
  if (!Number.isSafeInteger(fromBytes) || fromBytes < 0) throw usageError('fromBytes: expected a number of bytes');
  return createThreads({ most: threads - 1, fromBytes, startBytes: 0, waitBytes: 0 }, { notify: () => undefined });
}

/** More threads than one run can use. */

/** Throws ERR_USAGE for a number of threads that is not valid. */
export function checkThreadCount(threads: number): void {
  if (Number.isSafeInteger(threads) && threads >= 1 && threads <= mostThreads) return;
  throw usageError(`threads: expected a whole number from 1 to ${mostThreads}`);
}

/** Whether the value was made by `createScanThreads`. */
export const areScanThreads = (value: unknown): value is ThreadPool => value instanceof Threads;

class Threads implements ThreadPool {
  readonly #rules: ThreadRules;
  readonly #context: ThreadsContext;
  readonly #threads = new Set<ScanThread>();
  #announced = 0;
  /** A thread has ended by itself: no other one is started. */
  #isBroken = false;

  constructor(rules: ThreadRules, context: ThreadsContext) {
    this.#rules = rules;
    this.#context = context;
  }

  choose(bytes: number): StartThreadScan | undefined | Promise<StartThreadScan | undefined> {
    const { most, fromBytes, startBytes, waitBytes } = this.#rules;
    if (most === 0 || bytes < fromBytes) return undefined;
    this.#announced += bytes;
    const mustWait = bytes >= waitBytes;
    if (this.#announced < startBytes && !mustWait) return undefined;
    const free = this.#freest();
    if (free === undefined || free.active() > 0) this.#startAnother();
    if (free !== undefined) return startOn(free);
    return mustWait ? this.#whenStarted() : undefined;
  }

  readonly close = async (): Promise<void> => {
    this.#isBroken = true;
    await Promise.all([...this.#threads].map((thread) => thread.close()));
  };

  async #whenStarted(): Promise<StartThreadScan | undefined> {
    await Promise.all([...this.#threads].map(({ started }) => started));
    const free = this.#freest();
    return free === undefined ? undefined : startOn(free);
  }

  /** The running thread with the fewest scans, if it has room. */
  #freest(): ScanThread | undefined {
    const free = [...this.#threads].filter((thread) => thread.hasRoom());
    return free.sort((one, other) => one.active() - other.active())[0];
  }

  #startAnother(): void {
    if (this.#isBroken || this.#threads.size >= this.#rules.most) return;
    const { start = startScanThread, notify } = this.#context;
    const thread: ScanThread = start((reason) => {
      this.#threads.delete(thread);
      if (!this.#isBroken) notify(brokenNotice(reason));
      this.#isBroken = true;
    });
    this.#threads.add(thread);
  }
}

const startOn =
  (thread: ScanThread): StartThreadScan =>
  (options, early) =>
    thread.hasRoom() ? thread.start(options, early) : undefined;

const brokenNotice = (reason: string): Notice => ({
  level: 'info',
  code: 'no-scan-thread',
  message: `large pages are scanned in the main thread, as a thread ended: ${reason}`,
});

const never: ThreadRules = { most: 0, fromBytes: 0, startBytes: 0, waitBytes: 0 };

/** The defaults; docs/decisions/025 has the measurements. */
const largeBytes = 256 * 1024;
const startBytes = 32 * 1024 * 1024;
const waitBytes = 64 * 1024 * 1024;

/**
 * The rules of an option `threads`: the number of threads, the main one included. Absent: two, from a size on, where
 * there are four processors or more: on two, the thread made runs 1.3 times as slow.
 */
export function threadRules(threads: number | undefined, processors = availableParallelism()): ThreadRules {
  if (threads === undefined) return processors < 4 ? never : { most: 1, fromBytes: largeBytes, startBytes, waitBytes };
  return threads === 1 ? never : { most: threads - 1, fromBytes: largeBytes, startBytes: 0, waitBytes };
}
