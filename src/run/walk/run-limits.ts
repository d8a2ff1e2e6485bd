/**
 * The limits of a run: how many pages and items each job may have, and until when pages may begin. A reached limit ends
 * a walk without an error.
 */
import { asyncScheduler } from 'rxjs';
import type { LimitOptions } from '../../core/model/job-stats.js';
import type { Notice } from '../../core/model/notice.js';

export interface RunLimits {
  /** Whether pages or items are limited: walks then run in order, so that the counts are exact. */
  readonly isCounting: boolean;
  /** The most items that the next page of the job may have. */
  room(job: string): number;
  /** The most pages that the job may still have. */
  pagesLeft(job: string): number;
  /** Counts a page of the job. */
  add(job: string, items: number): void;
  /** Counts a request of the job that failed. False: as many as `most` are left out already. */
  leaveOut(job: string, most: number): boolean;
  /** Why no further page of the job may begin; undefined: one may. */
  reached(job: string): string | undefined;
}

interface PagesAndItems {
  readonly pages: number;
  readonly items: number;
  /** Requests that failed. */
  readonly skipped?: number;
}

/** Starts the clock of a run now. `earlier`: pages and items of each resumed job so far. */
export function createRunLimits(
  { maxPages = Infinity, maxItems = Infinity, maxDuration = Infinity }: LimitOptions,
  earlier: ReadonlyMap<string, PagesAndItems> = new Map(),
): RunLimits {
  const startedAt = asyncScheduler.now();
  const taken = new Map<string, PagesAndItems>(earlier);
  const takenOf = (job: string) => taken.get(job) ?? { pages: 0, items: 0 };

  return {
    isCounting: maxPages < Infinity || maxItems < Infinity,
    room: (job) => maxItems - takenOf(job).items,
    pagesLeft: (job) => maxPages - takenOf(job).pages,
    add(job, more) {
      const { pages, items, skipped = 0 } = takenOf(job);
      taken.set(job, { pages: pages + 1, items: items + more, skipped });
    },
    leaveOut(job, most) {
      const before = takenOf(job);
      const skipped = (before.skipped ?? 0) + 1;
      if (skipped > most) return false;
      taken.set(job, { ...before, skipped });
      return true;
    },
    reached(job) {
      const { pages, items } = takenOf(job);
      if (items >= maxItems) return `maxItems: ${counted(maxItems, 'item')}`;
      if (pages >= maxPages) return `maxPages: ${counted(maxPages, 'page')}`;
      if (asyncScheduler.now() - startedAt >= maxDuration)
        return `maxDuration: ${counted(maxDuration / 1000, 'second')}`;
      return undefined;
    },
  };
}

const counted = (value: number, noun: string): string => `${value} ${noun}${value === 1 ? '' : 's'}`;

/** The notice for a job that a limit has ended. It is no warning, because the user has asked for the limit. */
export const limitNotice = (job: string, reason: string): Notice => ({
  level: 'debug',
  code: 'bound-reached',
  message: `stopped by a limit of this run (${reason}): items may be missing`,
  job,
});
