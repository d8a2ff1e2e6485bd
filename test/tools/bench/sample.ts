/** A result for tests of tables and pages: three runs of ten pages. */
import type { Percentiles } from '../../../src/tools/bench/latencies.js';
import { type BenchResult, format, type RunResult, type SweepRow } from '../../../src/tools/bench/result.js';

const times: Percentiles = { count: 30, p50: 12.5, p90: 20, p99: 31, max: 40 };
const latency = { firstByte: times, body: times, total: times };
const shares = {
  scanning: 0.1,
  sink: 0,
  receiving: 0.05,
  login: 0,
  waiting: 0.8,
  limit: 0,
  retry: 0,
  engine: 0.05,
};

const runOf = (itemsPerSecond: number): RunResult => ({
  ...{ seconds: 1, itemsPerSecond, pagesPerSecond: 10, bytesPerSecond: 3e6, cpuSeconds: 0.2, peakMemoryBytes: 90e6 },
  ...{ pages: 10, items: 1000, bytes: 3e6, requests: 10, retries: 0 },
  latency,
  shares,
  eventLoopDelay: times,
  timeline: [
    [0, 80e6, 20e6, 0, 0],
    [0.5, 90e6, 21e6, 500, 15e5],
    [1, 90e6, 21e6, 1000, 3e6],
  ],
});

/** Rates scale with `speed`; 1 is 1,000 items/s. */
export function resultOf(more: Partial<BenchResult> = {}, speed = 1): BenchResult {
  const rate = 1000 * speed;
  return {
    format,
    startedAt: '2026-11-22T12:00:00.000Z',
    machine: { rxtract: '0.1.0', node: 'v20.0.0', platform: 'linux x64', cpu: 'cpu', cores: 2, memoryBytes: 8e9 },
    configuration: 'config.json',
    to: ['null:'],
    options: {},
    ...{ warmUp: 1, repeat: 3 },
    ...runOf(rate),
    distribution: { firstByte: [[10, 20]], body: [], total: [[12.5, 20]] },
    quartiles: {
      itemsPerSecond: [rate * 0.95, rate * 1.05],
      pagesPerSecond: [9, 11],
      bytesPerSecond: [2e6, 4e6],
      seconds: [1 / speed, 1.1 / speed],
      cpuSeconds: [0.19, 0.21],
      peakMemoryBytes: [89e6, 90e6],
    },
    runs: [runOf(rate), runOf(rate * 0.9), runOf(rate * 1.1)],
    measuring: { calls: 1000, nanosecondsPerCall: 150, share: 0.001 },
    sweeps: {},
    ...more,
  };
}

/** A row of a sweep, of so many times the rate. */
export function rowOf(value: string, speed: number): SweepRow {
  const { latency, distribution, shares, eventLoopDelay, quartiles, runs, ...figures } = resultOf({}, speed);
  return { value, ...figures, latency, distribution, shares, eventLoopDelay, quartiles, runs };
}
