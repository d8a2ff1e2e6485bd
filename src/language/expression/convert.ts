/** Converts values to text, for functions and headers. */
import { ExtractError } from '../../core/errors/errors.js';
import { type Exact, isArray, isNumber, isObject } from '../../core/json/exact.js';
import type { Call } from './function.js';

/**
 * null and false are empty, true is "1", a number is its digits. Throws ERR_FUNCTION for a list or an object.
 * docs/reference/functions.md.
 */
export function toText(value: Exact): string {
  if (value === null || value === false) return '';
  if (value === true) return '1';
  if (typeof value === 'string') return value;
  if (isArray(value) || isObject(value))
    throw new ExtractError('ERR_FUNCTION', `expected a string, found ${kindOf(value)}`);
  return value.text;
}

/** Names the kind of a value, for messages that must not show the value. */
export function kindOf(value: Exact): string {
  if (value === null) return 'null';
  if (isArray(value)) return 'a list';
  if (isObject(value)) return 'an object';
  if (typeof value === 'string') return 'a string';
  return typeof value === 'boolean' ? String(value) : 'a number';
}

/**
 * The integer part, with any number of digits. null, false and a text without a leading number are 0; true is 1. Throws
 * ERR_FUNCTION.
 */
export function toInteger(value: Exact): bigint {
  const [, sign = '', digits = '', exponent] = /^\s*([+-]?)(\d*)(?:\.\d*)?(e[+-]?\d+)?/i.exec(toText(value)) ?? [];
  if (exponent !== undefined) return BigInt(Math.trunc(toDouble(value)));
  return BigInt(digits) * (sign === '-' ? -1n : 1n);
}

/** The nearest double; 0 as above. Throws ERR_FUNCTION if it is not finite. */
export function toDouble(value: Exact): number {
  const [text = '0'] = /^\s*[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?/i.exec(toText(value)) ?? [];
  const number = Number(text);
  if (Number.isFinite(number)) return number;
  throw new ExtractError('ERR_FUNCTION', 'a number is too large');
}

/** The current time in integer Unix seconds. */
export const nowSeconds = ({ now }: Call): number => Math.floor(now() / 1000);

/** The year 275760, the end of a Date's range. */
const latest = 8.64e12;

/**
 * Converts a number, or a text of one, without its fraction; null is now. Throws ERR_FUNCTION for anything else. That
 * includes false, which `strtotime` returns for a text that it does not understand: 1970 would be a wrong guess.
 */
export function toSeconds(value: Exact, call: Call): number {
  if (value === null) return nowSeconds(call);
  const text = isNumber(value) ? value.text : value;
  if (typeof text === 'string' && /^\s*[+-]?\d+(?:\.\d*)?(?:e[+-]?\d+)?\s*$/i.test(text)) {
    const seconds = Math.trunc(Number(text));
    if (Math.abs(seconds) <= latest) return seconds;
    throw new ExtractError('ERR_FUNCTION', 'the number of seconds is out of range');
  }
  const found = typeof text === 'string' ? 'another string; `strtotime` converts dates to seconds' : kindOf(value);
  throw new ExtractError('ERR_FUNCTION', `expected a number of seconds, found ${found}`);
}
