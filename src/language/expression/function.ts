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

/** Returns what is expected, such as `2 arguments (a, b)`, if the number of arguments is wrong. */
export function expectedArguments(args: readonly Argument[], given: number): string | undefined {
  const least = args.filter(({ optional, variadic }) => optional === undefined && variadic === undefined).length;
  const most = args.some(({ variadic }) => variadic === true) ? Number.POSITIVE_INFINITY : args.length;
  return given >= least && given <= most ? undefined : countText(args, least, most);
}

function countText(args: readonly Argument[], least: number, most: number): string {
  if (args.length === 0) return 'no arguments';
  const open = most === Number.POSITIVE_INFINITY ? `${least} or more` : `${least} to ${most}`;
  const number = least === most ? String(least) : open;
  const names = args.map(({ name }) => name).join(', ');
  return `${number} ${number === '1' ? 'argument' : 'arguments'} (${names})`;
}
