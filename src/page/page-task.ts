/** A page to be fetched: what a walk hands from one page to the next, and what a journal keeps of it. */
import type { WalkTotals } from '../core/model/page.js';
import type { PageRequest } from '../core/model/request.js';
import type { WalkEvidence } from '../pagination/truncation/walk-evidence.js';

/** The first state of a page. Every member is there always, so that all tasks have one shape. */
export interface PageTask {
  readonly request: PageRequest;
  /** From 0. */
  readonly index: number;
  /** The chain of the page before it, to notice a repeat; undefined: there is none. */
  readonly previous: readonly bigint[] | undefined;
  /** What the walk has added up to; undefined before the first page. */
  readonly walked: WalkTotals | undefined;
  /** What shows whether the walk comes to its true end; undefined before the first page. */
  readonly seen: WalkEvidence | undefined;
}

/** The first page of a walk. */
export const firstTask = (request: PageRequest): PageTask => ({
  request,
  index: 0,
  previous: undefined,
  walked: undefined,
  seen: undefined,
});
