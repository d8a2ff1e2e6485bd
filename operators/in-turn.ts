/** A mutex for observables and for asynchronous code: one line, two ways to stand in it. */
import { finalize, identity, map, Observable, Subscription } from 'rxjs';
import { acquire } from './acquire.js';
import { createLock, type Leave, type Semaphore } from './semaphore.js';

export interface Turn {
  /** Subscribes to the source when its turn comes. */
  <T>(source: Observable<T>): Observable<T>;
  /**
   * Settles when the turn has come, with the function that passes it on; calling that again does nothing. Aborting
   * while waiting leaves the line and rejects with the signal's reason; afterwards the signal has no say.
   */
  acquire(signal?: AbortSignal): Promise<Leave>;
}

/**
 * Makes a turn: sources that are piped through it are subscribed to one at a time, in order of subscription; `limit` of
 * them at a time where that is given.
 *
 * ```
 * x = --a--|    piped through turn, subscribed at 0
 * y = -b-|      piped through turn, subscribed at 2
 * x        --a--|
 * y          ----b-|       subscribed to its source at 5
 * ```
 *
 * - The turn passes on when its source has completed, failed or been unsubscribed from, and has been torn down.
 * - Unsubscribing while waiting leaves the line; the source is never subscribed to.
 * - Errors go to their own subscriber; the next one in line does not hear of them.
 * - Not reentrant: a source that waits for its own turn waits for ever.
 * - Memory is that of who waits; passing the turn on takes no stack, however many sources complete at once.
 */
export function inTurn(limit = 1): Turn {
  return turnOf(createLock(limit).enter);
}

/**
 * Makes a turn for each key: sources of one key are subscribed to one at a time, those of different keys side by side.
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
 * The laws are those of `inTurn`. Keys are compared as `Map` compares them; one that nobody uses is forgotten.
 */
export function inTurnBy<K>(): (key: K) => Turn {
  const locks = new Map<K, Semaphore>();
  return (key) =>
    turnOf((start) => {
      const lock = locks.get(key) ?? createLock();
      locks.set(key, lock);
      const forgetting = (leave: Leave) => () => {
        leave();
        if (lock.isIdle() && locks.get(key) === lock) locks.delete(key);
      };
      return forgetting(lock.enter((leave) => start(forgetting(leave))));
    });
}

function turnOf(enter: Semaphore['enter']): Turn {
  const wait = <T>(source: Observable<T>) => subscribeInTurn(enter, source);
  return Object.assign(wait, { acquire: (signal?: AbortSignal) => acquire(enter, signal) });
}

/**
 * `map` stands for a subscriber of the source's own: all that the source hangs on it is torn down before the turn is
 * left.
 */
function subscribeInTurn<T>(enter: Semaphore['enter'], source: Observable<T>): Observable<T> {
  return new Observable((subscriber) => {
    const place = new Subscription();
    subscriber.add(place);
    const start = (leave: Leave) => {
      subscriber.remove(place);
      source.pipe(map(identity), finalize(leave)).subscribe(subscriber);
    };
    place.add(enter(start));
  });
}
