/**
 * The size of a response as the reference program counts it: compact JSON with `\/` and `\uXXXX`, counted from the
 * bytes as they pass.
 */

export interface Volume {
  /** Counts the next bytes of the body; they are taken to be valid JSON. */
  add(chunk: Uint8Array): void;
  /** Bytes so far. */
  bytes(): number;
}

/**
 * How far into a text the last byte was: outside, in it, after a backslash; from 3 to 6, after \u and as many digits
 * less 3.
 */
const OUTSIDE = 0;
const INSIDE = 1;
const ESCAPE = 2;
const UNICODE_END = 7;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const LETTER_U = 0x75;

/**
 * What a byte of a text comes to: the first of several stands for the whole character, two escapes where it needs a
 * surrogate pair.
 */
const inText = Uint8Array.from({ length: 256 }, (_, byte) => {
  if (byte === 0x2f) return 2;
  if (byte < 0x80) return 1;
  if (byte < 0xc0) return 0;
  return byte < 0xf0 ? 6 : 12;
});

/** What a byte between texts comes to: white space and a byte-order mark are nothing. */
const between = Uint8Array.from({ length: 256 }, (_, byte) => (byte <= 0x20 || byte >= 0x80 ? 0 : 1));

/** Starts at 0. Pieces may end anywhere, within a character or an escape too. */
export function createVolume(): Volume {
  let bytes = 0;
  let state = OUTSIDE;
  let unit = 0;

  /** Takes a byte after a backslash. */
  const escaped = (byte: number): void => {
    if (state === ESCAPE && byte !== LETTER_U) {
      bytes += 2;
      state = INSIDE;
      return;
    }
    unit = state === ESCAPE ? 0 : unit * 16 + Number.parseInt(String.fromCharCode(byte), 16);
    state += 1;
    if (state < UNICODE_END) return;
    bytes += sizeOfUnit(unit);
    state = INSIDE;
  };

  /** Takes bytes up to one that changes the state; returns the place after it. */
  const run = (chunk: Uint8Array, from: number): number => {
    const [sizes, stop] = state === OUTSIDE ? [between, QUOTE] : [inText, BACKSLASH];
    let at = from;
    let sum = 0;
    for (; at < chunk.length; at++) {
      const byte = chunk[at] ?? 0;
      if (byte === QUOTE || byte === stop) break;
      sum += sizes[byte] ?? 0;
    }
    bytes += sum;
    if (at === chunk.length) return at;
    if (chunk[at] === BACKSLASH) state = ESCAPE;
    else {
      bytes += 1;
      state = state === OUTSIDE ? INSIDE : OUTSIDE;
    }
    return at + 1;
  };

  return {
    add(chunk) {
      for (let at = 0; at < chunk.length; ) {
        if (state < ESCAPE) at = run(chunk, at);
        else escaped(chunk[at++] ?? 0);
      }
    },
    bytes: () => bytes,
  };
}

const shortEscapes = new Set(['"', '\\', '/', '\b', '\f', '\n', '\r', '\t']);

/** What a UTF-16 unit that stands as \uXXXX comes to when it is written anew. */
function sizeOfUnit(unit: number): number {
  if (shortEscapes.has(String.fromCharCode(unit))) return 2;
  return unit >= 0x20 && unit < 0x80 ? 1 : 6;
}
