/**
 * Where things lie in the memory of one instance: fixed places first; after them the regions whose size the options
 * give.
 */

export const WINDOW_BYTES: u32 = 65536;
export const MAX_DEPTH: u32 = 512;
/** Longer member names match no path. */
export const NAME_BYTES: u32 = 65536;
/** Copies in steps of 16 bytes may write this far after their end. */
export const SLACK: usize = 64;

/** The bytes being scanned; the 16 zero bytes that `scan` puts after them end every fast loop. */
export const WINDOW: usize = memory.data(65536 + 64, 16);
/** A member name that the end of a window cut, collected without its quotes. */
export const NAME: usize = memory.data(65536, 16);
/** One u32 for each open container: the bits of entry.ts. Level 0 is the document. */
export const STACK: usize = memory.data(513 * 4, 16);
/** For each open array on a path: the index of the current element, and the next index that a path wants. */
export const INDEXES: usize = memory.data(513 * 4, 16);
export const WANTED: usize = memory.data(513 * 4, 16);
/** 1: the byte may stand after a backslash; 2: it is the u of a \u escape. */
export const ESCAPES: usize = memory.data(256, 16);
/** 1: a hexadecimal digit. */
export const HEXES: usize = memory.data(256, 16);

const simple = memory.data<u8>([34, 92, 47, 98, 102, 110, 114, 116]); // " \ / b f n r t
for (let n: usize = 0; n < 8; n++) store<u8>(ESCAPES + load<u8>(simple + n), 1);
store<u8>(ESCAPES + 117, 2);
for (let digit: usize = 48; digit < 58; digit++) store<u8>(HEXES + digit, 1);
for (let letter: usize = 65; letter < 71; letter++) {
  store<u8>(HEXES + letter, 1);
  store<u8>(HEXES + letter + 32, 1);
}

/** Makes the memory reach to `end`; grows by no less than a MiB, for growing is not free. */
export function reach(end: usize): void {
  const have = <usize>memory.size() << 16;
  if (end <= have) return;
  const more = max<usize>(end - have, 1 << 20);
  if (memory.grow(<i32>((more + 0xffff) >> 16)) < 0) unreachable();
}
