/** The forms of a date in PHP. */
import { type DateDraft, type DateForm, withDate, withTime } from './date-draft.js';
import { halfTimePattern, timePattern } from './forms-of-time.js';
import { monthOf, monthPattern } from './words.js';

const year4 = '(\\d{4})';
const month = '(1[0-2]|0?\\d)';
const twoDigitMonth = '(0\\d|1[0-2])';
const day = '(3[01]|[0-2]?\\d)(?:st|nd|rd|th)?';
const twoDigitDay = '(0\\d|[12]\\d|3[01])';
const name = `(${monthPattern})`;
const gap = '[ .\\t-]*';

type Groups = readonly (string | undefined)[];
type Part = 'year' | 'month' | 'day';

/**
 * Creates the function for a form; `parts` name the field of each group. Two-digit years are 1970 to 2069. A month
 * without a day means its first.
 */
function date(...parts: readonly Part[]) {
  return (draft: DateDraft, groups: Groups): DateDraft | undefined => {
    const fields = parts.map((part, index) => [part, numberOf(part, groups[index] ?? '')] as const);
    const isWhole = parts.includes('day') || !parts.includes('year');
    return withDate(draft, { ...(isWhole ? {} : { day: 1 }), ...Object.fromEntries(fields) });
  };
}

function numberOf(part: Part, text: string): number {
  if (part === 'month' && /^[a-z]/i.test(text)) return monthOf(text);
  if (part !== 'year' || text.length > 3) return Number(text);
  const number = Number(text);
  return number < 70 ? number + 2000 : number < 100 ? number + 1900 : number;
}

export const formsOfDate: readonly DateForm[] = [
  [`${month}/${day}`, date('month', 'day')],
  [`${month}/${day}/(\\d{1,4})`, date('month', 'day', 'year')],
  [`([+-]?\\d{4})-${twoDigitMonth}-${twoDigitDay}`, date('year', 'month', 'day')],
  [`${year4}/${month}/${day}/?`, date('year', 'month', 'day')],
  [`(\\d{2})-${twoDigitMonth}-${twoDigitDay}`, date('year', 'month', 'day')],
  [`${year4}-${month}`, date('year', 'month')],
  [`(\\d{1,4})-${month}-${day}`, date('year', 'month', 'day')],
  [`${day}[.\\t-]${month}[.-]${year4}`, date('day', 'month', 'year')],
  [`${day}[.\\t]${month}\\.(\\d{2})`, date('day', 'month', 'year')],
  [`${year4}\\.?(00[1-9]|0[1-9]\\d|[12]\\d\\d|3[0-5]\\d|36[0-6])`, dayOfYear],
  [`${day}${gap}${name}${gap}(\\d{1,4})`, date('day', 'month', 'year')],
  [`${name}${gap}${year4}`, date('month', 'year')],
  [`${year4}${gap}${name}`, date('year', 'month')],
  [`${name}${gap}${day}[,.stndrh\\t ]+(\\d{1,4})`, date('month', 'day', 'year')],
  [`${name}${gap}${day}(?:[,.stndrh\\t ]+|$)`, date('month', 'day')],
  [`${day}${gap}${name}`, date('day', 'month')],
  [`${year4}${twoDigitMonth}${twoDigitDay}`, date('year', 'month', 'day')],
  [`${year4}${twoDigitMonth}${twoDigitDay}([01]\\d|2[0-4])([0-5]\\d)([0-5]\\d)`, withItsTime(['year', 'month', 'day'])],
  [
    `${year4}:${twoDigitMonth}:${twoDigitDay} ([01]\\d|2[0-4]):([0-5]\\d):([0-5]\\d)`,
    withItsTime(['year', 'month', 'day']),
  ],
  [`${day}/(${monthPattern})/${year4}:([01]\\d|2[0-4]):([0-5]\\d):([0-5]\\d)`, withItsTime(['day', 'month', 'year'])],
  [`${name}-${twoDigitDay}-(\\d{1,4})`, date('month', 'day', 'year')],
  [`(\\d{1,4})-${name}-${twoDigitDay}`, date('year', 'month', 'day')],
  [`${name}${gap}${day}[,.stndrh\\t ]+${timePattern}`, withItsTime(['month', 'day'])],
  [`${name}${gap}${day}[,.stndrh\\t ]+${halfTimePattern}`, withItsTime(['month', 'day'])],
  [`${year4}-?W(0[1-9]|[1-4]\\d|5[0-3])(?:-?([0-7]))?`, isoWeek],
  [name, date('month')],
  [year4, (draft, [year]) => ({ ...draft, year: Number(year) })],
];

/** After the groups of the date come hours, minutes, seconds, and am or pm. */
function withItsTime(parts: readonly Part[]) {
  const read = date(...parts);
  return (draft: DateDraft, groups: Groups): DateDraft | undefined => {
    const dated = read(draft, groups);
    const [hours = '0', minutes = '0', seconds = '0', half] = groups.slice(parts.length);
    const hour = half === undefined ? Number(hours) : (Number(hours) % 12) + (half.toLowerCase() === 'p' ? 12 : 0);
    return dated && withTime(dated, hour, Number(minutes), Number(seconds));
  };
}

function dayOfYear(draft: DateDraft, [year, day]: Groups): DateDraft | undefined {
  return withDate(draft, { year: Number(year), month: 1, day: Number(day) });
}

/** Counts days from the first of the year. The first week contains 4 January; without a day it is Monday. */
function isoWeek(draft: DateDraft, [year, week, day = '1']: Groups): DateDraft | undefined {
  const fourth = new Date(0).setUTCFullYear(Number(year), 0, 4);
  const monday = 4 - ((new Date(fourth).getUTCDay() + 6) % 7);
  const dated = withDate(draft, { year: Number(year), month: 1, day: 1 });
  return dated && { ...dated, days: monday - 1 + (Number(week) - 1) * 7 + Number(day) - 1 };
}
