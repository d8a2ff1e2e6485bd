/** Measures the pages of a run: what each attempt waits for, and how long. It exists only in `rxtract bench`. */
import { type AttemptWatch, watchingAttempts } from '../../page/attempt-meter.js';
import type { OnActivity } from '../../page/progress.js';
import { createPhaseClock, type RunPhase } from './phases.js';

export interface Meter {
  /** The option `onActivity` of the run. */
  readonly onActivity: OnActivity;
  /** Bytes of bodies so far. */
  received(): number;
  /** What was measured so far. */
  read(): MeterReading;
}

export interface MeterReading {
  /** Nanoseconds in each phase. */
  readonly phases: Readonly<Record<RunPhase, number>>;
  /** Decoded bytes of all bodies. */
  readonly received: number;
  /** How often the meter was called. */
  readonly calls: number;
}

/** Starts to measure. `now`: nanoseconds, from any start. */
export function createMeter(now: () => number): Meter {
  const clock = createPhaseClock(now);
  const sums = { received: 0, calls: 0 };
  const watch: AttemptWatch = {
    move(from, to) {
      sums.calls += 1;
      clock.move(from, to);
    },
    received(bytes) {
      sums.received += bytes;
    },
  };
  return {
    onActivity: watchingAttempts(() => watch),
    received: () => sums.received,
    read: () => ({ phases: clock.read(), ...sums }),
  };
}
