/**
 * Divides the time of a run among phases. At each moment the run is in one phase: the first one, in the order below,
 * that any page is in. So the shares add up to 1, also where pages overlap.
 */

export const phases = ['scanning', 'sink', 'receiving', 'login', 'waiting', 'limit', 'retry', 'engine'] as const;
/**
 * `scanning`: a chunk of a body passes scanner and stages. `sink`: it takes items or commits a page. `receiving`: bytes
 * of a body are to come. `login`: credentials, or the turn to obtain them. `waiting`: for the head of a response.
 * `limit`: the rate limiter. `retry`: the delay before a retry. `engine`: no page is in any of these.
 */
export type RunPhase = (typeof phases)[number];

/** Phases that belong to a page. */
export type PagePart = Exclude<RunPhase, 'engine'>;

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
