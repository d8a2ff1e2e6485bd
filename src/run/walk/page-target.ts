/** Where the pages of a walk go: to the sinks, or into a buffer until it is their turn. */
import { type Observable, of } from 'rxjs';
import type { PageEnd, Sink } from '../../../sinks/contract.js';
import type { PageDraft } from '../../checkpoint/records.js';

/** The target of one page. */
export interface PageTarget {
  readonly sink: Sink;
  /** Commits take time, so the next page is fetched meanwhile. */
  readonly overlaps?: boolean;
  /** Waits for the turn of a data type; the result releases it. Returns a promise only if something waits. */
  acquire(dataType: string, signal: AbortSignal): (() => void) | Promise<() => void>;
  /**
   * Commits a complete page, within its turn. `draft`: its record for the journal; undefined: no state is kept. Returns
   * a promise only if something waits. Throws ERR_SINK, ERR_STATE, ERR_PAGE_CHANGED. `again`: a sink has lost the page,
   * so it must be read again.
   */
  commit(page: PageEnd, draft: PageDraft | undefined, signal: AbortSignal): CommitOutcome | Promise<CommitOutcome>;
}

export type CommitOutcome = 'done' | 'again';

export interface TargetSource {
  /** The target of every page; absent: `page` gives one to each page. */
  readonly target?: PageTarget;
  /** Emits the target of the next page when it is available. */
  page(): Observable<PageTarget>;
}

/** The same target for every page. */
export const sameTarget = (target: PageTarget): TargetSource => ({ target, page: () => of(target) });
