/** Repeats work whose connection broke, until it succeeds or a minute has passed. */
import { setTimeout } from 'node:timers/promises';
import { forgetFailure, interrupted, noteFailure, throwIfAborted } from '../errors.js';

/** Waits between attempts in ms: one minute in all. */
const waits: readonly number[] = [0, 50, 100, 200, 500, 1000, ...new Array<number>(29).fill(2000)];

interface RepeatOptions {
  /** Whether another attempt may succeed. */
  readonly isTemporary: (thrown: unknown) => boolean;
  /** How long the next attempt waits at least, in ms. */
  readonly leastWait?: (thrown: unknown) => number;
  readonly signal?: AbortSignal;
  /** Waits so many ms, and rejects when the signal aborts. Default: a timer. */
  readonly wait?: (ms: number, signal: AbortSignal | undefined) => Promise<unknown>;
}

/** Resolves to the result of the work. Rejects with its last error, or ERR_ABORTED as soon as the signal aborts. */
export async function repeated<T>(work: () => Promise<T>, options: RepeatOptions): Promise<T> {
  const { isTemporary, leastWait = () => 0, signal, wait = timer } = options;
  for (const ms of waits) {
    let least = 0;
    try {
      const result = await work();
      if (signal !== undefined) forgetFailure(signal);
      return result;
    } catch (thrown) {
      if (!isTemporary(thrown)) throw thrown;
      least = leastWait(thrown);
      if (signal !== undefined) noteFailure(signal, thrown);
    }
    if (signal !== undefined) throwIfAborted(signal);
    await wait(Math.max(ms, least), signal).catch((thrown: unknown) => {
      throw signal?.aborted === true ? interrupted(signal) : thrown;
    });
  }
  return work();
}

const timer = (ms: number, signal: AbortSignal | undefined) =>
  setTimeout(ms, undefined, signal === undefined ? {} : { signal });
