/**
 * Marks: how many pages with items of a top-level job a sink has. Only sinks that are ahead of the journal have one.
 */
import type { JobStats } from '../core/model/job-stats.js';
import type {
  LaneFailure,
  LaneMark,
  LaneProof,
  LaneReached,
  PageDraft,
  RowPlace,
  StoredWalk,
  WalkProgress,
} from './records.js';

/** What a sink stores with a page: the position of the top-level job after it. */
export interface Keep {
  readonly m: number;
  readonly print: string;
  /** Absent: it contains a secret that is never stored, or is too long for the sink. */
  readonly progress?: LaneProgress;
}

/** The position of a top-level job and of the walks below it. */
export interface LaneProgress {
  /** Without fingerprints of pages. */
  readonly walk: StoredWalk;
  /** Totals of the jobs of the lane. */
  readonly shares: readonly (readonly [job: number, share: JobStats])[];
  /** What the jobs of the lane have reached of the values that they remember. */
  readonly reached?: readonly LaneReached[];
  /** Its requests that failed and were left out. */
  readonly failures?: readonly LaneFailure[];
  /** Of the page, if the run is certified. */
  readonly proof?: LaneProof;
}

/** Writes the `keep` of a page before its commit. `m`: its number among the pages with items of its lane, from 1. */
export function keepText(m: number, page: PageDraft, progressAfter: () => LaneProgress | undefined): string {
  const { print } = page;
  const bare: Keep = { m, print };
  if (page.isWithheld === true) return JSON.stringify(bare);
  const progress = progressAfter();
  if (progress === undefined) return JSON.stringify(bare);
  const text = JSON.stringify({ m, print, progress });
  const { reached, failures } = progress;
  const isLong = (reached !== undefined || failures !== undefined) && text.length > longestKeep;
  return isLong ? JSON.stringify(bare) : text;
}

/** With many recent items or failures, a page is requested again after a crash instead. */
export const longestKeep = 64 * 1024;

/** Reads what `keepText` wrote. Undefined: the text is something else. */
export function keepIn(text: string): Keep | undefined {
  try {
    const keep: unknown = JSON.parse(text);
    const isKeep = typeof keep === 'object' && keep !== null && 'm' in keep && 'print' in keep;
    return isKeep ? (keep as Keep) : undefined; // written by `keepText`
  } catch {
    return undefined;
  }
}

/** The mark of a sink that holds this `keep`. */
export function markOf({ m, print, progress }: Keep): LaneMark {
  if (progress === undefined) return { m, print };
  const walks = walksDownTo(progress.walk);
  const leaf = walks.at(-1) ?? progress.walk;
  const above = walks.flatMap(({ child }) => (child === undefined ? [] : [child.at]));
  return markAt({ m, print, place: placeOf(above, leaf.page) }, leaf, walks.length === 1);
}

/** The mark after this page. `m`: its number among the pages with items of its lane, from 1. */
export function markAfter(m: number, page: PageDraft): LaneMark {
  const { print, at } = page;
  if (page.isWithheld === true) return { m, print };
  return markAt({ m, print, place: placeOf(at, page.page) }, page, at.length === 0);
}

const placeOf = (above: readonly RowPlace[], page: number): string => [...above.map(String), page].join('/');

function markAt(
  mark: Required<Pick<LaneMark, 'm' | 'print' | 'place'>>,
  { next, rows }: Pick<WalkProgress, 'next' | 'rows'>,
  isTop: boolean,
): LaneMark {
  const { m, print, place } = mark;
  if (rows !== undefined) return mark;
  if (next !== undefined) return { m, print, next: next.request, place };
  return isTop ? { m, print, next: null, isEnd: true, place } : { m, print, next: null, place };
}

/**
 * Whether a run that continues after one of these versions of a page continues after the other too. Pages of other
 * places are no versions of one: the earlier one had items, and has none any more.
 */
export const isJoined = (a: LaneMark, b: LaneMark): boolean =>
  isOnePlace(a, b) && (a.print === b.print || (a.next !== undefined && a.next === b.next));

/** Whether the items of the page have not changed. */
export const isSamePage = (a: LaneMark, b: LaneMark): boolean => isOnePlace(a, b) && a.print === b.print;

const isOnePlace = (a: LaneMark, b: LaneMark): boolean =>
  a.place === undefined || b.place === undefined || a.place === b.place;

/** The walk and those below it. The last page is that of the last one. */
export function walksDownTo(walk: StoredWalk): readonly StoredWalk[] {
  return [walk, ...(walk.child === undefined ? [] : walksDownTo(walk.child.walk))];
}

/** The walk after the page, without fingerprints. Walks below that of the page are complete. */
export function walkAfter(
  walk: StoredWalk | undefined,
  page: PageDraft,
  [place, ...below]: readonly RowPlace[] = page.at,
): StoredWalk {
  if (place === undefined) {
    const { begun, page: index, next, rows, blocks, report } = page;
    return {
      begun,
      page: index,
      prints: '',
      ...(next === undefined ? {} : { next }),
      ...(rows === undefined ? {} : { rows }),
      ...(blocks === undefined ? {} : { blocks }),
      ...(report === undefined ? {} : { report }),
    };
  }
  const { child: before, ...own } = walk ?? { begun: 0, page: place[0], prints: '' };
  const isSame = before !== undefined && String(before.at) === String(place);
  return { ...own, child: { at: place, walk: walkAfter(isSame ? before.walk : undefined, page, below) } };
}
