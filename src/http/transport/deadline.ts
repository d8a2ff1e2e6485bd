/** How long a server may take for one answer: a clock that runs while it is waited for, and stands while a reader is busy. */
import { asyncScheduler } from 'rxjs';
import { longestTimer } from '../../core/util/limits.js';
import { lateCode } from './codes.js';

export interface Deadline {
  /** Aborts when `given` does, or when the time is over. */
  readonly signal: AbortSignal;
  /** Counts the time until the work is done. One at a time. */
  waiting<T>(work: () => Promise<T>): Promise<T>;
  /** The chunks, the time counted until each has come. */
  body<T>(chunks: AsyncIterable<T>): AsyncIterable<T>;
}

/** Starts with `ms` milliseconds left, at most those that a timer holds, which a sum of two times may exceed; undefined: any time. */
export function createDeadline(ms: number | undefined, given: AbortSignal): Deadline {
  if (ms === undefined) return { signal: given, waiting: (work) => work(), body: (chunks) => chunks };
  const late = new AbortController();
  let left = Math.min(ms, longestTimer);

  async function waiting<T>(work: () => Promise<T>): Promise<T> {
    const since = asyncScheduler.now();
    const timer = asyncScheduler.schedule(() => late.abort(lateError()), Math.max(0, left));
    try {
      return await work();
    } finally {
      timer.unsubscribe();
      left -= Math.max(0, asyncScheduler.now() - since);
    }
  }
  async function* body<T>(chunks: AsyncIterable<T>): AsyncIterable<T> {
    const each = chunks[Symbol.asyncIterator]();
    try {
      for (;;) {
        const step = await waiting(() => each.next());
        if (step.done === true) return;
        yield step.value;
      }
    } finally {
      await each.return?.();
    }
  }
  return { signal: AbortSignal.any([given, late.signal]), waiting, body };
}

const lateError = (): Error => Object.assign(new Error('the time for a request is over'), { code: lateCode });
