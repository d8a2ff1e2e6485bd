/**
 * Notices an API that goes round in a circle: a round of two or more pages that is served a second time, whole. Decision 21.
 *
 * That is a square in the sequence of fingerprints: a word of `period` pages, twice in a row. A page that comes back on its own is legal,
 * so it is not enough to know pages again; and remembering every page that may begin a round costs the square of the pages.
 * Instead, for each power of two `size`: the second half of a square with a period of 2 to 4 times `size` holds a whole block that begins
 * at a multiple of `size`. So each such block, once complete, is looked for one period back; in a sequence without squares it is found there
 * a few times at most. Each find is a candidate, grown to the left at once and to the right with every page, until it is a square or breaks.
 */

/** A round: pages `from` to `from + period - 1`, and the same again behind them. */
export interface Round {
  readonly from: number;
  readonly period: number;
}

export interface Rounds {
  /**
   * Takes the fingerprint of the next page; its low 64 bits count. `repeat`: it equals the page just before.
   * A round is told at the page that completes it, the shortest one if there are several.
   */
  see(fingerprint: bigint): 'new' | 'repeat' | Round;
}

/** Pages from `start` on equal those `period` before them. */
interface Candidate {
  readonly start: number;
  readonly period: number;
}

/** Knows no page yet. Keeps 8 bytes a page, 16 while it grows; a page costs the logarithm of their number. */
export function createRounds(): Rounds {
  const pages = createPages();
  let candidates: readonly Candidate[] = [];

  return {
    see(fingerprint) {
      const last = pages.add(fingerprint);
      if (last > 0 && pages.same(last, last - 1)) return 'repeat';
      const alive = candidates.filter(({ period }) => pages.same(last, last - period));
      candidates = [...alive, ...newCandidates(pages, last, alive)];
      const complete = candidates.filter(({ start, period }) => last - start + 1 >= period);
      if (complete.length === 0) return 'new';
      const period = Math.min(...complete.map((candidate) => candidate.period));
      return { from: last + 1 - 2 * period, period };
    },
  };
}

/** The candidates that the blocks give which the last page completes. */
function newCandidates(pages: Pages, last: number, known: readonly Candidate[]): readonly Candidate[] {
  const found: Candidate[] = [];
  for (let size = 1; (last + 1) % size === 0 && 3 * size <= last + 1; size *= 2) {
    const block = last + 1 - size;
    const farthest = Math.min(4 * size - 1, block);
    for (let period = 2 * size; period <= farthest; period++) {
      if (!pages.sameRun(block, block - period, size)) continue;
      if (known.some((candidate) => candidate.period === period)) continue;
      found.push({ start: growLeft(pages, block, period), period });
    }
  }
  return found;
}

/** Where the pages begin, at most one period before the block's end, that equal those one period back. */
function growLeft(pages: Pages, block: number, period: number): number {
  let start = block;
  while (start > period && block - start < period && pages.same(start - 1, start - 1 - period)) start--;
  return start;
}

interface Pages {
  /** Returns the index of the page. */
  add(fingerprint: bigint): number;
  same(a: number, b: number): boolean;
  /** Whether `length` pages from `a` on equal those from `b` on. */
  sameRun(a: number, b: number, length: number): boolean;
}

/** Fingerprints in two halves: reading a 64-bit array would make a bigint each time. */
function createPages(): Pages {
  let low = new Uint32Array(64);
  let high = new Uint32Array(64);
  let count = 0;

  const same = (a: number, b: number) => low[a] === low[b] && high[a] === high[b];
  return {
    same,
    add(fingerprint) {
      if (count === low.length) {
        low = doubled(low);
        high = doubled(high);
      }
      low[count] = Number(BigInt.asUintN(32, fingerprint));
      high[count] = Number(BigInt.asUintN(32, fingerprint >> 32n));
      return count++;
    },
    sameRun(a, b, length) {
      let run = 0;
      while (run < length && same(a + run, b + run)) run++;
      return run === length;
    },
  };
}

function doubled(array: Uint32Array): Uint32Array<ArrayBuffer> {
  const larger = new Uint32Array(array.length * 2);
  larger.set(array);
  return larger;
}
