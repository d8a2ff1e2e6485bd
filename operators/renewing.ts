/** A value with an expiry that is obtained when it is needed: the credential stream. */
import { asyncScheduler, defer, first, type Observable, of, share, tap } from 'rxjs';

export interface Renewing<T> {
  /** Emits one value and completes, a subscription at a time; see `renewing`. */
  readonly value: Observable<T>;
  /** Forgets the held value if it is still `stale` (the same object), so that the next subscription obtains anew. */
  invalidate(stale: T): void;
}

/**
 * Holds what `obtain` gave until its `expiresAt` (epoch ms; Infinity: never) and obtains anew on the first demand after
 * that.
 *
 * ```
 * obtain          ---(a|)   ---(b|)        a.expiresAt = 9
 * subscriber 1    ^--(a|)
 * subscriber 2     ^-(a|)                  joins the flight
 * subscriber 3          ^(a|)              held
 * subscriber 4              ^--(b|)        expired: a new flight
 * ```
 *
 * - Held while `asyncScheduler.now() < expiresAt`: at that very moment it is expired. No timer runs; nobody asking,
 *   nothing is done.
 * - Single flight: while `obtain` is under way whoever subscribes waits for it and gets its result, whatever its expiry
 *   says, so a value that is born expired serves those who waited and nobody after them.
 * - An error goes to all who wait and is not kept: the next subscription tries again. An `obtain` that completes
 *   without a value is an `EmptyError`; after its first value it is unsubscribed from.
 * - One who waits may leave and the flight goes on; when the last has left it is unsubscribed from.
 * - `invalidate` compares and swaps: ten who were refused with one value cause one renewal, and none of them can throw
 *   away the value that came after it. It leaves a flight alone.
 */
export function renewing<T extends { readonly expiresAt: number }>(obtain: Observable<T>): Renewing<T> {
  let held: T | undefined;

  /**
   * The next flight lies ready before anyone hears of this one: who subscribes on hearing must not join what is over.
   */
  const keep = (value: T) => {
    held = value;
    flight = fly();
  };
  const fly = () => obtain.pipe(first(), tap(keep), share());
  let flight = fly();

  return {
    value: defer(() => {
      if (held !== undefined && asyncScheduler.now() < held.expiresAt) return of(held);
      held = undefined;
      return flight;
    }),
    invalidate(stale) {
      if (held === stale) held = undefined;
    },
  };
}
