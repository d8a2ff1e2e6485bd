/** Totals of a job: plain data that run, journal and summary share. */
import { defined } from '../util/defined.js';
import type { FailedRequest, Receipt } from './page.js';

/** Totals of one job over all its walks. `stop` is the reason it ended, in plain words. */
export interface JobSummary {
  readonly job: string;
  /** Of a child job: the job whose rows it is walked for. */
  readonly parent?: string;
  readonly dataType: string;
  readonly requests: number;
  readonly pages: number;
  readonly items: number;
  readonly bytes: number;
  readonly retries: number;
  /** Pages from the cache; absent: none. */
  readonly cached?: number;
  /** Pages that have not changed since an earlier run, as `revalidate` asks; absent: none. */
  readonly unchanged?: number;
  /** Requests that failed and were left out, as `onError` says; absent: none. */
  readonly skipped?: number;
  /** Those of them that are dead letters; absent: none. */
  readonly letters?: number;
  /** The first 1,000 that were left out. */
  readonly skips?: readonly FailedRequest[];
  readonly stop: string;
  /** A limit of the run (`maxPages`, `maxItems`, `maxDuration`) ended the job: items may be missing. */
  readonly bounded?: true;
}

/** Requests and retries sent to the API. */
export type RequestCost = Pick<JobSummary, 'requests' | 'retries'>;

/** Totals over pages. */
export interface JobStats
  extends Pick<
    JobSummary,
    'requests' | 'pages' | 'items' | 'bytes' | 'retries' | 'cached' | 'unchanged' | 'skipped' | 'letters'
  > {
  /** Pages without a list of items; absent: none. */
  readonly unfound?: number;
  /** Pages without items that said that the request failed; absent: none. */
  readonly failed?: number;
  /** How many walks gave a reason for their end, the last reason, and whether all gave the same one. */
  readonly reasons: number;
  readonly reason: string;
  readonly isOneReason: boolean;
  /** The limit of the run that ended the job. */
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

export type PageCounts = Pick<
  Receipt,
  'count' | 'bytes' | 'delivered' | 'unfound' | 'failed' | 'skipped' | 'cached' | 'unchanged' | 'stop' | 'bounded'
>;

/** Adds a page and the requests for it. */
export const withPage = (share: JobStats, page: PageCounts & RequestCost): JobStats =>
  withCounts(withRequests(share, page), page);

export const withRequests = (share: JobStats, { requests, retries }: RequestCost): JobStats =>
  withSums(share, requests, retries, 0, 0, 0);

/** Adds to the sums, once a page. One literal for most jobs. */
function withSums(
  share: JobStats,
  moreRequests: number,
  moreRetries: number,
  morePages: number,
  moreItems: number,
  moreBytes: number,
): JobStats {
  const requests = share.requests + moreRequests;
  const retries = share.retries + moreRetries;
  const pages = share.pages + morePages;
  const items = share.items + moreItems;
  const bytes = share.bytes + moreBytes;
  const { reasons, reason, isOneReason, unfound, failed, skipped, cached, unchanged, bound } = share;
  const sums = { requests, pages, items, bytes, retries, reasons, reason, isOneReason };
  const isUsual = unfound === undefined && failed === undefined && skipped === undefined && unchanged === undefined;
  const isPlain = isUsual && cached === undefined && bound === undefined;
  return isPlain ? sums : { ...share, ...sums };
}

export function withCounts(
  share: JobStats,
  { delivered, count, bytes, unfound, failed, skipped, cached, unchanged, stop, bounded }: PageCounts,
): JobStats {
  const { reasons, reason, isOneReason } = share;
  const counted = withSums(share, 0, 0, delivered ? 1 : 0, count, bytes);
  const isOne = isOneReason && (reasons === 0 || stop === reason);
  const ended = stop === undefined ? counted : { ...counted, reasons: reasons + 1, reason: stop, isOneReason: isOne };
  const isUsual = unfound === undefined && failed === undefined && cached === undefined && unchanged === undefined;
  if (isUsual && skipped === undefined && bounded === undefined) return ended;
  return {
    ...ended,
    ...(delivered && unfound === true ? { unfound: (share.unfound ?? 0) + 1 } : {}),
    ...(failed === true ? { failed: (share.failed ?? 0) + 1 } : {}),
    ...(skipped === undefined ? {} : { skipped: (share.skipped ?? 0) + 1 }),
    ...(skipped?.letter === true ? { letters: (share.letters ?? 0) + 1 } : {}),
    ...(cached === undefined ? {} : { cached: (share.cached ?? 0) + 1 }),
    ...(unchanged === undefined ? {} : { unchanged: (share.unchanged ?? 0) + 1 }),
    ...(bounded === true && stop !== undefined ? { bound: stop } : {}),
  };
}

/** The totals of a job of which several processes have walked a part each. */
export function joinStats(one: JobStats, other: JobStats): JobStats {
  const sum = (a: number | undefined, b: number | undefined) => (a === undefined ? b : a + (b ?? 0));
  const last = other.reasons > 0 ? other : one;
  const isSame = one.reasons === 0 || other.reasons === 0 || one.reason === other.reason;
  return {
    requests: one.requests + other.requests,
    pages: one.pages + other.pages,
    items: one.items + other.items,
    bytes: one.bytes + other.bytes,
    retries: one.retries + other.retries,
    reasons: one.reasons + other.reasons,
    reason: last.reason,
    isOneReason: one.isOneReason && other.isOneReason && isSame,
    ...defined({
      cached: sum(one.cached, other.cached),
      unchanged: sum(one.unchanged, other.unchanged),
      skipped: sum(one.skipped, other.skipped),
      letters: sum(one.letters, other.letters),
      unfound: sum(one.unfound, other.unfound),
      failed: sum(one.failed, other.failed),
      bound: other.bound ?? one.bound,
    }),
  };
}

/**
 * Limits of `run` and `extract`; without an option there is no limit. `maxPages` and `maxItems` apply to each job, over
 * all its walks.
 */
export interface LimitOptions {
  /** Most pages of each job. */
  readonly maxPages?: number;
  /** Most items of each job; the last page is cut to reach exactly this number. */
  readonly maxItems?: number;
  /** Milliseconds since the start of the run after which no page begins. */
  readonly maxDuration?: number;
}
