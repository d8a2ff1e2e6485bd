/** Reads values of responses as pagination does. */
import { type Exact, isArray, isObject } from '../core/json/exact.js';

/**
 * Whether pagination ends at a value: absent, null, an empty text, false, an empty list or an empty object. Unlike in
 * Generic Extractor, 0 and "0" are values. docs/12-compatibility.md#pagination.
 */
export function isEmpty(value: Exact | undefined): boolean {
  if (value === undefined || value === null || value === '' || value === false) return true;
  if (isArray(value)) return value.length === 0;
  return isObject(value) && value.size === 0;
}

const numeric = /^\s*([+-]?)(\d*)(?:\.(\d*))?(?:e([+-]?\d{1,4}))?\s*$/i;

/** Most digits that an exponent may add. */
const mostDigits = 1000;

/**
 * Removes a fraction; `1.9e1` is 19. Returns `undefined` for text that is no number, or has more than a thousand digits
 * by its exponent.
 */
export function parseInteger(text: string): bigint | undefined {
  const [, sign = '', whole = '', fraction = '', exponent = '0'] = numeric.exec(text) ?? [];
  const digits = whole + fraction;
  const length = whole.length + Number(exponent);
  if (digits === '' || length > Math.max(mostDigits, digits.length)) return undefined;
  const integer = BigInt(length > 0 ? digits.slice(0, length).padEnd(length, '0') : 0);
  return sign === '-' ? -integer : integer;
}
