/**
 * Reads dates as people write them (`in two weeks`, `next Friday at noon`) with chrono-node. Rejects texts where it
 * would guess. docs/02-login.md#expiry.
 */
import { createRequire } from 'node:module';
import type { ParsedComponents } from 'chrono-node';
import { zoneNamed } from './forms-of-time.js';
import { settle } from './settle.js';
import { parseDraft } from './strtotime-grammar.js';
import { weekdayPattern } from './words.js';
import { fixedOffset, instantOf, type Offset } from './zone.js';

/** Loaded when first needed: it is slow to load, and few configurations use it. */
const chrono = () => createRequire(import.meta.url)('chrono-node/en') as typeof import('chrono-node/en'); // `require` has no types

/**
 * Returns epoch ms; `now` is epoch ms too. Returns `undefined` if a part of the text was not understood, or the day is
 * ambiguous.
 */
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

/** Texts that leave the number, the hour, or am and pm open, or count from another moment than now. */
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
/** A date in digits alone: chrono-node would swap day and month if the month is beyond 12, except in strict mode. */
const inDigits = /\d[-.]\d+[-.]\d/;
const partOfDay = /\b(?:night|tonight|morning|afternoon|evening)\b/i;
const dayMs = 86_400_000;
const msOfDay = (at: number): number => ((at % dayMs) + dayMs) % dayMs;

/**
 * The text must match as a whole and must not be a range. Noon is used because the machine's clock never skips it. CET
 * is an hour ahead of UTC all year.
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
 * In ms. Both times are on the machine's clock; if it is put forward in between, the difference lacks what it skips.
 */
function elapsed(text: string, noon: number): number {
  const since = (at: number) => (startOf(text, at)?.date().getTime() ?? at) - at;
  const skipped = since(noon) - since(noon + 2 * dayMs);
  return since(noon) - (skipped > 0 && skipped < dayMs ? skipped : 0);
}

/** Takes a zone off the end: by name, which chrono-node does not know, or by offset. */
function takeZone(text: string): { readonly rest: string; readonly zone: Offset } {
  const [end, name] = /(?: |(?<=\d))([a-z]+(?:[_/-][a-z]+)+|utc|gmt|z)$/i.exec(text) ?? [];
  const zone = name === undefined ? undefined : zoneNamed(name);
  if (end === undefined || zone === undefined) return { rest: text, zone: fixedOffset(0) };
  return { rest: text.slice(0, -end.length), zone };
}

/**
 * Adapts a text to chrono-node: three digits of a second, no article before an ordinal, day.month.year as in PHP, and
 * `-0330` because `-03:30` is a range there.
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

/** Midnight of the day. Without a year it is this year; a weekday is PHP's; a time alone is today. */
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

/** Midnight of the weekday: `next Friday` is the first Friday after today. */
function weekdayOf(text: string, wallNow: number): number | undefined {
  const [phrase = ''] = weekdayPhrase.exec(text) ?? [];
  const draft = parseDraft(phrase);
  return draft && settle(draft, wallNow);
}

/**
 * The time in the text. Without one: the time of `now` if the text counts from now, otherwise midnight. A part of a day
 * is no time.
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
