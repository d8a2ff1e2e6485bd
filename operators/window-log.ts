/** The memory under `limited`: what has begun within the latest window, and when the next may. It stands alone because it is arithmetic. */

/** So many within any span of so many ms. */
export interface Rate {
  readonly most: number;
  readonly ms: number;
}

export interface WindowLog {
  /** The ms until one more fits; 0: now. `now` in epoch ms, as in `add`. */
  wait(now: number): number;
  /** One begins. */
  add(now: number): void;
}

/** Some that began between `from` and `until`, taken to have begun at `until`. */
interface Entry {
  readonly from: number;
  until: number;
  count: number;
}

/**
 * Starts empty. The span is open at its beginning: at the moment that an entry is `ms` old it counts no more. Beyond `entries` (absent: 10,000) in a
 * span those that begin close together share one, which ages with its last; so a large rate takes that much memory, and uses up to one part in
 * `entries` less than it may. A clock that was put back makes no wait longer than `ms`.
 */
export function createWindowLog({ most, ms }: Rate, entries = 10_000): WindowLog {
  const grain = most <= entries ? 0 : ms / entries;
  let log: Entry[] = [];
  let first = 0;
  let total = 0;

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
    log = log.slice(first).map(({ from, until, count }) => ({
      from: Math.min(from, now),
      until: Math.min(until, now),
      count,
    }));
    first = 0;
  };

  return {
    wait(now) {
      setBack(now);
      forget(now);
      const head = log[first];
      return total < most || head === undefined ? 0 : head.until + ms - now;
    },
    add(now) {
      const last = log.at(-1);
      total += 1;
      if (last !== undefined && first < log.length && now - last.from <= grain) {
        last.until = now;
        last.count += 1;
      } else log.push({ from: now, until: now, count: 1 });
    },
  };
}
