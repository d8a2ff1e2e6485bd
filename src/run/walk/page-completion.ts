/** Completes a page that was read: its outcome, its commit, and what is fetched meanwhile. */
import { asyncScheduler } from 'rxjs';
import type { PageDraft } from '../../checkpoint/records.js';
import type { FailedRequest } from '../../core/model/page.js';
import type { PageWatch } from '../../http/observer.js';
import type { PageResult } from '../../page/page-result.js';
import type { Rows } from '../../page/row-buffer.js';
import type { Ahead } from '../ahead/ahead.js';
import { completePage, leftOutPage } from './complete-page.js';
import type { EarlyPages } from './early-page.js';
import type { PageOutcome, WalkContext } from './page-context.js';
import { printOfPage } from './page-repeats.js';
import type { CommitOutcome, PageTarget } from './page-target.js';
import { watchedCommit } from './page-watches.js';
import type { RequestAccount } from './request-account.js';
import type { Committing, Completion, StartedTask } from './stream-page.js';

/** `again`: a sink has lost the page, so it must be read again. */
export type Completed = PageOutcome | 'again';

/** What is fetched before its turn. */
export interface NextPages {
  readonly ahead: Ahead | undefined;
  readonly early: EarlyPages;
  /** Follows the page; undefined: nothing does. */
  readonly watch: PageWatch | undefined;
}

/** Completes a page that was read, then commits it. If either fails, it clears the rows of the page. */
export class PageCompletion implements Completion<Completed> {
  /** Whether a page may be read again: a sink can lose one only if a state is kept, and if it has transactions. */
  readonly mayRepeat: boolean;
  readonly #walk: WalkContext;
  readonly #account: RequestAccount;
  readonly #ahead: Ahead | undefined;
  readonly #early: EarlyPages;
  readonly #watch: PageWatch | undefined;
  /** The outcome of a page that a sink has lost. It is used again unless the page has changed. */
  #before: PageOutcome | undefined;
  /** The outcome of the page, while it is committed. */
  #outcome: PageOutcome | undefined;
  readonly #begunAt = asyncScheduler.now();
  /** The record of the page; undefined: no state is kept. */
  #draft: Pick<PageDraft, 'blocks' | 'isWithheld'> | undefined;

  constructor(walk: WalkContext, account: RequestAccount, { ahead, early, watch }: NextPages) {
    this.#ahead = ahead;
    this.#early = early;
    this.#watch = watch;
    this.mayRepeat = walk.context.journal.isKept && walk.output.target === undefined;
    this.#walk = walk;
    this.#account = account;
  }

  complete(
    task: StartedTask,
    read: PageResult,
    target: PageTarget,
    committing: Committing,
  ): Completed | Promise<Completed> {
    return this.#commit(() => this.#settle(task, read), read.rows, target, committing);
  }

  /** The same for a page whose request failed and is left out. */
  leaveOut(
    task: StartedTask,
    failure: FailedRequest,
    target: PageTarget,
    committing: Committing,
  ): Completed | Promise<Completed> {
    const outcome = () => leftOutPage(this.#walk, task, failure, this.#account.spend());
    return this.#commit(outcome, undefined, target, committing);
  }

  #commit(
    settle: () => PageOutcome,
    rows: Rows | undefined,
    target: PageTarget,
    committing: Committing,
  ): Completed | Promise<Completed> {
    const { context, toSummary } = this.#walk;
    try {
      const outcome = settle();
      if (outcome.next === undefined) this.#ahead?.end();
      const pageMs = asyncScheduler.now() - this.#begunAt;
      const draft = context.journal.isKept ? context.journal.describe(toSummary(outcome), pageMs) : undefined;
      this.#draft = draft;
      const committed = watchedCommit(this.#watch, () => target.commit(committing.end, draft, committing.signal));
      if (!(committed instanceof Promise)) return this.#after(outcome, committed);
      this.#outcome = outcome;
      return committed.then(
        (each) => this.#after(outcome, each),
        (thrown) => this.#forget(rows, thrown),
      );
    } catch (thrown) {
      return this.#forget(rows, thrown);
    }
  }

  /** Fetches the next page while this one is committed, unless its children are to be walked first. */
  beginNext(committing: Promise<unknown>): void {
    const { context, client } = this.#walk;
    const { next, rows } = this.#outcome ?? {};
    const hasChildren = rows !== undefined && this.#draft?.blocks === undefined;
    if (next === undefined || hasChildren || context.inFlight.isStopping) return;
    // A watched run shows one page at a time. What may be sent only once is not sent before its turn.
    if (context.onStep !== undefined || client.isSentOnce(next.request)) return;
    this.#early.begin(next, committing);
  }

  #settle(task: StartedTask, read: PageResult): PageOutcome {
    const before = this.#before;
    if (before === undefined || before.fingerprint !== printOfPage(read, task.request, this.#walk)) {
      return completePage(this.#walk, task, read, () => this.#account.spend());
    }
    const { requests, retries } = this.#account.spend();
    const { receipt } = before;
    const cost = { requests: receipt.requests + requests, retries: receipt.retries + retries };
    return { ...before, receipt: { ...receipt, ...cost }, rows: read.rows };
  }

  #after(outcome: PageOutcome, committed: CommitOutcome): Completed {
    const { blocks, isWithheld } = this.#draft ?? {};
    // Other processes walk the children of rows that are tasks.
    if (committed === 'done' && blocks === undefined) return isWithheld ? { ...outcome, isWithheld } : outcome;
    if (outcome.rows !== undefined) void this.#walk.context.inFlight.track(outcome.rows.clear());
    if (committed === 'done') return { ...outcome, rows: undefined };
    this.#before = outcome;
    this.#early.cancel();
    return 'again';
  }

  #forget(rows: Rows | undefined, thrown: unknown): never {
    if (rows !== undefined) void this.#walk.context.inFlight.track(rows.clear());
    throw thrown;
  }
}
