/**
 * Divides the time of a run among phases. At each moment the run is in one phase: the first one, in the order below,
 * that any page is in. So the shares add up to 1, also where pages overlap.
 */
import type { PagePart } from '../../page/attempt-meter.js';

export const phases = ['scanning', 'sink', 'receiving', 'login', 'waiting', 'limit', 'retry', 'engine'] as const;
/** `engine`: no page is in any of the others. */
export type RunPhase = (typeof phases)[number];

export interface PhaseClock {
  /** A page changes from one phase to another; undefined: it is in none. */
  move(from: PagePart | undefined, to: PagePart | undefined): void;
  /** Nanoseconds in each phase since the clock began. */
  read(): Readonly<Record<RunPhase, number>>;
}

const none: Readonly<Record<RunPhase, number>> = {
  scanning: 0,
  sink: 0,
  receiving: 0,
  login: 0,
  waiting: 0,
  limit: 0,
  retry: 0,
  engine: 0,
};

/** Starts a clock. `now`: nanoseconds, from any start. */
export function createPhaseClock(now: () => number): PhaseClock {
  const pages = { ...none };
  const spent = { ...none };
  let current: RunPhase = 'engine';
  let since = now();

  const settle = () => {
    const at = now();
    spent[current] += at - since;
    since = at;
  };
  return {
    move(from, to) {
      if (from === to) return;
      settle();
      if (from !== undefined) pages[from] -= 1;
      if (to !== undefined) pages[to] += 1;
      current = phases.find((phase) => pages[phase] > 0) ?? 'engine';
    },
    read() {
      settle();
      return { ...spent };
    },
  };
}
