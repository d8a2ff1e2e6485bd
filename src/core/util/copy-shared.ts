/**
 * Copies bytes to or from shared memory. V8 copies there by words if both sides have the same alignment, and otherwise
 * byte by byte, which takes seven times as long.
 */

const wordBytes = 8;
const partBytes = 64 * 1024;
/** Memory that is not shared: a copy into it is fast at any alignment. */
const aligned = new Uint8Array(partBytes + wordBytes);

/** Copies all bytes of `source` to `target`, from position `at` on. Throws a RangeError if they do not fit. */
export function copyShared(target: Uint8Array, at: number, source: Uint8Array): void {
  if (isAligned(target, at, source)) {
    target.set(source, at);
    return;
  }
  for (let from = 0; from < source.length; from += partBytes) {
    const part = source.subarray(from, from + partBytes);
    const shift = isShared(source) ? wordOf(part.byteOffset) : wordOf(target.byteOffset + at + from);
    const moved = aligned.subarray(shift, shift + part.length);
    moved.set(part);
    target.set(moved, at + from);
  }
}

const wordOf = (place: number): number => place % wordBytes;

const isAligned = (target: Uint8Array, at: number, source: Uint8Array): boolean =>
  wordOf(target.byteOffset + at) === wordOf(source.byteOffset) || !(isShared(target) || isShared(source));

const isShared = ({ buffer }: Uint8Array): boolean => buffer instanceof SharedArrayBuffer;
