/** Formats a moment in UTC as PHP's `date` does: a letter is a field, a backslash escapes it. */
import { elementAt } from '../../core/util/element-at.js';

const dayMs = 86_400_000;

/** Other characters stay. `seconds` since 1970 must be in the range of a Date. */
export function formatDate(format: string, seconds: number): string {
  const moment = new Date(seconds * 1000);
  return format.replace(/\\(.?)|[a-z]/gis, (sign, escaped?: string) => escaped ?? fields.get(sign)?.(moment) ?? sign);
}

const dayNames = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'];
const monthNames = [
  ...['January', 'February', 'March', 'April', 'May', 'June'],
  ...['July', 'August', 'September', 'October', 'November', 'December'],
];

const two = (number: number): string => String(number).padStart(2, '0');
const dayName = (at: Date): string => elementAt(dayNames, at.getUTCDay());
const monthName = (at: Date): string => elementAt(monthNames, at.getUTCMonth());
const hourOfTwelve = (at: Date): number => at.getUTCHours() % 12 || 12;
const year = (at: Date): string => signed(at.getUTCFullYear(), 4);

const signed = (number: number, digits: number): string =>
  `${number < 0 ? '-' : ''}${String(Math.abs(number)).padStart(digits, '0')}`;

/** The letters of PHP; it has no others. */
const fields: ReadonlyMap<string, (at: Date) => string> = new Map<string, (at: Date) => string>([
  ['d', (at) => two(at.getUTCDate())],
  ['D', (at) => dayName(at).slice(0, 3)],
  ['j', (at) => String(at.getUTCDate())],
  ['l', dayName],
  ['N', (at) => String(at.getUTCDay() || 7)],
  ['S', (at) => ordinalSuffix(at.getUTCDate())],
  ['w', (at) => String(at.getUTCDay())],
  ['z', (at) => String(dayOfYear(at))],
  ['W', (at) => two(isoWeek(at).week)],
  ['o', (at) => String(isoWeek(at).year)],
  ['F', monthName],
  ['m', (at) => two(at.getUTCMonth() + 1)],
  ['M', (at) => monthName(at).slice(0, 3)],
  ['n', (at) => String(at.getUTCMonth() + 1)],
  ['t', (at) => String(daysInMonth(at))],
  ['L', (at) => (daysInYear(at.getUTCFullYear()) === 366 ? '1' : '0')],
  ['Y', year],
  ['y', (at) => signed(at.getUTCFullYear() % 100, 2)],
  ['a', (at) => (at.getUTCHours() < 12 ? 'am' : 'pm')],
  ['A', (at) => (at.getUTCHours() < 12 ? 'AM' : 'PM')],
  ['B', (at) => String(beats(at)).padStart(3, '0')],
  ['g', (at) => String(hourOfTwelve(at))],
  ['G', (at) => String(at.getUTCHours())],
  ['h', (at) => two(hourOfTwelve(at))],
  ['H', (at) => two(at.getUTCHours())],
  ['i', (at) => two(at.getUTCMinutes())],
  ['s', (at) => two(at.getUTCSeconds())],
  ['u', () => '000000'],
  ['v', () => '000'],
  ['e', () => 'UTC'],
  ['I', () => '0'],
  ['O', () => '+0000'],
  ['P', () => '+00:00'],
  ['p', () => 'Z'],
  ['T', () => 'UTC'],
  ['Z', () => '0'],
  ['c', (at) => `${year(at)}-${two(at.getUTCMonth() + 1)}-${two(at.getUTCDate())}T${clock(at)}+00:00`],
  ['r', (at) => `${dayName(at).slice(0, 3)}, ${rfcDate(at)} ${clock(at)} +0000`],
  ['U', (at) => String(at.getTime() / 1000)],
]);

const clock = (at: Date): string => [at.getUTCHours(), at.getUTCMinutes(), at.getUTCSeconds()].map(two).join(':');
const rfcDate = (at: Date): string => `${two(at.getUTCDate())} ${monthName(at).slice(0, 3)} ${year(at)}`;

function ordinalSuffix(day: number): string {
  if (day > 10 && day < 20) return 'th';
  return ['th', 'st', 'nd', 'rd'][day % 10] ?? 'th';
}

/** Counts from 0. */
function dayOfYear(at: Date): number {
  const first = new Date(at);
  first.setUTCMonth(0, 1);
  return Math.round((at.getTime() - first.getTime()) / dayMs);
}

function daysInMonth(at: Date): number {
  const last = new Date(at);
  last.setUTCMonth(at.getUTCMonth() + 1, 0);
  return last.getUTCDate();
}

const daysInYear = (number: number): number =>
  number % 4 === 0 && (number % 100 !== 0 || number % 400 === 0) ? 366 : 365;

/** A week belongs to the year of its Thursday. ISO 8601. */
function isoWeek(at: Date): { week: number; year: number } {
  const thursday = new Date(at);
  thursday.setUTCDate(at.getUTCDate() + 4 - (at.getUTCDay() || 7));
  return { week: Math.floor(dayOfYear(thursday) / 7) + 1, year: thursday.getUTCFullYear() };
}

/** Swatch Internet time: thousandths of a day, an hour ahead of UTC. */
function beats(at: Date): number {
  const tenths = Math.floor((at.getTime() / 1000 + 3600) % 86_400) * 10;
  return Math.floor((tenths < 0 ? tenths + 864_000 : tenths) / 864);
}
