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
  map,
  merge,
  type Observable,
  of,
  Subject,
  tap,
  throwError,
} from 'rxjs';
import type { Turn } from '../operators/in-turn.js';
import { pull } from '../operators/pull.js';
import { scroll } from '../operators/scroll.js';
import { type Bounds, boundNotice } from './bounds.js';
import type { Budget } from './children/ahead.js';
import { type Instance, instancesOf, noInstance } from './children/instances.js';
import { createLine, type Line } from './children/line.js';
import { neededPaths } from './children/needed-paths.js';
import type { Row } from './children/row.js';
import type { Rows } from './children/rows.js';
import type { Client } from './client.js';
import type { ChildConfig, JobConfig } from './config/config.js';
import type { Engine } from './engine.js';
import { asExtractError } from './errors.js';
import { maskError } from './mask-error.js';
import { directOutput, type Output } from './output.js';
import type { RowPlace } from './state/records.js';
import type { Walk } from './state/walks.js';
import type { Spent, Totals } from './totals.js';
import type { Receipt } from './types.js';
import { createVisits, type Visit, type Visited } from './visit.js';

/** What all walks of a run share. */
export interface Run {
  readonly engine: Engine;
  readonly client: Client;
  readonly totals: Pick<Totals, 'start' | 'spend' | 'add' | 'end' | 'bound' | 'leaveOut' | 'halt'>;
  /** How many walks go side by side: jobs, and children of one page. */
  readonly atOnce: number;
  /** Bounds the requests in flight. */
  readonly slot: Turn;
  readonly budget: Budget;
  readonly bounds: Bounds;
}

/** One walk to be made. */
interface Branch {
  readonly config: JobConfig;
  readonly output: Output;
  /** What its placeholders stand for. */
  readonly instance: Instance;
  /** The rows above it, that of the direct parent first. */
  readonly ancestors: readonly Row[];
  /** The top-level job that it belongs to, and the way from there. */
  readonly top: string;
  readonly at: readonly RowPlace[];
  /** Where an earlier run has left it. */
  readonly from?: Walk | undefined;
}

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

/** Whether no walk of the job may begin any more, which is told then. */
function isBounded({ engine, bounds, totals }: Run, { name }: JobConfig): boolean {
  const reason = bounds.reached(name);
  if (reason === undefined) return false;
  totals.bound(name, reason);
  engine.notify(boundNotice(name, reason));
  return true;
}

/** The children of a page that was taken, then the next page: either may be missing. */
interface Step {
  readonly rows?: Rows | undefined;
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
  const { books } = engine;
  const held = new Set<Rows>();
  const forget = (rows: Rows) => {
    held.delete(rows);
    void engine.inFlight.track(rows.clear());
  };
  const begun = left?.begun ?? asyncScheduler.now();
  const job = client.begin(config, instance, begun);
  const scroller = job.scroller ?? client.scroller;
  const paths = neededPaths(config.children);
  const rows =
    config.children.length === 0 ? undefined : { paths, responseFilter: config.responseFilter, keeper: books?.keeper };
  const lose = (spent: Spent) => totals.spend(config.name, spent);
  const isChild = branch.ancestors.length > 0;
  const visiting = { engine, client, job, output, slot, rows, bounds, isChild, lose };
  const visits = createVisits(visiting, scroller, left?.prints.all());

  /** Waits until the page is written down, if it has reached the sink: then no other page is ever asked for twice than the one under way. */
  const enter = ({ entry, ...visited }: Visited): Observable<never> => {
    if (entry === undefined) return EMPTY;
    const leading = (endpoint: string) => {
      const isTrusted = client.trusts(endpoint);
      return { isTrusted, loginNames: isTrusted ? visited.loginNames : noNames };
    };
    books?.tell(entry, { ...visited, top: branch.top, at: branch.at, job, begun, leading });
    return from(entry.written() ?? []).pipe(ignoreElements());
  };
  const visitPage = (visit: Visit) =>
    visits(visit).pipe(
      tap(({ rows: taken }) => void (taken === undefined || held.add(taken))),
      books === undefined ? identity : concatMap((visited) => concat(enter(visited), of(visited))),
      map(({ receipt, rows: taken, next }) =>
        taken === undefined && next === undefined ? { receipt } : { receipt, next: { rows: taken, page: next } },
      ),
    );
  const descend = (taken: Rows, child: Walk['child']) =>
    walkChildren(run, branch, taken, child).pipe(
      tap((receipt) => below.next(receipt)),
      ignoreElements(),
      finalize(() => forget(taken)),
    );
  const visit = ({ rows: taken, child, page }: Step) =>
    concat(taken === undefined ? EMPTY : descend(taken, child), page === undefined ? EMPTY : visitPage(page));

  const first: Step =
    left === undefined
      ? { page: { request: scroller.first(job), index: 0 } }
      : { rows: books?.rowsOf(left, paths), child: left.child, page: books?.visitOf(left, job) };
  return of(first).pipe(
    scroll(visit),
    map(({ receipt }) => receipt),
    finalize(() => held.forEach(forget)),
  );
}

/** One child job for one row. */
interface Descent {
  readonly branch: Branch;
  /** Passes its receipts once they are in line. */
  readonly around: (receipts: Observable<Receipt>) => Observable<Receipt>;
}

const noNames: ReadonlySet<string> = new Set();

/** `from`: the child that an earlier run was at; those before it are done. */
function walkChildren(run: Run, parent: Branch, rows: Rows, from: Walk['child']): Observable<Receipt> {
  const atOnce = run.bounds.isCounting ? 1 : run.atOnce;
  const line = atOnce === 1 ? undefined : createLine(parent.output, run.budget, run.engine.inFlight);
  const all = descents(run, parent, { rows, line, from });
  return pull(all, ({ branch, around }) => around(walk(run, branch)), atOnce);
}

/** For each child, in order, for each row, for each instance: as many as are asked for. requests.md 6.4. */
async function* descents(run: Run, parent: Branch, { rows, line, from }: Descending): AsyncGenerator<Descent> {
  for await (const { config, row, instance, at } of instancesOfAll(run, parent, rows)) {
    const order = from === undefined ? 1 : compare(at, from.at);
    if (order < 0 || (order > 0 && isBounded(run, config))) continue;
    const place = line?.join();
    const { top, ancestors, output } = parent;
    yield {
      branch: {
        ...{ config, instance, ancestors: [row, ...ancestors], output: place ?? output },
        ...{ top, at: [...parent.at, at], from: order === 0 ? from?.walk : undefined },
      },
      around: place?.around ?? ((receipts) => receipts),
    };
  }
}

interface Descending {
  readonly rows: Rows;
  readonly line: Line | undefined;
  readonly from: Walk['child'];
}

async function* instancesOfAll(run: Run, parent: Branch, rows: Rows) {
  for (const [child, config] of parent.config.children.entries()) {
    let index = 0;
    for await (const row of rows.all()) {
      let number = 0;
      for (const instance of instancesFor(run, parent, config, row)) {
        yield { config, row, instance, at: [child, index, number] as const };
        number += 1;
      }
      index += 1;
    }
  }
}

/** Below 0: the first comes before the second. */
function compare(a: RowPlace, b: RowPlace): number {
  const [difference = 0] = a.map((number, index) => number - (b[index] ?? 0)).filter((each) => each !== 0);
  return difference;
}

function instancesFor(run: Run, parent: Branch, config: ChildConfig, row: Row): Iterable<Instance> {
  try {
    if (config.recursionFilter?.matches(row) === false) {
      run.totals.leaveOut(config.name, config.recursionFilter.absent(row));
      return [];
    }
    return instancesOf(config.placeholders, [row, ...parent.ancestors], parent.instance, run.engine);
  } catch (thrown) {
    throw asExtractError(thrown).at({ job: config.name });
  }
}
