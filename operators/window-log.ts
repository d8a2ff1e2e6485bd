/** The arithmetic of `limited`: what began within the latest window, what is about to begin, and when the next may. */

/** At most `most` within any span of `ms`. */
export interface Rate {
  readonly most: number;
  readonly ms: number;
}

export interface WindowLog {
  /**
   * The ms until one more fits; 0: now; Infinity: not before a taken slot begins or is given back. `now` in epoch ms,
   * as in `begin`.
   */
  wait(now: number): number;
  /** Takes a slot, which may begin at any later time. There must be room. */
  take(): void;
  /** A taken slot begins. */
  begin(now: number): void;
  /** A taken slot will not begin. */
  giveBack(): void;
}

/** Slots that began between `from` and `until`, counted as if they began at `until`. */
interface WindowEntry {
  readonly from: number;
  until: number;
  count: number;
}

/**
 * Creates an empty log. A slot counts from when it is taken until `ms` after its beginning. So no span contains more
 * beginnings than the rate, however late each is. The span is half open: an entry that is exactly `ms` old no longer
 * counts. Beyond `entries` (default 10,000) in a span, close beginnings share one entry, which ages with its last: this
 * bounds memory, and costs at most one part in `entries` of the rate. If the clock is set back, no wait is longer than
 * `ms`.
 */
export function createWindowLog({ most, ms }: Rate, entries = 10_000): WindowLog {
  const grain = most <= entries ? 0 : ms / entries;
  let log: WindowEntry[] = [];
  let first = 0;
  let total = 0;
  let taken = 0;

  const forget = (now: number) => {
    for (let head = log[first]; head !== undefined && head.until + ms <= now; head = log[first]) {
      total -= head.count;
      first += 1;
    }
    if (first * 2 <= log.length) return;
    log = log.slice(first);
    first = 0;
  };
  /** Nothing began later than now. */
  const setBack = (now: number) => {
    const last = log.at(-1);
    if (last === undefined || last.until <= now) return;
    log = log.slice(first).map((entry) => noLaterThan(now, entry));
    first = 0;
  };

  return {
    wait(now) {
      setBack(now);
      forget(now);
      if (total + taken < most) return 0;
      const head = log[first];
      return head === undefined ? Number.POSITIVE_INFINITY : head.until + ms - now;
    },
    take() {
      taken += 1;
    },
    begin(now) {
      setBack(now);
      const last = log.at(-1);
      taken -= 1;
      total += 1;
      if (last !== undefined && first < log.length && now - last.from <= grain) {
        last.until = now;
        last.count += 1;
      } else log.push({ from: now, until: now, count: 1 });
    },
    giveBack() {
      taken -= 1;
    },
  };
}

const noLaterThan = (now: number, { from, until, count }: WindowEntry): WindowEntry => ({
  from: Math.min(from, now),
  until: Math.min(until, now),
  count,
});
