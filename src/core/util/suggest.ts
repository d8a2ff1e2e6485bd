/** Finds the nearest valid name for a misspelt one, for all "did you mean" hints. */

/**
 * Returns the candidate with the fewest edits, ignoring case, if it is near enough to be a typo. The first of equals
 * wins. For names of one or two letters only a swap, or a letter missing at the end, counts: with more edits any short
 * name would be near.
 */
export function nearest(name: string, candidates: Iterable<string>): string | undefined {
  if (name.length > mostGuessed) return undefined;
  const lowerName = name.toLowerCase();
  if (lowerName.length <= leastGuessed)
    return [...candidates].find((each) => each !== name && isClose(lowerName, each.toLowerCase()));
  let best: string | undefined;
  let least = Math.max(1, Math.floor(lowerName.length / 3)) + 1;
  for (const candidate of candidates) {
    if (candidate === name || Math.abs(candidate.length - name.length) >= least) continue;
    if (candidate.length > mostGuessed) continue;
    const edits = editDistance(lowerName, candidate.toLowerCase());
    if (edits < least) {
      best = candidate;
      least = edits;
    }
  }
  return best;
}

/** Names up to this length are compared by `isClose` only. */
const leastGuessed = 2;
/** Comparing takes time by the product of both lengths: data that is taken for a name can have megabytes. */
const mostGuessed = 500;

/** The same letters, or one more at the end. */
const isClose = (wanted: string, candidate: string): boolean =>
  [...candidate].sort().join('') === [...wanted].sort().join('') ||
  (wanted.length === leastGuessed && candidate.slice(0, -1) === wanted);

/** Returns a hint for the end of a sentence, or an empty text. */
export function didYouMean(name: string, candidates: Iterable<string>): string {
  return hint(nearest(name, candidates));
}

/**
 * As `didYouMean`; otherwise suggests the first of `kin` that is a prefix of the name, or has the name as its prefix:
 * `region` for `regionName`, `username` for `user`.
 */
export function didYouMeanKey(name: string, candidates: readonly string[], kin: readonly string[]): string {
  return hint(nearest(name, candidates) ?? kin.find((each) => each !== name && shareBeginning(name, each)));
}

const hint = (near: string | undefined): string => (near === undefined ? '' : `; did you mean "${near}"?`);

function shareBeginning(one: string, other: string): boolean {
  const [short, long] = one.length < other.length ? [one, other] : [other, one];
  return short.length > 3 && long.slice(0, short.length).toLowerCase() === short.toLowerCase();
}

/** For a missing name: returns a hint that names which existing name may be a misspelling of it, or an empty text. */
export function suggestFor(missing: string, there: Iterable<string>): string {
  const near = nearest(missing, there);
  return near === undefined ? '' : `; "${near}" exists there: did you mean "${missing}"?`;
}

/** Where a path ended: after how many segments, and the member names that exist there. */
export interface PathMiss {
  readonly depth?: number;
  readonly beside: readonly string[];
}

/** Returns the complete path that was probably meant. If the depth is unknown, tries each segment. */
export function nearestPath(segments: readonly string[], { depth, beside }: PathMiss): string | undefined {
  const at = depth ?? segments.findIndex((segment) => nearest(segment, beside) !== undefined);
  const near = nearest(segments[at] ?? '', beside);
  return near === undefined ? undefined : segments.with(at, near).join('.');
}

/** Counts insertions, deletions, replacements and swaps of neighbours between two texts. */
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

/** Says that no job has the data type, with the nearest one. */
export const unknownDataType = (name: string, known: readonly string[]): string =>
  `no job has the data type "${name}": the data types are ${[...new Set(known)].join(', ')}${didYouMean(name, known)}`;
