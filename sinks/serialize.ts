/** Runs work on one file in call order, one piece at a time. */
import { orAborted } from './errors.js';

/**
 * Runs the work after all earlier work, even if that failed. An abort while it waits removes it from the queue:
 * ERR_ABORTED.
 */
export type InTurn = <T>(work: () => Promise<T>, signal?: AbortSignal) => Promise<T>;

/** Creates an empty queue. */
export function createTurns(): InTurn {
  let turn: Promise<void> = Promise.resolve();
  return (work, signal) => {
    const mine = (signal === undefined ? turn : orAborted(turn, signal)).then(work);
    turn = Promise.allSettled([turn, mine]).then(() => {});
    return mine;
  };
}
