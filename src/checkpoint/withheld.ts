/**
 * Walks whose next request cannot be written down: until they have one that can be, or are over, nothing can be that
 * lies behind.
 */
import type { PageRecord, RowPlace } from './records.js';

export interface Withheld {
  isAny(): boolean;
  /** Takes the next page of a walk. Whether it is the first of its job whose next request cannot be written down. */
  take(record: PageRecord): boolean;
  /** The top-level job is over. */
  forget(job: number): void;
}

/** Starts with none. */
export function createWithheld(): Withheld {
  const all = new Map<string, { readonly job: number; readonly at: readonly RowPlace[] }>();
  const said = new Set<number>();

  return {
    isAny: () => all.size > 0,
    take(record) {
      for (const [key, each] of all) {
        if (each.job === record.job && !isAbove(each.at, record.at)) all.delete(key);
      }
      if (record.isWithheld !== true) return false;
      all.set(keyOf(record), record);
      const isFirst = !said.has(record.took.job);
      said.add(record.took.job);
      return isFirst;
    },
    forget(job) {
      for (const [key, each] of all) if (each.job === job) all.delete(key);
    },
  };
}

const keyOf = ({ job, at }: PageRecord) => JSON.stringify([job, at]);

/** A page of a child does not change where its parents stand. */
const isAbove = (at: readonly RowPlace[], below: readonly RowPlace[]): boolean =>
  at.length < below.length && at.every((place, index) => String(place) === String(below[index]));
