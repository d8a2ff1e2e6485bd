/** Fetches one page of a walk: credentials, request, the page into the sink, and the receipt with the next task. */
import { asyncScheduler, concatMap, defer, finalize, NEVER, type Observable, of } from 'rxjs';
import { failureBefore } from '../../../sinks/errors.js';
import type { Credentials } from '../../auth/types.js';
import type { Where } from '../../core/errors/errors.js';
import type { RequestCost } from '../../core/model/job-stats.js';
import type { CapturePath } from '../../core/model/page.js';
import { rememberFor } from '../../core/util/remember.js';
import type { ApiClient } from '../../http/api-client.js';
import { createRequestScope, type RequestScope } from '../../http/request-context.js';
import { type RetryPolicy, retried } from '../../http/with-retry.js';
import type { ResponseRule } from '../../language/condition/response-rule.js';
import { errorPaths } from '../../page/error-in-body.js';
import { capturesOfRules } from '../../page/judge-response.js';
import type { PageResult } from '../../page/page-result.js';
import type { PageTask } from '../../page/page-task.js';
import { createProgressReporter } from '../../page/progress.js';
import { createReplayGuard } from '../../page/stages/replay-guard.js';
import { capturesFor } from '../../pagination/truncation/declared-total.js';
import type { Paginator } from '../../pagination/types.js';
import { type Ahead, createAhead } from '../ahead/ahead.js';
import { completePage } from './complete-page.js';
import type { PageOutcome, WalkContext, WalkSettings } from './page-context.js';
import { printOfPage, repeatRule, repeatsOf } from './page-repeats.js';
import type { CommitOutcome, PageTarget } from './page-target.js';
import { capturesOfValue } from './reached-value.js';
import {
  type Committing,
  type Completion,
  createPageStream,
  type PageStream,
  type StartedTask,
  streamPage,
} from './stream-page.js';

/** Fetches the pages of one walk. */
export interface PageFetcher {
  /** Fetches a page, cold. Errors carry job, page and masked request. After `stop()` of the drain it never begins. */
  visit(task: PageTask): Observable<PageOutcome>;
  /** The walk is over: cancels requests for pages that it did not reach. */
  end(): void;
}

/** `prints`: fingerprints of the pages of an earlier run. */
export function createPageFetcher(visiting: WalkSettings, paginator: Paginator, prints?: string): PageFetcher {
  const rule = repeatRule(visiting.job, paginator, visiting.engine.isDataFolder);
  const walk: WalkContext = {
    ...visiting,
    paginator,
    repeats: repeatsOf(rule, prints),
    repeatRule: rule,
    skips: { inARow: 0 },
  };
  const ahead = createAhead(visiting, paginator);
  const stream = createPageStream(visiting, paginator, ahead);
  const scope = createRequestScope();
  const { engine, job, output, bounds, lose } = walk;
  const capturesOf = captureLists(visiting, paginator);
  const begin = (task: PageTask): StartedTask => ({
    request: task.request,
    index: task.index,
    previous: task.previous,
    walked: task.walked ?? { startedAt: asyncScheduler.now(), items: 0, volume: 0 },
    seen: task.seen,
    captures: capturesOf(capturesFor(paginator, job.dataField, task.seen)),
    room: bounds.room(job.name),
    delivered: createReplayGuard(),
  });
  const visit = (task: PageTask) =>
    defer(() => {
      if (engine.inFlight.isStopping) return NEVER;
      const account = new RequestAccount(walk.client);
      const completion = new PageCompletion(walk, account, ahead);
      const fetchTo = (target: PageTarget) =>
        attempts(walk, begin(task), { stream, target, account, scope, completion });
      const fetchOnce = (): Observable<PageOutcome> => {
        const fetched = output.target === undefined ? output.page().pipe(concatMap(fetchTo)) : fetchTo(output.target);
        return completion.mayRepeat
          ? fetched.pipe(concatMap((completed) => (completed === 'again' ? fetchOnce() : of(completed))))
          : (fetched as Observable<PageOutcome>); // a target of every page never loses one
      };
      return fetchOnce().pipe(
        finalize(() => {
          if (account.hasSpent()) lose(account.spend());
        }),
      );
    });
  return { visit, end: () => ahead?.end() };
}

/**
 * The paths to capture of a page: those of its paginator, those that look for totals (given), those that its rules
 * read, and the value that its job remembers. Pages with the same ones get the same list, because the scanner keeps
 * what it derives from a list.
 */
function captureLists({ rules, increment }: WalkSettings, { captures }: Paginator) {
  const value = capturesOfValue(increment);
  const lists = listsOfWalks(captures)(rules);
  if (value.length === 0) return lists;
  return rememberFor((more: readonly CapturePath[]): readonly CapturePath[] => [...lists(more), ...value]);
}

/** Walks share their lists: each row of a parent page begins a walk of its child. */
const listsOfWalks = rememberFor((own: readonly CapturePath[]) =>
  rememberFor((rules: readonly ResponseRule[]) => {
    const always = [...errorPaths, ...capturesOfRules(rules)];
    return rememberFor((more: readonly CapturePath[]): readonly CapturePath[] => [...own, ...more, ...always]);
  }),
);

interface AttemptsContext {
  readonly stream: PageStream;
  readonly target: PageTarget;
  readonly account: RequestAccount;
  readonly scope: RequestScope;
  readonly completion: PageCompletion;
}

/**
 * Requests the page until it is committed or the retries are used up. Only an attempt holds a slot, not the wait before
 * the next.
 */
function attempts(
  walk: WalkContext,
  task: StartedTask,
  { stream, target, account, scope, completion }: AttemptsContext,
): Observable<Completed> {
  const { engine, client, job, slot, rules } = walk;
  const { inFlight } = engine;
  const createReporter = () => createProgressReporter(job.name, task.index, engine.onActivity);
  const ends = task.index > 0 ? walk.paginator.endStatuses : undefined;
  const policy: RetryPolicy = {
    retry: client.retry,
    notify: client.notify,
    random: client.random,
    isOnce: client.isSentOnce(task.request),
    onWait(ms) {
      stream.ahead?.waits(ms);
      createReporter().retry(ms);
    },
  };
  const where = (): Where => {
    const place = { job: job.name, page: task.index };
    return task.delivered.count === 0 ? place : { ...place, kept: true };
  };
  return retried(policy, where, ({ number, last }) => {
    const progress = createReporter();
    const onPass = () => progress.now('answer');
    const onWait = (ms: number) => progress.limit(ms);
    const owner = { name: job.name, onWait, onPass, standStill: inFlight.standStill };
    const ask = (credentials: Credentials) =>
      scope.attempt(
        { credentials, isLast: last, onRequest: (sent) => account.add(sent), owner, ends, rules },
        (context) => {
          account.retries = number;
          const streaming = streamPage(stream, task, target, context, { progress, completion });
          progress.follow(streaming);
          streaming.catch((thrown: unknown) => reportUnstored(walk, task, thrown));
          return inFlight.track(unlessLeft(streaming, scope.signal));
        },
      );
    return slot(client.credentials.use(ask, (state) => progress.now(state)));
  });
}

/** Clears the rows of a page whose walk was left meanwhile. */
async function unlessLeft(streaming: Promise<Completed>, signal: AbortSignal): Promise<Completed> {
  const completed = await streaming;
  if (signal.aborted && completed !== 'again') await completed.rows?.clear();
  return completed;
}

/** An interrupt ends the wait for a sink that fails: nothing else says why the page in flight is not stored. */
function reportUnstored({ engine, job }: WalkContext, { index }: StartedTask, thrown: unknown): void {
  const failure = engine.inFlight.isStopping ? failureBefore(thrown) : undefined;
  if (failure === undefined) return;
  const message = `the page in flight was not stored: ${failure.message}`;
  engine.notify({ level: 'info', code: 'page-not-stored', message, job: job.name, page: index });
}

/** Counts the cost of the current page. */
class RequestAccount {
  retries = 0;
  #requests = 0;
  readonly #client: ApiClient;

  constructor(client: ApiClient) {
    this.#client = client;
  }

  add(requests: number): void {
    this.#requests += requests;
  }

  hasSpent(): boolean {
    this.#requests += this.#client.takeLogins();
    return this.#requests > 0 || this.retries > 0;
  }

  /** Returns the cost so far, and resets it. */
  spend(): RequestCost {
    const spent = { requests: this.#requests + this.#client.takeLogins(), retries: this.retries };
    this.#requests = 0;
    this.retries = 0;
    return spent;
  }
}

/** `again`: a sink has lost the page, so it must be read again. */
type Completed = PageOutcome | 'again';

/** Completes a page that was read, then commits it. If either fails, it clears the rows of the page. */
class PageCompletion implements Completion<Completed> {
  /** Whether a page may be read again: a sink can lose one only if a state is kept, and if it has transactions. */
  readonly mayRepeat: boolean;
  readonly #walk: WalkContext;
  readonly #account: RequestAccount;
  readonly #ahead: Ahead | undefined;
  /** The outcome of a page that a sink has lost. It is used again unless the page has changed. */
  #before: PageOutcome | undefined;

  constructor(walk: WalkContext, account: RequestAccount, ahead: Ahead | undefined) {
    this.#ahead = ahead;
    this.mayRepeat = walk.engine.journal.isKept && walk.output.target === undefined;
    this.#walk = walk;
    this.#account = account;
  }

  complete(
    task: StartedTask,
    read: PageResult,
    target: PageTarget,
    committing: Committing,
  ): Completed | Promise<Completed> {
    const { engine, toSummary } = this.#walk;
    try {
      const outcome = this.#settle(task, read);
      if (outcome.next === undefined) this.#ahead?.end();
      const draft = engine.journal.isKept ? engine.journal.describe(toSummary(outcome)) : undefined;
      const committed = target.commit(committing.end, draft, committing.signal);
      if (!(committed instanceof Promise)) return this.#after(outcome, committed);
      return committed.then(
        (each) => this.#after(outcome, each),
        (thrown) => this.#forget(read, thrown),
      );
    } catch (thrown) {
      return this.#forget(read, thrown);
    }
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
    if (committed === 'done') return outcome;
    this.#before = outcome;
    if (outcome.rows !== undefined) void this.#walk.engine.inFlight.track(outcome.rows.clear());
    return 'again';
  }

  #forget(read: PageResult, thrown: unknown): never {
    if (read.rows !== undefined) void this.#walk.engine.inFlight.track(read.rows.clear());
    throw thrown;
  }
}
