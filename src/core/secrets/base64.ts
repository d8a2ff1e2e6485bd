/**
 * What stretches of base64 hold: each is decoded from all four places where its groups of four may begin, as other
 * characters may precede it.
 */
import { createReader, type GraphReader, kind, type Readings } from './graph.js';
import { shortest } from './value-set.js';

/** What the stretches of a text hold, one after the other. */
export interface Decoded {
  readonly bytes: Uint8Array;
  /** Where each stretch ends: it may have been cut off, and so may what it holds. */
  readonly ends: readonly number[];
  /** The stretch that the byte at this place comes from, from its first character to its last. */
  sourceOf(at: number): readonly [from: number, to: number];
}

interface Stretch {
  readonly from: number;
  readonly to: number;
  /** The values of its characters, 6 bits each. */
  readonly values: readonly number[];
}

/** Fewer characters hold no value that is looked for. */
const fewest = Math.ceil((shortest * 8) / 6);

/** Stands between what was decoded; no value holds it. */
const separator = 0xff;

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';

/** 6 bits for each character. RFC 4648 4 and 5. */
const sixBitsOf = Uint8Array.from({ length: 256 }, (_, byte) =>
  alphabet.indexOf(String.fromCharCode(byte).replace('-', '+').replace('_', '/')),
);

/** Decodes every stretch of base64 in a text. `isCut`: whether what was cut off may end at this place. */
export function decodeBase64(readings: Readings, isCut: (at: number) => boolean): Decoded {
  const stretches = stretchesIn(readings);
  const size = stretches.reduce((sum, { values }) => sum + 4 + 3 * values.length, 0);
  const bytes = new Uint8Array(size);
  const sources: { readonly start: number; readonly stretch: Stretch }[] = [];
  const ends: number[] = [];
  let length = 0;
  for (const stretch of stretches) {
    sources.push({ start: length, stretch });
    for (let skipped = 0; skipped < 4; skipped += 1) {
      const begin = length;
      length = decodeInto(bytes, length, stretch.values, skipped);
      ends.push(length, ...(isCut(stretch.to) ? endsBefore(length, begin) : []));
      bytes[length] = separator;
      length += 1;
    }
  }
  return {
    bytes: bytes.subarray(0, length),
    ends,
    sourceOf(at) {
      let [low, high] = [0, sources.length - 1];
      while (low < high) {
        const middle = (low + high + 1) >> 1;
        if ((sources[middle]?.start ?? 0) <= at) low = middle;
        else high = middle - 1;
      }
      const { from, to } = sources[low]?.stretch ?? { from: 0, to: 0 };
      return [from, to];
    },
  };
}

/** An escape that was cut off, such as `\\\\u00`, may look like more characters, of which there are 5 at the most. */
const endsBefore = (length: number, begin: number): readonly number[] =>
  [1, 2, 3, 4].map((fewer) => length - fewer).filter((end) => end > begin);

/** Returns where the bytes end. Bits that make no whole byte are left out. */
function decodeInto(bytes: Uint8Array, start: number, values: readonly number[], skipped: number): number {
  let [length, bits, count] = [start, 0, 0];
  for (let at = skipped; at < values.length; at += 1) {
    bits = ((bits << 6) | (values[at] ?? 0)) & 0xffff;
    count += 6;
    if (count < 8) continue;
    count -= 8;
    bytes[length] = (bits >> count) & 0xff;
    length += 1;
  }
  return length;
}

function stretchesIn(readings: Readings): readonly Stretch[] {
  const reader = createReader(readings);
  const stretches: Stretch[] = [];
  for (let at = 0; at < readings.bytes.length; at += 1) {
    const stretch = stretchFrom(reader, at);
    if (stretch.values.length >= fewest) stretches.push(stretch);
    at = Math.max(at, stretch.to - 1);
  }
  return stretches;
}

/** With the padding after it, and over its own line breaks. */
function stretchFrom(reader: GraphReader, from: number): Stretch {
  const values: number[] = [];
  let to = from;
  for (let next = reader.one(to, kind.base64); next !== -1; ) {
    values.push(sixBitsOf[reader.byte] ?? 0);
    to = next;
    next = reader.one(to, kind.base64);
    if (next === -1) next = reader.one(nextLine(reader, to), kind.base64);
  }
  for (let padding = 0; padding < 2 && values.length > 0; padding += 1) to = Math.max(to, reader.one(to, kind.padding));
  return { from, to, values };
}

/** A line break and what it may be indented by, in characters. */
const mostBetweenLines = 64;

/**
 * The place after a line break and the white space that follows; the place itself where there is none. RFC 2045 6.8.
 * A character of the next line comes first: `\\u0072` is an `r`, though it can also be read as the escape `\r`.
 */
function nextLine(reader: GraphReader, from: number): number {
  let [at, next] = [from, reader.one(from, kind.lineBreak)];
  for (let count = 0; next !== -1 && count < mostBetweenLines; count += 1) {
    at = next;
    if (reader.one(at, kind.base64) !== -1) return at;
    next = reader.one(at, kind.lineBreak | kind.blank);
  }
  return at;
}
