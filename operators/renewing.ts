/** A value with an expiry that is obtained on demand, such as credentials. */
import { asyncScheduler, defer, first, type Observable, of, share, tap } from 'rxjs';

export interface Renewing<T> {
  /** Emits one value and completes, for each subscription; see `renewing`. */
  readonly value: Observable<T>;
  /** Drops the current value if it is still `stale` (the same object): the next subscription obtains a new one. */
  invalidate(stale: T): void;
}

/**
 * Holds the value of `obtain` until its `expiresAt` (epoch ms; Infinity: never). The first demand after that obtains a
 * new one.
 *
 * ```
 * obtain          ---(a|)   ---(b|)        a.expiresAt = 9
 * subscriber 1    ^--(a|)
 * subscriber 2     ^-(a|)                  waits for the flight
 * subscriber 3          ^(a|)              kept
 * subscriber 4              ^--(b|)        expired: a new flight
 * ```
 *
 * - Held while `asyncScheduler.now() < expiresAt`: at that very moment it is expired. There is no timer, and nothing
 *   runs without demand.
 * - Single flight: while `obtain` runs, every subscriber waits for it and gets its result, whatever its expiry. So a
 *   value that is expired when it arrives serves those that waited, and nothing after them.
 * - An error goes to all that wait and is not held: the next subscription tries again. An `obtain` that completes
 *   without a value is an `EmptyError`; after its first value it is unsubscribed from.
 * - A subscriber may leave without ending the flight; when the last one leaves, the flight is unsubscribed from.
 * - `invalidate` compares and swaps: if ten requests are rejected with one value, there is one renewal, and none of
 *   them can drop the newer value. It does not affect a running flight.
 */
export function renewing<T extends { readonly expiresAt: number }>(obtain: Observable<T>): Renewing<T> {
  let current: T | undefined;

  /**
   * The next flight is prepared before this value is emitted: a subscriber that reacts to it must not join the finished
   * flight.
   */
  const keep = (value: T) => {
    current = value;
    flight = fly();
  };
  const fly = () => obtain.pipe(first(), tap(keep), share());
  let flight = fly();

  return {
    value: defer(() => {
      if (current !== undefined && asyncScheduler.now() < current.expiresAt) return of(current);
      current = undefined;
      return flight;
    }),
    invalidate(stale) {
      if (current === stale) current = undefined;
    },
  };
}
