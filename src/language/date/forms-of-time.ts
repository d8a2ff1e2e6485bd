/** The forms of a time of the day and of a time zone in PHP. */
import { atMidnight, type DateDraft, type DateForm, withTime } from './date-draft.js';
import { fixedOffset, namedZone, type Offset } from './zone.js';

const hour = '(2[0-4]|[01]?\\d)';
const twoDigitHour = '([01]\\d|2[0-4])';
const twelve = '(1[0-2]|0?[1-9])';
const minute = '([0-5]?\\d)';
const twoDigitMinute = '([0-5]\\d)';
const second = '(60|[0-5]?\\d)';
const half = '([ap])\\.?m\\.?(?=[\\t ]|$)';
/** For other forms that end with a time. */
export const timePattern = `${hour}[:.]${minute}(?:[:.]${second})?`;
export const halfTimePattern = `${twelve}(?:[:.]${twoDigitMinute})?(?:[:.](60|[0-5]\\d))?[ \\t]*${half}`;

export const formsOfTime: readonly DateForm[] = [
  [
    `(back|front) of ${hour}(?:[ \\t]*${half})?`,
    (draft, [which = '', hours = '', mark]) => around(draft, which, ofDay(hours, mark)),
  ],
  [
    halfTimePattern,
    (draft, [hours = '', minutes = '0', seconds = '0', mark]) => withClock(draft, ofDay(hours, mark), minutes, seconds),
  ],
  [
    `t?${timePattern}(\\.\\d+)?`,
    (draft, [hours, minutes, seconds = '0', fraction = '']) =>
      withClock(draft, Number(hours), minutes, seconds + fraction),
  ],
  [`t${hour}`, (draft, [hours]) => withClock(draft, Number(hours))],
  [`t?${twoDigitHour}${twoDigitMinute}`, timeOrYear],
  [
    `t?${twoDigitHour}${twoDigitMinute}(60|[0-5]\\d)`,
    (draft, [hours, minutes, seconds]) => withClock(draft, Number(hours), minutes, seconds),
  ],
];

export const formsOfZone: readonly DateForm[] = [
  [
    '(?:GMT)?([+-])(\\d{1,2}):?([0-5]?\\d)?',
    (draft, [sign = '', hours = '', minutes = '']) => withZone(draft, parseOffset(sign, hours, minutes)),
  ],
  [
    `(?:GMT)?([+-])${twoDigitHour}(:?)${twoDigitMinute}\\3([0-5]\\d)`,
    (draft, [sign = '', hours = '', , minutes = '', seconds]) =>
      withZone(draft, parseOffset(sign, hours, minutes, Number(seconds))),
  ],
  [
    '[a-z]+(?:[_/-][a-z]+)+|\\(?[a-z]{1,6}\\)?',
    (draft, _, whole) => withZone(draft, zoneNamed(whole.replace(/[()]/g, ''))),
  ],
];

function withClock(draft: DateDraft, hours: number, minutes = '0', seconds = '0'): DateDraft | undefined {
  return withTime(draft, hours, Number(minutes), Number(seconds));
}

/** Converts an hour of a 12-hour clock. */
function ofDay(hours: string, mark = ''): number {
  if (mark === '') return Number(hours);
  return (Number(hours) % 12) + (mark.toLowerCase() === 'p' ? 12 : 0);
}

/** A quarter past, or to, the hour; replaces any earlier time. */
const around = (draft: DateDraft, which: string, hours: number): DateDraft | undefined =>
  withTime(atMidnight(draft), hours, which.toLowerCase() === 'back' ? 15 : -15);

/** Four digits are a time, or a year if there is a time already. */
function timeOrYear(
  draft: DateDraft,
  [hours = '', minutes = '']: readonly (string | undefined)[],
): DateDraft | undefined {
  if (draft.hasTime) return { ...draft, year: Number(hours + minutes) };
  return withClock(draft, Number(hours), minutes);
}

/** Returns `undefined` for a third zone: a contradiction. */
function withZone(draft: DateDraft, zone: Offset | undefined): DateDraft | undefined {
  if (zone === undefined || draft.zoneAgain !== undefined) return undefined;
  return draft.zone === undefined ? { ...draft, zone } : { ...draft, zoneAgain: zone };
}

/** `+2`, `+02`, `+230`, `+0230`, `+02:30:15`. */
function parseOffset(sign: string, hours: string, minutes: string, seconds = 0): Offset {
  const isShort = hours.length === 2 && minutes.length === 1;
  const [h, m] = isShort ? [hours.slice(0, 1), hours.slice(1) + minutes] : [hours, minutes];
  return fixedOffset((sign === '-' ? -1 : 1) * (Number(h) * 60 + Number(m) + seconds / 60));
}

/** By its abbreviation, which has one offset all year, or by its name in the IANA database. */
export function zoneNamed(name: string): Offset | undefined {
  const hours = abbreviations.get(name.toUpperCase());
  return hours === undefined ? namedZone(name) : fixedOffset(hours * 60);
}

/** Hours ahead of UTC, as in PHP. Single letters are military time zones. */
const abbreviations: ReadonlyMap<string, number> = new Map([
  ...[...'ZABCDEFGHI'].map((letter, hours) => [letter, hours] as const),
  ...[...'KLM'].map((letter, index) => [letter, 10 + index] as const),
  ...[...'NOPQRSTUVWXY'].map((letter, index) => [letter, -1 - index] as const),
  ...['UTC', 'GMT', 'UCT', 'WET'].map((name) => [name, 0] as const),
  ...['CET', 'BST', 'WEST', 'MET', 'WAT'].map((name) => [name, 1] as const),
  ...['CEST', 'MEST', 'EET', 'IST', 'SAST', 'CAT'].map((name) => [name, 2] as const),
  ...['EEST', 'IDT', 'MSK', 'EAT'].map((name) => [name, 3] as const),
  ...Object.entries({ MSD: 4, PKT: 5, WIB: 7, AWST: 8, HKT: 8, JST: 9, ACST: 9.5, AEST: 10, ACDT: 10.5 }),
  ...Object.entries({ AEDT: 11, NZST: 12, NZDT: 13, NST: -3.5, ADT: -3, AST: -4, EDT: -4, EST: -5, CDT: -5 }),
  ...Object.entries({ CST: -6, MDT: -6, MST: -7, PDT: -7, PST: -8, AKDT: -8, AKST: -9, HST: -10 }),
]);
