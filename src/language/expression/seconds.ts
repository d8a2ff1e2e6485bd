/** Unix seconds, as functions of time take and return them. */
import { ExtractError } from '../../core/errors/errors.js';
import { type Exact, isNumber } from '../../core/json/exact.js';
import type { Call } from './function.js';
import { kindOf } from './text.js';

/** The current time in integer Unix seconds. */
export const nowSeconds = ({ now }: Call): number => Math.floor(now() / 1000);

/** The year 275760, the end of a Date's range. */
const latest = 8.64e12;

/**
 * Converts a number, or a text of one, without its fraction; null is now. Throws ERR_FUNCTION for anything else. That
 * includes false, which `strtotime` returns for a text that it does not understand: 1970 would be a wrong guess.
 */
export function secondsOf(value: Exact, call: Call): number {
  if (value === null) return nowSeconds(call);
  const text = isNumber(value) ? value.text : value;
  if (typeof text === 'string' && /^\s*[+-]?\d+(?:\.\d*)?(?:e[+-]?\d+)?\s*$/i.test(text)) {
    const seconds = Math.trunc(Number(text));
    if (Math.abs(seconds) <= latest) return seconds;
    throw new ExtractError('ERR_FUNCTION', 'the number of seconds is out of range');
  }
  const found =
    typeof text === 'string' ? 'another text; `strtotime` makes seconds of a moment in words' : kindOf(value);
  throw new ExtractError('ERR_FUNCTION', `expected a number of seconds, found ${found}`);
}
