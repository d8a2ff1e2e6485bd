/** Numbered pages that overlap: one of another size begins before the end. docs/14-any-response.md#repair. */
import { ExtractError } from '../core/errors/errors.js';

/** A page by its number, from 0, and its size. */
export interface SizedPage {
  readonly page: number;
  readonly size: number;
}

/** With smaller pages some ends have no page over them that leads on. */
export const leastLimit = 25;

const mostOverlap = 10;
const overlapOf = (limit: number): number => Math.min(mostOverlap, Math.floor(limit / 4));

/** The page of half the limit at least, and of the limit at most, that leads furthest beyond a place it contains. */
export function pageOver(end: number, limit: number): SizedPage {
  const start = end - overlapOf(limit);
  let size = limit;
  for (let each = limit - 1; each * 2 >= limit; each--) if (each - (start % each) > size - (start % size)) size = each;
  return { page: Math.floor(start / size), size };
}

/** An end that is so far ahead of the items: the API does not follow the parameter. */
const mostMoved = 1000;

/** Throws ERR_LOOP where a page begins far beyond the items of the walk. `start` counts from that of the job. */
export function checkAdvance(start: number, items: number, param: string): void {
  if (start <= items + mostMoved) return;
  const found = `the next page begins at item ${start}, but only ${items} different items have come`;
  throw new ExtractError('ERR_LOOP', `${found}: does the API know the parameter "${param}"?`);
}
