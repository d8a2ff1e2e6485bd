/** The interface of a function of the configuration language. */
import type { Exact } from '../../core/json/exact.js';

export interface Argument {
  readonly name: string;
  readonly summary: string;
  readonly optional?: true;
  /** Takes any number of values, or none. Only the last argument. */
  readonly variadic?: true;
}

/** A place of the configuration with functions of its own. */
export type FunctionPlace = 'placeholders';

/** What a function knows besides its arguments. */
export interface Call {
  /** Epoch ms. */
  now(): number;
}

/**
 * `apply` gets evaluated arguments, as many as `args` allows. Throws ERR_FUNCTION; the caller adds the function's name.
 */
export interface ExpressionFunction {
  readonly summary: string;
  readonly args: readonly Argument[];
  /** Further rules, a sentence each. */
  readonly rules?: readonly string[];
  /** A call as JSON, and its result. A test compares them. */
  readonly example: string;
  readonly gives: string;
  /** The only place where it can be called. */
  readonly only?: FunctionPlace;
  apply(args: readonly Exact[], call: Call): Exact;
}
