/**
 * The clock, the memory and the event loop of this process, for measurements. With shell.ts and the server, the only
 * files of the command that use `process`.
 */
import { availableParallelism, cpus, totalmem } from 'node:os';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { version } from '../../core/util/version.js';
import type { Percentiles } from './latencies.js';
import { rounded } from './numbers.js';

/** Where a measurement was made. */
export interface MachineFacts {
  readonly rxtract: string;
  readonly node: string;
  readonly platform: string;
  readonly cpu: string;
  readonly cores: number;
  readonly memoryBytes: number;
}

export const machineFacts = (): MachineFacts => ({
  rxtract: version,
  node: process.version,
  platform: `${process.platform} ${process.arch}`,
  cpu: (cpus()[0]?.model ?? 'unknown').trim(),
  cores: availableParallelism(),
  memoryBytes: totalmem(),
});

/** Nanoseconds from any start. */
export const nanoseconds = (): number => Number(process.hrtime.bigint());

/** Seconds of CPU time that all threads of this process have used. */
export function cpuSeconds(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6;
}

/** Bytes. */
export interface MemoryUse {
  readonly resident: number;
  readonly heap: number;
}

export function memoryUse(): MemoryUse {
  const { rss, heapUsed } = process.memoryUsage();
  return { resident: rss, heap: heapUsed };
}

const resolution = 10;

/** Watches how late timers fire. The returned function ends it, and returns the delays in ms. */
export function watchEventLoop(): () => Percentiles {
  const histogram = monitorEventLoopDelay({ resolution });
  histogram.enable();
  return () => {
    histogram.disable();
    const { count } = histogram;
    // A value is the time between two ticks.
    const late = (value: number) => (count === 0 ? 0 : rounded(Math.max(0, value / 1e6 - resolution)));
    const at = (percentile: number) => late(histogram.percentile(percentile));
    return { count, p50: at(50), p90: at(90), p99: at(99), max: late(histogram.max) };
  };
}

/** Calls `work` every `ms` until the returned function is called. Does not keep the process alive. */
export function every(ms: number, work: () => void): () => void {
  const timer = setInterval(work, ms).unref();
  return () => clearInterval(timer);
}
