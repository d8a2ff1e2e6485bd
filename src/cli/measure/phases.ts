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

const positions = Object.fromEntries(phases.map((phase, index) => [phase, index])) as Readonly<
  Record<RunPhase, number>
>; // of all phases
const last = phases.length - 1;

/** Starts a clock. `now`: nanoseconds, from any start. */
export function createPhaseClock(now: () => number): PhaseClock {
  const pages = phases.map(() => 0);
  const spent = phases.map(() => 0);
  let current = last;
  let since = now();

  const settle = () => {
    const at = now();
    spent[current] = (spent[current] ?? 0) + at - since;
    since = at;
  };
  const change = (phase: PagePart, by: number) => {
    const index = positions[phase];
    pages[index] = (pages[index] ?? 0) + by;
  };
  return {
    move(from, to) {
      if (from === to) return;
      settle();
      if (from !== undefined) change(from, -1);
      if (to !== undefined) change(to, 1);
      const first = pages.findIndex((count) => count > 0);
      current = first < 0 ? last : first;
    },
    read() {
      settle();
      return Object.fromEntries(phases.map((phase, index) => [phase, spent[index] ?? 0])) as Record<RunPhase, number>; // of all phases
    },
  };
}
