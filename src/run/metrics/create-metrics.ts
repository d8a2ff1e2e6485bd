/** The metrics of runs. docs/20-watching.md#metrics. */
import { setTimeout as sleep } from 'node:timers/promises';
import { asyncScheduler } from 'rxjs';
import type { OpenRun } from '../../checkpoint/board/board.js';
import { ExtractError } from '../../core/errors/errors.js';
import { usageError } from '../../core/util/check-value.js';
import { remember } from '../../core/util/remember.js';
import type { Observe } from '../../http/observer.js';
import { watchingAttempts } from '../../page/attempt-meter.js';
import { JobMetrics } from './job-metrics.js';
import { type MetricName, metricRows } from './metric-rows.js';
import { SeriesMap } from './points.js';
import { createRegistry, type PrometheusRegistry, register } from './prometheus.js';
import { createTotals, type MetricReadings, readingsOf } from './readings.js';
import { createRequestMetrics } from './request-metrics.js';

export interface MetricsOptions {
  /** A registry of prom-client to add the metrics to; absent: a new one. */
  readonly registry?: PrometheusRegistry;
}

/** The metrics of all runs that have them as an observer. */
export interface Metrics extends Observe {
  readonly registry: PrometheusRegistry;
}

/** What rxtract itself reads of metrics. */
export interface ReadMetrics extends Metrics {
  readonly readings: MetricReadings;
  /** Epoch ms: when counting began. */
  readonly since: number;
  /** Has the runs of a board too, until the result is called. `mostMs`: a later answer is not waited for. */
  watchBoard(read: ReadRuns, mostMs?: number): () => void;
  /** Asks the board, if there is one: called before each reading. */
  refresh(): Promise<void>;
}

type ReadRuns = () => Promise<readonly OpenRun[]>;

const usualMost = 2000;

/** The internal view. Throws ERR_USAGE for an object that is none. */
export function readable(given: Metrics): ReadMetrics {
  if ('readings' in given && 'since' in given) return given as ReadMetrics; // made by `createMetrics`
  throw usageError('metricsPush: expected the result of createMetrics() of rxtract');
}

/** Loads prom-client, and makes metrics without values. Rejects with ERR_USAGE if it is not installed. */
export async function createMetrics({ registry }: MetricsOptions = {}): Promise<Metrics> {
  return metricsIn(registry ?? (await createRegistry()), () => Number(process.hrtime.bigint()));
}

/** `now`: nanoseconds from any start. */
export function metricsIn(registry: PrometheusRegistry, now: () => number): ReadMetrics {
  const totals = createTotals();
  const jobs = new Map<string, JobMetrics>();
  const moments = new Map<string, number>();
  const requests = createRequestMetrics(now);
  const runs = new SeriesMap(() => 0);
  let running = 0;
  const board = createBoardWatch();
  const counted = { totals, jobs, moments, requests, runs, running: () => running };
  const readings = readingsOf({ ...counted, openRuns: board.runs });
  for (const name of Object.keys(metricRows) as MetricName[]) register(registry, metricRows[name], readings[name]);
  const jobOf = (name: string): JobMetrics => {
    const job = jobs.get(name) ?? new JobMetrics(now);
    jobs.set(name, job);
    return job;
  };

  return {
    registry,
    readings,
    since: asyncScheduler.now(),
    watchBoard: board.watch,
    refresh: board.refresh,
    observer(mask) {
      // Runs of one extraction may overlap: they have the same totals.
      const nameOf = remember(mask);
      let begun = 0;
      let close = () => {};
      return {
        onActivity: watchingAttempts((job) => jobOf(nameOf(job)).attempt()),
        begin(run) {
          if (begun === 0) close = totals.open(run.jobs, mask);
          begun += 1;
          running += 1;
        },
        end(failure) {
          const outcome = outcomeOf(failure);
          runs.of(outcome, () => ({ 'rxtract.outcome': outcome })).value += 1;
          // Its sinks could not be opened.
          if (begun === 0) return;
          begun -= 1;
          running -= 1;
          if (begun === 0) close();
        },
        job: requests.jobs(nameOf),
        login: requests.login,
        remembers(values) {
          for (const { job, at } of values) moments.set(mask(job), at);
        },
      };
    },
  };
}

const noRuns: ReadRuns = async () => [];

/** The runs of a board, as it has answered last. A board that does not answer in time has none. */
function createBoardWatch() {
  let runs: readonly OpenRun[] = [];
  let ask = noRuns;
  let most = 0;
  return {
    runs: () => runs,
    watch(read: ReadRuns, mostMs = usualMost) {
      ask = read;
      most = mostMs;
      return () => {
        ask = noRuns;
      };
    },
    async refresh() {
      const answered = new AbortController();
      const late = sleep(most, [], { signal: answered.signal, ref: false }).catch(() => []);
      runs = await Promise.race([ask().catch(() => []), late]);
      answered.abort();
    },
  };
}

const outcomeOf = (failure: unknown): string => {
  if (failure === undefined) return 'success';
  return failure instanceof ExtractError && failure.code === 'ERR_ABORTED' ? 'interrupted' : 'failure';
};
