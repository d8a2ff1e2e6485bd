/**
 * Turns lines of JSON in UTF-8 into the text of their array in Latin-1, with commas between the items. V8 copies
 * Latin-1 into a string without decoding it.
 */

/** The size of either text at most: the lines, and the brackets around their array. */
export const MOST_BYTES: u32 = 65536;
/** Vectors may be read and written this far after the end. */
const SLACK: usize = 16;

const LINES: usize = memory.data(65536 + 16, 16);
const TEXT: usize = memory.data(65536 + 16, 16);

export function linesAt(): usize {
  return LINES;
}

export function textAt(): usize {
  return TEXT;
}

/**
 * Converts that many bytes, at most `MOST_BYTES`, of which the last is a newline. Returns the length of the array's
 * text, or 0 if a character is not in Latin-1 or the bytes are not UTF-8.
 */
export function toLatin1(length: usize): usize {
  const end = LINES + length;
  const newlines = i8x16.splat(10);
  const commas = i8x16.splat(44);
  let from = LINES;
  let to = TEXT;
  store<u8>(to++, 91);
  while (from < end) {
    const bytes = v128.load(from);
    v128.store(to, v128.bitselect(commas, bytes, i8x16.eq(bytes, newlines)));
    const wide = i8x16.bitmask(bytes);
    if (wide == 0) {
      from += SLACK;
      to += SLACK;
      continue;
    }
    const plain = <usize>ctz(wide);
    from += plain;
    to += plain;
    if (from >= end) break;
    // Characters U+0080 to U+00FF: C2 or C3, then one more byte.
    const lead = <u32>load<u8>(from);
    const next = <u32>load<u8>(from + 1);
    if ((lead & 0xfe) != 0xc2 || (next & 0xc0) != 0x80) return 0;
    store<u8>(to++, ((lead & 3) << 6) | (next & 0x3f));
    from += 2;
  }
  // The last vector may have gone beyond the end.
  to -= from - end;
  store<u8>(to - 1, 93);
  return to - TEXT;
}
