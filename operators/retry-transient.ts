/** Retries after transient errors. The caller decides which errors those are, and how long to wait. */
import {
  asapScheduler,
  concatMap,
  type MonoTypeOperatorFunction,
  type Observable,
  retry,
  throwError,
  timer,
} from 'rxjs';

/** A timer with a longer delay (24.8 days) overflows and fires at once. */
const longestTimer = 2 ** 31 - 1;

/**
 * Subscribes again after an error: `decide` returns the ms to wait, or `undefined` to give up.
 *
 * ```
 * source, 1st    --a--#
 * source, 2nd            --b|       decide(#, 1) = 3
 * result         --a-------b|
 * ```
 *
 * - `attempt` counts the retries of one subscription from 1. It is never reset, even after values. Values of a failed
 *   attempt stay emitted.
 * - Giving up passes the current error on. A throw of `decide` or `onWait` replaces it.
 * - `onWait` is called before each wait, also one of 0.
 * - 0, and anything that is no positive number, means at once: in a microtask, so that sources that fail at once need
 *   no stack. A wait can have any length, `Infinity` included.
 * - Time comes from `asyncScheduler`. A failed attempt is torn down before the wait; unsubscribing ends a wait.
 */
export function retryTransient<T>(
  decide: (error: unknown, attempt: number) => number | undefined,
  onWait?: (error: unknown, attempt: number, ms: number) => void,
): MonoTypeOperatorFunction<T> {
  const delay = (error: unknown, attempt: number): Observable<unknown> => {
    const ms = decide(error, attempt);
    if (ms === undefined) return throwError(() => error);
    onWait?.(error, attempt, ms);
    return ms > 0 ? wait(ms) : timer(0, asapScheduler);
  };
  return retry({ delay });
}

function wait(ms: number): Observable<unknown> {
  if (ms <= longestTimer) return timer(ms);
  return timer(longestTimer).pipe(concatMap(() => wait(ms - longestTimer)));
}
