/** Runs work on one file in call order, one piece at a time. */
import { orAborted, throwIfAborted } from './errors.js';

export interface InTurn {
  /**
   * Runs the work after all earlier work, even if that failed; at once if none is in progress, and then it returns or
   * throws what the work does. An abort while it waits removes it from the queue: ERR_ABORTED.
   */
  <T>(work: () => T | Promise<T>, signal?: AbortSignal): T | Promise<T>;
  /** Whether no work is in progress. */
  isFree(): boolean;
}

/** Creates an empty queue. Work must not use its own queue before it has returned. */
export function createTurns(): InTurn {
  let turn: Promise<void> | undefined;
  const enter = <T>(mine: Promise<T>): Promise<T> => {
    const over = Promise.allSettled([turn, mine]).then(() => {
      if (turn === over) turn = undefined;
    });
    turn = over;
    return mine;
  };
  const inTurn = <T>(work: () => T | Promise<T>, signal?: AbortSignal): T | Promise<T> => {
    if (turn !== undefined) return enter((signal === undefined ? turn : orAborted(turn, signal)).then(work));
    if (signal !== undefined) throwIfAborted(signal);
    const result = work();
    return result instanceof Promise ? enter(result) : result;
  };
  return Object.assign(inTurn, { isFree: () => turn === undefined });
}
