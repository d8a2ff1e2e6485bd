/**
 * A list of a configuration, which may be written as an object: jobs, children, iterations and hosts are read through
 * it.
 */
import { type Exact, isArray, isObject } from '../core/json/exact.js';

/** The elements of a list with their indexes; an object is read as the list of its values. */
export function entries(value: Exact): readonly (readonly [string | number, Exact])[] | undefined {
  if (isArray(value)) return [...value.entries()];
  return isObject(value) ? [...value] : undefined;
}
