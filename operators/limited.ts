/** A bound on how often something begins: rates over sliding windows, and a fair line in front of them. */
import { asyncScheduler, Observable, Subscription } from 'rxjs';
import { acquire } from './acquire.js';
import { createFairLine } from './fair-line.js';
import { createPlaces, type RateSlot } from './rate-budget.js';
import type { Leave } from './semaphore.js';
import type { Rate } from './window-log.js';

export type { RateSlot as Slot } from './rate-budget.js';
export type { Rate } from './window-log.js';

/** A line with a place for each key. */
export interface Limited<K> {
  /** Subscribes to the source when it may begin. */
  (key: K): <T>(source: Observable<T>) => Observable<T>;
  /**
   * Settles when one may begin, with what says whether it did: at once or later, as where a connection has to be made
   * before. Aborting while waiting leaves the line and rejects with the signal's reason; afterwards the signal has no
   * say.
   */
  acquire(key: K, signal?: AbortSignal): Promise<RateSlot>;
  /**
   * Until then (epoch ms) no more than `left` are let through, besides what the rates say. What was said last counts.
   */
  allow(left: number, until: number): void;
  /** The ms until what `allow` said has passed, where nothing is left of it; else 0. */
  held(): number;
  /**
   * The ms for which nothing is let through, for whatever reason; else 0. Infinity: until one that was let through
   * begins or gives back. Who waits already comes first.
   */
  wait(): number;
}

/** Timers of the platform overflow beyond this many ms (24.8 days) and fire at once. */
const longestTimer = 2 ** 31 - 1;

/**
 * Makes a limit: of the sources that are piped through it no more are subscribed to, within any window of `ms`, than
 * its `most`.
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
 * - A true sliding window: what began is forgotten when it is `ms` old, one by one, and not at the full second. With
 *   several rates each holds. Unused time is not saved up beyond that.
 * - Fair: keys take turns, and the sources of one key go in order of subscription; a key with a hundred in line delays
 *   another by one at a time.
 * - It counts beginnings and not how many are under way; nothing is given back when a source ends early.
 * - What was let through and has not begun yet counts as well, so that a beginning is never one too many, however late
 *   it comes; it ages from then on. A source begins as it is subscribed to, the owner of an acquired slot when it says
 *   so.
 * - Unsubscribing while waiting leaves the line at once and uses nothing up.
 * - Time is that of `asyncScheduler`; one timer runs, and only while somebody waits.
 * - Memory: who waits, and the moments of what began within a window, 10,000 at the most; of larger rates moments close
 *   together are taken for one, never so that more would begin.
 */
export function limited<K>(rates: readonly Rate[]): Limited<K> {
  const places = createPlaces(rates);
  const line = createFairLine<K, RateSlot>();
  let timer = new Subscription();
  let isCalling = false;

  /** A loop rather than a call from each to the next, so that a thousand who begin at once need no stack. */
  const callNext = () => {
    if (isCalling) return;
    isCalling = true;
    timer.unsubscribe();
    while (line.isWaiting()) {
      const ms = places.wait();
      if (ms > 0) {
        // Where only a slot can make room, its owner calls.
        if (ms < Number.POSITIVE_INFINITY) timer = asyncScheduler.schedule(callNext, Math.min(ms, longestTimer));
        break;
      }
      line.call(places.take(callNext));
    }
    isCalling = false;
  };
  const enter: Enter<K> = (key, start) => {
    const leave = line.join(key, start);
    callNext();
    return () => {
      leave();
      if (!line.isWaiting()) timer.unsubscribe();
    };
  };

  const inLine =
    (key: K) =>
    <T>(source: Observable<T>) =>
      subscribeIn((start) => enter(key, start), source);
  return Object.assign(inLine, {
    acquire: (key: K, signal?: AbortSignal) => acquire<RateSlot>((start) => enter(key, start), signal),
    allow(left: number, until: number) {
      places.allow(left, until);
      callNext();
    },
    held: places.held,
    wait: places.wait,
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
