/** Walks a job, and below it its children for each item of each page: one observable of receipts. */
import {
  asyncScheduler,
  catchError,
  concat,
  defer,
  EMPTY,
  finalize,
  ignoreElements,
  map,
  merge,
  type Observable,
  of,
  Subject,
  tap,
  throwError,
} from 'rxjs';
import { pull } from '../../operators/pull.js';
import { scroll } from '../../operators/scroll.js';
import type { PageSummary } from '../checkpoint/page-record.js';
import type { WalkPosition } from '../checkpoint/walk-positions.js';
import { type JobConfig, withChildren } from '../config/config.js';
import { asExtractError } from '../core/errors/errors.js';
import type { Job } from '../core/model/job.js';
import type { RequestCost } from '../core/model/job-stats.js';
import type { Receipt } from '../core/model/page.js';
import { maskError } from '../core/secrets/mask-error.js';
import { noBindings } from '../job/instances.js';
import { firstTask, type PageTask } from '../page/page-task.js';
import type { Rows } from '../page/row-buffer.js';
import type { Paginator } from '../pagination/types.js';
import { childWalks, type Descending } from './child-walks.js';
import { type LaneOptions, laneOutput, mustReachMarks } from './commit-page.js';
import type { Drain } from './drain.js';
import { createPageFetcher } from './fetch-page.js';
import { neededPaths } from './needed-paths.js';
import { createOrderedOutput } from './ordered-output.js';
import type { PageOutcome, WalkSettings } from './page-context.js';
import { isBounded, type RunScope, type WalkTask } from './walk-context.js';

/**
 * Walks a top-level job, or what an earlier run has left of it. Errors are masked, and halt the totals of the job. A
 * page counts when its receipt arrives, after its commit.
 */
export function walkJob(run: RunScope, config: JobConfig): Observable<Receipt> {
  const { name } = config;
  return defer(() => {
    const { engine } = run;
    const { journal } = engine;
    const from = journal.walkOf(name);
    if (from === 'done' || (from === undefined && isBounded(run, config))) return EMPTY;
    const lane: LaneOptions = { ...engine, job: name };
    const branch: WalkTask = {
      config,
      output: laneOutput(lane),
      instance: noBindings,
      ancestors: [],
      top: name,
      at: [],
      name: String(run.numberOf(config)),
      from,
    };
    const end = () => {
      const isBounded = withChildren<JobConfig>([config]).some((job) => run.totals.isBounded(job.name));
      if (journal.isKept && !isBounded) mustReachMarks(lane);
      journal.complete(name);
    };
    return walk(run, branch).pipe(tap({ next: (receipt) => run.totals.add(receipt), complete: end }));
  });
}

/** The children of a completed page, then the next page: either may be missing. */
interface WalkStep {
  readonly rows?: Rows | undefined;
  /** The index of that page. */
  readonly index: number;
  /** The child walk where an earlier run stopped. */
  readonly child?: WalkPosition['child'];
  readonly page?: PageTask | undefined;
}

function walk(run: RunScope, branch: WalkTask): Observable<Receipt> {
  const { name } = branch.config;
  return defer(() => {
    run.totals.start(name);
    const below = new Subject<Receipt>();
    const own = walkPages(run, branch, below).pipe(
      tap({
        next: ({ requests, retries }) => run.totals.spend(name, { requests, retries }),
        complete: () => run.totals.end(name),
      }),
      finalize(() => below.complete()),
    );
    return merge(below, own);
  }).pipe(
    catchError((thrown) => {
      const error = asExtractError(thrown);
      run.totals.halt(error.where.job === name ? 'failed' : 'a child job failed', [name]);
      return throwError(() => maskError(error, run.engine.secrets));
    }),
  );
}

/** Receipts of children bypass the recursion over pages through `below`: the recursion must not keep them. */
function walkPages(run: RunScope, branch: WalkTask, below: Subject<Receipt>): Observable<Receipt> {
  const { engine, client } = run;
  const { config, instance, from: left } = branch;
  const begun = left?.begun ?? asyncScheduler.now();
  const job = client.begin(config, instance, begun);
  const scroller = job.paginator ?? client.paginator;
  const pages = createPageFetcher(settingsOf(run, branch, { job, begun }), scroller, left?.prints.toText());
  const held = createHeld(engine.inFlight);

  const hold = (outcome: PageOutcome): PageOutcome => {
    held.add(outcome.rows);
    return outcome;
  };
  const visitPage = (visit: PageTask) => pages.visit(visit).pipe(map((outcome) => stepAfter(hold(outcome))));
  const descend = (taken: Rows, { child, index }: WalkStep) =>
    walkChildren(run, branch, { rows: taken, from: child, page: index }).pipe(
      tap((receipt) => below.next(receipt)),
      ignoreElements(),
      finalize(() => held.forget(taken)),
    );
  const visit = (step: WalkStep) => {
    const { rows: taken, page } = step;
    const paged = page === undefined ? EMPTY : visitPage(page);
    return taken === undefined ? paged : concat(descend(taken, step), paged);
  };

  return of(firstStep(run, branch, job, scroller)).pipe(
    scroll(visit),
    map(({ receipt }) => receipt),
    finalize(() => {
      pages.end();
      held.forgetAll();
    }),
  );
}

/** The receipt of a page, and the next step. */
const stepAfter = ({ receipt, rows, next }: PageOutcome) =>
  rows === undefined && next === undefined
    ? { receipt }
    : { receipt, next: { rows, index: receipt.index, page: next } };

function settingsOf(run: RunScope, branch: WalkTask, started: StartedJob): WalkSettings {
  const { engine, client, slot, bounds, totals } = run;
  const { config, output, name, ancestors } = branch;
  return {
    engine,
    client,
    slot,
    bounds,
    output,
    job: started.job,
    walk: name,
    lane: name.split('/', 1)[0] ?? name,
    toSummary: summaryOf(run, branch, started),
    rows: rowsOptions(run, config),
    isChild: ancestors.length > 0,
    lose: (spent: RequestCost) => totals.spend(config.name, spent),
  };
}

function rowsOptions({ engine }: RunScope, { children, responseFilter }: JobConfig) {
  if (children.length === 0) return undefined;
  return { paths: neededPaths(children), responseFilter, createCopy: engine.journal.createCopy };
}

/** The step where the walk begins, or resumes. */
function firstStep(
  { engine: { journal } }: RunScope,
  { config, from: left }: WalkTask,
  job: Job,
  scroller: Paginator,
): WalkStep {
  if (left === undefined) return { index: 0, page: firstTask(scroller.first(job)) };
  return {
    index: left.page,
    rows: journal.rowsOf(left, neededPaths(config.children)),
    child: left.child,
    page: journal.taskOf(left, job),
  };
}

/** Holds the rows of pages whose child walks are active, so that a walk that ends early clears them. */
function createHeld(inFlight: Drain) {
  const held = new Set<Rows>();
  const forget = (rows: Rows) => {
    held.delete(rows);
    void inFlight.track(rows.clear());
  };
  return {
    add: (rows: Rows | undefined) => void (rows === undefined || held.add(rows)),
    forget,
    forgetAll: () => held.forEach(forget),
  };
}

interface StartedJob {
  readonly job: Job;
  /** Epoch ms. */
  readonly begun: number;
}

const noNames: ReadonlySet<string> = new Set();

/** Adds what the journal needs of a page of the walk. */
const summaryOf =
  ({ client }: RunScope, { top, at }: WalkTask, { job, begun }: StartedJob) =>
  (page: PageOutcome): PageSummary => {
    const leading = (endpoint: string) => {
      const isTrusted = client.trusts(endpoint);
      return { isTrusted, loginNames: isTrusted ? page.loginNames : noNames };
    };
    const { receipt, fingerprint, next, rows } = page;
    return { top, at, job, begun, receipt, fingerprint, next, rows, leading };
  };

function walkChildren(run: RunScope, parent: WalkTask, below: Omit<Descending, 'line'>): Observable<Receipt> {
  const atOnce = run.bounds.isCounting ? 1 : run.atOnce;
  const line = atOnce === 1 ? undefined : createOrderedOutput(parent.output, run.budget, run.engine.inFlight);
  const all = childWalks(run, parent, { ...below, line });
  return pull(all, ({ branch, around }) => around(walk(run, branch)), atOnce);
}
