/** UTF-8 at the edges of chunks, and where exactly bytes stop being UTF-8; the check itself is `isUtf8` of Node. */
import { isUtf8 } from 'node:buffer';

/** The length of the character that begins with this byte, should it begin one. */
function characterLength(lead: number): number {
  if (lead >= 0xf0) return 4;
  if (lead >= 0xe0) return 3;
  return lead >= 0xc0 ? 2 : 1;
}

/** Returns how many of the bytes remain when a last character that is not whole is left out; at most 3 go. */
export function wholeLength(bytes: Uint8Array): number {
  const { length } = bytes;
  for (let back = 1; back <= Math.min(3, length); back++) {
    const byte = bytes[length - back] ?? 0;
    if ((byte & 0xc0) !== 0x80) return characterLength(byte) > back ? length - back : length;
  }
  return length;
}

/** Returns the place of the first character that is no UTF-8; the length when there is none. */
export function findInvalid(bytes: Uint8Array): number {
  let at = 0;
  while (at < bytes.length) {
    const next = at + characterLength(bytes[at] ?? 0);
    if (!isUtf8(bytes.subarray(at, next))) return at;
    at = next;
  }
  return bytes.length;
}
