/** PHP's relative terms, such as `+1 hour`, `next month` and `first day of`: found in a text, and applied. requests.md 3.5.5. */
import type { Wall } from './wall.js';

/** What relative terms add. Months and days move the calendar, hours and less move the clock. */
export interface Shift {
  readonly used: boolean;
  readonly months: number;
  readonly days: number;
  readonly elapsed: number;
  readonly edge: string | undefined;
}

const units: Readonly<Record<string, Partial<Pick<Shift, 'months' | 'days' | 'elapsed'>>>> = {
  sec: { elapsed: 1000 },
  second: { elapsed: 1000 },
  min: { elapsed: 60_000 },
  minute: { elapsed: 60_000 },
  hour: { elapsed: 3_600_000 },
  day: { days: 1 },
  week: { days: 7 },
  fortnight: { days: 14 },
  month: { months: 1 },
  year: { months: 12 },
};

const relativeTerm = new RegExp(
  String.raw`(?<![\w:./+-])(?:in\s+)?([+-]?\s*\d+|next|last|previous|this)\s*(${Object.keys(units).join('|')})s?(?!\w)`,
  'gi',
);
const words: Readonly<Record<string, number>> = { next: 1, last: -1, previous: -1, this: 0 };

/** Takes the relative terms out of a text; `ago` turns all of them back. */
export function takeShift(text: string): { rest: string; shift: Shift } {
  const [, edge] = /\b(first|last)\s+day\s+of\b/i.exec(text) ?? [];
  const withoutEdge = text.replace(/\b(first|last)\s+day\s+of\b/i, ' ');
  const terms = [...withoutEdge.matchAll(relativeTerm)];
  const rest = withoutEdge.replace(relativeTerm, ' ');
  const ago = terms.length > 0 && /\bago\b/i.test(rest);
  const sum = (of: 'months' | 'days' | 'elapsed') =>
    terms.reduce(
      (total, [, amount = '', unit = '']) => total + amountOf(amount) * (units[unit.toLowerCase()]?.[of] ?? 0),
      0,
    ) * (ago ? -1 : 1);
  return {
    rest: (ago ? rest.replace(/\bago\b/i, ' ') : rest).trim().replace(/\s+/g, ' '),
    shift: {
      used: terms.length > 0 || edge !== undefined,
      months: sum('months'),
      days: sum('days'),
      elapsed: sum('elapsed'),
      edge: edge?.toLowerCase(),
    },
  };
}

const amountOf = (text: string): number => words[text.toLowerCase()] ?? Number(text.replace(/\s/g, ''));

/** Years, months and days are added to the calendar fields, as PHP does: a 31st carries over into the next month. */
export function moveDays({ year, month, day, time }: Wall, { months, days, edge }: Shift): number {
  const date = new Date(0);
  if (edge === undefined) date.setUTCFullYear(year, month - 1 + months, day + days);
  else if (edge === 'first') date.setUTCFullYear(year, month - 1 + months, 1 + days);
  else date.setUTCFullYear(year, month + months, 0 + days);
  return date.getTime() + time;
}
