/** The state that `sweep` and `step` share: where in the document the scan is, and what may come next. */
import { STACK } from './memory';

// What may come next. The lower two bits: a value, a name, a colon, what follows a value. Known to ../faults.ts.
export const VALUE: u32 = 0;
export const NAME_OR_END: u32 = 1;
export const COLON: u32 = 2;
export const AFTER: u32 = 3;
export const VALUE_OR_END: u32 = 4;
export const NAME_NEXT: u32 = 5;
/** Added to them: the name or value is on a path. The same bit as TRACK in entry.ts. */
export const WATCHED: u32 = 8;

/** Bits of `next` that no plain value has, and no plain name or value. */
export const NOT_PLAIN_VALUE: u32 = 11;
export const NOT_PLAIN_STRING: u32 = 10;

export const NO_DEPTH: u32 = 0xffffffff;

/** The scan's place in the window. Fields of one object: `sweep` takes them into its locals, and writes them back. */
// @ts-ignore: decorator
@unmanaged
export class Cursor {
  at: usize;
  /** Compact bytes from here on have not been put. */
  run: usize;
  next: u32;
  depth: u32;
  /** The innermost open container; bits of entry.ts. */
  entry: u32;
  /** The depth at which a comma stands between items. */
  itemDepth: u32;
}

export const cursor = changetype<Cursor>(memory.data(24, 16));

// @ts-ignore: decorator
@inline
export function stackAt(depth: u32): usize {
  return STACK + (<usize>depth << 2);
}

/** Space, tab, newline, carriage return. The byte is at most 32. */
// @ts-ignore: decorator
@inline
export function isSpace(byte: u32): bool {
  return ((<u64>0x100002600 >> byte) & 1) != 0;
}

/**
 * Goes on after the first byte of white space. One space is the rule in a spaced body, a long run in an indented one.
 */
// @ts-ignore: decorator
@inline
export function skipSpace(at: usize): usize {
  if (load<u8>(at) > 32) return at;
  while (true) {
    const bytes = v128.load(at);
    const spaces = v128.or(
      v128.or(i8x16.eq(bytes, i8x16.splat(32)), i8x16.eq(bytes, i8x16.splat(10))),
      v128.or(i8x16.eq(bytes, i8x16.splat(13)), i8x16.eq(bytes, i8x16.splat(9))),
    );
    const mask = i8x16.bitmask(spaces);
    if (mask != 0xffff) return at + <usize>ctz(~mask);
    at += 16;
  }
}
