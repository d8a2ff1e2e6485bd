/**
 * Finds character boundaries at chunk edges and the exact position of invalid UTF-8; Node's `isUtf8` does the check.
 */
import { isUtf8 } from 'node:buffer';

/** The length of a character with this lead byte. */
function characterLength(lead: number): number {
  if (lead >= 0xf0) return 4;
  if (lead >= 0xe0) return 3;
  return lead >= 0xc0 ? 2 : 1;
}

/** Returns the length without an incomplete last character, which has at most 3 bytes. */
export function wholeLength(bytes: Uint8Array): number {
  const { length } = bytes;
  for (let back = 1; back <= Math.min(3, length); back++) {
    const byte = bytes[length - back] ?? 0;
    if ((byte & 0xc0) !== 0x80) return characterLength(byte) > back ? length - back : length;
  }
  return length;
}

/** Returns the position of the first invalid UTF-8 character; the length if there is none. */
export function findInvalid(bytes: Uint8Array): number {
  let at = 0;
  while (at < bytes.length) {
    const next = at + characterLength(bytes[at] ?? 0);
    if (!isUtf8(bytes.subarray(at, next))) return at;
    at = next;
  }
  return bytes.length;
}
