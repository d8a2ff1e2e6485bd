/** Decodes the escapes of JSON strings in bytes. RFC 8259, section 7. */
import { BACKSLASH } from '../src/core/json/byte-steps.js';
import type { GrowingBytes } from './growing-bytes.js';

/** Where backslashes are in bytes. Most items have none: a search finds the next one for many questions. */
export interface Backslashes {
  areBetween(from: number, to: number): boolean;
}

/** Answers questions about the bytes, best from their beginning to their end. */
export function createBackslashes(source: Buffer): Backslashes {
  // There is no backslash between these; the second is the position of one, or the end.
  let plainFrom = 0;
  let next = -1;
  return {
    areBetween(from, to) {
      if (from < plainFrom || from > next) {
        const found = source.indexOf(BACKSLASH, from);
        plainFrom = from;
        next = found < 0 ? source.length : found;
      }
      return next < to;
    },
  };
}

/** Half of a surrogate pair: UTF-8 cannot hold it. */
export const LONE_SURROGATE = -1;

/** The code point of the escape by number whose backslash is at `at`, or of a pair of them; or `LONE_SURROGATE`. */
export function escapedCode(source: Buffer, at: number): number {
  const unit = unitAt(source, at + 2);
  if (unit < 0xd800 || unit > 0xdfff) return unit;
  const isPair = unit < 0xdc00 && source[at + 6] === BACKSLASH && source[at + 7] === letterU;
  const second = isPair ? unitAt(source, at + 8) : 0;
  if (second < 0xdc00 || second > 0xdfff) return LONE_SURROGATE;
  return 0x10000 + ((unit - 0xd800) << 10) + (second - 0xdc00);
}

/** The position after the escape at `at`, whose code was read. */
export const afterEscape = (at: number, code: number): number => at + (code > 0xffff ? 12 : 6);

/** Writes a code point as UTF-8, and `LONE_SURROGATE` as U+FFFD. Returns the position after it. */
export function writeCode(code: number, bytes: Buffer, at: number): number {
  if (code === LONE_SURROGATE) return writeCode(0xfffd, bytes, at);
  let own = at;
  if (code < 0x80) bytes[own++] = code;
  else if (code < 0x800) bytes[own++] = 0xc0 | (code >> 6);
  else if (code < 0x10000) bytes[own++] = 0xe0 | (code >> 12);
  else {
    bytes[own++] = 0xf0 | (code >> 18);
    bytes[own++] = 0x80 | ((code >> 12) & 0x3f);
  }
  if (code > 0x7ff) bytes[own++] = 0x80 | ((code >> 6) & 0x3f);
  if (code > 0x7f) bytes[own++] = 0x80 | (code & 0x3f);
  return own;
}

/**
 * Appends the text of the valid string between two positions, its quotes included. `onLoneSurrogate`: called for half
 * of a surrogate pair, which becomes U+FFFD.
 */
export function appendText(
  source: Buffer,
  from: number,
  to: number,
  out: GrowingBytes,
  onLoneSurrogate: () => void,
): void {
  const bytes = out.room(to - from);
  let own = out.length;
  for (let at = from + 1; at < to - 1; ) {
    const byte = source[at] ?? 0;
    const escaped = byte === BACKSLASH ? escapedByte(source[at + 1]) : byte;
    if (escaped > 0) {
      bytes[own++] = escaped;
      at += byte === BACKSLASH ? 2 : 1;
      continue;
    }
    const code = escapedCode(source, at);
    if (code === LONE_SURROGATE) onLoneSurrogate();
    own = writeCode(code, bytes, own);
    at = afterEscape(at, code);
  }
  out.end(own);
}

const letterU = 0x75;

const escapedBytes = new Uint8Array(256);
for (const letter of '"\\/bfnrt')
  escapedBytes[letter.charCodeAt(0)] = String(JSON.parse(`"\\${letter}"`)).charCodeAt(0);

/** The byte of an escape with one letter; 0: it is an escape by number. */
export const escapedByte = (letter: number | undefined): number => escapedBytes[letter ?? 0] ?? 0;

/** The value of four hexadecimal digits. */
function unitAt(source: Buffer, from: number): number {
  let unit = 0;
  for (let at = from; at < from + 4; at++) {
    const digit = source[at] ?? 0;
    unit = unit * 16 + (digit & 0xf) + (digit > 0x39 ? 9 : 0);
  }
  return unit;
}
