/** Finds values by path in compact JSON that the scanner has checked. Does not validate. */
import {
  afterComma,
  afterString,
  afterValue,
  CLOSE_LIST,
  CLOSE_OBJECT,
  OPEN_LIST,
  OPEN_OBJECT,
  stringAt,
} from '../../core/json/byte-steps.js';

/**
 * Returns the start of the value at the path, or -1. The last of repeated members counts; a digits segment selects an
 * element.
 */
export function placeOf(text: Buffer, from: number, segments: readonly string[]): number {
  let at = from;
  for (const segment of segments) {
    if (text[at] === OPEN_OBJECT) at = memberOf(text, at, segment);
    else if (text[at] === OPEN_LIST && /^\d+$/.test(segment)) at = elementOf(text, at, Number(segment));
    else return -1;
    if (at < 0) return -1;
  }
  return at;
}

function memberOf(text: Buffer, from: number, name: string): number {
  let found = -1;
  for (let next = from + 1; text[next] !== CLOSE_OBJECT; ) {
    const value = afterString(text, next) + 1;
    if (stringAt(text, next, value - 1) === name) found = value;
    next = afterComma(text, afterValue(text, value));
  }
  return found;
}

function elementOf(text: Buffer, from: number, index: number): number {
  if (text[from + 1] === CLOSE_LIST) return -1;
  let at = from + 1;
  for (let passed = 0; passed < index; passed++) {
    at = afterValue(text, at) + 1;
    if (text[at - 1] === CLOSE_LIST) return -1;
  }
  return at;
}
