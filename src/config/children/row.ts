/** A row as child jobs see it: values by path, after `responseFilter`. */
import { type Exact, exactAt, isArray, isObject, splitPath } from '../../core/json/exact.js';
import { nearestPath } from '../../core/util/suggest.js';
import { namesLookedAt } from '../../language/expression/reference.js';

export interface Row {
  /**
   * The value at a path; `undefined` if there is none. null is a value, but not as an element of a list.
   * docs/12-compatibility.md#values.
   */
  at(path: string): Exact | undefined;
  /** The path that was probably meant instead of one without a value. */
  nearest(path: string): string | undefined;
}

/** Creates a row of a value; the path `.` is the value itself. */
export function createRow(value: Exact): Row {
  return {
    at: (path) => valueAt(value, splitPath(path)),
    nearest: (path) => nearestIn(value, splitPath(path)),
  };
}

function valueAt(row: Exact, segments: readonly string[]): Exact | undefined {
  const value = exactAt(row, segments);
  if (value !== null || segments.length === 0) return value;
  return isArray(exactAt(row, segments.slice(0, -1))) ? undefined : null;
}

function nearestIn(row: Exact, segments: readonly string[]): string | undefined {
  const depth = segments.findIndex((_, index) => exactAt(row, segments.slice(0, index + 1)) === undefined);
  const container = exactAt(row, segments.slice(0, depth));
  if (depth === -1 || !isObject(container)) return undefined;
  return nearestPath(segments, { depth, beside: [...container.keys()].slice(0, namesLookedAt) });
}
