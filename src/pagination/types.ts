/** The contract of pagination methods. */
import type { Exact } from '../core/json/exact.js';
import type { Items } from '../core/model/batch.js';
import type { Job } from '../core/model/job.js';
import type { Notice } from '../core/model/notice.js';
import type { CapturePath, Page } from '../core/model/page.js';
import type { PageRequest } from '../core/model/request.js';

/** Where a parameter of pagination goes: its name, or a path into the JSON body. */
export type Param = string | readonly string[];

/** A parameter of pagination that is a path into the JSON body: what is needed to check it before the first request. */
export interface BodyParam {
  /** The key of the method's configuration that gives it. */
  readonly key: string;
  readonly path: readonly string[];
  /** Where the key is in the document; absent: not known. */
  readonly at?: string;
  /** The request that it goes into, without it. */
  request(job: Job): PageRequest;
}

/** The end of a walk, with its reason in plain words for the summary. */
export interface Stop {
  readonly stop: string;
  /** The configuration wants no more than this: that items are missing is no surprise. */
  readonly isWanted?: true;
  readonly warning?: Notice;
}

/** A pagination method at work: pure functions of the job and the last page; no state, no reset. */
export interface Paginator {
  /** Paths whose values `next` reads from `page.envelope`. */
  readonly captures: readonly CapturePath[];
  /** Endpoints that the configuration gives this method; the origins of absolute ones are trusted. */
  readonly endpoints?: readonly string[];
  /** Response headers that `next` reads, in lower case. */
  readonly headers?: readonly string[];
  /** `next` reads `page.volume`. */
  readonly volume?: true;
  /** One request a job: `next` always ends the walk. */
  readonly single?: true;
  /** Where each response tells how many items there are in all. */
  readonly total?: CapturePath;
  /** The parameter that counts pages or items; absent: it counts nothing. */
  readonly counter?: string;
  /** The parameter that carries a value of the last page to the next one; absent: a link does, or nothing. */
  readonly cursor?: Param;
  /** Parameters that are paths into the JSON body; absent: there are none. */
  readonly bodyParams?: readonly BodyParam[];
  /** Pages with the items of others are no loop. */
  readonly allowsRepeatedItems?: boolean;
  /** The walk leaves out the first items. */
  skips?(job: Job): boolean;
  /** Scrollers of which a job may name one in its place. */
  readonly named?: ReadonlyMap<string, Paginator>;
  first(job: Job): PageRequest;
  next(job: Job, page: Page): PageRequest | Stop;
  /** `next` is asked about a page that repeats the one before it, too; absent: such a page ends the walk. */
  readonly judgesRepeats?: true;
  /**
   * How many of the first items, those of `items` on, the walk had before: they are left out. `already` of them were in
   * batches before; `memo` is that of the page before.
   */
  repeated?(memo: Exact, items: Items, already: number): number;
  /**
   * Folds items, in order and a batch at a time, into the memo that `next` finds in the page. Throws ERR_PAGINATION.
   */
  fold?(memo: Exact | undefined, items: Items): Exact;
}

export const isStop = (step: PageRequest | Stop): step is Stop => 'stop' in step;
