/** One visit of a walk: credentials, request, the page into the sink, and the receipt that asks for the next. */
import { asyncScheduler, catchError, concatMap, defer, finalize, map, NEVER, type Observable } from 'rxjs';
import type { Credentials } from '../auth/types.js';
import { asExtractError } from '../core/errors/errors.js';
import type { RequestCost } from '../core/model/job-stats.js';
import type { ApiClient } from '../http/api-client.js';
import { createRequestScope, type RequestScope } from '../http/request-context.js';
import { type RetryPolicy, type RetryResult, withRetry } from '../http/with-retry.js';
import type { PageResult } from '../page/page-result.js';
import type { PageTask } from '../page/page-task.js';
import { createProgressReporter } from '../page/progress.js';
import { createReplayGuard } from '../page/stages/replay-guard.js';
import { capturesFor } from '../pagination/truncation/declared-total.js';
import type { Paginator } from '../pagination/types.js';
import { completePage } from './complete-page.js';
import type { PageOutcome, WalkContext, WalkSettings } from './page-context.js';
import type { PageTarget } from './page-target.js';
import { repeatRule, repeatsOf } from './repeats.js';
import { createPageStream, type PageStream, type StartedTask, streamPage } from './stream-page.js';

/**
 * Makes the visits of one walk; each is cold. Errors carry job, page and masked request. `prints` are the fingerprints
 * of the pages that an earlier run has taken. Where no page is to begin any more, a visit stands still.
 */
export function createPageFetcher(
  visiting: WalkSettings,
  scroller: Paginator,
  prints?: string,
): (visit: PageTask) => Observable<PageOutcome> {
  const rule = repeatRule(visiting.job, scroller, visiting.engine.isDataFolder);
  const walk: WalkContext = { ...visiting, scroller, repeats: repeatsOf(rule, prints), repeatRule: rule };
  const stream = createPageStream(visiting, scroller);
  const scope = createRequestScope();
  const { engine, job, output, bounds, lose } = walk;
  const begin = (task: PageTask): StartedTask => ({
    request: task.request,
    index: task.index,
    previous: task.previous,
    walked: task.walked ?? { startedAt: asyncScheduler.now(), items: 0, volume: 0 },
    seen: task.seen,
    captures: capturesFor(scroller, job.dataField, task.seen),
    room: bounds.room(job.name),
    delivered: createReplayGuard(),
    entry: engine.books?.entry(),
  });
  return (task) =>
    defer(() => {
      if (engine.inFlight.isStopping) return NEVER;
      const started = begin(task);
      const account = new RequestAccount(walk.client);
      const fetchTo = (target: PageTarget) => attempts(walk, started, { stream, target, account, scope });
      const fetched = output.target === undefined ? output.page().pipe(concatMap(fetchTo)) : fetchTo(output.target);
      return fetched.pipe(
        map(({ value }) => completeOrForget(walk, started, value, account)),
        finalize(() => {
          if (account.hasSpent()) lose(account.spend());
        }),
      );
    });
}

interface AttemptsContext {
  readonly stream: PageStream;
  readonly target: PageTarget;
  readonly account: RequestAccount;
  readonly scope: RequestScope;
}

/** Asks until the page was taken, or the rules say no more. Only an attempt is in flight, not the wait for the next. */
function attempts(
  walk: WalkContext,
  task: StartedTask,
  { stream, target, account, scope }: AttemptsContext,
): Observable<RetryResult<PageResult>> {
  const { engine, client, job, slot } = walk;
  const { inFlight } = engine;
  const createReporter = () => createProgressReporter(job.name, task.index, engine.onActivity);
  const policy: RetryPolicy = {
    retry: client.retry,
    notify: client.notify,
    isOnce: client.isSentOnce(task.request),
    onWait: (ms) => createReporter().retry(ms),
  };
  return withRetry(policy, { job: job.name, page: task.index }, ({ number, last }) => {
    const progress = createReporter();
    const onPass = () => progress.now('answer');
    const owner = { name: job.name, onWait: progress.limit, onPass, standStill: inFlight.standStill };
    const ask = (credentials: Credentials) =>
      scope.attempt({ credentials, isLast: last, onRequest: (requests) => account.add(requests), owner }, (context) => {
        account.retries = number;
        return inFlight.track(unlessLeft(streamPage(stream, task, target, context, progress), scope.signal));
      });
    return slot(client.credentials.use(ask, progress.now));
  }).pipe(
    catchError((thrown) => {
      throw task.delivered.count === 0 ? thrown : asExtractError(thrown).at({ kept: true });
    }),
  );
}

/** The page of a walk that was left: its rows would stay. */
async function unlessLeft(streaming: Promise<PageResult>, signal: AbortSignal): Promise<PageResult> {
  const result = await streaming;
  if (signal.aborted) await result.rows?.clear();
  return result;
}

/** What the page under way costs. */
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

  /** Takes out what has come together. */
  spend(): RequestCost {
    const spent = { requests: this.#requests + this.#client.takeLogins(), retries: this.retries };
    this.#requests = 0;
    this.retries = 0;
    return spent;
  }
}

/** Where the walk cannot go on, the rows of the page go too. */
function completeOrForget(
  walk: WalkContext,
  task: StartedTask,
  result: PageResult,
  account: RequestAccount,
): PageOutcome {
  try {
    return completePage(walk, task, result, () => account.spend());
  } catch (thrown) {
    if (result.rows !== undefined) void walk.engine.inFlight.track(result.rows.clear());
    throw thrown;
  }
}
