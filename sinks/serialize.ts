/** Work on one file in the order in which it was asked for, each piece when the one before it is over. */
import { orAborted } from './errors.js';

/**
 * Runs the work when it is its turn, whatever became of that before. Who is aborted while waiting leaves the line:
 * ERR_ABORTED.
 */
export type InTurn = <T>(work: () => Promise<T>, signal?: AbortSignal) => Promise<T>;

/** Begins a line in which nobody stands. */
export function createTurns(): InTurn {
  let turn: Promise<void> = Promise.resolve();
  return (work, signal) => {
    const mine = (signal === undefined ? turn : orAborted(turn, signal)).then(work);
    turn = Promise.allSettled([turn, mine]).then(() => {});
    return mine;
  };
}
