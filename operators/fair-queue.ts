/** The queue of `limited`, in which keys take turns. It knows nothing about time or rates. */
import type { Leave } from './semaphore.js';

type Start<T> = (given: T) => void;

/** `T` is the value that a waiting entry gets when it starts. */
export interface FairQueue<K, T> {
  /** Joins the queue at the end of its key. Returns the function that leaves the queue. */
  join(key: K, start: Start<T>): Leave;
  isWaiting(): boolean;
  /** Starts the next entry; there must be one. */
  call(given: T): void;
}

/** Creates a queue for each key. A key that had its turn goes to the end. */
export function createFairQueue<K, T>(): FairQueue<K, T> {
  const queues = new Map<K, Set<{ readonly start: Start<T> }>>();
  const leave = (key: K, place: { readonly start: Start<T> }) => {
    const own = queues.get(key);
    own?.delete(place);
    if (own?.size === 0) queues.delete(key);
  };
  return {
    join(key, start) {
      const place = { start };
      const own = queues.get(key) ?? new Set();
      queues.set(key, own.add(place));
      return () => leave(key, place);
    },
    isWaiting: () => queues.size > 0,
    call(given) {
      for (const [key, own] of queues) {
        for (const place of own) {
          queues.delete(key);
          own.delete(place);
          if (own.size > 0) queues.set(key, own);
          place.start(given);
          return;
        }
      }
    },
  };
}
