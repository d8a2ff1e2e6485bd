/** Where the pages of a walk go: straight to the sinks, or into a buffer until it is their turn. */
import { type Observable, of } from 'rxjs';
import type { PageEnd, Sink } from '../../sinks/contract.js';
import type { PageDraft } from '../checkpoint/records.js';

/** What one page is written to. */
export interface PageTarget {
  readonly sink: Sink;
  /** Waits for the turn of a data type; call what it returns to pass the turn on. */
  acquire(dataType: string, signal: AbortSignal): Promise<() => void>;
  /**
   * The page is whole; its turn still lasts. `draft`: what the journal is to say of it; undefined: no state is kept. A
   * promise only where something waits. Throws ERR_SINK, ERR_STATE, ERR_PAGE_CHANGED. `again`: the page has to be read
   * again, as a sink has lost it.
   */
  commit(page: PageEnd, draft: PageDraft | undefined, signal: AbortSignal): CommitOutcome | Promise<CommitOutcome>;
}

export type CommitOutcome = 'done' | 'again';

export interface TargetSource {
  /** That of every page; absent: `page` gives one to each. */
  readonly target?: PageTarget;
  /** Gives the target of the next page, when there is one. */
  page(): Observable<PageTarget>;
}

/** The same target for every page. */
export const sameTarget = (target: PageTarget): TargetSource => ({ target, page: () => of(target) });
