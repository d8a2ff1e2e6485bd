/** Which origins have answered in a run, and since when the others have been missing. */
import { asyncScheduler } from 'rxjs';

export interface Presence {
  /** Notes that the origin has answered: it is never missing after that. */
  answered(origin: string): void;
  /**
   * Notes that no connection to the origin was made. Returns since when that is so, in epoch ms; undefined: it has
   * answered before.
   */
  missing(origin: string): number | undefined;
}

/** How many origins of each kind are remembered; a run whose rows name addresses can meet any number. */
const mostRemembered = 10_000;

/** Makes the memory of one run. The oldest entries leave it first. */
export function createPresence(): Presence {
  const present = new Map<string, true>();
  const absent = new Map<string, number>();
  return {
    answered(origin) {
      absent.delete(origin);
      if (!present.has(origin)) remember(present, origin, true);
    },
    missing(origin) {
      if (present.has(origin)) return undefined;
      const since = absent.get(origin) ?? asyncScheduler.now();
      if (!absent.has(origin)) remember(absent, origin, since);
      return since;
    },
  };
}

function remember<T>(known: Map<string, T>, origin: string, value: T): void {
  known.set(origin, value);
  if (known.size <= mostRemembered) return;
  const [oldest] = known.keys();
  if (oldest !== undefined) known.delete(oldest);
}
