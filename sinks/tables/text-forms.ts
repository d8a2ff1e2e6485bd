/**
 * Texts that a typed column gives back exactly: dates, dates with a time, UUIDs. All texts of such a column have one
 * form, so that its values are printed as they came. docs/decisions/067.
 */

import type { OptionRows } from '../../src/core/options/kind.js';
import { word } from '../../src/core/options/kinds.js';
import { afterDigits } from './number-forms.js';

/** The option of sinks whose columns have types. */
export const typeOptions = {
  types: {
    kind: word('auto', 'text'),
    summary:
      'texts that are dates, dates with a time, or UUIDs: `auto`: a column of such texts of one form has that type; `text`: they are texts',
    default: 'auto',
  },
} as const satisfies OptionRows;

/** What a sink says of them. `types`: their names there. */
export const typesRule = (types: string): string =>
  `Texts that are all dates, dates with a time, or UUIDs of one form are ${types}, if that gives each of them back: with the same separator, no offset or that of UTC, up to six digits after the point, equally many or without a zero at their end, and letters of one case. Any other text makes the column one of texts again, as they came. \`types=text\` turns it off.`;

/**
 * How texts are written: what they are, in the bits above the lowest 8, and in these the ways to print them that give
 * each text back. 0: texts of no form.
 */
export type WrittenForm = number;

/** Of no text yet: it joins to the form of any. */
export const anyForm: WrittenForm = -1;

const ways = 0xff;
const [date, uuid, firstTime] = [1, 2, 3];
const [lower, upper] = [1, 2];
/** With so many digits after the point, from 0 to 6, and without zeros at the end of these. */
const digitsOf = (count: number): number => 1 << count;
const trimmed = 1 << 7;
const separators = ['T', ' '];
/** What follows a time: nothing, or the offset of UTC. */
const offsets = ['', 'Z', '+00:00', '+0000', '+00'];

/** The form of all texts of both; 0: there is none. */
export function joinedForms(one: WrittenForm, other: WrittenForm): WrittenForm {
  if (one === anyForm) return other;
  const both = one & other & ways;
  return one >> 8 === other >> 8 && both > 0 ? (one & ~ways) | both : 0;
}

const [shortest, longest, ofUuid] = [10, 32, 36];
const [zero, plus, dash, colon, point, space, letterT, letterZ] = [0x30, 0x2b, 0x2d, 0x3a, 0x2e, 0x20, 0x54, 0x5a];

/** The form of a text, from its bytes without quotes. */
export function textForm(source: Buffer, from: number, to: number): WrittenForm {
  const length = to - from;
  if (length === ofUuid) return uuidForm(source, from);
  if (length < shortest || length > longest || (source[from] ?? 0) - zero > 9 || !isDate(source, from)) return 0;
  return length === shortest ? (date << 8) | 1 : timeForm(source, from + shortest, to);
}

/** 36 bytes, as in RFC 9562, section 4. Digits alone are of both cases. */
function uuidForm(source: Buffer, from: number): WrittenForm {
  let cases = lower | upper;
  for (let at = 0; at < ofUuid; at++) {
    const byte = source[from + at] ?? 0;
    if (at === 8 || at === 13 || at === 18 || at === 23) {
      if (byte !== dash) return 0;
    } else if (byte >= 0x61 && byte <= 0x66) cases &= lower;
    else if (byte >= 0x41 && byte <= 0x46) cases &= upper;
    else if (byte < zero || byte > zero + 9) return 0;
  }
  return cases === 0 ? 0 : (uuid << 8) | cases;
}

/** The number of two digits; -1: it is none. */
function two(source: Buffer, at: number): number {
  const tens = (source[at] ?? 0) - zero;
  const ones = (source[at + 1] ?? 0) - zero;
  return tens < 0 || tens > 9 || ones < 0 || ones > 9 ? -1 : tens * 10 + ones;
}

const daysOf = [0, 31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

/** A day of the Gregorian calendar from the year 1. */
function isDate(source: Buffer, from: number): boolean {
  if (source[from + 4] !== dash || source[from + 7] !== dash) return false;
  const century = two(source, from);
  const year = two(source, from + 2);
  const month = two(source, from + 5);
  const day = two(source, from + 8);
  if (century < 0 || year < 0 || century + year === 0 || day < 1 || day > (daysOf[month] ?? 0)) return false;
  const isLeap = year % 4 === 0 && (year !== 0 || century % 4 === 0);
  return month !== 2 || day < 29 || isLeap;
}

/** What follows a date: no second 60 and no hour 24, which databases print in another way. */
function timeForm(source: Buffer, from: number, to: number): WrittenForm {
  const separator = source[from];
  if (separator !== letterT && separator !== space) return 0;
  if (to - from < 9 || source[from + 3] !== colon || source[from + 6] !== colon) return 0;
  const hour = two(source, from + 1);
  const minute = two(source, from + 4);
  const second = two(source, from + 7);
  if (hour < 0 || hour > 23 || minute < 0 || minute > 59 || second < 0 || second > 59) return 0;
  let at = from + 9;
  let printed = digitsOf(0) | trimmed;
  if (source[at] === point) {
    const first = at + 1;
    at = afterDigits(source, first);
    const digits = at - first;
    if (digits === 0 || digits > 6) return 0;
    printed = source[at - 1] === zero ? digitsOf(digits) : digitsOf(digits) | trimmed;
  }
  const offset = offsetAt(source, at, to - at);
  return offset < 0 ? 0 : ((firstTime + offset * 2 + (separator === space ? 1 : 0)) << 8) | printed;
}

/** Its place among the offsets; -1: there is another one, or more. */
function offsetAt(source: Buffer, at: number, length: number): number {
  if (length === 0) return 0;
  if (length === 1) return source[at] === letterZ ? 1 : -1;
  if (source[at] !== plus || two(source, at + 1) !== 0) return -1;
  if (length === 6) return source[at + 3] === colon && two(source, at + 4) === 0 ? 2 : -1;
  if (length === 5) return two(source, at + 3) === 0 ? 3 : -1;
  return length === 3 ? 4 : -1;
}

/** What the texts of a form are. An `instant` has an offset, a `time` has none. */
export type TextType = 'date' | 'uuid' | 'instant' | 'time';

export function typeOfForm(form: WrittenForm): TextType {
  const group = form >> 8;
  if (group === date) return 'date';
  if (group === uuid) return 'uuid';
  return group < firstTime + 2 ? 'time' : 'instant';
}

/** The form of texts of which only this is known. */
export function formOfType(type: TextType): WrittenForm {
  const group = type === 'date' ? date : type === 'uuid' ? uuid : type === 'time' ? firstTime : firstTime + 2;
  return (group << 8) | 1;
}

/** How a database prints values, in SQL. */
export interface TextPrinter {
  date(value: string): string;
  /** In lower case. */
  uuid(value: string): string;
  /** With six digits after the point, in UTC if it is an instant, and a separator: `2024-01-01T00:00:00.000000`. */
  time(value: string, type: 'instant' | 'time', separator: string): string;
}

/** An expression of SQL for the texts of a form that a column has as values. */
export function printedText(form: WrittenForm, value: string, printer: TextPrinter): string {
  const type = typeOfForm(form);
  if (type === 'date') return printer.date(value);
  if (type === 'uuid') return (form & lower) > 0 ? printer.uuid(value) : `upper(${printer.uuid(value)})`;
  const group = (form >> 8) - firstTime;
  const full = printer.time(value, type, separators[group & 1] ?? '');
  const digits = Array.from({ length: 7 }, (_, count) => count).find((count) => (form & digitsOf(count)) > 0);
  const text =
    digits === undefined ? `rtrim(rtrim(${full}, '0'), '.')` : `left(${full}, ${digits === 0 ? 19 : 20 + digits})`;
  return `(${text} || '${offsets[group >> 1] ?? ''}')`;
}

/** The microseconds since 1970 of a text that is a time or an instant; the days of a date. */
export function countedText(source: Buffer, from: number, to: number): number | bigint {
  const year = two(source, from) * 100 + two(source, from + 2);
  const days = daysSince1970(year, two(source, from + 5), two(source, from + 8));
  if (to - from === shortest) return days;
  const seconds = days * 86_400 + two(source, from + 11) * 3600 + two(source, from + 14) * 60 + two(source, from + 17);
  let micros = 0;
  if (source[from + 19] === point) {
    for (let at = from + 20, unit = 100_000; unit >= 1; at++, unit /= 10) {
      const digit = (source[at] ?? 0) - zero;
      if (digit < 0 || digit > 9) break;
      micros += digit * unit;
    }
  }
  const most = 9_000_000_000;
  return Math.abs(seconds) < most ? seconds * 1_000_000 + micros : BigInt(seconds) * 1_000_000n + BigInt(micros);
}

/** The days from 1970-01-01 to a day of the Gregorian calendar, counted from March as the first month. */
function daysSince1970(year: number, month: number, day: number): number {
  const shifted = month > 2 ? year : year - 1;
  const century = Math.floor(shifted / 100);
  const ofYear = Math.floor((153 * (month > 2 ? month - 3 : month + 9) + 2) / 5) + day - 1;
  return 365 * shifted + Math.floor(shifted / 4) - century + Math.floor(century / 4) + ofYear - 719_468;
}

/** The 16 bytes of a UUID. */
export function uuidBytes(source: Buffer, from: number, out: Buffer): void {
  let at = from;
  for (let byte = 0; byte < 16; byte++) {
    if (source[at] === dash) at += 1;
    out[byte] = (hexDigit(source[at] ?? 0) << 4) | hexDigit(source[at + 1] ?? 0);
    at += 2;
  }
}

const hexDigit = (byte: number): number => (byte <= zero + 9 ? byte - zero : (byte | 0x20) - 0x57);
