/** Finds the values of rows that child jobs read: nothing else of the rows is kept. */
import type { Placeholder } from '../../config/children/placeholders.js';
import type { RecursionFilter } from '../../config/children/recursion-filter.js';

/** A child job: what it reads in the rows of its ancestors. */
export interface PathReader {
  readonly placeholders: readonly Placeholder[];
  readonly recursionFilter?: Pick<RecursionFilter, 'paths'>;
  readonly children: readonly PathReader[];
}

/** The paths that the children and their descendants read in the rows of the parent, each once. */
export function neededPaths(children: readonly PathReader[]): readonly string[] {
  return [...new Set(pathsAt(children, 1))];
}

/** A grandchild reads the same rows a level further up. */
function pathsAt(children: readonly PathReader[], level: number): readonly string[] {
  return children.flatMap(({ placeholders, recursionFilter, children: below }) => [
    ...placeholders.filter((each) => each.level === level).map(({ path }) => path),
    ...(level === 1 ? (recursionFilter?.paths ?? []) : []),
    ...pathsAt(below, level + 1),
  ]);
}
