/** Records a run while it takes place: where its time goes, its latencies, its memory and its progress. */
import type { Receipt } from '../../core/model/page.js';
import { cpuSeconds, every, memoryUse, nanoseconds, watchEventLoop } from './machine.js';
import type { Meter, MeterReading } from './meter.js';
import { rounded } from './numbers.js';
import { phases, type RunPhase } from './phases.js';
import type { RunResult, TimelinePoint } from './result.js';
import { type WireWatch, watchRequests } from './wire.js';

export interface RunRecording {
  page(receipt: Receipt): void;
  /** The run is over, whatever came of it. */
  end(): RunRecord;
}

export interface RunRecord
  extends Pick<RunResult, 'seconds' | 'cpuSeconds' | 'peakMemoryBytes' | 'shares' | 'eventLoopDelay' | 'timeline'>,
    Pick<WireWatch, 'latencies' | 'answers'> {
  readonly reading: MeterReading;
}

/** Begins to record the run that reports to the meter: the only one of this process. */
export function recordRun(meter: Meter): RunRecording {
  const begun = { at: nanoseconds(), cpu: cpuSeconds() };
  const seconds = () => rounded((nanoseconds() - begun.at) / 1e9);
  const endDelays = watchEventLoop();
  const wire = watchRequests(nanoseconds);
  const points = createTimeline(seconds, () => meter.received());
  return {
    page: points.page,
    end() {
      const taken = seconds();
      const timeline = points.end();
      const eventLoopDelay = endDelays();
      wire.end();
      const reading = meter.read();
      const { latencies, answers } = wire;
      return {
        seconds: taken,
        cpuSeconds: rounded(cpuSeconds() - begun.cpu),
        peakMemoryBytes: Math.max(...timeline.map(([, resident]) => resident)),
        shares: sharesOf(reading.phases),
        eventLoopDelay,
        timeline,
        latencies,
        answers,
        reading,
      };
    },
  };
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
    points.push([seconds(), resident, heap, items, received()]);
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
