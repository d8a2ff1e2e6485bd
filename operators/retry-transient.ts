/**
 * Trying again after a failure that may pass; which failure that is, and how long to wait, is the caller's knowledge.
 */
import {
  asapScheduler,
  concatMap,
  type MonoTypeOperatorFunction,
  type Observable,
  retry,
  throwError,
  timer,
} from 'rxjs';

/** Timers of the platform overflow beyond this many ms (24.8 days) and fire at once. */
const longestTimer = 2 ** 31 - 1;

/**
 * Subscribes again after an error, `decide` willing: it returns the ms to wait, or `undefined` to give up.
 *
 * ```
 * source, 1st    --a--#
 * source, 2nd            --b|       decide(#, 1) = 3
 * result         --a-------b|
 * ```
 *
 * - `attempt` counts the retries of one subscription from 1 and is never reset, also when values have come in between.
 *   What a failed try has emitted stays emitted.
 * - Giving up passes on the error at hand. A throw of `decide` or `onWait` takes its place.
 * - `onWait` is called before each wait, also one of 0.
 * - 0, and what is no positive number, is at once: a microtask, so that sources that fail at once need no stack. A wait
 *   may be of any length, `Infinity` included.
 * - Time is that of `asyncScheduler`. The failed try is torn down before the wait; unsubscribing ends a wait.
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
