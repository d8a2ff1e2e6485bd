/** PHP's words of relative times: units, weekdays, months and ordinals. */
import type { DateDraft, Weekday } from './date-draft.js';

const ordinals = [
  ...[
    'first',
    'second',
    'third',
    'fourth',
    'fifth',
    'sixth',
    'seventh',
    'eighth',
    'ninth',
    'tenth',
    'eleventh',
    'twelfth',
  ],
];
const amounts: ReadonlyMap<string, number> = new Map([
  ...ordinals.map((word, index) => [word, index + 1] as const),
  ['eight', 8],
  ['next', 1],
  ['last', -1],
  ['previous', -1],
  ['this', 0],
]);

const weekdays = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];
const months = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];

type Added = Partial<Pick<DateDraft, 'years' | 'months' | 'days' | 'elapsed'>>;
const units: ReadonlyMap<string, Added> = new Map<string, Added>([
  ...['usec', 'microsecond', 'µs'].map((unit) => [unit, { elapsed: 1e-3 }] as const),
  ...['ms', 'msec', 'millisecond'].map((unit) => [unit, { elapsed: 1 }] as const),
  ...['sec', 'second'].map((unit) => [unit, { elapsed: 1000 }] as const),
  ...['min', 'minute'].map((unit) => [unit, { elapsed: 60_000 }] as const),
  ['hour', { elapsed: 3_600_000 }],
  ['day', { days: 1 }],
  ['week', { days: 7 }],
  ...['fortnight', 'forthnight'].map((unit) => [unit, { days: 14 }] as const),
  ['month', { months: 1 }],
  ['year', { years: 1 }],
  ['weekday', {}],
]);

/** Patterns, longest alternatives first. */
export const ordinalPattern = [...amounts.keys()].slice(0, 13).sort(longer).join('|');
export const whichPattern = 'next|last|previous|this';
export const weekdayPattern = '(?:sun|mon|tues|wednes|thurs|fri|satur)days?|sun|mon|tue|wed|thu|fri|sat';
export const unitPattern = `(?:${[...units.keys()].sort(longer).join('|')})s?|${weekdayPattern}`;
export const monthPattern =
  'january|february|march|april|may|june|july|august|september|october|november|december|' +
  'sept|jan|feb|mar|apr|jun|jul|aug|sep|oct|nov|dec';

function longer(left: string, right: string): number {
  return right.length - left.length;
}

/** Returns the number of `next`, `third` or a signed number. Each minus negates it. */
export function parseAmount(text: string): number {
  const word = amounts.get(text.toLowerCase());
  if (word !== undefined) return word;
  const amount = Number(text.replace(/[^\d]/g, ''));
  return text.split('-').length % 2 === 0 ? -amount : amount;
}

/** Whether the unit is a weekday, by name or in general. */
export const isDayOfWeek = (unit: string): boolean => /^weekdays?$/i.test(unit) || addedBy(unit) === undefined;

function addedBy(unit: string): Added | undefined {
  const name = unit.toLowerCase();
  return units.get(name) ?? units.get(name.replace(/s$/, ''));
}

/** Counts from 1. */
export const monthOf = (name: string): number => months.indexOf(name.slice(0, 3).toLowerCase()) + 1;

/** Counts from 0, Sunday. */
export const weekdayOf = (name: string): number => weekdays.indexOf(name.slice(0, 3).toLowerCase());

/** Adds units. If the unit is a weekday, adds that many of them. */
export function withUnits(
  draft: DateDraft,
  amount: number,
  unit: string,
  search: Weekday['search'] = 'after',
): DateDraft {
  const added = addedBy(unit);
  if (/^weekdays?$/i.test(unit)) return { ...draft, weekdays: amount, counted: undefined };
  if (added === undefined) {
    const days = draft.days + (amount > 0 ? amount - 1 : amount) * 7;
    return { ...draft, days, weekday: { day: weekdayOf(unit), search } };
  }
  return {
    ...draft,
    years: draft.years + amount * (added.years ?? 0),
    months: draft.months + amount * (added.months ?? 0),
    days: draft.days + amount * (added.days ?? 0),
    elapsed: draft.elapsed + amount * (added.elapsed ?? 0),
  };
}
