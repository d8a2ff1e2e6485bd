/** Sets values at paths in the JSON body of a request. Pagination names the paths; requests are built with them. */
import { ExtractError } from '../errors/errors.js';
import { type Exact, type ExactObject, isArray, isObject } from '../json/exact.js';
import type { Placed } from '../model/request.js';

/** A path as messages show it: `variables.after`. */
export const shownPath = (path: readonly string[]): string => path.join('.');

/**
 * Returns the parameters with the value set at the path. Missing objects on the way are created, also for null or an
 * empty list. A segment of digits is an element of a list, or the next one. Throws ERR_REQUEST if anything else is on
 * the way.
 */
export function placeAt(params: ExactObject, { path, value }: Placed): ExactObject {
  const [step = '', ...rest] = path;
  const blocked = blockedAt(params, path);
  if (blocked !== undefined)
    throw new ExtractError('ERR_REQUEST', `the path "${shownPath(path)}" ${describeBlock(blocked)}`);
  return new Map(params).set(step, setAt(params.get(step), rest, value));
}

/** Returns the segments to the value that blocks the path; undefined: nothing does. */
export function blockedAt(params: ExactObject, path: readonly string[]): readonly string[] | undefined {
  let at: Exact | undefined = params;
  for (const [depth, step] of path.entries()) {
    if (!mayHold(at, step)) return path.slice(0, depth);
    at = memberOf(at, step);
  }
  return undefined;
}

/** Describes the value that blocks a path. */
export const describeBlock = (segments: readonly string[]): string =>
  `leads through "${shownPath(segments)}", which is neither an object nor a list with such an element`;

function mayHold(value: Exact | undefined, step: string): boolean {
  if (isArray(value) && value.length > 0) return isIndex(step) && Number(step) <= value.length;
  return value === undefined || value === null || isObject(value) || isArray(value);
}

function memberOf(value: Exact | undefined, step: string): Exact | undefined {
  if (isObject(value)) return value.get(step);
  return isArray(value) && isIndex(step) ? value[Number(step)] : undefined;
}

function setAt(value: Exact | undefined, [step, ...rest]: readonly string[], leaf: Exact): Exact {
  if (step === undefined) return leaf;
  const inner = setAt(memberOf(value, step), rest, leaf);
  if (isArray(value) && value.length > 0)
    return [...value.slice(0, Number(step)), inner, ...value.slice(Number(step) + 1)];
  return new Map(isObject(value) ? value : []).set(step, inner);
}

const isIndex = (step: string): boolean => /^\d{1,9}$/.test(step);
