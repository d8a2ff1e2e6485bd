/** A cron expression: its fields, and the next time that it names, in the time zone of the process. */
import { usageError } from '../../core/util/check-value.js';

export interface Schedule {
  /** The first time after `ms`, in epoch ms: a whole minute. */
  next(ms: number): number;
}

interface Field {
  readonly name: string;
  readonly least: number;
  readonly most: number;
  /** From the least value on. */
  readonly words?: readonly string[];
}

const fields: readonly Field[] = [
  { name: 'minute', least: 0, most: 59 },
  { name: 'hour', least: 0, most: 23 },
  { name: 'day', least: 1, most: 31 },
  { name: 'month', least: 1, most: 12, words: 'jan feb mar apr may jun jul aug sep oct nov dec'.split(' ') },
  { name: 'weekday', least: 0, most: 7, words: 'sun mon tue wed thu fri sat'.split(' ') },
];

const shortcuts: ReadonlyMap<string, string> = new Map([
  ['@hourly', '0 * * * *'],
  ['@daily', '0 0 * * *'],
  ['@weekly', '0 0 * * 0'],
  ['@monthly', '0 0 1 * *'],
]);

const minute = 60_000;
/** February 29 comes after 8 years at the latest. */
const mostYears = 9;

/**
 * Reads five fields of cron: minute, hour, day of the month, month, weekday. Lists, ranges, steps and English names are
 * as usual; if day and weekday are both restricted, one of them is enough. Throws ERR_USAGE.
 */
export function readSchedule(text: string): Schedule {
  const words = (shortcuts.get(text.trim()) ?? text.trim()).split(/\s+/);
  if (words.length !== fields.length) throw wrong(text, 'expected five fields: minute hour day month weekday');
  const sets = fields.map((field, index) => valuesOf(field, words[index] ?? '', text));
  const [minutes = none, hours = none, days = none, months = none, weekdays = none] = sets;
  const isAny = (index: number) => words[index]?.startsWith('*') === true;
  const isDay = (date: Date) => {
    const [byDay, byWeekday] = [days.has(date.getDate()), weekdays.has(date.getDay())];
    return isAny(2) || isAny(4) ? byDay && byWeekday : byDay || byWeekday;
  };
  /** The time itself if it is one, else a later one that is not beyond the next. */
  const later = (date: Date): Date => {
    const [year, month, day] = [date.getFullYear(), date.getMonth(), date.getDate()];
    if (!months.has(month + 1)) return new Date(year, month + 1, 1);
    if (!isDay(date)) return new Date(year, month, day + 1);
    if (!hours.has(date.getHours())) return new Date(date.getTime() + (60 - date.getMinutes()) * minute);
    return minutes.has(date.getMinutes()) ? date : new Date(date.getTime() + minute);
  };
  const next = (ms: number): number => {
    const first = (Math.floor(ms / minute) + 1) * minute;
    const end = new Date(first).getFullYear() + mostYears;
    for (let date = new Date(first); date.getFullYear() < end; ) {
      const found = later(date);
      if (found === date) return date.getTime();
      date = found;
    }
    throw wrong(text, 'it names no time');
  };
  next(0); // throws for February 30
  return { next };
}

const none: ReadonlySet<number> = new Set();

function valuesOf(field: Field, word: string, text: string): ReadonlySet<number> {
  const values = new Set<number>();
  for (const part of word.split(',')) {
    const [, range = '', step] = /^([^/]*)(?:\/(\d+))?$/.exec(part) ?? [];
    const [from, to] = boundsOf(field, range, step !== undefined) ?? [];
    const by = Number(step ?? 1);
    if (from === undefined || to === undefined || from > to || by < 1) {
      throw wrong(text, `"${part}" is not a ${field.name}, from ${field.least} to ${field.most}`);
    }
    // Sunday is 0 and 7.
    for (let value = from; value <= to; value += by) values.add(field.name === 'weekday' ? value % 7 : value);
  }
  return values;
}

/** The first and last value of a part; undefined: it is none. `5/10` goes to the end, as `5-59/10`. */
function boundsOf(field: Field, range: string, hasStep: boolean): readonly [number, number] | undefined {
  if (range === '*') return [field.least, field.name === 'weekday' ? 6 : field.most];
  const [first = '', last, third] = range.split('-');
  const [from, to] = [valueIn(field, first), last === undefined ? undefined : valueIn(field, last)];
  if (from === undefined || third !== undefined || (last !== undefined && to === undefined)) return undefined;
  return [from, to ?? (hasStep ? field.most : from)];
}

function valueIn({ least, most, words = [] }: Field, text: string): number | undefined {
  const at = words.indexOf(text.toLowerCase());
  const value = at >= 0 ? at + least : /^\d{1,2}$/.test(text) ? Number(text) : Number.NaN;
  return value >= least && value <= most ? value : undefined;
}

const wrong = (text: string, why: string) => usageError(`--schedule "${text}": ${why}; as in "*/15 * * * *"`);
