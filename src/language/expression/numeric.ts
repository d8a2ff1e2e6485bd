/** What a value is as a number, where a function wants one: PHP's conversion, by the beginning of a text. */
import { ExtractError } from '../../core/errors/errors.js';
import type { Exact } from '../../core/json/exact.js';
import { textOf } from './text.js';

/**
 * The integer part, however many digits; null, false and a text that begins with no number are 0, true is 1. Throws
 * ERR_FUNCTION.
 */
export function integerOf(value: Exact): bigint {
  const [, sign = '', digits = '', exponent] = /^\s*([+-]?)(\d*)(?:\.\d*)?(e[+-]?\d+)?/i.exec(textOf(value)) ?? [];
  if (exponent !== undefined) return BigInt(Math.trunc(doubleOf(value)));
  return BigInt(digits) * (sign === '-' ? -1n : 1n);
}

/** The nearest double; 0 as above. Throws ERR_FUNCTION where there is none that is finite. */
export function doubleOf(value: Exact): number {
  const [text = '0'] = /^\s*[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?/i.exec(textOf(value)) ?? [];
  const number = Number(text);
  if (Number.isFinite(number)) return number;
  throw new ExtractError('ERR_FUNCTION', 'a number is too large');
}
