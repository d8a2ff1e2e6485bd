/** A mutex for observables and for asynchronous code, with one queue for both. */
import { identity, map, Observable, Subscription } from 'rxjs';
import { acquire, createSemaphore, type Leave, type Semaphore } from './semaphore.js';

export interface Turn {
  /** Subscribes to the source when its turn comes. */
  <T>(source: Observable<T>): Observable<T>;
  /**
   * Resolves at its turn with the function that releases it; calling that twice has no effect. An abort while waiting
   * leaves the queue and rejects with the signal's reason; a later abort has no effect.
   */
  acquire(signal?: AbortSignal): Promise<Leave>;
  /** A turn that is free, as its function that releases it; undefined: others have it or wait for it. */
  take(): Leave | undefined;
}

/**
 * Creates a turn. Sources piped through it are subscribed to one at a time, in order of subscription, or up to `limit`
 * at a time.
 *
 * ```
 * x = --a--|    piped through turn, subscribed at 0
 * y = -b-|      piped through turn, subscribed at 2
 * x        --a--|
 * y          ----b-|       subscribed to its source at 5
 * ```
 *
 * - The next source starts when the current one has completed, failed or been unsubscribed from, and is torn down.
 * - Unsubscribing while waiting leaves the queue; the source is never subscribed to.
 * - An error goes to its own subscriber only.
 * - Not reentrant: a source that waits for its own turn waits for ever.
 * - Memory grows with the queue only. Any number of sources that complete at once needs no stack.
 */
export function inTurn(limit = 1): Turn {
  return createTurn(createSemaphore(limit).enter);
}

/**
 * Creates a turn for each key: sources of one key are subscribed to one at a time, those of different keys run
 * concurrently.
 *
 * ```
 * x = --a--|    piped through turn('k')
 * y = -b-|      piped through turn('k')
 * z = -c-|      piped through turn('l')
 * x        --a--|
 * y        ------b-|
 * z        -c-|
 * ```
 *
 * The rules are those of `inTurn`. Keys are compared as in a `Map`; an unused key is forgotten.
 */
export function inTurnBy<K>(): (key: K) => Turn {
  const locks = new Map<K, Semaphore>();
  return (key) =>
    createTurn((start) => {
      const lock = locks.get(key) ?? createSemaphore();
      locks.set(key, lock);
      const forgetting = (leave: Leave) => () => {
        leave();
        if (lock.isIdle() && locks.get(key) === lock) locks.delete(key);
      };
      return forgetting(lock.enter((leave) => start(forgetting(leave))));
    });
}

function createTurn(enter: Semaphore['enter']): Turn {
  const wait = <T>(source: Observable<T>) => subscribeInTurn(enter, source);
  return Object.assign(wait, {
    acquire: (signal?: AbortSignal) => acquire(enter, signal),
    take: () => takeFree(enter),
  });
}

function takeFree(enter: Semaphore['enter']): Leave | undefined {
  let taken: Leave | undefined;
  const leave = enter((own) => {
    taken = own;
  });
  if (taken === undefined) leave();
  return taken;
}

/**
 * `map` gives the source a subscriber of its own: everything attached to it is torn down before the turn is released.
 */
function subscribeInTurn<T>(enter: Semaphore['enter'], source: Observable<T>): Observable<T> {
  return new Observable((subscriber) => {
    let hasBegun = false;
    let place: Subscription | undefined;
    const leave = enter((own) => {
      hasBegun = true;
      if (place !== undefined) subscriber.remove(place);
      source.pipe(map(identity)).subscribe(subscriber);
      subscriber.add(own);
    });
    if (hasBegun) return;
    place = new Subscription(leave);
    subscriber.add(place);
  });
}
