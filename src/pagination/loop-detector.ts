/**
 * Detects pagination loops: a sequence of two or more pages that is served twice in a row.
 * docs/03-pagination.md#repeated-pages-and-loops.
 *
 * Such a loop is a square in the sequence of fingerprints: a word of `period` pages, twice in a row. A single page that
 * comes again is legal, so recognising pages is not enough; and remembering every page that may begin a round costs the
 * square of the pages. Instead, for each power of two `size`: the second half of a square with a period of 2 to 4 times
 * `size` contains a whole block that begins at a multiple of `size`. So each such block, once complete, is searched one
 * period back; without squares it is found there a few times at most. Each match is a candidate. It is extended to the
 * left at once and to the right with every page, until it is a square or breaks.
 */

/** A round: pages `from` to `from + period - 1`, and the same pages again after them. */
export interface Round {
  readonly from: number;
  readonly period: number;
}

/** Whether two pages, given by index, are the same. */
export type Same = (a: number, b: number) => boolean;

export interface LoopDetector {
  /**
   * Examines the next page, with the index `last`. Returns the round that it completes, the shortest if there are
   * several. One page many times in a row is no round.
   */
  see(last: number): Round | undefined;
}

/** Pages from `start` on that equal those `period` before them. */
interface Candidate {
  readonly start: number;
  readonly period: number;
}

/**
 * Creates a detector without pages. It stores no pages itself. A page costs the logarithm of their number, if few pages
 * come several times in a row.
 */
export function createLoopDetector(same: Same): LoopDetector {
  let candidates: readonly Candidate[] = [];

  return {
    see(last) {
      const alive = candidates.filter(({ period }) => same(last, last - period));
      candidates = [...alive, ...newCandidates(same, last, alive)];
      const complete = candidates.filter(
        ({ start, period }) => last - start + 1 >= period && isVaried(same, last, period),
      );
      if (complete.length === 0) return undefined;
      const period = Math.min(...complete.map((candidate) => candidate.period));
      return { from: last + 1 - 2 * period, period };
    },
  };
}

/** The candidates from blocks that the last page completes. */
function newCandidates(same: Same, last: number, known: readonly Candidate[]): readonly Candidate[] {
  const candidates: Candidate[] = [];
  for (let size = 1; (last + 1) % size === 0 && 3 * size <= last + 1; size *= 2) {
    const block = last + 1 - size;
    const farthest = Math.min(4 * size - 1, block);
    for (let period = 2 * size; period <= farthest; period++) {
      if (!isSameRun(same, { from: block, period, length: size })) continue;
      if (known.some((candidate) => candidate.period === period)) continue;
      candidates.push({ start: growLeft(same, block, period), period });
    }
  }
  return candidates;
}

/** Whether `length` pages from `from` on equal those one period back. */
function isSameRun(
  same: Same,
  { from, period, length }: { readonly from: number; readonly period: number; readonly length: number },
): boolean {
  let run = 0;
  while (run < length && same(from + run, from + run - period)) run++;
  return run === length;
}

/** Returns where the equal pages begin, at most one period before the end of the block. */
function growLeft(same: Same, block: number, period: number): number {
  let start = block;
  while (start > period && block - start < period && same(start - 1, start - 1 - period)) start--;
  return start;
}

/** Whether the pages of the last period are not all the same. */
function isVaried(same: Same, last: number, period: number): boolean {
  let at = last;
  while (at > last - period + 1 && same(at, at - 1)) at--;
  return at > last - period + 1;
}
