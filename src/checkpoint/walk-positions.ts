/** The positions of all walks: for each top-level job a stack of its walk and the child walks that it waits for. */

import { defined } from '../core/util/defined.js';
import type { StoredRows } from '../page/row-buffer.js';
import { createPrints, type Prints } from '../pagination/prints.js';
import type { PageRecord, RowPlace, SnapshotRecord, StoredWalk, WalkProgress } from './records.js';

/** One walk, and the child walk that it waits for. */
export interface WalkPosition extends WalkProgress {
  readonly prints: Prints;
  readonly child?: { readonly at: RowPlace; readonly walk: WalkPosition };
}

export interface WalkPositions {
  /** Undefined: the job has no page yet. */
  of(job: number): WalkPosition | 'done' | undefined;
  /** Adds a page to its walk. */
  take(page: PageRecord): void;
  end(job: number): void;
  /** Forgets all pages of the job, but for those of another task, whose rows are walked. */
  forget(job: number): void;
  /** Stored rows that a walk still needs. */
  rows(): readonly StoredRows[];
  /** The positions for a snapshot. */
  kept(): SnapshotRecord['jobs'];
  /** Restores the positions of a snapshot. */
  restore(jobs: SnapshotRecord['jobs']): void;
  /**
   * Moves a top-level job to the position that a sink holds. Its walks keep their fingerprints up to there; `print` is
   * that of the last page.
   */
  moveTo(job: number, walk: StoredWalk, print: string): void;
}

/** Starts empty. */
export function createWalkPositions(): WalkPositions {
  const jobs = new Map<number, WalkPosition | 'done'>();
  return {
    of: (job) => jobs.get(job),
    take(page) {
      const walk = jobs.get(page.job);
      jobs.set(page.job, walkOn(walk === 'done' ? undefined : walk, page, page.at));
    },
    forget(job) {
      const walk = jobs.get(job);
      if (walk === undefined || walk === 'done' || walk.range === undefined) jobs.delete(job);
      else jobs.set(job, withoutPages(walk));
    },
    end: (job) => void jobs.set(job, 'done'),
    rows: () => [...jobs.values()].flatMap((walk) => (walk === 'done' ? [] : rowsOf(walk))),
    kept: () => [...jobs].map(([job, walk]) => [job, walk === 'done' ? walk : kept(walk)] as const),
    restore(all) {
      for (const [job, walk] of all) jobs.set(job, walk === 'done' ? walk : opened(walk));
    },
    moveTo(job, walk, print) {
      const before = jobs.get(job);
      const moved = opened(walk, before === 'done' ? undefined : before);
      const leaf = leafOf(moved);
      if (leaf.prints.length === leaf.page) leaf.prints.add(BigInt(`0x${print}`));
      jobs.set(job, moved);
    },
  };
}

/** Adds a page to the walk at the end of the path. Walks below it, and children off the path, are complete then. */
function walkOn(
  walk: WalkPosition | undefined,
  page: PageRecord,
  [place, ...below]: readonly RowPlace[],
): WalkPosition {
  const prints = walk?.prints ?? createPrints();
  if (place === undefined) {
    prints.add(BigInt(`0x${page.print}`));
    return leafAt(page, prints);
  }
  const same = walk?.child !== undefined && isPlace(walk.child.at, place) ? walk.child.walk : undefined;
  const child = { at: place, walk: walkOn(same, page, below) };
  return { begun: 0, page: place[0], ...walk, prints, child };
}

/** The walk as its task began with it. */
function withoutPages({ child, ...walk }: WalkPosition): WalkPosition {
  if (walk.range !== 'child' || child === undefined) return walk;
  return { ...walk, child: { at: child.at, walk: withoutPages(child.walk) } };
}

/** One literal for most pages: a spread that adds members is slow. */
function leafAt({ begun, page, next, rows, blocks, report }: PageRecord, prints: Prints): WalkPosition {
  if (report !== undefined) return { begun, page, report, prints };
  if (rows === undefined) return next === undefined ? { begun, page, prints } : { begun, page, next, prints };
  return { begun, page, rows, ...defined({ next, blocks }), prints };
}

const isPlace = (a: RowPlace, b: RowPlace): boolean => a.every((number, index) => number === b[index]);

const rowsOf = ({ rows, child }: WalkPosition): readonly StoredRows[] => [
  ...(rows === undefined ? [] : [rows]),
  ...(child === undefined ? [] : rowsOf(child.walk)),
];

const kept = ({ prints, child, ...progress }: WalkPosition): StoredWalk => ({
  ...progress,
  prints: prints.toText(),
  ...(child === undefined ? {} : { child: { at: child.at, walk: kept(child.walk) } }),
});

/** The walk as in a snapshot, without its fingerprints. */
export const bareWalk = ({ prints: _, child, ...progress }: WalkPosition): StoredWalk => ({
  ...progress,
  prints: '',
  ...(child === undefined ? {} : { child: { at: child.at, walk: bareWalk(child.walk) } }),
});

function opened({ prints, child, ...progress }: StoredWalk, before?: WalkPosition): WalkPosition {
  const own = before === undefined ? createPrints(prints) : firstOf(before.prints, progress.page + 1);
  if (child === undefined) return { ...progress, prints: own };
  const below = before?.child;
  const same = below !== undefined && isPlace(below.at, child.at) ? below.walk : undefined;
  return { ...progress, prints: own, child: { at: child.at, walk: opened(child.walk, same) } };
}

function leafOf(walk: WalkPosition): WalkPosition {
  return walk.child === undefined ? walk : leafOf(walk.child.walk);
}

/** The fingerprints of the first pages. */
function firstOf(prints: Prints, count: number): Prints {
  const first = createPrints();
  let left = count;
  for (const print of prints.all()) {
    if (left === 0) break;
    first.add(print);
    left -= 1;
  }
  return first;
}
