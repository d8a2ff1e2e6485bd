/** The result of `rxtract bench`: what `--json` writes, `--report` shows and `--compare` reads. */
import type { Bucket, Percentiles } from './latencies.js';
import type { MachineFacts } from './machine.js';
import type { Quartiles } from './numbers.js';
import type { RunPhase } from './phases.js';

/** Changes when a reader of an older result could misread a newer one. */
export const format = 'rxtract-bench/1';

export interface RunLatency {
  readonly firstByte: Percentiles;
  readonly body: Percentiles;
  readonly total: Percentiles;
}

/** RunFigures that each run has. Rates are for the whole run, from its first request to closed sinks. */
export interface RunFigures {
  readonly seconds: number;
  readonly itemsPerSecond: number;
  readonly pagesPerSecond: number;
  /** Bytes of the bodies, decoded. */
  readonly bytesPerSecond: number;
  /** Of all threads of the process. */
  readonly cpuSeconds: number;
  readonly peakMemoryBytes: number;
}

export interface RunResult extends RunFigures {
  readonly pages: number;
  readonly items: number;
  readonly bytes: number;
  readonly requests: number;
  readonly retries: number;
  readonly latency: RunLatency;
  /** Shares of `seconds`; together 1. */
  readonly shares: Readonly<Record<RunPhase, number>>;
  /** How late timers fire, in ms. */
  readonly eventLoopDelay: Percentiles;
  readonly timeline: readonly TimelinePoint[];
}

/** A moment of a run: `[seconds, resident bytes, heap bytes, items so far, bytes of bodies so far]`. */
export type TimelinePoint = readonly [seconds: number, resident: number, heap: number, items: number, bytes: number];

/** Several runs with the same options: medians, and percentiles over all their pages. */
export interface Variant extends RunFigures {
  readonly latency: RunLatency;
  readonly distribution: Readonly<Record<keyof RunLatency, readonly Bucket[]>>;
  readonly shares: Readonly<Record<RunPhase, number>>;
  readonly eventLoopDelay: Percentiles;
  readonly quartiles: Readonly<Record<keyof RunFigures, Quartiles>>;
  readonly runs: readonly RunResult[];
}

/** What the measuring itself cost, estimated from the time of its calls. */
export interface MeasuringCost {
  readonly calls: number;
  readonly nanosecondsPerCall: number;
  /** Of the time of the runs. */
  readonly share: number;
}

export interface SweepRow extends Variant {
  readonly value: string;
}

export interface BenchResult extends Variant {
  readonly format: typeof format;
  /** ISO 8601. */
  readonly startedAt: string;
  readonly machine: MachineFacts;
  /** The name of the configuration, or the shape of the generated API. */
  readonly configuration: string;
  /** Schemes of the sinks. */
  readonly to: readonly string[];
  readonly options: Readonly<Record<string, string>>;
  readonly warmUp: number;
  readonly repeat: number;
  readonly measuring: MeasuringCost;
  /** By option: a row for each value. */
  readonly sweeps: Readonly<Record<string, readonly SweepRow[]>>;
}

export const figureNames = [
  'itemsPerSecond',
  'pagesPerSecond',
  'bytesPerSecond',
  'seconds',
  'cpuSeconds',
  'peakMemoryBytes',
] as const satisfies readonly (keyof RunFigures)[];
