/**
 * Where the walks of all jobs stand: for each top-level job a stack, the walk of the job and below it that of the child
 * that it waits for.
 */

import type { StoredRows } from '../page/row-buffer.js';
import { createPrints, type Prints } from '../pagination/prints.js';
import type { KeptWalk, PageRecord, RowPlace, SnapshotRecord, Standing } from './records.js';

/** One walk, and below it the child's that it waits for. */
export interface Walk extends Standing {
  readonly prints: Prints;
  readonly child?: { readonly at: RowPlace; readonly walk: Walk };
}

export interface Walks {
  /** Undefined: the job has not got a page yet. */
  of(job: number): Walk | 'over' | undefined;
  /** The walk that the page is of has got it. */
  take(page: PageRecord): void;
  end(job: number): void;
  /** Those that are still needed. */
  rows(): readonly StoredRows[];
  /** As a snapshot has them. */
  kept(): SnapshotRecord['jobs'];
  /** Takes them from a snapshot. */
  restore(jobs: SnapshotRecord['jobs']): void;
}

/** Starts with none. */
export function createWalks(): Walks {
  const jobs = new Map<number, Walk | 'over'>();
  return {
    of: (job) => jobs.get(job),
    take(page) {
      const walk = jobs.get(page.job);
      jobs.set(page.job, walkOn(walk === 'over' ? undefined : walk, page, page.at));
    },
    end: (job) => void jobs.set(job, 'over'),
    rows: () => [...jobs.values()].flatMap((walk) => (walk === 'over' ? [] : rowsOf(walk))),
    kept: () => [...jobs].map(([job, walk]) => [job, walk === 'over' ? walk : kept(walk)] as const),
    restore(all) {
      for (const [job, walk] of all) jobs.set(job, walk === 'over' ? walk : opened(walk));
    },
  };
}

/**
 * The walk at the end of the path has got a page: what lay below it is done with, and so is any other child than those
 * on the way.
 */
function walkOn(walk: Walk | undefined, page: PageRecord, [place, ...below]: readonly RowPlace[]): Walk {
  const prints = walk?.prints ?? createPrints();
  if (place === undefined) {
    prints.add(BigInt(`0x${page.print}`));
    return { ...standingOf(page), prints };
  }
  const same = walk?.child !== undefined && isSame(walk.child.at, place) ? walk.child.walk : undefined;
  const child = { at: place, walk: walkOn(same, page, below) };
  return { begun: 0, page: place[0], ...walk, prints, child };
}

const standingOf = ({ begun, page, next, rows }: PageRecord): Standing => ({
  begun,
  page,
  ...(next === undefined ? {} : { next }),
  ...(rows === undefined ? {} : { rows }),
});

const isSame = (a: RowPlace, b: RowPlace): boolean => a.every((number, index) => number === b[index]);

const rowsOf = ({ rows, child }: Walk): readonly StoredRows[] => [
  ...(rows === undefined ? [] : [rows]),
  ...(child === undefined ? [] : rowsOf(child.walk)),
];

const kept = ({ prints, child, ...standing }: Walk): KeptWalk => ({
  ...standing,
  prints: prints.toText(),
  ...(child === undefined ? {} : { child: { at: child.at, walk: kept(child.walk) } }),
});

const opened = ({ prints, child, ...standing }: KeptWalk): Walk => ({
  ...standing,
  prints: createPrints(prints),
  ...(child === undefined ? {} : { child: { at: child.at, walk: opened(child.walk) } }),
});
