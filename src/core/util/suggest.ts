/** The nearest valid name for a misspelt one: what every "did you mean" is made of. */

/**
 * The candidate that is fewest edits away, if that is near enough to be a slip; ignoring case costs nothing. The first
 * of equals wins. In a name of one or two letters only a swap or a letter left out at its end is one: everything short
 * is an edit away from it.
 */
export function nearest(name: string, candidates: Iterable<string>): string | undefined {
  const wanted = name.toLowerCase();
  if (wanted.length <= leastGuessed)
    return [...candidates].find((each) => each !== name && isClose(wanted, each.toLowerCase()));
  let best: string | undefined;
  let least = Math.max(1, Math.floor(wanted.length / 3)) + 1;
  for (const candidate of candidates) {
    if (candidate === name || Math.abs(candidate.length - name.length) >= least) continue;
    const edits = editDistance(wanted, candidate.toLowerCase());
    if (edits < least) {
      best = candidate;
      least = edits;
    }
  }
  return best;
}

/** The longest names that are not guessed at. */
const leastGuessed = 2;

/** The same letters, or one more behind them. */
const isClose = (wanted: string, candidate: string): boolean =>
  [...candidate].sort().join('') === [...wanted].sort().join('') ||
  (wanted.length === leastGuessed && candidate.slice(0, -1) === wanted);

/** Ends a sentence with the nearest name, or not at all. */
export function didYouMean(name: string, candidates: Iterable<string>): string {
  return meant(nearest(name, candidates));
}

/**
 * As `didYouMean`; else with the first of `kin` that the name begins, or that begins the name: `region` for
 * `regionName`, `username` for `user`.
 */
export function didYouMeanKey(name: string, candidates: readonly string[], kin: readonly string[]): string {
  return meant(nearest(name, candidates) ?? kin.find((each) => each !== name && beginAlike(name, each)));
}

const meant = (near: string | undefined): string => (near === undefined ? '' : `; did you mean "${near}"?`);

function beginAlike(one: string, other: string): boolean {
  const [short, long] = one.length < other.length ? [one, other] : [other, one];
  return short.length > 3 && long.toLowerCase().startsWith(short.toLowerCase());
}

/** Says of a name that is missing which of the names that are there may have been meant to be it, or nothing. */
export function suggestFor(missing: string, there: Iterable<string>): string {
  const near = nearest(missing, there);
  return near === undefined ? '' : `; "${near}" exists there: did you mean "${missing}"?`;
}

/**
 * Where a path stopped leading on: behind how many segments, and the member names that were there instead of the next.
 */
export interface PathMiss {
  readonly depth?: number;
  readonly beside: readonly string[];
}

/** The whole path that may have been meant. Where the depth is not known, each segment is tried. */
export function nearestPath(segments: readonly string[], { depth, beside }: PathMiss): string | undefined {
  const at = depth ?? segments.findIndex((segment) => nearest(segment, beside) !== undefined);
  const near = nearest(segments[at] ?? '', beside);
  return near === undefined ? undefined : segments.with(at, near).join('.');
}

/** Insertions, deletions, replacements and swaps of neighbours that lead from one text to the other. */
function editDistance(from: string, to: string): number {
  let beforeLast: readonly number[] = [];
  let last: readonly number[] = Array.from({ length: to.length + 1 }, (_, column) => column);
  for (let row = 1; row <= from.length; row++) {
    const current = [row];
    for (let column = 1; column <= to.length; column++) {
      const same = from[row - 1] === to[column - 1];
      const swapped = from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1];
      const edits = Math.min(
        at(last, column) + 1,
        at(current, column - 1) + 1,
        at(last, column - 1) + (same ? 0 : 1),
        swapped ? at(beforeLast, column - 2) + 1 : Number.POSITIVE_INFINITY,
      );
      current.push(edits);
    }
    beforeLast = last;
    last = current;
  }
  return at(last, to.length);
}

const at = (row: readonly number[], column: number): number => row[column] ?? Number.POSITIVE_INFINITY;
