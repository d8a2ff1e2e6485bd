/** Computes the moment of a draft in PHP's order: missing fields, the weekday, additions, the edges of the month. */
import type { DateDraft, Weekday } from './date-draft.js';
import { fixedOffset, instantOf } from './zone.js';

const dayMs = 86_400_000;

interface Day {
  readonly year: number;
  readonly month: number;
  readonly day: number;
}

/**
 * Returns epoch ms; `now` is epoch ms too. Returns `undefined` outside the range of dates. Without a date it is today
 * in UTC; without a time it is midnight if there is a date, otherwise now.
 */
export function settle(draft: DateDraft, now: number): number | undefined {
  const today = new Date(now);
  const start = { year: today.getUTCFullYear(), month: today.getUTCMonth() + 1, day: today.getUTCDate() };
  const time = draft.time ?? (draft.hasDate ? 0 : ((now % dayMs) + dayMs) % dayMs);
  const named: Day = { year: draft.year ?? start.year, month: draft.month ?? start.month, day: draft.day ?? start.day };

  const day = moved(draft, named);
  const wall = utc(day) + time + draft.elapsed;
  const worked = wall + workdays(new Date(wall).getUTCDay(), draft.weekdays) * dayMs;
  if (Number.isNaN(new Date(worked).getTime())) return undefined;
  return instantOf(worked, draft.zone ?? fixedOffset(0));
}

function moved({ years, months, days, weekday, edge, counted }: DateDraft, named: Day): Day {
  const from = counted ?? edge;
  const rest = counted === undefined ? months : 0;
  const early = from === undefined ? named : edgeOf(named, from, counted === undefined ? 0 : months, counted);
  const found = weekday === undefined ? 0 : toWeekday(weekday, dayOfWeek(early), days);
  const whole = normal({ ...early, day: early.day + found });
  const added = { ...whole, year: whole.year + years, month: whole.month + rest, day: whole.day + days };
  if (edge === undefined) return added;
  return edge === 'first' ? { ...added, day: 1 } : { ...added, day: 0, month: added.month + 1 };
}

/** The first of the month or of the next month, from which weekdays are counted; or the last of the month. */
function edgeOf({ year, month }: Day, edge: 'first' | 'last', months: number, counted: unknown): Day {
  if (edge === 'first') return normal({ year, month: month + months, day: 1 });
  return normal({ year, month: month + months + 1, day: counted === undefined ? 0 : 1 });
}

/** Returns the days to the weekday. `days` will be added too; if negative, the weekday is searched backwards. */
function toWeekday({ day, search }: Weekday, today: number, days: number): number {
  if (search === 'week') return fromMonday(day) - fromMonday(today);
  if (day < 0) return -day - today - 7;
  const ahead = day - today;
  const isPast = days < 0 ? ahead < 0 : search === 'after' ? ahead <= 0 : ahead < 0;
  return isPast ? ahead + 7 : ahead;
}

/** The position of a weekday in its week, which ends on Sunday. */
const fromMonday = (day: number): number => (day === 0 ? 7 : day);

/**
 * Converts working days to days. A weekend counts as the Friday before it, or backwards as the Monday after it;
 * reaching that Monday takes none.
 */
function workdays(today: number, count: number | undefined): number {
  if (count === undefined) return 0;
  if (count < 0) return -workdays(6 - today, -count);
  const sinceFriday = today === 6 ? 1 : today === 0 ? 2 : 0;
  if (count === 0) return sinceFriday > 0 ? 3 - sinceFriday : 0;
  const weekday = sinceFriday > 0 ? 5 : today;
  const rest = count % 5;
  return Math.floor(count / 5) * 7 + rest + (weekday + rest > 5 ? 2 : 0) - sinceFriday;
}

const dayOfWeek = (day: Day): number => new Date(utc(day)).getUTCDay();

function normal(day: Day): Day {
  const date = new Date(utc(day));
  return { year: date.getUTCFullYear(), month: date.getUTCMonth() + 1, day: date.getUTCDate() };
}

/** Days beyond the month carry over. */
function utc({ year, month, day }: Day): number {
  return new Date(0).setUTCFullYear(year, month - 1, day);
}
