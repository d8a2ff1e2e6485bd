/** The contract of pagination methods. */
import type { Exact } from '../core/json/exact.js';
import type { Items } from '../core/model/batch.js';
import type { Job } from '../core/model/job.js';
import type { Notice } from '../core/model/notice.js';
import type { CapturePath, KnownEnd, Page } from '../core/model/page.js';
import type { PageRequest } from '../core/model/request.js';

/** Where a parameter of pagination goes: its name, or a path into the JSON body. */
export type Param = string | readonly string[];

/** A parameter that is a path into the JSON body, for the check before the first request. */
export interface BodyParam {
  /** The key in the method's configuration. */
  readonly key: string;
  readonly path: readonly string[];
  /** Where the key is in the document; absent: not known. */
  readonly at?: string;
  /** The request without the parameter. */
  request(job: Job): PageRequest;
}

/** The end of a walk, with its reason for the summary. */
export interface Stop {
  readonly stop: string;
  /** How the end is known. */
  readonly by: KnownEnd;
  /** The configuration asks for no more: missing items need no warning. */
  readonly isWanted?: true;
  readonly warning?: Notice;
}

/** How many pages are requested ahead; `auto`: as many as latency and pages call for. */
export type Prefetch = number | 'auto';

/** The most that a walk may still have, by a condition; absent: not known. */
export interface Remainder {
  readonly pages?: number;
  readonly items?: number;
}

/** What is known of the page before. */
export type PageBefore = Pick<Page, 'index' | 'items' | 'envelope'>;

/** A page whose body may still arrive: its captured values may change. */
export type EarlyPage = Pick<Page, 'index' | 'envelope' | 'headers' | 'address' | 'takenAt'>;

/** A pagination method with its options: pure functions of the job and the last page, without state. */
export interface Paginator {
  /** Paths of the values that `next` reads from `page.envelope`. */
  readonly captures: readonly CapturePath[];
  /** Endpoints in the configuration of this method; the origins of absolute ones are trusted. */
  readonly endpoints?: readonly string[];
  /** Response headers that `next` reads, in lower case. */
  readonly headers?: readonly string[];
  /** `next` reads `page.volume`. */
  readonly volume?: true;
  /** One request a job: `next` always ends the walk. */
  readonly single?: true;
  /** Where each response declares the total number of items. */
  readonly total?: CapturePath;
  /** The parameter that counts pages or items; absent: none. */
  readonly counter?: string;
  /** The parameter that sends a value of the last page; absent: a link, or none. */
  readonly cursor?: Param;
  /** Parameters that are paths into the JSON body; absent: none. */
  readonly bodyParams?: readonly BodyParam[];
  /** Statuses of a later page that say that there is none. */
  readonly endStatuses?: ReadonlySet<number>;
  /** Pages with the items of earlier pages are no loop. */
  readonly allowsRepeatedItems?: boolean;
  /** The walk skips the first items. */
  skips?(job: Job): boolean;
  /** Paginators that a job can choose by name instead. */
  readonly named?: ReadonlyMap<string, Paginator>;
  /** How many pages are requested ahead, if `requestAt` allows it; absent: none. */
  readonly prefetch?: Prefetch;
  first(job: Job): PageRequest;
  /**
   * Returns the request of a page by its index alone, from 1 up. Undefined: it depends on earlier pages, for this job;
   * absent: for all jobs.
   */
  requestAt?(job: Job, index: number): PageRequest | undefined;
  /** The next request is sent as soon as `early` knows it; this is the path of that key. Absent: after the page. */
  readonly overlap?: string;
  /** As `next`, by what may be known while the page still arrives. Absent: `next` needs the whole page. */
  early?(job: Job, page: EarlyPage): PageRequest | Stop;
  /** The number of items of a full page; undefined: not known. */
  sizeOf?(job: Job): number | undefined;
  /** What the conditions leave after a page; absent: there is none that knows. */
  left?(before: PageBefore): Remainder;
  next(job: Job, page: Page): PageRequest | Stop;
  /** Pages are requested with an overlap: items that the walk has already are dropped by the digests in its memo. */
  readonly repairs?: true;
  /** `next` is also called for a page that repeats the one before; absent: such a page ends the walk. */
  readonly judgesRepeats?: true;
  /**
   * Returns how many of the first items, from `items` on, repeat earlier ones: they are skipped. `already` of them were
   * in earlier batches; `memo` is that of the page before.
   */
  repeated?(memo: Exact, items: Items, already: number): number;
  /** Folds items into the memo that `next` finds in the page, in order, a batch at a time. Throws ERR_PAGINATION. */
  fold?(memo: Exact | undefined, items: Items): Exact;
}

export const isStop = (step: PageRequest | Stop): step is Stop => 'stop' in step;

export interface PaginationContext {
  /**
   * Creates the paginator of an object such as `api.pagination`, at these steps below the method's own place. Returns
   * `undefined` after reporting problems.
   */
  make(value: Exact, ...steps: readonly (string | number)[]): Paginator | undefined;
  /** Reports a problem at these steps. */
  problem(message: string, ...steps: readonly (string | number)[]): void;
}
