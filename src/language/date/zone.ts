/** Time zones by name, through Intl: offsets, and the instant of a local time. */

/** How far local time is ahead of UTC at an instant, in ms. */
export type Offset = (instant: number) => number;

/** A zone with one offset, in minutes. */
export const fixedOffset =
  (minutes: number): Offset =>
  () =>
    minutes * 60_000;

/** A zone of the IANA database such as `Europe/Prague`; `undefined` for an unknown name. */
export function namedZone(timeZone: string): Offset | undefined {
  try {
    const format = new Intl.DateTimeFormat('en-US', { timeZone, timeZoneName: 'longOffset' });
    return (instant) =>
      offsetIn(
        format
          .formatToParts(Math.max(-lastInstant, Math.min(instant, lastInstant)))
          .find(({ type }) => type === 'timeZoneName')?.value,
      );
  } catch {
    return undefined;
  }
}

/**
 * The instant at which a clock of the zone shows the local time (its fields as if they were UTC). Of two instants it is
 * the first; a skipped time continues from before the gap.
 */
export function instantOf(wall: number, offset: Offset): number {
  const before = wall - offset(wall - dayMs);
  if (offset(before) === wall - before) return before;
  const after = wall - offset(wall + dayMs);
  return offset(after) === wall - after ? after : before;
}

const dayMs = 86_400_000;
/** The range of a Date and of Intl, in both directions from 1970. */
const lastInstant = 100_000_000 * dayMs;

/** Reads `GMT`, `GMT+02:00` and `GMT-00:25:21`. */
function offsetIn(text = 'GMT'): number {
  const [, sign, hours = '0', minutes = '0', seconds = '0'] = /([+-])(\d+):(\d+)(?::(\d+))?$/.exec(text) ?? [];
  const ms = ((Number(hours) * 60 + Number(minutes)) * 60 + Number(seconds)) * 1000;
  return sign === '-' ? -ms : ms;
}
