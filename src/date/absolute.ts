/** Absolute dates, read by chrono-node: where its reading is loose, the text is refused or mended first. Decision 6. */
import { createRequire } from 'node:module';
import type { Wall } from './wall.js';

/** Loaded by the first date that needs it: few configurations do, and it is the slowest of all to load. */
const chrono = () => createRequire(import.meta.url)('chrono-node/en') as typeof import('chrono-node/en'); // `require` has no types

/** An absolute date as a whole text, by chrono-node's strict reading. A date without a year is this year's; CET is an hour from UTC all year. */
export function absoluteOf(text: string, wallNow: Date): Wall | undefined {
  const whole = normalized(text);
  const [result] = chrono().strict.parse(whole, { instant: wallNow, timezone: 0 }, { timezones: { CET: 60 } });
  if (result === undefined || result.text.length < whole.length || result.end) return undefined;

  const { start } = result;
  if (!start.isCertain('day') || !start.isCertain('month')) return undefined;
  const certain = (field: 'hour' | 'minute' | 'second' | 'millisecond') =>
    start.isCertain(field) ? (start.get(field) ?? 0) : 0;
  const minutesAhead = start.isCertain('timezoneOffset') ? start.get('timezoneOffset') : null;
  return {
    year: (start.isCertain('year') ? start.get('year') : null) ?? wallNow.getUTCFullYear(),
    month: start.get('month') ?? 1,
    day: start.get('day') ?? 1,
    time: ((certain('hour') * 60 + certain('minute')) * 60 + certain('second')) * 1000 + certain('millisecond'),
    ...(minutesAhead === null ? {} : { minutesAhead }),
  };
}

/** Three digits of a second, as chrono-node counts them; day.month.year as PHP reads it; `-03:30` is a range to it where `-0330` is an offset. */
function normalized(text: string): string {
  return text
    .replace(/(?<=:\d\d)[.,](\d+)/, (_, digits: string) => `.${digits.slice(0, 3).padEnd(3, '0')}`)
    .replace(/(?<=[+-]\d\d):(?=\d\d$)/, '')
    .replace(/^(\d{1,2})([.-])(\d{1,2})\2(\d{4})\b/, (_, day: string, _mark, month: string, year: string) => {
      return `${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`;
    });
}
