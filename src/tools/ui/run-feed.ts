/** What a run does, for the page: figures every quarter of a second, the state of each job, and its log. */
import { asyncScheduler, timer } from 'rxjs';
import type { JobSummary } from '../../core/model/job-stats.js';
import type { RequestsWatch } from '../../core/model/request-watch.js';
import { remember } from '../../core/util/remember.js';
import type { JobWatch, Observe, PageWatch } from '../../http/observer.js';
import { watchingAttempts } from '../../page/attempt-meter.js';
import { type Activity, listeningTogether } from '../../page/progress.js';
import { notStarted, running } from '../../run/job-stats.js';
import { JobMetrics, waitCauses } from '../../run/metrics/job-metrics.js';
import { describeState } from '../live/state.js';
import type { PageRunHead, PageRunLine, PageRunRow, PageRunTick } from './page-messages.js';

export interface RunFeed extends Observe {
  /** A run begins; the one before is forgotten. */
  open(label: string): void;
  /** A line of its log, masked. */
  log(line: string): void;
  /** It is being interrupted. */
  stopping(): void;
  /** It has ended. */
  finish(exit: number): void;
  isRunning(): boolean;
  /** The run so far, then what follows. Ends after `close`. */
  watch(signal: AbortSignal): AsyncGenerator<PageRunLine>;
  /** No more follows. */
  close(): void;
}

const tickMs = 250;
/** More are thinned out: every second one is left. */
const mostTicks = 4000;
/** Earlier ones are forgotten. */
const mostLines = 100_000;
/** Of one message. */
const linesAtOnce = 5000;

interface Run {
  head: PageRunHead;
  ticks: PageRunTick[];
  readonly lines: string[];
  /** Lines that are forgotten. */
  dropped: number;
  readonly rows: Map<string, PageRunRow>;
  readonly changes: Map<string, number>;
  changed: number;
}

const newRun = (head: PageRunHead): Run => ({
  head,
  ticks: [],
  lines: [],
  dropped: 0,
  rows: new Map(),
  changes: new Map(),
  changed: 0,
});

/** Times come from `asyncScheduler`. */
export function createRunFeed(): RunFeed {
  const now = () => asyncScheduler.now();
  let run = newRun({ id: 0, label: '', startedAt: 0, status: 'idle' });
  const news = createNews();
  let isClosed = false;
  let meter = createRunMeter(now);
  let stopTicks = () => {};
  const change = (head: Partial<PageRunHead>) => {
    run.head = { ...run.head, ...head };
    news.announce();
  };
  const tick = () => {
    takeRows(run, meter.rows());
    run.ticks.push(meter.tick(now() - run.head.startedAt));
    if (run.ticks.length > mostTicks) run.ticks = run.ticks.filter((_, index) => index % 2 === 0);
    news.announce();
  };
  return {
    open(label) {
      stopTicks();
      meter = createRunMeter(now);
      run = newRun({ id: run.head.id + 1, label, startedAt: now(), status: 'running' });
      const ticks = timer(tickMs, tickMs).subscribe(tick);
      stopTicks = () => ticks.unsubscribe();
      news.announce();
    },
    log: (line) => addLine(run, line),
    stopping: () => change({ status: 'stopping' }),
    finish(exit) {
      stopTicks();
      tick();
      change({ status: 'ended', exit, endedAt: now() });
    },
    isRunning: () => run.head.status === 'running' || run.head.status === 'stopping',
    async *watch(signal) {
      const gone = new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
      const cursor = { id: -1, at: -1, line: 0, change: 0 };
      while (!signal.aborted) {
        const next = news.next();
        const { line, isWhole } = partAfter(run, cursor);
        yield line;
        if (!isWhole) continue;
        if (isClosed) return;
        await Promise.race([next, gone]);
      }
    },
    close() {
      isClosed = true;
      news.announce();
    },
    observer: (mask) => meter.observer(mask),
  };
}

interface Cursor {
  id: number;
  at: number;
  line: number;
  change: number;
}

/** What a reader has not got yet, and whether that is all. */
function partAfter(run: Run, cursor: Cursor): { readonly line: PageRunLine; readonly isWhole: boolean } {
  const { head, ticks, lines, dropped, rows, changes, changed } = run;
  const isNew = cursor.id !== head.id;
  if (isNew) Object.assign(cursor, { id: head.id, at: -1, line: 0, change: 0 });
  const first = Math.max(0, cursor.line - dropped);
  const log = lines.slice(first, first + linesAtOnce);
  const jobs = [...rows.values()].filter((row) => (changes.get(keyOf(row)) ?? 0) > cursor.change);
  const line: PageRunLine = { isNew, head, ticks: ticks.filter(({ at }) => at > cursor.at), jobs, log };
  cursor.at = ticks.at(-1)?.at ?? -1;
  cursor.line = dropped + first + log.length;
  cursor.change = changed;
  return { line, isWhole: first + log.length >= lines.length };
}

function addLine(run: Run, line: string): void {
  run.lines.push(line);
  if (run.lines.length <= mostLines * 1.1) return;
  run.dropped += run.lines.length - mostLines;
  run.lines.splice(0, run.lines.length - mostLines);
}

/** Promises of what comes next. */
function createNews() {
  let resolve = () => {};
  let promise = new Promise<void>(() => {});
  const renew = () => {
    promise = new Promise((own) => {
      resolve = own;
    });
  };
  renew();
  return {
    next: () => promise,
    announce() {
      resolve();
      renew();
    },
  };
}

/** Children of several jobs may have one name. */
const keyOf = ({ job, parent = '' }: PageRunRow): string => `${parent}\n${job}`;

function takeRows(run: Run, rows: readonly PageRunRow[]): void {
  run.changed += 1;
  for (const row of rows) {
    const key = keyOf(row);
    if (JSON.stringify(run.rows.get(key)) === JSON.stringify(row)) continue;
    run.rows.set(key, row);
    run.changes.set(key, run.changed);
  }
}

/** Counts of one run, in plain numbers. */
function createRunMeter(now: () => number) {
  const pages = new JobMetrics(() => Number(process.hrtime.bigint()));
  const activities = new Map<string, { readonly activity: Activity; readonly at: number }>();
  const requests = createRequestCounts(now);
  let jobs: () => readonly JobSummary[] = () => [];
  let nameOf = (name: string) => name;
  const rows = () => {
    const all = jobs();
    const parents = new Set(all.map(({ parent }) => parent));
    return all.map((each) => rowOf(each, parents.has(each.job), activities.get(each.job), { nameOf, now }));
  };
  const waiting = () => Object.fromEntries(waitCauses.map((cause) => [cause, pages.waiting(cause)]));
  return {
    rows,
    tick: (at: number): PageRunTick => {
      const sum = (name: 'items' | 'retries') => jobs().reduce((total, each) => total + each[name], 0);
      return { at, items: sum('items'), received: pages.received, waits: waiting(), ...requests.take() };
    },
    observer(mask: (text: string) => string): ReturnType<Observe['observer']> {
      nameOf = remember(mask);
      const noteActivity = (activity: Activity) => void activities.set(activity.job, { activity, at: now() });
      const { request } = requests;
      const page: PageWatch = { request, commit: () => ({ ends() {} }), succeeds() {}, fails() {} };
      const job: JobWatch = { request, job: () => job, page: () => page, ends() {} };
      return {
        onActivity: listeningTogether([watchingAttempts(() => pages.attempt()), noteActivity]),
        begin(run) {
          jobs = run.jobs;
        },
        end() {},
        job: () => job,
        login: () => ({ request, succeeds() {}, fails() {} }),
        remembers() {},
      };
    },
  };
}

interface RowContext {
  readonly nameOf: (name: string) => string;
  readonly now: () => number;
}

function rowOf(
  { job, parent, stop, items, pages, requests, retries, bytes }: JobSummary,
  hasChildren: boolean,
  latest: { readonly activity: Activity; readonly at: number } | undefined,
  { nameOf, now }: RowContext,
): PageRunRow {
  const phase: PageRunRow['phase'] = stop === notStarted ? 'waiting' : stop === running ? 'running' : 'done';
  const activity = latest && { ...latest.activity, quietMs: now() - latest.at };
  const counts = { pages, items, bytes, retries, rate: undefined, elapsedMs: undefined };
  const [state = ''] = describeState({
    name: job,
    phase,
    ...counts,
    stop,
    hasChildren,
    isChild: parent !== undefined,
    ...(activity && { activity }),
  }).texts;
  const shown = { items, pages, requests, retries, bytes, phase, state: phase === 'done' ? nameOf(stop) : state };
  return { job: nameOf(job), ...(parent === undefined ? {} : { parent: nameOf(parent) }), ...shown };
}

/** Of one tick. */
const mostDelays = 10_000;

/** Counts requests, and measures the time to the head of each response since the last tick. */
function createRequestCounts(now: () => number) {
  let inFlight = 0;
  let sent = 0;
  let delays: number[] = [];
  const request: RequestsWatch['request'] = () => {
    const begun = now();
    inFlight += 1;
    sent += 1;
    return {
      responds() {
        if (delays.length < mostDelays) delays.push(now() - begun);
      },
      ends() {
        inFlight -= 1;
      },
    };
  };
  const take = (): Pick<PageRunTick, 'inFlight' | 'requests' | 'p50' | 'p95'> => {
    const sorted = delays.sort((a, b) => a - b);
    delays = [];
    const at = (share: number) => sorted[Math.floor(share * (sorted.length - 1))] ?? null;
    return { inFlight, requests: sent, p50: at(0.5), p95: at(0.95) };
  };
  return { request, take };
}
