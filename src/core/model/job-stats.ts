/** What the pages of a job add up to: plain data that run, journal and summary share. */
import type { Receipt } from './page.js';

/** One job's share of a run, all walks of it together. `stop` is the reason it ended, in plain words. */
export interface JobSummary {
  readonly job: string;
  /** Of a child: the job whose rows it is walked for. */
  readonly parent?: string;
  readonly dataType: string;
  readonly requests: number;
  readonly pages: number;
  readonly items: number;
  readonly bytes: number;
  readonly retries: number;
  /** Pages that came from the cache; absent: none. */
  readonly cached?: number;
  readonly stop: string;
  /** A bound of the run (`maxPages`, `maxItems`, `maxDuration`) ended it: items may be missing. */
  readonly bounded?: true;
}

/** What was asked of the API. */
export type RequestCost = Pick<JobSummary, 'requests' | 'retries'>;

/** What pages add up to. */
export interface JobStats extends Pick<JobSummary, 'requests' | 'pages' | 'items' | 'bytes' | 'retries' | 'cached'> {
  /** Of the pages those with nothing where items belong; absent: none. */
  readonly unfound?: number;
  /** Walks that gave a reason for their end, the last reason, and whether all gave the same. */
  readonly reasons: number;
  readonly reason: string;
  readonly isOneReason: boolean;
  /** The bound of the run that ended it. */
  readonly bound?: string;
}

export const noStats: JobStats = {
  requests: 0,
  pages: 0,
  items: 0,
  bytes: 0,
  retries: 0,
  reasons: 0,
  reason: '',
  isOneReason: true,
};

export type PageCounts = Pick<Receipt, 'count' | 'bytes' | 'delivered' | 'unfound' | 'cached' | 'stop' | 'bounded'>;

/** Adds a page, with what was asked for it. */
export const withPage = (share: JobStats, page: PageCounts & RequestCost): JobStats =>
  added(withSpent(share, page), page);

export const withSpent = (share: JobStats, { requests, retries }: RequestCost): JobStats => ({
  ...share,
  requests: share.requests + requests,
  retries: share.retries + retries,
});

export function added(
  share: JobStats,
  { delivered, count, bytes, unfound, cached, stop, bounded }: PageCounts,
): JobStats {
  const { reasons, reason, isOneReason } = share;
  return {
    ...share,
    pages: share.pages + (delivered ? 1 : 0),
    items: share.items + count,
    bytes: share.bytes + bytes,
    ...(delivered && unfound === true ? { unfound: (share.unfound ?? 0) + 1 } : {}),
    ...(cached === undefined ? {} : { cached: (share.cached ?? 0) + 1 }),
    ...(stop === undefined
      ? {}
      : { reasons: reasons + 1, reason: stop, isOneReason: isOneReason && (reasons === 0 || stop === reason) }),
    ...(bounded === true && stop !== undefined ? { bound: stop } : {}),
  };
}

/**
 * What `run` and `extract` take; what is left out is no bound. Those of pages and items hold for each job, all walks of
 * it together.
 */
export interface LimitOptions {
  /** The most pages of each job. */
  readonly maxPages?: number;
  /** The most items of each job: exactly so many, where there are more. */
  readonly maxItems?: number;
  /** Milliseconds since the run began after which no page begins. */
  readonly maxDuration?: number;
}
