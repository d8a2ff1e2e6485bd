/** Records which origins have answered in a run, and since when the others have been missing. */
import { asyncScheduler } from 'rxjs';

export interface Presence {
  /** Records that the origin has answered: it never counts as missing after that. */
  answered(origin: string): void;
  /**
   * Records that a connection to the origin failed. Returns since when it has been missing, in epoch ms; undefined: it
   * has answered before.
   */
  missing(origin: string): number | undefined;
}

/** Maximum number of origins of each kind; a run whose rows contain addresses can meet any number. */
const mostRemembered = 10_000;

/** Creates the record of one run. Drops the oldest entries first. */
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
