/**
 * The members that are added to rows: `userData`, then what a child job knows of its parents.
 * docs/12-compatibility.md#output.
 */
import type { ExactObject } from '../core/json/exact.js';
import type { PlaceholderBindings } from './instances.js';

/**
 * Names each placeholder in effect by its path, with `parent_` in front unless it begins so. Of placeholders with one
 * path the last counts, at the place of the first; so does a placeholder over a member of `userData`, which comes
 * evaluated.
 */
export function columnsOf(userData: ExactObject, instance: PlaceholderBindings): ExactObject {
  const parents = [...instance.values()].map(({ path, value }) => [parentName(path), value] as const);
  return new Map([...userData, ...parents]);
}

const parentName = (path: string): string => (path.startsWith('parent_') ? path : `parent_${path}`);
