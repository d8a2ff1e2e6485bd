/** Converts values to numbers as PHP does: a text counts by its beginning. */
import { ExtractError } from '../../core/errors/errors.js';
import type { Exact } from '../../core/json/exact.js';
import { textOf } from './text.js';

/**
 * The integer part, with any number of digits. null, false and a text without a leading number are 0; true is 1. Throws
 * ERR_FUNCTION.
 */
export function integerOf(value: Exact): bigint {
  const [, sign = '', digits = '', exponent] = /^\s*([+-]?)(\d*)(?:\.\d*)?(e[+-]?\d+)?/i.exec(textOf(value)) ?? [];
  if (exponent !== undefined) return BigInt(Math.trunc(doubleOf(value)));
  return BigInt(digits) * (sign === '-' ? -1n : 1n);
}

/** The nearest double; 0 as above. Throws ERR_FUNCTION if it is not finite. */
export function doubleOf(value: Exact): number {
  const [text = '0'] = /^\s*[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?/i.exec(textOf(value)) ?? [];
  const number = Number(text);
  if (Number.isFinite(number)) return number;
  throw new ExtractError('ERR_FUNCTION', 'a number is too large');
}
