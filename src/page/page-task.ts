/** A page to be fetched: what a walk hands from one page to the next, and what a journal keeps of it. */
import type { WalkTotals } from '../core/model/page.js';
import type { PageRequest } from '../core/model/request.js';
import type { WalkEvidence } from '../pagination/truncation/walk-evidence.js';

/**
 * A page to be fetched. `previous` is the chain of the page before it, to notice a repeat; `walked` is absent before
 * the first page.
 */
export interface PageTask {
  readonly request: PageRequest;
  readonly index: number;
  readonly previous?: readonly bigint[];
  readonly walked?: WalkTotals;
  /** What tells whether the walk comes to its true end. */
  readonly seen?: WalkEvidence;
}
