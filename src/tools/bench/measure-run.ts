/** Runs a configuration once, and measures it. */

import type { OnActivity } from '../../page/progress.js';
import type { Extraction } from '../../run/extraction.js';
import type { Summary } from '../../run/job-stats.js';
import { runToEnd } from '../../run/run-to-end.js';
import { nanoseconds } from './machine.js';
import { createMeter, type MeterReading } from './meter.js';
import { rounded } from './numbers.js';
import { recordRun } from './record-run.js';
import type { RunResult } from './result.js';
import type { WireLatencies } from './wire.js';

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
  const recording = recordRun(meter);
  const failure = await runToEnd(extraction, recording.page, signal);
  const { seconds, latencies, reading, answers: _, ...figures } = recording.end();
  const summary = extraction.summary();
  if (failure !== undefined) return { failure, summary };
  const sum = (name: 'pages' | 'items' | 'requests' | 'retries') =>
    summary.jobs.reduce((total, job) => total + job[name], 0);
  const { firstByte, body, total } = latencies;
  const [pages, items, bytes] = [sum('pages'), sum('items'), reading.received];
  const result: RunResult = {
    ...figures,
    seconds,
    itemsPerSecond: rounded(items / seconds),
    pagesPerSecond: rounded(pages / seconds),
    bytesPerSecond: rounded(bytes / seconds),
    pages,
    items,
    bytes,
    requests: sum('requests'),
    retries: sum('retries'),
    latency: { firstByte: firstByte.percentiles(), body: body.percentiles(), total: total.percentiles() },
  };
  return { result, reading, latencies };
}
