/** The order of pages in the output of one process: children follow the page of their parent, before the next page. */
import type { PageOfPart } from './part.js';

/** The place of a page as numbers, from the top-level job down to the page: a walk such as `3/7.0.14.2` has them. */
export const orderOf = ({ walk, page }: PageOfPart): readonly number[] => [...walk.split(/[/.]/).map(Number), page];

/** Negative: `a` comes first. A place comes before those within it. */
export function compareOrders(a: readonly number[], b: readonly number[]): number {
  for (const [index, number] of a.entries()) {
    const difference = number - (b[index] ?? Number.NEGATIVE_INFINITY);
    if (difference !== 0) return difference;
  }
  return a.length - b.length;
}
