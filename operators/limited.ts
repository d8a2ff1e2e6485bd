/** A bound on how often something begins: rates over sliding windows, and a fair line in front of them. */
import { asyncScheduler, Observable, Subscription } from 'rxjs';
import { acquire } from './acquire.js';
import type { Leave } from './lock.js';
import { createWindowLog, type Rate } from './window-log.js';

export type { Rate } from './window-log.js';

/** A line with a place for each key. */
export interface Limited<K> {
  /** Subscribes to the source when it may begin. */
  (key: K): <T>(source: Observable<T>) => Observable<T>;
  /** Settles when one may begin. Aborting while waiting leaves the line and rejects with the signal's reason. */
  acquire(key: K, signal?: AbortSignal): Promise<void>;
  /** Until then (epoch ms) no more than `left` may begin, besides what the rates say. What was said last counts. */
  allow(left: number, until: number): void;
  /** The ms until what `allow` said has passed, where nothing is left of it; else 0. */
  held(): number;
  /** The ms for which nothing may begin, for whatever reason; else 0. Who waits already comes first. */
  wait(): number;
}

/** Timers of the platform overflow beyond this many ms (24.8 days) and fire at once. */
const longestTimer = 2 ** 31 - 1;

/**
 * Makes a limit: of the sources that are piped through it no more are subscribed to, within any window of `ms`, than its `most`.
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
 * - A true sliding window: what began is forgotten when it is `ms` old, one by one, and not at the full second. With several rates
 *   each holds. Unused time is not saved up beyond that.
 * - Fair: keys take turns, and the sources of one key go in order of subscription; a key with a hundred in line delays another by one at a time.
 * - It counts beginnings and not how many are under way; nothing is given back when a source ends early.
 * - Unsubscribing while waiting leaves the line at once and uses nothing up.
 * - Time is that of `asyncScheduler`; one timer runs, and only while somebody waits.
 * - Memory: who waits, and the moments of what began within a window, 10,000 at the most; of larger rates moments close together are taken for
 *   one, never so that more would begin.
 */
export function limited<K>(rates: readonly Rate[]): Limited<K> {
  const logs = rates.map((rate) => createWindowLog(rate));
  const line = createLine<K>();
  let allowed = { left: Number.POSITIVE_INFINITY, until: 0 };
  let timer = new Subscription();
  let isCalling = false;

  const held = () => (allowed.left > 0 ? 0 : Math.max(0, allowed.until - asyncScheduler.now()));
  const wait = () => Math.max(held(), ...logs.map((log) => log.wait(asyncScheduler.now())));
  /** A loop rather than a call from each to the next, so that a thousand who begin at once need no stack. */
  const callNext = () => {
    if (isCalling) return;
    isCalling = true;
    timer.unsubscribe();
    while (line.isWaiting()) {
      const ms = wait();
      if (ms > 0) {
        timer = asyncScheduler.schedule(callNext, Math.min(ms, longestTimer));
        break;
      }
      for (const log of logs) log.add(asyncScheduler.now());
      allowed = { ...allowed, left: allowed.left - 1 };
      line.call();
    }
    isCalling = false;
  };
  const enter = (key: K, start: () => void): Leave => {
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
    acquire: (key: K, signal?: AbortSignal) => acquire<void>((start) => enter(key, start), signal),
    allow(left: number, until: number) {
      allowed = { left, until };
      callNext();
    },
    held,
    wait,
  });
}

type Enter = (start: () => void) => Leave;

interface Line<K> {
  join(key: K, start: () => void): Leave;
  isWaiting(): boolean;
  /** Starts the next. There must be one. */
  call(): void;
}

/** A line for each key; the key that was called goes behind the others. */
function createLine<K>(): Line<K> {
  const lines = new Map<K, Set<{ readonly start: () => void }>>();
  const leave = (key: K, place: { readonly start: () => void }) => {
    const own = lines.get(key);
    own?.delete(place);
    if (own?.size === 0) lines.delete(key);
  };
  return {
    join(key, start) {
      const place = { start };
      const own = lines.get(key) ?? new Set();
      lines.set(key, own.add(place));
      return () => leave(key, place);
    },
    isWaiting: () => lines.size > 0,
    call() {
      for (const [key, own] of lines) {
        for (const place of own) {
          lines.delete(key);
          own.delete(place);
          if (own.size > 0) lines.set(key, own);
          place.start();
          return;
        }
      }
    },
  };
}

function subscribeIn<T>(enter: Enter, source: Observable<T>): Observable<T> {
  return new Observable((subscriber) => {
    const place = new Subscription();
    subscriber.add(place);
    const leave = enter(() => {
      subscriber.remove(place);
      source.subscribe(subscriber);
    });
    place.add(leave);
  });
}
