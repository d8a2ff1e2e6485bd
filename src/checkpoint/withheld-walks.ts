/**
 * Walks whose next request or rows contain a secret that is never stored. While one exists, later records are
 * withheld.
 */
import type { PageRecord, RowPlace, StateRecord } from './records.js';

export interface WithheldWalks {
  isAny(): boolean;
  /** Whether a walk above the one of the page is withheld. */
  isAbove(page: Pick<PageRecord, 'job' | 'at'>): boolean;
  /** Processes the next record. True: the record withholds its job for the first time. */
  take(record: StateRecord): boolean;
}

/** Starts with none. */
export function createWithheldWalks(): WithheldWalks {
  const all = new Map<string, { readonly job: number; readonly at: readonly RowPlace[] }>();
  const reported = new Set<number>();
  const takePage = (record: PageRecord) => {
    for (const [key, each] of all) {
      if (each.job === record.job && !isAbove(each.at, record.at)) all.delete(key);
    }
    if (record.isWithheld !== true) return false;
    all.set(JSON.stringify([record.job, record.at]), record);
    const isFirst = !reported.has(record.took.job);
    reported.add(record.took.job);
    return isFirst;
  };

  return {
    isAny: () => all.size > 0,
    isAbove: ({ job, at }) => [...all.values()].some((each) => each.job === job && isAbove(each.at, at)),
    take(record) {
      if (record.type === 'page') return takePage(record);
      if (record.type !== 'job-done') return false;
      for (const [key, each] of all) if (each.job === record.job) all.delete(key);
      return false;
    },
  };
}

/** Whether `below` is a descendant of `at`: a page of a child does not move its parents. */
const isAbove = (at: readonly RowPlace[], below: readonly RowPlace[]): boolean =>
  at.length < below.length && at.every((place, index) => String(place) === String(below[index]));
