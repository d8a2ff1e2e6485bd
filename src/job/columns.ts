/**
 * The columns that are added to rows: `userData`, then the placeholders of a child job.
 * docs/12-compatibility.md#output.
 */
import type { ExactObject } from '../core/json/exact.js';
import type { PlaceholderBindings } from './instances.js';

/**
 * Names each active placeholder by its path, prefixed with `parent_` unless the path has that prefix. For placeholders
 * with the same path, the last value wins, at the position of the first. A placeholder also overrides a member of
 * `userData`, which is already evaluated.
 */
export function columnsOf(userData: ExactObject, instance: PlaceholderBindings): ExactObject {
  const parents = [...instance.values()].flatMap(({ path, value }) =>
    path === undefined ? [] : [[parentName(path), value] as const],
  );
  return new Map([...userData, ...parents]);
}

const parentName = (path: string): string => (path.startsWith('parent_') ? path : `parent_${path}`);
