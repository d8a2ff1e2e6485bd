/**
 * Dates as people write them (`in two weeks`, `next Friday at noon`), read by chrono-node; where it would guess, the
 * text is refused. docs/03-login.md#expiry.
 */
import { createRequire } from 'node:module';
import type { ParsedComponents } from 'chrono-node';
import { zoneNamed } from './forms-of-time.js';
import { draftOf } from './grammar.js';
import { settle } from './settle.js';
import { weekdayPattern } from './words.js';
import { fixedOffset, instantOf, type Offset } from './zone.js';

/** Loaded by the first text that needs it: few do, and it is the slowest of all to load. */
const chrono = () => createRequire(import.meta.url)('chrono-node/en') as typeof import('chrono-node/en'); // `require` has no types

/** Epoch ms, as is `now`; `undefined` where a part of the text was not understood, or says no certain day. */
export function naturalDate(text: string, now: number): number | undefined {
  const { rest, zone } = takeZone(text.replace(/\s+/g, ' '));
  if (vague.test(rest)) return undefined;
  const wallNow = now + zone(now);
  const noon = wallNow - msOfDay(wallNow) + dayMs / 2;
  const start = startOf(plain(rest), noon);
  if (start === undefined) return undefined;
  if (start.tags().has('result/relativeDateAndTime')) return now + elapsed(plain(rest), noon);

  const day = dayOf(start, rest, wallNow);
  const time = timeOf(start, wallNow, rest);
  if (day === undefined || time === undefined) return undefined;
  const minutesAhead = start.isCertain('timezoneOffset') ? start.get('timezoneOffset') : null;
  return instantOf(day + time, minutesAhead === null ? zone : fixedOffset(minutesAhead));
}

/** What leaves the number, the hour or the half of the day open; what is counted from another moment than now. */
const vague = new RegExp(
  [
    '~|\\b(?:few|several|about|around|end)\\b',
    '\\bat \\d{1,2}(?![\\d:.]| ?[ap]\\.?m)',
    '\\b(?:after|before)\\b(?<!\\bday (?:after(?= tomorrow$)|before(?= yesterday$)))',
    '\\bfrom (?!(?:now|today)$)',
    '(?:^| )[+-] ?[\\d.]+ ?[a-z]',
  ].join('|'),
  'i',
);
/**
 * A date in digits alone, in which chrono-node would change day and month where the month is beyond 12, but in its
 * strict reading.
 */
const inDigits = /\d[-.]\d+[-.]\d/;
const partOfDay = /\b(?:night|tonight|morning|afternoon|evening)\b/i;
const dayMs = 86_400_000;
const msOfDay = (at: number): number => ((at % dayMs) + dayMs) % dayMs;

/**
 * All of the text, and no span of time. It is asked at noon, which the clock of the machine never skips. CET is an hour
 * from UTC all year.
 */
function startOf(text: string, noon: number): ParsedComponents | undefined {
  const [result] = chrono()[inDigits.test(text) ? 'strict' : 'casual'].parse(
    text,
    { instant: new Date(noon), timezone: 0 },
    { timezones: { CET: 60 } },
  );
  return result === undefined || result.text.length < text.length || result.end ? undefined : result.start;
}

/**
 * In ms. It is counted on the clock of the machine; where that is put forward on the way, the same two days later is
 * less by what it skips.
 */
function elapsed(text: string, noon: number): number {
  const since = (at: number) => (startOf(text, at)?.date().getTime() ?? at) - at;
  const skipped = since(noon) - since(noon + 2 * dayMs);
  return since(noon) - (skipped > 0 && skipped < dayMs ? skipped : 0);
}

/** A zone at the end by its name, which chrono-node does not know, or by its offset. */
function takeZone(text: string): { readonly rest: string; readonly zone: Offset } {
  const [end, name] = /(?: |(?<=\d))([a-z]+(?:[_/-][a-z]+)+|utc|gmt|z)$/i.exec(text) ?? [];
  const zone = name === undefined ? undefined : zoneNamed(name);
  if (end === undefined || zone === undefined) return { rest: text, zone: fixedOffset(0) };
  return { rest: text.slice(0, -end.length), zone };
}

/**
 * Three digits of a second, as chrono-node counts them; no article before an ordinal; day.month.year as PHP reads it;
 * `-03:30` is a range to chrono-node where `-0330` is an offset.
 */
function plain(text: string): string {
  return text
    .replace(/(?<=:\d\d)[.,](\d+)/, (_, digits: string) => `.${digits.slice(0, 3).padEnd(3, '0')}`)
    .replace(/\bthe (?=\d|\S+(?:st|nd|rd|th)\b)/gi, '')
    .replace(/(?<=[+-]\d\d):(?=\d\d$)/, '')
    .replace(/(?<![\d.-])(\d{1,2})([.-])(\d{1,2})\2(\d{4})\b/, (_, day: string, _mark, month: string, year: string) => {
      return `${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`;
    });
}

/**
 * Midnight of the day. A date without a year is this year's, a weekday the one that PHP means, a time alone today's.
 */
function dayOf(start: ParsedComponents, text: string, wallNow: number): number | undefined {
  const isCounted = start.tags().has('result/relativeDate');
  if (isCounted || (start.isCertain('day') && start.isCertain('month'))) {
    const year = isCounted || start.isCertain('year') ? start.get('year') : null;
    return new Date(0).setUTCFullYear(
      year ?? new Date(wallNow).getUTCFullYear(),
      (start.get('month') ?? 1) - 1,
      start.get('day') ?? 1,
    );
  }
  if (start.isCertain('weekday')) return weekdayOf(text, wallNow);
  const isTimeAlone = !(['day', 'month', 'year'] as const).some((field) => start.isCertain(field));
  return isTimeAlone ? wallNow - msOfDay(wallNow) : undefined;
}

const weekdayPhrase = new RegExp(
  `(?:\\b(?:next|last|past|previous|this) )?\\b(?:${weekdayPattern})\\b(?: [a-z]+ week)?`,
  'i',
);

/** Midnight of the weekday: `next Friday` is the first one after today. */
function weekdayOf(text: string, wallNow: number): number | undefined {
  const [phrase = ''] = weekdayPhrase.exec(text) ?? [];
  const draft = draftOf(phrase);
  return draft && settle(draft, wallNow);
}

/**
 * What the text says; without a time that of now where time is counted from now, else midnight. A part of a day is no
 * time.
 */
function timeOf(start: ParsedComponents, wallNow: number, text: string): number | undefined {
  const certain = (field: 'hour' | 'minute' | 'second' | 'millisecond') =>
    start.isCertain(field) ? (start.get(field) ?? 0) : 0;
  if (start.isCertain('hour')) {
    return ((certain('hour') * 60 + certain('minute')) * 60 + certain('second')) * 1000 + certain('millisecond');
  }
  if (partOfDay.test(text)) return undefined;
  const isFromNow = start.tags().has('result/relativeDate') && !/\b(?:after|before)\b/i.test(text);
  return isFromNow ? msOfDay(wallNow) : 0;
}
