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
  Subject,
  tap,
  throwError,
} from 'rxjs';
import { scrollFrom } from '../../../operators/scroll.js';
import type { PageSummary } from '../../checkpoint/page-record.js';
import type { WalkPosition } from '../../checkpoint/walk-positions.js';
import { type JobConfig, withChildren } from '../../config/config.js';
import { asExtractError } from '../../core/errors/errors.js';
import type { Job } from '../../core/model/job.js';
import type { RequestCost } from '../../core/model/job-stats.js';
import type { Notice } from '../../core/model/notice.js';
import type { KnownPages, Receipt } from '../../core/model/page.js';
import { maskError } from '../../core/secrets/mask-error.js';
import { elementAt } from '../../core/util/element-at.js';
import type { EvaluatedJob } from '../../job/evaluate-job.js';
import { noBindings } from '../../job/instances.js';
import { isDivided } from '../../job/partitions.js';
import type { ResponseRule } from '../../language/condition/response-rule.js';
import { firstTask, type PageTask } from '../../page/page-task.js';
import type { Rows } from '../../page/row-buffer.js';
import type { Paginator } from '../../pagination/types.js';
import type { Drain } from '../drain.js';
import type { WalkIncrement } from '../incremental-run.js';
import { childWalks, type RowsOfPage, walkInOrder } from './child-walks.js';
import { type LaneOptions, laneOutput, mustReachMarks } from './commit-page.js';
import { identityOf, walkFailed } from './failed-walks.js';
import { createPageFetcher } from './fetch-page.js';
import { neededPaths } from './needed-paths.js';
import type { PageOutcome, WalkSettings } from './page-context.js';
import { followedBy, PageWatches } from './page-watches.js';
import { walkPartitions } from './partition-walks.js';
import { walkReport } from './report-walk.js';
import { knownPage } from './unchanged-page.js';
import { isBounded, type RunScope, type WalkTask } from './walk-context.js';

/**
 * Walks a top-level job, or what an earlier run has left of it. Errors are masked, and halt the totals of the job. A
 * page counts when its receipt arrives, after its commit.
 */
export function walkJob(run: RunScope, config: JobConfig): Observable<Receipt> {
  const { name } = config;
  return defer(() => {
    const { context, totals } = run;
    const { journal } = context;
    const resumed = journal.walkOf(name);
    if (resumed === 'done' || (resumed === undefined && isBounded(run, config))) return EMPTY;
    const lane: LaneOptions = { ...context, job: name };
    const task: WalkTask = {
      config,
      output: laneOutput(lane),
      instance: noBindings,
      ancestors: [],
      top: name,
      at: [],
      name: String(run.numberOf(config)),
      resumed,
    };
    const complete = () => {
      const jobs = withChildren<JobConfig>([config]);
      for (const job of jobs) warnOfMissing(run, job);
      const isCut = jobs.some((job) => totals.isBounded(job.name));
      if (journal.isKept && !isCut) mustReachMarks(lane);
      journal.complete(name);
    };
    const failed = context.failedWalks?.of(name);
    const walk =
      failed === undefined
        ? walkWhole(run, task)
        : walkFailed(run, task, failed, (part) =>
            watched(run, part, (each) => halting(run, each, walkOnce(run, each))),
          );
    return walk.pipe(
      tap({
        next(receipt) {
          totals.add(receipt);
          context.proofs?.add(receipt);
        },
        complete,
      }),
    );
  });
}

/** Warns of a job none of whose pages had a place for items. */
function warnOfMissing({ context, totals }: RunScope, { name }: JobConfig): void {
  const missing = totals.missingPlace(name);
  if (missing !== undefined) context.notify({ job: name, ...missing });
}

/** Walks one job for one row, in one walk or in as many as it is divided into. */
const walkWhole = (run: RunScope, given: WalkTask): Observable<Receipt> =>
  watched(run, given, (task) => {
    const { config } = task;
    const walkPart = (part: WalkTask) =>
      config.report === undefined
        ? walkOnce(run, part)
        : walkReport(run, part, config.report, (each) => walkOnce(run, each));
    return halting(run, task, isDivided(config) ? walkPartitions(run, task, walkPart) : walkPart(task));
  });

/** Begins what follows the job, if something does. That of a child job is below that of its parent. */
function watched(run: RunScope, task: WalkTask, walk: (task: WalkTask) => Observable<Receipt>): Observable<Receipt> {
  const { observer } = run.context;
  if (observer === undefined) return walk(task);
  return defer(() => {
    const watch = (task.watch ?? observer).job(task.config.name);
    return walk({ ...task, watch }).pipe(followedBy(watch));
  });
}

/** A failure halts the totals of the job. */
const halting = (run: RunScope, { config: { name } }: WalkTask, walk: Observable<Receipt>): Observable<Receipt> =>
  walk.pipe(
    catchError((thrown) => {
      const error = asExtractError(thrown);
      run.totals.halt(error.where.job === name ? 'failed' : 'a child job failed', [name]);
      return throwError(() => maskError(error, run.context.secrets));
    }),
  );

/** Walks one job once. Its totals begin and end here. */
function walkOnce(run: RunScope, task: WalkTask): Observable<Receipt> {
  const { name } = task.config;
  return defer(() => {
    run.totals.start(name);
    const counting = tap<Receipt>({
      next: (receipt) => run.totals.spend(name, receipt),
      complete: () => run.totals.end(name),
    });
    if (task.config.children.length === 0) return walkPages(run, task, () => {}).pipe(counting);
    const childReceipts = new Subject<Receipt>();
    const receipts = walkPages(run, task, (receipt) => childReceipts.next(receipt)).pipe(
      counting,
      finalize(() => childReceipts.complete()),
    );
    return merge(childReceipts, receipts);
  });
}

/** A step of a walk: first the children of a completed page, then the next page. Either may be missing. */
interface WalkStep {
  readonly rows?: Rows | undefined;
  /** The index of the completed page. */
  readonly index: number;
  /** The child walk where an earlier run stopped. */
  readonly child?: WalkPosition['child'];
  /** What is walked below the page; absent: all. */
  readonly range?: WalkPosition['range'];
  /** The page is not in the journal. */
  readonly isWithheld?: boolean | undefined;
  readonly page?: PageTask | undefined;
}

/**
 * Walks page by page: each page leads to the next step. Receipts of children bypass `scroll` through `onChild`:
 * its recursion must not keep them.
 */
function walkPages(run: RunScope, task: WalkTask, onChild: (receipt: Receipt) => void): Observable<Receipt> {
  const { config, instance, resumed } = task;
  const startedAt = resumed?.begun ?? asyncScheduler.now();
  const increment = incrementOf(run, task);
  const job = run.client.begin(config, instance, startedAt, increment?.range);
  const paginator = job.paginator ?? run.client.paginator;
  const fetcher = createPageFetcher(
    settingsOf(run, task, { job, startedAt, increment }),
    paginator,
    resumed?.prints.toText(),
  );
  const activeRows = createActiveRows(run.context.inFlight);

  const fetchPage = (page: PageTask) =>
    fetcher.visit(page).pipe(
      map((outcome) => {
        activeRows.add(outcome.rows);
        return stepAfter(outcome);
      }),
    );
  const walkRows = (rows: Rows, { index, child, range, isWithheld }: WalkStep) =>
    walkChildren(run, isWithheld ? { ...task, staysHere: true } : task, {
      rows,
      page: index,
      resumed: child,
      range,
    }).pipe(
      tap(onChild),
      ignoreElements(),
      finalize(() => activeRows.clear(rows)),
    );
  const takeStep = (step: WalkStep) => {
    const fetched = step.page === undefined ? EMPTY : fetchPage(step.page);
    return step.rows === undefined ? fetched : concat(walkRows(step.rows, step), fetched);
  };

  return scrollFrom(firstStep(run, task, job, paginator), takeStep).pipe(
    map(({ receipt }) => receipt),
    finalize(() => {
      fetcher.end();
      activeRows.clearAll();
    }),
  );
}

/** The step where the walk begins, or resumes. */
function firstStep(
  { context: { journal } }: RunScope,
  { config, resumed }: WalkTask,
  job: Job,
  paginator: Paginator,
): WalkStep {
  if (resumed === undefined) return { index: 0, page: firstTask(paginator.first(job)) };
  const isShared = resumed.blocks !== undefined;
  return {
    index: resumed.page,
    rows: isShared ? undefined : journal.rowsOf(resumed, neededPaths(config.children)),
    range: resumed.range,
    child: resumed.child,
    page: journal.taskOf(resumed, job),
  };
}

/** The receipt of a page, and the step after it. */
const stepAfter = ({ receipt, rows, next, isWithheld }: PageOutcome) =>
  rows === undefined && next === undefined
    ? { receipt }
    : { receipt, next: { rows, index: receipt.index, page: next, isWithheld } };

/** The walks below a page. */
const walkChildren = (run: RunScope, parent: WalkTask, page: Omit<RowsOfPage, 'ordered'>): Observable<Receipt> =>
  walkInOrder(
    run,
    parent,
    (ordered) => childWalks(run, parent, { ...page, ordered }),
    (task) => walkWhole(run, task),
  );

/** The rows of pages whose children are being walked. A walk that ends early clears them. */
function createActiveRows(inFlight: Drain) {
  const active = new Set<Rows>();
  const clear = (rows: Rows) => {
    active.delete(rows);
    void inFlight.track(rows.clear());
  };
  return {
    add: (rows: Rows | undefined) => void (rows === undefined || active.add(rows)),
    clear,
    clearAll: () => active.forEach(clear),
  };
}

interface StartedJob {
  readonly job: EvaluatedJob;
  /** Epoch ms. */
  readonly startedAt: number;
  readonly increment: WalkIncrement | undefined;
}

/** What the walk asks for; of a resumed one also what it has reached. */
function incrementOf({ context }: RunScope, { config, instance, resumed }: WalkTask): WalkIncrement | undefined {
  const { increments, journal } = context;
  const fresh = increments?.begin(config, instance, undefined);
  if (fresh === undefined || resumed === undefined) return fresh;
  return increments?.begin(config, instance, journal.reachedOf(config.name, fresh.by));
}

function settingsOf(run: RunScope, task: WalkTask, started: StartedJob): WalkSettings {
  const { context, client, slot, bounds, totals } = run;
  const { config, output, name, instance, ancestors, judge, watch } = task;
  return {
    context,
    client,
    slot,
    bounds,
    output,
    job: started.job,
    rules: started.job.responseRules ?? noRules,
    walk: name,
    lane: elementAt(name.split('/', 1), 0),
    placeholders: instance,
    toSummary: summaryOf(run, task, started),
    rows: rowsOptions(run, config),
    increment: started.increment,
    known: knownPagesOf(run, task, started.job),
    isChild: ancestors.length > 0,
    judge,
    miss: (notice: Notice) => totals.missPlace(config.name, notice),
    lose: (spent: RequestCost) => totals.spend(config.name, spent),
    watches: watch === undefined ? undefined : new PageWatches(watch),
  };
}

function rowsOptions({ context }: RunScope, { children, responseFilter }: JobConfig) {
  if (children.length === 0) return undefined;
  return { paths: neededPaths(children), responseFilter, createCopy: context.journal.createCopy };
}

function knownPagesOf({ context }: RunScope, walk: WalkTask, job: EvaluatedJob): KnownPages | undefined {
  const pages = context.revalidation?.of(walk.config);
  if (pages === undefined || isApartBySecret(context, walk)) return undefined;
  return {
    find(key) {
      const stored = pages.get(key);
      const facts = stored === undefined ? undefined : context.journal.factsOf(stored, job);
      return facts === undefined ? undefined : knownPage(facts);
    },
  };
}

/** Keys of pages have no secrets, so pages of walks that differ only in a secret would be taken for one another. */
const isApartBySecret = ({ secrets }: RunScope['context'], { instance }: WalkTask): boolean =>
  [...instance.values()].some(({ text }) => secrets.mask(text) !== text);

const noNames: ReadonlySet<string> = new Set();
const noRules: readonly ResponseRule[] = [];

/** Adds what the journal needs of a page of the walk. */
const summaryOf =
  ({ client, context }: RunScope, walk: WalkTask, { job, startedAt, increment }: StartedJob) =>
  (page: PageOutcome): PageSummary => {
    const { top, at } = walk;
    const leading = (endpoint: string) => {
      const isTrusted = client.trusts(endpoint);
      return { isTrusted, loginNames: isTrusted ? page.loginNames : noNames };
    };
    const { receipt, fingerprint, next, rows, reached, validated, failed } = page;
    const children = walk.staysHere ? undefined : walk.config.children.length;
    const own = { top, at, job, begun: startedAt, children, leading };
    const summary = { ...own, receipt, fingerprint, next, rows, reached, validated };
    // The next run asks for it by itself, from what the job remembers.
    if (failed === undefined || increment !== undefined) return summary;
    return { ...summary, failed: { task: failed, walk: identityOf(walk, context.jobs) } };
  };
