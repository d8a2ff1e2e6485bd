/**
 * Computes the size of a response as the reference program counts it: compact JSON with `\/` and `\uXXXX`, counted
 * while the bytes stream.
 */

export interface Volume {
  /** Counts the next bytes of the body; assumes valid JSON. */
  add(chunk: Uint8Array): void;
  /** Bytes so far. */
  bytes(): number;
}

/**
 * The state of the last byte in a string: outside, inside, after a backslash; 3 to 6: after \u and that number of
 * digits less 3.
 */
const OUTSIDE = 0;
const INSIDE = 1;
const ESCAPE = 2;
const UNICODE_END = 7;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const LETTER_U = 0x75;

/**
 * The size of each byte in a string: the first byte of a sequence counts for the whole character, as two escapes if it
 * needs a surrogate pair.
 */
const inText = Uint8Array.from({ length: 256 }, (_, byte) => {
  if (byte === 0x2f) return 2;
  if (byte < 0x80) return 1;
  if (byte < 0xc0) return 0;
  return byte < 0xf0 ? 6 : 12;
});

/** The size of each byte outside strings: white space and a byte-order mark count 0. */
const between = Uint8Array.from({ length: 256 }, (_, byte) => (byte <= 0x20 || byte >= 0x80 ? 0 : 1));

/** Starts at 0. Chunks may end anywhere, also within a character or an escape. */
export function createVolume(): Volume {
  let bytes = 0;
  let state = OUTSIDE;
  let unit = 0;

  /** Handles a byte after a backslash. */
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

  /** Counts bytes up to one that changes the state; returns the position after it. */
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

/** The size of a UTF-16 unit, given as \uXXXX, when it is encoded again. */
function sizeOfUnit(unit: number): number {
  if (shortEscapes.has(String.fromCharCode(unit))) return 2;
  return unit >= 0x20 && unit < 0x80 ? 1 : 6;
}
