/** A wall time: what a clock and a calendar show, before it is known where they hang. */

/** A wall time; fields may lie outside their range and carry over. */
export interface Wall {
  readonly year: number;
  readonly month: number;
  readonly day: number;
  /** ms since midnight. */
  readonly time: number;
  /** A zone that chrono-node found in the text. */
  readonly minutesAhead?: number;
}

/** The fields of a date whose UTC fields are the wall time. */
export function wallOf(date: Date): Wall {
  const midnight = Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), date.getUTCDate());
  return {
    year: date.getUTCFullYear(),
    month: date.getUTCMonth() + 1,
    day: date.getUTCDate(),
    time: date.getTime() - midnight,
  };
}
