/** One visit of a walk: credentials, request, the page into the sink, and the receipt that asks for the next. */
import { asyncScheduler, catchError, concatMap, defer, finalize, map, NEVER, type Observable } from 'rxjs';
import type { Credentials } from '../auth/types.js';
import { asExtractError } from '../core/errors/errors.js';
import type { RequestCost } from '../core/model/job-stats.js';
import type { ApiClient } from '../http/api-client.js';
import { createRequestScope, type RequestScope } from '../http/request-context.js';
import { withRetry } from '../http/with-retry.js';
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
  const { engine, client, job, output, bounds, lose } = walk;
  return (asked) =>
    defer(() => {
      if (engine.inFlight.isStopping) return NEVER;
      const walked = asked.walked ?? { startedAt: asyncScheduler.now(), items: 0, volume: 0 };
      const visit: StartedTask = {
        request: asked.request,
        index: asked.index,
        previous: asked.previous,
        walked,
        seen: asked.seen,
        captures: capturesFor(scroller, job.dataField, asked.seen),
        room: bounds.room(job.name),
        delivered: createReplayGuard(),
        entry: engine.books?.entry(),
      };
      const account = createAccount(client);
      return output.page().pipe(
        concatMap((target) => attempts(walk, visit, { stream, target, account, scope })),
        map((taken) => settleOrForget(walk, visit, taken, account)),
        finalize(() => lose(account.spend())),
      );
    });
}

interface AttemptsContext {
  readonly stream: PageStream;
  readonly target: PageTarget;
  readonly account: RequestCounter;
  readonly scope: RequestScope;
}

/** Asks until the page was taken, or the rules say no more. Only an attempt is in flight, not the wait for the next. */
function attempts(
  walk: WalkContext,
  visit: StartedTask,
  { stream, target, account, scope }: AttemptsContext,
): Observable<PageResult> {
  const { engine, client, job, slot } = walk;
  const tell = () => createProgressReporter(job.name, visit.index, engine.onActivity);
  const isOnce = client.isSentOnce(visit.request);
  const policy = { ...client, isOnce, onWait: (ms: number) => tell().retry(ms) };
  return withRetry(policy, { job: job.name, page: visit.index }, ({ number, last }) => {
    const telling = tell();
    const { standStill } = engine.inFlight;
    const owner = { name: job.name, onWait: telling.limit, onPass: () => telling.now('answer'), standStill };
    const ask = (credentials: Credentials) =>
      scope.attempt({ credentials, isLast: last, onRequest: account.count, owner }, (context) => {
        account.retried(number);
        return engine.inFlight.track(unlessLeft(streamPage(stream, visit, target, context, telling), scope.signal));
      });
    return slot(client.credentials.use(ask, telling.now));
  }).pipe(
    map(({ value }) => value),
    catchError((thrown) => {
      throw visit.delivered.count === 0 ? thrown : asExtractError(thrown).at({ kept: true });
    }),
  );
}

/** A page that nobody waits for any more: its rows would stay. */
async function unlessLeft(taking: Promise<PageResult>, signal: AbortSignal): Promise<PageResult> {
  const taken = await taking;
  if (signal.aborted) await taken.rows?.clear();
  return taken;
}

/** What the visit under way costs. */
interface RequestCounter {
  readonly count: (requests: number) => void;
  retried(times: number): void;
  /** Takes out what has come together. */
  spend(): RequestCost;
}

function createAccount(client: ApiClient): RequestCounter {
  const nothing: RequestCost = { requests: 0, retries: 0 };
  let spent = nothing;
  return {
    count(requests) {
      spent = { ...spent, requests: spent.requests + requests };
    },
    retried(times) {
      spent = { ...spent, retries: times };
    },
    spend() {
      const { requests, retries } = spent;
      spent = nothing;
      return { requests: requests + client.takeLogins(), retries };
    },
  };
}

/** Where the walk cannot go on, the rows of the page go too. */
function settleOrForget(walk: WalkContext, visit: StartedTask, read: PageResult, account: RequestCounter): PageOutcome {
  try {
    return completePage(walk, visit, read, account.spend);
  } catch (thrown) {
    if (read.rows !== undefined) void walk.engine.inFlight.track(read.rows.clear());
    throw thrown;
  }
}
