/** Time zones by name, through Intl: what a wall clock somewhere shows, and when it shows a given time. */

/** How far the wall clocks of a zone are ahead of UTC at an instant, in ms. */
export type Offset = (instant: number) => number;

/** A zone that keeps one offset, in minutes. */
export const fixedOffset =
  (minutes: number): Offset =>
  () =>
    minutes * 60_000;

/** A zone of the IANA database such as `Europe/Prague`; `undefined` for a name that it does not know. */
export function namedZone(timeZone: string): Offset | undefined {
  try {
    const format = new Intl.DateTimeFormat('en-US', { timeZone, timeZoneName: 'longOffset' });
    return (instant) => offsetIn(format.formatToParts(instant).find(({ type }) => type === 'timeZoneName')?.value);
  } catch {
    return undefined;
  }
}

/** The instant at which a clock with that offset shows the wall time (its fields taken as if they were UTC). */
export function instantOf(wall: number, offset: Offset): number {
  return wall - offset(wall - offset(wall));
}

/** Zones that chrono-node does not read, or not everywhere: IANA names, and Z, UTC or an offset behind a time. */
export function takeZone(text: string): { rest: string; offset: Offset | undefined } {
  const plain = text.replace(/(?<=[+-]\d\d:?\d\d) ?\([^()]*\)$/, '').replace(/(?<=Z|[+-]\d\d:?\d\d)\[[\w/+-]+\]$/, '');
  const [named, name] = / ?\b([A-Z][A-Za-z_]+(?:\/[\w+-]+)+)$/i.exec(plain) ?? [];
  if (named !== undefined && name !== undefined) {
    return { rest: plain.slice(0, -named.length), offset: namedZone(name) };
  }
  const [universal] = /(?<=^|[\d ])(?:Z|UTC|GMT)$/i.exec(plain) ?? [];
  const rest = universal === undefined ? plain : plain.slice(0, -universal.length);
  return { rest: rest.trim(), offset: fixedOffset(0) };
}

/** Reads `GMT`, `GMT+02:00` and `GMT-00:25:21`. */
function offsetIn(text = 'GMT'): number {
  const [, sign, hours = '0', minutes = '0', seconds = '0'] = /([+-])(\d+):(\d+)(?::(\d+))?$/.exec(text) ?? [];
  const ms = ((Number(hours) * 60 + Number(minutes)) * 60 + Number(seconds)) * 1000;
  return sign === '-' ? -ms : ms;
}
