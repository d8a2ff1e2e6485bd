/**
 * Marks the `write` of a sink of this package that keeps no batch: it may get memory that is used again after the
 * call. The mark is on the function, so that a sink that wraps it gets memory of its own.
 */
import type { Sink } from './contract.js';

const borrows = Symbol('borrows');

type Write = Sink['write'] & { [borrows]?: true };

/** Marks the function and returns it. What it keeps beyond the call it must retain or copy. */
export const borrowing = <Marked extends Sink['write']>(write: Marked): Marked =>
  Object.assign(write, { [borrows]: true });

/** Whether the function may get lent memory. */
export const isBorrowing = (write: Write): boolean => write[borrows] === true;
