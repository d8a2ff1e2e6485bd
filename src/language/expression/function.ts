/** The shape of a function of the configuration language: what an entry of the registry has to say and do. */
import type { Exact } from '../../core/json/exact.js';

export interface Argument {
  readonly name: string;
  readonly summary: string;
  readonly optional?: true;
  /** Takes any number of values, none included. Only the last argument. */
  readonly variadic?: true;
}

/** A place of the configuration that has functions of its own. */
export type FunctionPlace = 'placeholders';

/** What a function may know besides its arguments. */
export interface Call {
  /** Epoch ms. */
  now(): number;
}

/**
 * `apply` gets as many arguments as `args` allows, already evaluated. Throws ERR_FUNCTION; the caller adds the
 * function's name.
 */
export interface ExpressionFunction {
  readonly summary: string;
  readonly args: readonly Argument[];
  /** What else there is to know, a sentence each. */
  readonly rules?: readonly string[];
  /** A call as JSON, and the text it gives. A test holds the two together. */
  readonly example: string;
  readonly gives: string;
  /** Can be called there and nowhere else. */
  readonly only?: FunctionPlace;
  apply(args: readonly Exact[], call: Call): Exact;
}
