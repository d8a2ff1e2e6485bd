/** The line under `limited`: keys take turns. It stands alone because it knows of neither time nor rates. */
import type { Leave } from './semaphore.js';

type Start<T> = (given: T) => void;

/** `T` is what those in line are handed as they start. */
export interface FairLine<K, T> {
  /** Takes the last place of the key. Hands out the way out of the line. */
  join(key: K, start: Start<T>): Leave;
  isWaiting(): boolean;
  /** Starts the next. There must be one. */
  call(given: T): void;
}

/** A line for each key; the key that was called goes behind the others. */
export function createFairLine<K, T>(): FairLine<K, T> {
  const lines = new Map<K, Set<{ readonly start: Start<T> }>>();
  const leave = (key: K, place: { readonly start: Start<T> }) => {
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
    call(given) {
      for (const [key, own] of lines) {
        for (const place of own) {
          lines.delete(key);
          own.delete(place);
          if (own.size > 0) lines.set(key, own);
          place.start(given);
          return;
        }
      }
    },
  };
}
