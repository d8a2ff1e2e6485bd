/**
 * The memory under `limited`: what has begun within the latest window, what is about to, and when the next may. It
 * stands alone because it is arithmetic.
 */

/** So many within any span of so many ms. */
export interface Rate {
  readonly most: number;
  readonly ms: number;
}

export interface WindowLog {
  /**
   * The ms until one more fits; 0: now; Infinity: not before one of those that took a place begins or gives it back.
   * `now` in epoch ms, as in `begin`.
   */
  wait(now: number): number;
  /** One takes a place, and may begin at any time from now on. One more must fit. */
  take(): void;
  /** One that took a place begins. */
  begin(now: number): void;
  /** One that took a place will not begin. */
  giveBack(): void;
}

/** Some that began between `from` and `until`, taken to have begun at `until`. */
interface WindowEntry {
  readonly from: number;
  until: number;
  count: number;
}

/**
 * Starts empty. A place that was taken counts until its owner has begun, and from then on for a span, so that no span
 * of beginnings holds more than the rate however long each took to begin. The span is open at its beginning: at the
 * moment that an entry is `ms` old it counts no more. Beyond `entries` (absent: 10,000) in a span those that begin
 * close together share one, which ages with its last; so a large rate takes that much memory, and uses up to one part
 * in `entries` less than it may. A clock that was put back makes no wait longer than `ms`.
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
  /** What has begun has not begun later than now. */
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
