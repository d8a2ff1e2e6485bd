/** A page to fetch: the state that a walk passes from one page to the next, and that a journal stores. */
import type { WalkTotals } from '../core/model/page.js';
import type { PageRequest } from '../core/model/request.js';
import type { WalkEvidence } from '../pagination/truncation/walk-evidence.js';

/** The first state of a page. All members are always present, so that all tasks have one shape. */
export interface PageTask {
  readonly request: PageRequest;
  /** From 0. */
  readonly index: number;
  /** The fingerprint chain of the previous page, to detect a repeat; undefined: no previous page. */
  readonly previous: readonly bigint[] | undefined;
  /** The totals of the walk so far; undefined before the first page. */
  readonly walked: WalkTotals | undefined;
  /** Evidence of whether the walk reaches its true end; undefined before the first page. */
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
