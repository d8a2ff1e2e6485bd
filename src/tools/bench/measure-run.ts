/** Runs a configuration once, and measures it. */

import type { Receipt } from '../../core/model/page.js';
import type { OnActivity } from '../../page/progress.js';
import type { Extraction } from '../../run/extraction.js';
import type { Summary } from '../../run/job-stats.js';
import { runToEnd } from '../../run/run-to-end.js';
import { cpuSeconds, every, memoryUse, nanoseconds, watchEventLoop } from './machine.js';
import { createMeter, type MeterReading } from './meter.js';
import { rounded } from './numbers.js';
import { phases, type RunPhase } from './phases.js';
import type { RunResult, TimelinePoint } from './result.js';
import { type WireLatencies, watchRequests } from './wire.js';

/** A run that succeeded. */
export interface MeasuredRun {
  readonly result: RunResult;
  readonly reading: MeterReading;
  readonly latencies: WireLatencies;
}

/** A run that failed or was interrupted. */
export interface FailedRun {
  readonly failure: unknown;
  readonly summary: Summary;
}

/**
 * Measures a run, which `prepare` prepares so that it reports to the listener. Resolves with what was measured, or with
 * the failure.
 */
export async function measureRun(
  prepare: (onActivity: OnActivity) => Promise<Extraction>,
  signal?: AbortSignal,
): Promise<MeasuredRun | FailedRun> {
  const meter = createMeter(nanoseconds);
  const extraction = await prepare(meter.onActivity);
  const begun = { at: nanoseconds(), cpu: cpuSeconds() };
  const seconds = () => (nanoseconds() - begun.at) / 1e9;
  const endDelays = watchEventLoop();
  const wire = watchRequests(nanoseconds);
  const recorder = createTimeline(seconds, () => meter.received());
  const failure = await runToEnd(extraction, recorder.page, signal);
  const taken = seconds();
  const timeline = recorder.end();
  const eventLoopDelay = endDelays();
  wire.end();
  const summary = extraction.summary();
  if (failure !== undefined) return { failure, summary };
  const reading = meter.read();
  const sum = (name: 'pages' | 'items' | 'requests' | 'retries') =>
    summary.jobs.reduce((total, job) => total + job[name], 0);
  const { latencies } = wire;
  const { firstByte, body, total } = latencies;
  const [pages, items, bytes] = [sum('pages'), sum('items'), reading.received];
  const result: RunResult = {
    seconds: rounded(taken),
    itemsPerSecond: rounded(items / taken),
    pagesPerSecond: rounded(pages / taken),
    bytesPerSecond: rounded(bytes / taken),
    cpuSeconds: rounded(cpuSeconds() - begun.cpu),
    peakMemoryBytes: Math.max(...timeline.map(([, resident]) => resident)),
    pages,
    items,
    bytes,
    requests: sum('requests'),
    retries: sum('retries'),
    latency: { firstByte: firstByte.percentiles(), body: body.percentiles(), total: total.percentiles() },
    shares: sharesOf(reading.phases),
    eventLoopDelay,
    timeline,
  };
  return { result, reading, latencies };
}

function sharesOf(times: Readonly<Record<RunPhase, number>>): Readonly<Record<RunPhase, number>> {
  const all = phases.reduce((sum, phase) => sum + times[phase], 0);
  const entries = phases.map((phase) => [phase, rounded(times[phase] / all)]);
  return Object.fromEntries(entries) as Record<RunPhase, number>; // of all phases
}

/** At most so many points: after that, every second one is dropped. */
const mostPoints = 200;
const firstInterval = 25;

/** Records memory and progress, first every 25 ms, less often in a longer run. */
function createTimeline(seconds: () => number, received: () => number) {
  let points: TimelinePoint[] = [];
  let interval = firstInterval;
  let items = 0;
  const sample = () => {
    const { resident, heap } = memoryUse();
    points.push([rounded(seconds()), resident, heap, items, received()]);
  };
  const tick = () => {
    sample();
    if (points.length < mostPoints) return;
    const most = points.reduce((peak, [, resident]) => Math.max(peak, resident), 0);
    // The peak stays.
    points = points.filter(([, resident], index) => index % 2 === 0 || resident === most);
    interval *= 2;
    stop();
    stop = every(interval, tick);
  };
  sample();
  let stop = every(interval, tick);
  return {
    page(receipt: Receipt) {
      items += receipt.count;
    },
    end() {
      stop();
      sample();
      return points;
    },
  };
}
