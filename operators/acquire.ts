/** Waits for a turn or a slot as a promise, for asynchronous code. */
import type { Leave } from './semaphore.js';

/**
 * Joins a queue and resolves with the value that `start` gets at its turn. An abort while waiting leaves the queue and
 * rejects with the signal's reason; a later abort has no effect.
 */
export function acquire<T>(enter: (start: (given: T) => void) => Leave, signal?: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted === true) {
      reject(signal.reason);
      return;
    }
    const giveUp = () => {
      leave();
      reject(signal?.reason);
    };
    signal?.addEventListener('abort', giveUp);
    const leave = enter((given) => {
      signal?.removeEventListener('abort', giveUp);
      resolve(given);
    });
  });
}
