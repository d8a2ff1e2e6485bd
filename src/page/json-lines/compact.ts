/**
 * Navigates compact JSON that the scanner has checked: finds the ends of values, and values by path. Does not validate.
 */
import { readName } from '../scanner/path-tracker.js';

const QUOTE = 0x22;
const COMMA = 0x2c;
const BACKSLASH = 0x5c;
export const OPEN_ARRAY = 0x5b;
export const CLOSE_ARRAY = 0x5d;
export const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;
const LINE_FEED = 0x0a;

/**
 * Returns the start of the value at the path, or -1. The last of repeated members counts; a digits segment selects an
 * element.
 */
export function placeOf(text: Buffer, from: number, segments: readonly string[]): number {
  let at = from;
  for (const segment of segments) {
    if (text[at] === OPEN_OBJECT) at = memberOf(text, at, segment);
    else if (text[at] === OPEN_ARRAY && /^\d+$/.test(segment)) at = elementOf(text, at, Number(segment));
    else return -1;
    if (at < 0) return -1;
  }
  return at;
}

/** Returns the end of the value that begins at `from`; a line feed follows the outermost value. */
export function endOf(text: Buffer, from: number): number {
  const first = text[from];
  if (first === QUOTE) return endOfString(text, from);
  if (first === OPEN_OBJECT || first === OPEN_ARRAY) return endOfContainer(text, from);
  let at = from;
  while (!isBehindScalar(text[at])) at++;
  return at;
}

const isBehindScalar = (byte: number | undefined) =>
  byte === COMMA || byte === CLOSE_ARRAY || byte === CLOSE_OBJECT || byte === LINE_FEED;

function endOfString(text: Buffer, from: number): number {
  let at = from + 1;
  while (text[at] !== QUOTE) at += text[at] === BACKSLASH ? 2 : 1;
  return at + 1;
}

function endOfContainer(text: Buffer, from: number): number {
  let depth = 0;
  let at = from;
  do {
    const byte = text[at];
    if (byte === QUOTE) at = endOfString(text, at);
    else {
      if (byte === OPEN_OBJECT || byte === OPEN_ARRAY) depth++;
      else if (byte === CLOSE_OBJECT || byte === CLOSE_ARRAY) depth--;
      at++;
    }
  } while (depth > 0);
  return at;
}

function memberOf(text: Buffer, from: number, name: string): number {
  let found = -1;
  let at = from;
  while (text[at] !== CLOSE_OBJECT && text[at + 1] === QUOTE) {
    const behind = endOfString(text, at + 1);
    if (readName(text, at + 2, behind - at - 3) === name) found = behind + 1;
    at = endOf(text, behind + 1);
  }
  return found;
}

function elementOf(text: Buffer, from: number, index: number): number {
  if (text[from + 1] === CLOSE_ARRAY) return -1;
  let at = from + 1;
  for (let passed = 0; passed < index; passed++) {
    at = endOf(text, at) + 1;
    if (text[at - 1] === CLOSE_ARRAY) return -1;
  }
  return at;
}
