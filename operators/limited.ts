/** A rate limiter: sliding windows with a fair queue. */
import { asyncScheduler, Observable, Subscription } from 'rxjs';
import { createFairQueue } from './fair-queue.js';
import { createRateBudget, type RateSlot } from './rate-budget.js';
import { acquire, type Leave } from './semaphore.js';
import type { Rate } from './window-log.js';

export type { RateSlot as Slot } from './rate-budget.js';
export type { Rate } from './window-log.js';

/** A limiter with a queue for each key. */
export interface Limited<K> {
  /** Subscribes to the source when the limit allows it. */
  (key: K): <T>(source: Observable<T>) => Observable<T>;
  /**
   * Resolves with a slot when one is free. Its owner reports when the work begins, which can be later, for example
   * after connecting. An abort while waiting leaves the queue and rejects with the signal's reason; a later abort has
   * no effect.
   */
  acquire(key: K, signal?: AbortSignal): Promise<RateSlot>;
  /** A slot for work that may begin now, without the queue; undefined: it has to wait, or others wait already. */
  take(): RateSlot | undefined;
  /** Until `until` (epoch ms) at most `left` more begin, in addition to the rates. The latest call counts. */
  allow(left: number, until: number): void;
  /** The ms until the limit set by `allow` ends, if nothing is left of it; else 0. */
  held(): number;
  /**
   * The ms until a slot can be free; else 0. Infinity: not before the owner of a slot begins or gives it back. Those
   * that wait already come first.
   */
  wait(): number;
}

/** A timer with a longer delay (24.8 days) overflows and fires at once. */
const longestTimer = 2 ** 31 - 1;

/**
 * Creates a limit: within any window of `ms`, at most `most` of the sources piped through it are subscribed to.
 *
 * ```
 * limit = limited([{ most: 2, ms: 5 }])
 * a = -a|    piped through limit('k'), subscribed at 0
 * b = -b|    piped through limit('k'), subscribed at 0
 * c = -c|    piped through limit('k'), subscribed at 0
 * d = -d|    piped through limit('l'), subscribed at 1
 * a, b     -(ab|)
 * c        ------c|
 * d        ------d|
 * ```
 *
 * - A true sliding window: each beginning is forgotten when it is `ms` old. With several rates all of them apply.
 *   Unused time is not saved up.
 * - Fair: keys take turns, and the sources of one key run in order of subscription. A key with a hundred waiting
 *   sources delays another key by one at a time.
 * - It counts beginnings, not how many are running; a source that ends early frees nothing.
 * - A slot counts from when it was taken, so that never too many begin, however late they do; it ages from its
 *   beginning. A source begins when it is subscribed to, the owner of an acquired slot when it says so.
 * - Unsubscribing while waiting leaves the queue at once and uses nothing up.
 * - Time comes from `asyncScheduler`. There is one timer, only while something waits.
 * - Memory: the queue, and the times of what began within a window, at most 10,000. For larger rates close times are
 *   merged, never so that more would begin.
 */
export function limited<K>(rates: readonly Rate[]): Limited<K> {
  const budget = createRateBudget(rates);
  const queue = createFairQueue<K, RateSlot>();
  let timer = new Subscription();
  let isCalling = false;

  /** A loop instead of recursion: a thousand sources that begin at once need no stack. */
  const callNext = () => {
    if (isCalling) return;
    isCalling = true;
    timer.unsubscribe();
    while (queue.isWaiting()) {
      const ms = budget.wait();
      if (ms > 0) {
        // If only the owner of a slot can make room, it calls us.
        if (ms < Number.POSITIVE_INFINITY) timer = asyncScheduler.schedule(callNext, Math.min(ms, longestTimer));
        break;
      }
      queue.call(budget.take(callNext));
    }
    isCalling = false;
  };
  const enter: Enter<K> = (key, start) => {
    const leave = queue.join(key, start);
    callNext();
    return () => {
      leave();
      if (!queue.isWaiting()) timer.unsubscribe();
    };
  };

  const limit =
    (key: K) =>
    <T>(source: Observable<T>) =>
      subscribeIn((start) => enter(key, start), source);
  return Object.assign(limit, {
    acquire: (key: K, signal?: AbortSignal) => acquire<RateSlot>((start) => enter(key, start), signal),
    take: () => (queue.isWaiting() || budget.wait() > 0 ? undefined : budget.take(callNext)),
    allow(left: number, until: number) {
      budget.allow(left, until);
      callNext();
    },
    held: budget.held,
    wait: budget.wait,
  });
}

type Start = (slot: RateSlot) => void;

type Enter<K> = (key: K, start: Start) => Leave;

function subscribeIn<T>(enter: (start: Start) => Leave, source: Observable<T>): Observable<T> {
  return new Observable((subscriber) => {
    const place = new Subscription();
    subscriber.add(place);
    const leave = enter((slot) => {
      slot.begin();
      subscriber.remove(place);
      source.subscribe(subscriber);
    });
    place.add(leave);
  });
}
