/** The values of all metrics, at the moment of reading. */
import { asyncScheduler } from 'rxjs';
import type { OpenRun } from '../../checkpoint/board/board.js';
import type { JobSummary } from '../../core/model/job-stats.js';
import { type JobMetrics, type WaitCause, waitCauses } from './job-metrics.js';
import type { MetricName } from './metric-rows.js';
import type { MetricPoint, SeriesMap } from './points.js';
import type { RequestMetrics } from './request-metrics.js';

export type MetricReadings = Readonly<Record<MetricName, () => readonly MetricPoint[]>>;

interface Sources {
  readonly totals: Totals;
  readonly jobs: ReadonlyMap<string, JobMetrics>;
  /** By job, in epoch ms. */
  readonly moments: ReadonlyMap<string, number>;
  readonly requests: RequestMetrics;
  readonly runs: SeriesMap<number>;
  readonly running: () => number;
  /** Of the board that was asked last. */
  readonly openRuns: () => readonly OpenRun[];
}

export function readingsOf({ totals, jobs, moments, requests: api, runs, running, openRuns }: Sources): MetricReadings {
  const at = (job: string, value: MetricPoint['value']) => ({ attributes: { 'rxtract.job': job }, value });
  const ofTotals = (value: (sums: JobTotals) => number) => () =>
    [...totals.read()].map(([job, sums]) => at(job, value(sums)));
  const ofJobs = (value: (metrics: JobMetrics) => MetricPoint['value']) => () =>
    [...jobs].map(([job, metrics]) => at(job, value(metrics)));
  const { requests, duration, firstByte, active, logins, expiries } = api;
  return {
    items: ofTotals(({ items }) => items),
    itemBytes: ofTotals(({ bytes }) => bytes),
    pages: ofTotals(({ pages }) => pages),
    leftOut: ofTotals(({ skipped }) => skipped),
    received: ofJobs(({ received }) => received),
    retries: ofJobs(({ retries }) => retries),
    waited: byCause(jobs, (metrics, cause) => metrics.waited(cause)),
    waiting: byCause(jobs, (metrics, cause) => metrics.waiting(cause)),
    pageDuration: ofJobs(({ pageDuration }) => pageDuration),
    commitDuration: ofJobs(({ commitDuration }) => commitDuration),
    lagItems: ofJobs(({ lagItems }) => lagItems),
    lagBytes: ofJobs(({ lagBytes }) => lagBytes),
    requests,
    duration,
    firstByte,
    active,
    logins,
    credential: () =>
      [...expiries].map(([host, expiry]) => ({
        attributes: { 'server.address': host },
        value: Math.max(0, secondsTo(expiry)),
      })),
    remembered: () => [...moments].map(([job, moment]) => at(job, -secondsTo(moment))),
    runs: () => runs.all(),
    running: () => [{ attributes: {}, value: running() }],
    ...ofBoard(openRuns),
    memory: () => [{ attributes: {}, value: process.memoryUsage.rss() }],
    cpu: () =>
      Object.entries(process.cpuUsage()).map(([mode, micros]) => ({
        attributes: { 'cpu.mode': mode },
        value: micros / 1e6,
      })),
  };
}

const ofBoard = (openRuns: Sources['openRuns']): Pick<MetricReadings, 'tasks' | 'longestLease'> => ({
  tasks: () =>
    openRuns().flatMap(({ name, tasks }) =>
      Object.entries(tasks).map(([state, value]) => ({
        attributes: { 'rxtract.run': name, 'rxtract.task.state': state },
        value,
      })),
    ),
  longestLease: () =>
    openRuns().flatMap(({ name, longestLease }) =>
      longestLease === undefined ? [] : [{ attributes: { 'rxtract.run': name }, value: longestLease / 1000 }],
    ),
});

const byCause =
  (jobs: Sources['jobs'], value: (metrics: JobMetrics, cause: WaitCause) => number) => (): readonly MetricPoint[] =>
    [...jobs].flatMap(([job, metrics]) =>
      waitCauses.map((cause) => ({
        attributes: { 'rxtract.job': job, 'rxtract.cause': cause },
        value: value(metrics, cause),
      })),
    );

const secondsTo = (moment: number): number => (moment - asyncScheduler.now()) / 1000;

export interface Totals {
  read(): ReadonlyMap<string, JobTotals>;
  /** Opens the totals of a run; the result closes them. */
  open(jobs: () => readonly JobSummary[], mask: Mask): () => void;
}

interface JobTotals {
  readonly items: number;
  readonly bytes: number;
  readonly pages: number;
  readonly skipped: number;
}

/** The totals of jobs over all runs of this process. What a resume takes over is not counted again. */
export function createTotals(): Totals {
  const finished = new Map<string, JobTotals>();
  const open = new Set<(sums: Map<string, JobTotals>) => void>();
  return {
    read() {
      const sums = new Map(finished);
      for (const add of open) add(sums);
      return sums;
    },
    open(jobs, mask) {
      const before = jobs();
      const add = (sums: Map<string, JobTotals>) => {
        addTotals(sums, jobs(), mask, 1);
        addTotals(sums, before, mask, -1);
      };
      open.add(add);
      return () => {
        open.delete(add);
        add(finished);
      };
    },
  };
}

type Mask = (text: string) => string;

const none: JobTotals = { items: 0, bytes: 0, pages: 0, skipped: 0 };

function addTotals(sums: Map<string, JobTotals>, jobs: readonly JobSummary[], mask: Mask, sign: 1 | -1): void {
  for (const { job, items, bytes, pages, skipped = 0 } of jobs) {
    const name = mask(job);
    const known = sums.get(name) ?? none;
    sums.set(name, {
      items: known.items + sign * items,
      bytes: known.bytes + sign * bytes,
      pages: known.pages + sign * pages,
      skipped: known.skipped + sign * skipped,
    });
  }
}
