/**
 * The next page of a walk, fetched while the one before it is committed. Its items wait for the turn of their data
 * type, so sinks and journal get one page after the other. docs/decisions/048.
 *
 * ```
 * requests     A-  B-   C-
 * commits        A----B----C---
 * ```
 */
import { type Connectable, connectable, finalize, type Observable, ReplaySubject, type Subscription } from 'rxjs';
import type { PageTask } from '../../page/page-task.js';
import type { PageOutcome } from './page-context.js';

export interface EarlyPages {
  /** Begins to fetch a page, which is committed after `before`. */
  begin(task: PageTask, before: Promise<unknown>): void;
  /** The page, if it was begun. Unsubscribing cancels it. */
  take(task: PageTask): Observable<PageOutcome> | undefined;
  /** Cancels those that were not taken. */
  cancel(): void;
}

interface EarlyPage {
  readonly outcome: Connectable<PageOutcome>;
  readonly connection: Subscription;
}

/** `visit`: fetches a page and commits it after `before`. */
export function createEarlyPages(
  visit: (task: PageTask, before: Promise<unknown>) => Observable<PageOutcome>,
): EarlyPages {
  const begun = new Map<PageTask, EarlyPage>();
  return {
    begin(task, before) {
      const connector = () => new ReplaySubject<PageOutcome>(1);
      const outcome = connectable(visit(task, before), { connector, resetOnDisconnect: false });
      begun.set(task, { outcome, connection: outcome.connect() });
    },
    take(task) {
      const own = begun.get(task);
      begun.delete(task);
      return own?.outcome.pipe(finalize(() => own.connection.unsubscribe()));
    },
    cancel() {
      for (const { connection } of begun.values()) connection.unsubscribe();
      begun.clear();
    },
  };
}
