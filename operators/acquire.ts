/** A place in a line as a promise, for asynchronous code that waits where observables do. */
import type { Leave } from './semaphore.js';

/**
 * Enters the line and settles with what `start` is handed when the turn comes. Aborting while waiting leaves the line
 * and rejects with the signal's reason; afterwards the signal has no say.
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
