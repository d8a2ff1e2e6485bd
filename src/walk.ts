/** The walk of a job, and below it those of its children for each item of each page: one observable of receipts. */
import {
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
import type { Spent, Totals } from './totals.js';
import type { Receipt } from './types.js';
import { createVisits, type Visit } from './visit.js';

/** What all walks of a run share. */
export interface Run {
  readonly engine: Engine;
  readonly client: Client;
  readonly totals: Pick<Totals, 'start' | 'spend' | 'add' | 'end' | 'bound' | 'halt'>;
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
}

/** Walks a top-level job. Errors are masked; they halt the totals of the job. Pages are added up as their receipts come: once the sink has them. */
export const walkJob = (run: Run, config: JobConfig): Observable<Receipt> =>
  defer(() => {
    if (isBounded(run, config)) return EMPTY;
    const branch = { config, output: directOutput(run.engine), instance: noInstance, ancestors: [] };
    return walk(run, branch).pipe(tap((receipt) => run.totals.add(receipt)));
  });

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
  const { config, output, instance } = branch;
  const held = new Set<Rows>();
  const forget = (rows: Rows) => {
    held.delete(rows);
    void engine.inFlight.track(rows.clear());
  };
  const job = client.begin(config, instance);
  const scroller = job.scroller ?? client.scroller;
  const rows =
    config.children.length === 0
      ? undefined
      : { paths: neededPaths(config.children), responseFilter: config.responseFilter };
  const lose = (spent: Spent) => totals.spend(config.name, spent);
  const visits = createVisits(
    { engine, client, job, output, slot, rows, bounds, isChild: branch.ancestors.length > 0, lose },
    scroller,
  );

  const visitPage = (visit: Visit) =>
    visits(visit).pipe(
      map(({ receipt, rows: taken, next }) => {
        if (taken !== undefined) held.add(taken);
        return taken === undefined && next === undefined ? { receipt } : { receipt, next: { rows: taken, page: next } };
      }),
    );
  const descend = (taken: Rows) =>
    walkChildren(run, branch, taken).pipe(
      tap((receipt) => below.next(receipt)),
      ignoreElements(),
      finalize(() => forget(taken)),
    );
  const visit = ({ rows: taken, page }: Step) =>
    concat(taken === undefined ? EMPTY : descend(taken), page === undefined ? EMPTY : visitPage(page));

  const first: Step = { page: { request: scroller.first(job), index: 0 } };
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

function walkChildren(run: Run, parent: Branch, rows: Rows): Observable<Receipt> {
  const atOnce = run.bounds.isCounting ? 1 : run.atOnce;
  const line = atOnce === 1 ? undefined : createLine(parent.output, run.budget, run.engine.inFlight);
  return pull(descents(run, parent, rows, line), ({ branch, around }) => around(walk(run, branch)), atOnce);
}

/** For each child, in order, for each row, for each instance: as many as are asked for. requests.md 6.4. */
async function* descents(run: Run, parent: Branch, rows: Rows, line: Line | undefined): AsyncGenerator<Descent> {
  for (const config of parent.config.children) {
    for await (const row of rows.all()) {
      for (const instance of instancesFor(run, parent, config, row)) {
        if (isBounded(run, config)) break;
        const place = line?.join();
        yield {
          branch: { config, instance, ancestors: [row, ...parent.ancestors], output: place ?? parent.output },
          around: place?.around ?? ((receipts) => receipts),
        };
      }
    }
  }
}

function instancesFor(run: Run, parent: Branch, config: ChildConfig, row: Row): Iterable<Instance> {
  try {
    if (config.recursionFilter?.matches(row) === false) return [];
    return instancesOf(config.placeholders, [row, ...parent.ancestors], parent.instance, run.engine);
  } catch (thrown) {
    throw asExtractError(thrown).at({ job: config.name });
  }
}
