/**
 * ConfigFingerprint: how many pages with items of a top-level job a sink has. Only those of sinks that are ahead of the journal are
 * kept; all others stand where the journal does.
 */
import type { JobStats } from '../core/model/job-stats.js';
import type { LaneMark, PageDraft, RowPlace, StoredWalk } from './records.js';

/** What a sink stores with a page: where the top-level job stands after it. */
export interface Keep {
  readonly m: number;
  readonly print: string;
  /** Absent: it holds a secret that cannot be written. */
  readonly standing?: LaneStanding;
}

/** Where a top-level job and all that is walked below it stand. */
export interface LaneStanding {
  /** Without its fingerprints. */
  readonly walk: StoredWalk;
  /** What the jobs of the lane add up to. */
  readonly shares: readonly (readonly [job: number, share: JobStats])[];
}

/** The `keep` of a page that is about to be committed, as the page number `m` with items of its lane, from 1. */
export function keepText(m: number, page: PageDraft, standing: () => LaneStanding): string {
  const { print } = page;
  const keep: Keep = page.isWithheld === true ? { m, print } : { m, print, standing: standing() };
  return JSON.stringify(keep);
}

/** Reads what `keepText` has written. Undefined: it is something else. */
export function keepIn(text: string): Keep | undefined {
  try {
    const keep: unknown = JSON.parse(text);
    const isKeep = typeof keep === 'object' && keep !== null && 'm' in keep && 'print' in keep;
    return isKeep ? (keep as Keep) : undefined; // written by `keepText`
  } catch {
    return undefined;
  }
}

/** The mark of a sink that holds this. */
export function markOf({ m, print, standing }: Keep): LaneMark {
  if (standing === undefined) return { m, print };
  return { m, print, next: leafOf(standing.walk).next?.request ?? null };
}

/** The walk whose page was the last. */
function leafOf(walk: StoredWalk): StoredWalk {
  let leaf = walk;
  while (leaf.child !== undefined) leaf = leaf.child.walk;
  return leaf;
}

/** A walk with the page taken, without fingerprints: what lay below it is done with. */
export function walkAfter(
  walk: StoredWalk | undefined,
  page: PageDraft,
  [place, ...below]: readonly RowPlace[] = page.at,
): StoredWalk {
  if (place === undefined) {
    const { begun, page: index, next, rows } = page;
    return {
      ...{ begun, page: index, prints: '' },
      ...(next === undefined ? {} : { next }),
      ...(rows === undefined ? {} : { rows }),
    };
  }
  const { child: before, ...own } = walk ?? { begun: 0, page: place[0], prints: '' };
  const isSame = before !== undefined && String(before.at) === String(place);
  return { ...own, child: { at: place, walk: walkAfter(isSame ? before.walk : undefined, page, below) } };
}
