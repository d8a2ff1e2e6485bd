/** Turns measured runs into the result: medians over runs, percentiles over all their pages. */

import { createProgressReporter } from '../../page/progress.js';
import { createLatencies, type Percentiles } from './latencies.js';
import { machineFacts, nanoseconds } from './machine.js';
import type { MeasuredRun } from './measure-run.js';
import { createMeter } from './meter.js';
import { median, quartiles, rounded } from './numbers.js';
import { phases } from './phases.js';
import {
  type BenchResult,
  format,
  type MeasuringCost,
  type RunFigures,
  type SweepRow,
  type Variant,
} from './result.js';
import type { MeasureSettings } from './settings.js';
import type { Trial, TrialRuns } from './trials.js';

export interface BenchFacts {
  readonly settings: MeasureSettings;
  /** Options of the runs as they were given, masked. */
  readonly options: Readonly<Record<string, string>>;
  /** The name of the configuration. */
  readonly label: string;
  /** Epoch ms. */
  readonly startedAt: number;
  /** Masks what the user has written. */
  readonly mask: (text: string) => string;
}

/** Creates the result. */
export function summarize(runs: TrialRuns, { settings, options, label, startedAt, mask }: BenchFacts): BenchResult {
  const [base = [], ...others] = runs.values();
  const swept = [...runs].flatMap(([trial, measured]) => sweepRow(trial, measured));
  return {
    format,
    startedAt: new Date(startedAt).toISOString(),
    machine: machineFacts(),
    configuration: mask(label),
    to: settings.to,
    options,
    warmUp: settings.warmUp,
    repeat: settings.repeat,
    ...variantOf(base),
    measuring: measuringCost([base, ...others].flat()),
    sweeps: Object.fromEntries(
      settings.sweeps.map(({ option }) => [
        option,
        swept.filter((each) => each.option === option).map(({ row }) => row),
      ]),
    ),
  };
}

function sweepRow({ swept }: Trial, measured: readonly MeasuredRun[]) {
  if (swept === undefined) return [];
  const { runs, ...variant } = variantOf(measured);
  const row: SweepRow = { value: swept.value, ...variant, runs: runs.map((run) => ({ ...run, timeline: [] })) };
  return [{ option: swept.option, row }];
}

function variantOf(measured: readonly MeasuredRun[]): Variant {
  const runs = measured.map(({ result }) => result);
  const firstByte = merged(measured, 'firstByte');
  const body = merged(measured, 'body');
  const total = merged(measured, 'total');
  const middle = (name: keyof RunFigures) => rounded(median(runs.map((run) => run[name])));
  return {
    ...figuresOf(middle),
    peakMemoryBytes: Math.max(0, ...runs.map(({ peakMemoryBytes }) => peakMemoryBytes)),
    latency: { firstByte: firstByte.percentiles(), body: body.percentiles(), total: total.percentiles() },
    distribution: { firstByte: firstByte.buckets(), body: body.buckets(), total: total.buckets() },
    shares: meanShares(runs),
    eventLoopDelay: joined(runs.map(({ eventLoopDelay }) => eventLoopDelay)),
    quartiles: figuresOf((name) => {
      const [lower, upper] = quartiles(runs.map((run) => run[name]));
      return [rounded(lower), rounded(upper)] as const;
    }),
    runs,
  };
}

const figuresOf = <T>(of: (name: keyof RunFigures) => T): Readonly<Record<keyof RunFigures, T>> => ({
  itemsPerSecond: of('itemsPerSecond'),
  pagesPerSecond: of('pagesPerSecond'),
  bytesPerSecond: of('bytesPerSecond'),
  seconds: of('seconds'),
  cpuSeconds: of('cpuSeconds'),
  peakMemoryBytes: of('peakMemoryBytes'),
});

function merged(measured: readonly MeasuredRun[], name: 'firstByte' | 'body' | 'total') {
  const all = createLatencies();
  for (const { latencies } of measured) all.add(latencies[name]);
  return all;
}

function meanShares(runs: Variant['runs']): Variant['shares'] {
  const mean = (phase: (typeof phases)[number]) =>
    runs.reduce((sum, { shares }) => sum + shares[phase], 0) / runs.length;
  return Object.fromEntries(phases.map((phase) => [phase, rounded(mean(phase))])) as Variant['shares']; // of all phases
}

/** The medians of the runs, and the largest value of all. */
function joined(delays: readonly Percentiles[]): Percentiles {
  const middle = (name: 'p50' | 'p90' | 'p99') => rounded(median(delays.map((each) => each[name])));
  return {
    count: delays.reduce((sum, { count }) => sum + count, 0),
    p50: middle('p50'),
    p90: middle('p90'),
    p99: middle('p99'),
    max: Math.max(...delays.map(({ max }) => max)),
  };
}

const batches = 20;
const batchCalls = 1000;
/** Create, head and end: what `watchRequests` sees of a request. */
const callsOfRequest = 3;

/** Times calls of a meter, warm as those of the runs are by now. */
function measuringCost(measured: readonly MeasuredRun[]): MeasuringCost {
  const reporter = createProgressReporter('', 0, createMeter(nanoseconds).onActivity);
  const times = Array.from({ length: batches }, () => {
    const begun = nanoseconds();
    for (let call = 0; call < batchCalls; call += 2) {
      reporter.commits();
      reporter.limit(0);
    }
    return (nanoseconds() - begun) / batchCalls;
  });
  // The least: other work on the machine only makes a batch slower.
  const nanosecondsPerCall = rounded(Math.min(...times));
  const calls = measured.reduce(
    (sum, { reading, result }) => sum + reading.calls + callsOfRequest * result.requests,
    0,
  );
  const seconds = measured.reduce((sum, { result }) => sum + result.seconds, 0);
  return { calls, nanosecondsPerCall, share: rounded((calls * nanosecondsPerCall) / (seconds * 1e9)) };
}
