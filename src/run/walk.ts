/** The walk of a job, and below it those of its children for each item of each page: one observable of receipts. */
import {
  asyncScheduler,
  catchError,
  concat,
  concatMap,
  defer,
  EMPTY,
  finalize,
  from,
  identity,
  ignoreElements,
  type MonoTypeOperatorFunction,
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
import type { Walk } from '../checkpoint/walks.js';
import type { JobConfig } from '../config/config.js';
import { asExtractError } from '../core/errors/errors.js';
import type { Job } from '../core/model/job.js';
import type { Spent } from '../core/model/job-stats.js';
import type { Receipt } from '../core/model/page.js';
import { maskError } from '../core/secrets/mask-error.js';
import { noInstance } from '../http/instances.js';
import type { Visit } from '../page/page-task.js';
import type { Rows } from '../page/stages/child-rows.js';
import type { Scroller } from '../pagination/types.js';
import { type Descending, descents } from './child-walks.js';
import type { InFlight } from './drain.js';
import { createVisits } from './fetch-page.js';
import { neededPaths } from './needed-paths.js';
import { createLine } from './ordered-output.js';
import type { Visited } from './page-context.js';
import { directOutput } from './page-target.js';
import { type Branch, isBounded, type Run } from './walk-context.js';

/**
 * Walks a top-level job, or the rest of it that an earlier run has left. Errors are masked; they halt the totals of the job. Pages are added
 * up as their receipts come: once the sink has them.
 */
export function walkJob(run: Run, config: JobConfig): Observable<Receipt> {
  const { name } = config;
  return defer(() => {
    const { books } = run.engine;
    const from = books?.walkOf(name);
    if (from === 'over' || (from === undefined && isBounded(run, config))) return EMPTY;
    const branch: Branch = {
      ...{ config, output: directOutput(run.engine), instance: noInstance, ancestors: [] },
      ...{ top: name, at: [], from },
    };
    return walk(run, branch).pipe(
      tap({ next: (receipt) => run.totals.add(receipt), complete: () => books?.over(name) }),
    );
  });
}

/** The children of a page that was taken, then the next page: either may be missing. */
interface Step {
  readonly rows?: Rows | undefined;
  /** The index of that page; absent: an earlier run has read it. */
  readonly index?: number;
  /** The child that an earlier run was at. */
  readonly child?: Walk['child'];
  readonly page?: Visit | undefined;
}

function walk(run: Run, branch: Branch): Observable<Receipt> {
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

/** Receipts of children go to `below` on their way: the recursion over pages is not to keep them. */
function walkPages(run: Run, branch: Branch, below: Subject<Receipt>): Observable<Receipt> {
  const { engine, client, slot, bounds, totals } = run;
  const { config, output, instance, from: left } = branch;
  const begun = left?.begun ?? asyncScheduler.now();
  const job = client.begin(config, instance, begun);
  const scroller = job.scroller ?? client.scroller;
  const lose = (spent: Spent) => totals.spend(config.name, spent);
  const rows = rowsOptions(run, config);
  const isChild = branch.ancestors.length > 0;
  const visiting = { engine, client, job, output, slot, rows, bounds, isChild, lose };
  const visits = createVisits(visiting, scroller, left?.prints.toText());
  const held = createHeld(engine.inFlight);

  const visitPage = (visit: Visit) =>
    visits(visit).pipe(
      tap(({ rows: taken }) => held.add(taken)),
      onceEntered(run, branch, { job, begun }),
      map(({ receipt, rows: taken, next }) =>
        taken === undefined && next === undefined
          ? { receipt }
          : { receipt, next: { rows: taken, index: receipt.index, page: next } },
      ),
    );
  const descend = (taken: Rows, { child, index }: Step) =>
    walkChildren(run, branch, { rows: taken, from: child, page: index }).pipe(
      tap((receipt) => below.next(receipt)),
      ignoreElements(),
      finalize(() => held.forget(taken)),
    );
  const visit = (step: Step) => {
    const { rows: taken, page } = step;
    return concat(taken === undefined ? EMPTY : descend(taken, step), page === undefined ? EMPTY : visitPage(page));
  };

  return of(firstStep(run, branch, job, scroller)).pipe(
    scroll(visit),
    map(({ receipt }) => receipt),
    finalize(held.forgetAll),
  );
}

function rowsOptions({ engine }: Run, { children, responseFilter }: JobConfig) {
  if (children.length === 0) return undefined;
  return { paths: neededPaths(children), responseFilter, keeper: engine.books?.keeper };
}

/** Where the walk begins, or goes on. */
function firstStep({ engine: { books } }: Run, { config, from: left }: Branch, job: Job, scroller: Scroller): Step {
  if (left === undefined) return { page: { request: scroller.first(job), index: 0 } };
  return {
    rows: books?.rowsOf(left, neededPaths(config.children)),
    child: left.child,
    page: books?.visitOf(left, job),
  };
}

/** The rows of pages whose children are not through: a walk that ends early leaves none behind. */
function createHeld(inFlight: InFlight) {
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

interface Begun {
  readonly job: Job;
  /** Epoch ms. */
  readonly begun: number;
}

/** Waits until the page is written down, if it has reached the sink: then no other page is ever asked for twice than the one under way. */
function onceEntered(
  { engine: { books }, client }: Run,
  { top, at }: Branch,
  { job, begun }: Begun,
): MonoTypeOperatorFunction<Visited> {
  if (books === undefined) return identity;
  return concatMap((visited) => {
    const { entry, ...page } = visited;
    if (entry === undefined) return of(visited);
    const leading = (endpoint: string) => {
      const isTrusted = client.trusts(endpoint);
      return { isTrusted, loginNames: isTrusted ? page.loginNames : noNames };
    };
    books.tell(entry, { ...page, top, at, job, begun, leading });
    return concat(from(entry.written() ?? []).pipe(ignoreElements()), of(visited));
  });
}

const noNames: ReadonlySet<string> = new Set();

function walkChildren(run: Run, parent: Branch, below: Omit<Descending, 'line'>): Observable<Receipt> {
  const atOnce = run.bounds.isCounting ? 1 : run.atOnce;
  const line = atOnce === 1 ? undefined : createLine(parent.output, run.budget, run.engine.inFlight);
  const all = descents(run, parent, { ...below, line });
  return pull(all, ({ branch, around }) => around(walk(run, branch)), atOnce);
}
