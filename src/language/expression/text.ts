/** Converts values to text, for functions and headers. */
import { ExtractError } from '../../core/errors/errors.js';
import { type Exact, isArray, isObject } from '../../core/json/exact.js';

/**
 * null and false are empty, true is "1", a number is its digits. Throws ERR_FUNCTION for a list or an object.
 * docs/reference/functions.md.
 */
export function textOf(value: Exact): string {
  if (value === null || value === false) return '';
  if (value === true) return '1';
  if (typeof value === 'string') return value;
  if (isArray(value) || isObject(value))
    throw new ExtractError('ERR_FUNCTION', `expected a text, found ${kindOf(value)}`);
  return value.text;
}

/** Names the kind of a value, for messages that must not show the value. */
export function kindOf(value: Exact): string {
  if (value === null) return 'null';
  if (isArray(value)) return 'a list';
  if (isObject(value)) return 'an object';
  if (typeof value === 'string') return 'a text';
  return typeof value === 'boolean' ? String(value) : 'a number';
}
