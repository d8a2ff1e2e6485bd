/** Values that grow from run to run, in their order: numbers, dates and texts, with all their digits. */
import { ExactNumber, isNumber } from '../core/json/exact.js';
import { dateIn } from '../language/date/formed-date.js';

/** How values are put in order. */
export type ValueOrder = 'number' | 'date' | 'text';

export interface OrderedValue {
  readonly order: ValueOrder;
  /** As the API sent it. */
  readonly sent: string | ExactNumber;
  /** A number, or the seconds of a date since 1970, times 10^30; of a text 0. */
  readonly rank: bigint;
}

/** The digits after the decimal point that a rank keeps. */
export const rankDigits = 30;

const decimalForm = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d{1,3}))?$/;

/**
 * Reads a value of an item. Without `order` a number, or a text of its digits, is a number, a text in a form of ISO
 * 8601 a date, and any other a text. Undefined: it is no such value.
 */
export function orderedValue(value: unknown, order?: ValueOrder): OrderedValue | undefined {
  if (typeof value !== 'string' && !isNumber(value)) return undefined;
  const text = String(value);
  if (order === 'text') return { order, sent: value, rank: 0n };
  const number = order === 'date' ? undefined : rankOfNumber(text);
  if (number !== undefined) return { order: 'number', sent: value, rank: number };
  const date = order === 'number' || isNumber(value) ? undefined : dateIn(text);
  if (date !== undefined) return { order: 'date', sent: value, rank: date.rank };
  return order === undefined ? { order: 'text', sent: value, rank: 0n } : undefined;
}

/** A value that a person wrote: digits are a number where one is expected. */
export const writtenValue = (text: string, isNumber: boolean): string | ExactNumber =>
  isNumber && /^-?(?:0|[1-9]\d*)(?:\.\d+)?$/.test(text) ? new ExactNumber(text) : text;

/** Negative: `a` comes before `b`. Both have the same order. */
export function compareValues(a: OrderedValue, b: OrderedValue): number {
  if (a.order !== 'text') return a.rank < b.rank ? -1 : Number(a.rank > b.rank);
  const [first, second] = [String(a.sent), String(b.sent)];
  return first < second ? -1 : Number(first > second);
}

function rankOfNumber(text: string): bigint | undefined {
  const [, sign, whole, fraction = '', exponent = '0'] = decimalForm.exec(text) ?? [];
  if (whole === undefined) return undefined;
  const shift = rankDigits + Number(exponent) - fraction.length;
  const digits = BigInt(`${whole}${fraction}`);
  const size = shift >= 0 ? digits * 10n ** BigInt(shift) : digits / 10n ** BigInt(-shift);
  return sign === '-' ? -size : size;
}

/** Writes a rank as a number with so many digits after the point, rounded down. */
export function numberOfRank(rank: bigint, decimals: number): string {
  const unit = 10n ** BigInt(rankDigits - Math.min(decimals, rankDigits));
  const down = rank < 0n && rank % unit !== 0n ? rank / unit - 1n : rank / unit;
  const digits = (down < 0n ? -down : down).toString().padStart(decimals + 1, '0');
  const text = decimals === 0 ? digits : `${digits.slice(0, -decimals)}.${digits.slice(-decimals)}`;
  return down < 0n ? `-${text}` : text;
}
