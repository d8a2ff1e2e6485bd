/** The kinds of values that a column can hold, without SQL: a column is widened when it must, never narrowed. */
import { joinedForms, type WrittenForm } from './text-forms.js';

/**
 * `integer` fits into 64 bits with a sign, `decimal` has any number of digits, `json` holds lists. A number: the form
 * of texts.
 */
export type ColumnKind = 'boolean' | 'integer' | 'decimal' | 'text' | 'json' | WrittenForm;

/**
 * The kind of a column that gets a value of another kind. Numbers stay numbers, texts of one form stay typed; a text
 * holds all that comes after it, lists as JSON; a list makes a column of JSON of any other; else both are texts. So the
 * order of the values decides, and not how they are cut into pages.
 */
export function widened(column: ColumnKind, value: ColumnKind): ColumnKind {
  if (column === value || column === 'text') return column;
  if (typeof column === 'number') return typeof value === 'number' ? joinedForms(column, value) || 'text' : 'text';
  if (column === 'json' || value === 'json') return 'json';
  return isNumber(column) && isNumber(value) ? 'decimal' : 'text';
}

const isNumber = (kind: ColumnKind): boolean => kind === 'integer' || kind === 'decimal';

/** The kind of a JSON number, from its text: any fraction or exponent makes it a decimal. */
export function kindOfNumber(text: string): 'integer' | 'decimal' {
  if (!/^-?\d{1,19}$/.test(text)) return 'decimal';
  if (text.length < 19) return 'integer';
  const value = BigInt(text);
  return value >= -(2n ** 63n) && value < 2n ** 63n ? 'integer' : 'decimal';
}

/** 64 bits hold every number with so many digits and a sign. */
const longestSafe = 18;

/** The kind of a number without point and exponent, from its bytes. */
export const kindOfDigits = (source: Buffer, from: number, to: number): 'integer' | 'decimal' =>
  to - from <= longestSafe ? 'integer' : kindOfNumber(source.toString('latin1', from, to));
