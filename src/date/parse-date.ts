/** Reads a date-time in free form: absolute ones by chrono-node, PHP's relative ones by our own few rules. Decision 6. */
import { absoluteOf } from './absolute.js';
import { moveDays, takeShift } from './shift.js';
import { type Wall, wallOf } from './wall.js';
import { fixedOffset, instantOf, takeZone } from './zone.js';

/**
 * Turns a date-time text into epoch ms; `undefined` where any part of it was not understood.
 * Without a zone it is UTC, without a time 00:00. Relative forms (`now`, `tomorrow 10:00`, `+1 hour`, `first day of next month`)
 * count from `now`, epoch ms.
 */
export function parseDate(text: string, now: number): number | undefined {
  if (text.length > longest) return undefined;
  const { rest: unshifted, shift } = takeShift(text.trim());
  const { rest: zoneless, offset } = takeZone(unshifted);
  if (offset === undefined) return undefined;

  const wallNow = new Date(now + offset(now));
  const start = startOf(zoneless, wallNow, shift.used);
  if (start === undefined) return undefined;

  const moved = moveDays(start, shift);
  const zone = start.minutesAhead === undefined ? offset : fixedOffset(start.minutesAhead);
  const instant = instantOf(moved, zone) + shift.elapsed;
  return Number.isFinite(instant) ? instant : undefined;
}

/** No date-time is longer; what is longer need not be searched. */
const longest = 200;

const timeOfDay = /^(?:at )?(\d{1,2}):(\d{2})(?::(\d{2})(?:[.,](\d+))?)?(?: ?([ap])\.?m\.?)?$/i;
const dayWord = /\b(?:now|today|midnight|noon|tomorrow|yesterday)\b/gi;

/** What the text names besides relative terms: nothing, a day by its word or weekday, a time, or an absolute date. */
function startOf(text: string, wallNow: Date, isMoved: boolean): Wall | undefined {
  const named = (text.match(dayWord) ?? []).map((word) => word.toLowerCase());
  const rest = text.replace(dayWord, ' ').trim().replace(/\s+/g, ' ');
  const today = wallOf(wallNow);
  const time = named.includes('noon') ? 43_200_000 : named.some((word) => word !== 'now') ? 0 : undefined;

  if (rest === '') {
    if (named.length === 0 && !isMoved) return undefined;
    return { ...today, day: today.day + daysOf(named), time: time ?? today.time };
  }
  const clock = clockOf(rest);
  if (clock !== undefined) return { ...today, day: today.day + daysOf(named), time: clock };
  const weekday = weekdayOf(rest, wallNow.getUTCDay());
  if (weekday !== undefined) return { ...today, day: today.day + weekday, time: time ?? 0 };
  if (named.some((word) => word !== 'noon' && word !== 'midnight')) return undefined;
  const date = absoluteOf(rest, wallNow);
  return date === undefined || time === undefined ? date : { ...date, time };
}

const daysOf = (named: readonly string[]): number =>
  named.filter((word) => word === 'tomorrow').length - named.filter((word) => word === 'yesterday').length;

function clockOf(text: string): number | undefined {
  const match = timeOfDay.exec(text);
  if (match === null) return undefined;
  const [, hours = '', minutes = '', seconds = '0', fraction = '', half] = match;
  const hour = half === undefined ? Number(hours) : (Number(hours) % 12) + (half.toLowerCase() === 'p' ? 12 : 0);
  if (hour > 24 || Number(minutes) > 59 || Number(seconds) > 60) return undefined;
  return ((hour * 60 + Number(minutes)) * 60 + Number(seconds)) * 1000 + Number(`0.${fraction}0`) * 1000;
}

const weekdays = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday'];

/** Days from today: `monday` may be today, `next monday` and `last monday` may not. */
function weekdayOf(text: string, today: number): number | undefined {
  const [, which = 'this', name] = /^(?:(next|last|previous|this) )?([a-z]{3,9})$/i.exec(text.toLowerCase()) ?? [];
  const wanted = name === undefined ? -1 : weekdays.findIndex((day) => day === name || day.slice(0, 3) === name);
  if (wanted < 0) return undefined;
  const ahead = (wanted - today + 7) % 7;
  if (which === 'next') return ahead === 0 ? 7 : ahead;
  return which === 'this' ? ahead : ahead - 7;
}
