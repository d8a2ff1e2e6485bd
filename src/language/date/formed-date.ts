/** Dates as APIs write them, in forms of ISO 8601: read with every digit, and written again in the same form. */

export interface FormedDate {
  /** The seconds since 1970 times 10^30. A date without a zone counts as UTC. */
  readonly rank: bigint;
  /** The shortest time that the form can tell apart, as a rank. */
  readonly step: bigint;
  /** Writes another moment in the form of this date, rounded down to its last digit. */
  write(rank: bigint): string;
}

const form =
  /^(\d{4})-(\d\d)-(\d\d)(?:([T ])(\d\d):(\d\d)(?:(:)(\d\d)(?:([.,])(\d+))?)?(\s?)(Z|z|UTC|[+-]\d\d(?::?\d\d)?)?)?$/;

/** The rank of a second. */
export const second = 10n ** 30n;
const longestFraction = 30;

/** Reads a date; undefined: the text is in no such form, or there is no such day. */
export function dateIn(text: string): FormedDate | undefined {
  const found = form.exec(text);
  if (found === null) return undefined;
  const [, year = '', month = '', day = '', , hour = '0', minute = '0', , seconds = '0', , fraction = ''] = found;
  const [, , , , separator, , , colon, , point, , blank = '', zone = ''] = found;
  const ms = Date.UTC(Number(year), Number(month) - 1, Number(day), Number(hour), Number(minute), Number(seconds));
  if (!isWritten(ms, `${year}-${month}-${day}`)) return undefined;
  const offset = BigInt(offsetOf(zone));
  const local = BigInt(ms / 1000) * second + BigInt(fraction.slice(0, longestFraction).padEnd(longestFraction, '0'));
  return {
    rank: local - offset * second,
    step:
      separator === undefined
        ? 86_400n * second
        : colon === undefined
          ? 60n * second
          : second / 10n ** BigInt(Math.min(fraction.length, longestFraction)),
    write(rank) {
      const moment = rank + offset * second;
      const whole = floorOf(moment, second);
      const iso = new Date(Number(whole) * 1000).toISOString();
      if (separator === undefined) return iso.slice(0, 10);
      const clock = colon === undefined ? iso.slice(11, 16) : iso.slice(11, 19);
      const digits = String(moment - whole * second).padStart(longestFraction, '0');
      const rest =
        point === undefined ? '' : `${point}${digits.slice(0, fraction.length).padEnd(fraction.length, '0')}`;
      return `${iso.slice(0, 10)}${separator}${clock}${rest}${blank}${zone}`;
    },
  };
}

/** Whether the day exists: the 30th of February does not. A leap second may be on the next day. */
const isWritten = (ms: number, day: string): boolean =>
  Number.isFinite(ms) && [ms, ms - 1000].some((each) => new Date(each).toISOString().startsWith(day));

/** The offset of a zone from UTC in seconds. */
function offsetOf(zone: string): number {
  const [, sign, hours, minutes = '0'] = /^([+-])(\d\d):?(\d\d)?$/.exec(zone) ?? [];
  const size = hours === undefined ? 0 : Number(hours) * 3600 + Number(minutes) * 60;
  return sign === '-' ? -size : size;
}

/** Divides, and rounds down. */
export const floorOf = (value: bigint, unit: bigint): bigint =>
  value < 0n && value % unit !== 0n ? value / unit - 1n : value / unit;
