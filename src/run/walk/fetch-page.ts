/** Fetches one page of a walk: credentials, request, the page into the sink, and the receipt with the next task. */
import { asyncScheduler, concatMap, defer, finalize, identity, NEVER, type Observable, of } from 'rxjs';
import { failureBefore, throwIfAborted } from '../../../sinks/errors.js';
import type { Credentials } from '../../auth/types.js';
import type { Where } from '../../core/errors/errors.js';
import type { CapturePath } from '../../core/model/page.js';
import { rememberFor } from '../../core/util/remember.js';
import type { PageWatch } from '../../http/observer.js';
import { createRequestScope, type RequestScope } from '../../http/request-context.js';
import { type RetryPolicy, retried } from '../../http/with-retry.js';
import type { ResponseRule } from '../../language/condition/response-rule.js';
import { errorPaths } from '../../page/error-in-body.js';
import { capturesOfRules } from '../../page/judge-response.js';
import type { PageTask } from '../../page/page-task.js';
import { createProgressReporter } from '../../page/progress.js';
import { createReplayGuard } from '../../page/stages/replay-guard.js';
import { capturesFor } from '../../pagination/truncation/declared-total.js';
import type { Paginator } from '../../pagination/types.js';
import { createAhead } from '../ahead/ahead.js';
import { createEarlyPages } from './early-page.js';
import { leavingOut } from './failed-page.js';
import { type Completed, PageCompletion } from './page-completion.js';
import type { PageOutcome, WalkContext, WalkSettings } from './page-context.js';
import { repeatRule, repeatsOf } from './page-repeats.js';
import type { PageTarget } from './page-target.js';
import { capturesOfValue } from './reached-value.js';
import { RequestAccount } from './request-account.js';
import { createPageStream, type PageStream, type StartedTask, type Streamed, streamPage } from './stream-page.js';

/** Fetches the pages of one walk. */
export interface PageFetcher {
  /** Fetches a page, cold. Errors carry job, page and masked request. After `stop()` of the drain it never begins. */
  visit(task: PageTask): Observable<PageOutcome>;
  /** The walk is over: cancels requests for pages that it did not reach. */
  end(): void;
}

/** `prints`: fingerprints of the pages of an earlier run. */
export function createPageFetcher(visiting: WalkSettings, paginator: Paginator, prints?: string): PageFetcher {
  const walk = walkOf(visiting, paginator, prints);
  const ahead = createAhead(visiting, paginator);
  const stream = createPageStream(visiting, paginator, ahead);
  const scope = createRequestScope();
  const { context, job, output, bounds, lose, watches } = walk;
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
  /** `before`: the commit of the page before this one, if it is under way. */
  const visitIn = (task: PageTask, scope: RequestScope, before?: Promise<unknown>): Observable<PageOutcome> => {
    if (context.inFlight.isStopping) return NEVER;
    const account = new RequestAccount(walk.client);
    const watch = watches?.of(task.index);
    const completion = new PageCompletion(walk, account, { ahead, early, watch });
    const fetchTo = (target: PageTarget) => {
      const to = before === undefined ? target : after(before, target);
      const started = begin(task);
      const context = { stream, target: to, account, scope, completion, watch };
      return attempts(walk, started, context).pipe(leavingOut(walk, started, context));
    };
    const fetchOnce = (): Observable<PageOutcome> => {
      const fetched = output.target === undefined ? output.page().pipe(concatMap(fetchTo)) : fetchTo(output.target);
      return completion.mayRepeat
        ? fetched.pipe(concatMap((completed) => (completed === 'again' ? fetchOnce() : of(completed))))
        : (fetched as Observable<PageOutcome>); // a target of every page never loses one
    };
    return fetchOnce().pipe(
      watches?.following(task.index) ?? identity,
      finalize(() => {
        const isUnsent = before !== undefined && account.sender?.hasBegun === false;
        if (account.hasSpent() && !isUnsent) lose(account.spend());
      }),
    );
  };
  const early = createEarlyPages((task, before) => defer(() => visitIn(task, createRequestScope(), before)));
  const visit = (task: PageTask) => defer(() => early.take(task) ?? visitIn(task, scope));
  const end = () => {
    early.cancel();
    ahead?.end();
    watches?.end();
  };
  return { visit, end };
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

function walkOf(visiting: WalkSettings, paginator: Paginator, prints: string | undefined): WalkContext {
  const rule = repeatRule(visiting.job, paginator, visiting.context.isDataFolder);
  return {
    paginator,
    repeats: paginator.single === true ? undefined : repeatsOf(rule, prints),
    repeatRule: rule,
    skips: { inARow: 0 },
    ...visiting,
  };
}

/** The same target; it gets the page after an earlier commit. */
const after = (before: Promise<unknown>, target: PageTarget): PageTarget => ({
  ...target,
  async commit(page, draft, signal) {
    await before;
    throwIfAborted(signal);
    return target.commit(page, draft, signal);
  },
});

interface AttemptsContext {
  readonly stream: PageStream;
  readonly target: PageTarget;
  readonly account: RequestAccount;
  readonly scope: RequestScope;
  readonly completion: PageCompletion;
  readonly watch: PageWatch | undefined;
}

/**
 * Requests the page until it is committed or the retries are used up. Only an attempt holds a slot, not the wait before
 * the next.
 */
function attempts(
  walk: WalkContext,
  task: StartedTask,
  { stream, target, account, scope, completion, watch }: AttemptsContext,
): Observable<Completed> {
  const { context, client, job, slot, rules, known } = walk;
  const { inFlight } = context;
  const createReporter = () => createProgressReporter(job.name, task.index, context.onActivity);
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
        { credentials, isLast: last, onRequest: (sent) => account.add(sent), owner, ends, rules, known, watch },
        (context) => {
          account.retries = number;
          account.sender = context;
          const streaming = streamPage(stream, task, target, context, { progress, completion });
          const whole = inFlight.track(unlessLeft(streaming, scope.signal));
          progress.follow(whole);
          whole.catch((thrown: unknown) => reportUnstored(walk, task, thrown));
          return streaming;
        },
      );
    // A commit holds no slot: the requests of other pages go out meanwhile.
    return slot(client.credentials.use(ask, (state) => progress.now(state))).pipe(
      concatMap(({ completed }) => {
        if (!(completed instanceof Promise)) return of(completed);
        if (target.overlaps === true) completion.beginNext(completed);
        return scope.settled(completed);
      }),
    );
  });
}

/** Clears the rows of a page whose walk was left meanwhile. */
async function unlessLeft(streaming: Promise<Streamed<Completed>>, signal: AbortSignal): Promise<Completed> {
  const completed = await (await streaming).completed;
  if (signal.aborted && completed !== 'again') await completed.rows?.clear();
  return completed;
}

/** An interrupt ends the wait for a sink that fails: nothing else says why the page in flight is not stored. */
function reportUnstored({ context, job }: WalkContext, { index }: StartedTask, thrown: unknown): void {
  const failure = context.inFlight.isStopping ? failureBefore(thrown) : undefined;
  if (failure === undefined) return;
  const message = `the page in flight was not stored: ${failure.message}`;
  context.notify({ level: 'info', code: 'page-not-stored', message, job: job.name, page: index });
}
