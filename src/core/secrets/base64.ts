/**
 * Decodes base64 in a text. Other characters may precede it, so each run is decoded from all four places where its
 * groups of four may begin.
 */

import { createReader, type GraphReader, isKind, kind, type Readings } from './graph.js';
import { byteAt } from './number-tables.js';
import { shortest } from './value-set.js';

/** The decoded bytes of all runs of a text, one after the other. */
export interface Decoded {
  readonly bytes: Uint8Array;
  /** Where each run ends. It may have been cut off there, and its content too. */
  readonly ends: readonly number[];
  /** The run that the byte at this place comes from, from its first character to its last. */
  sourceOf(at: number): readonly [from: number, to: number];
}

interface Base64Run {
  readonly from: number;
  readonly to: number;
  /** Its characters as values of 6 bits. */
  readonly values: Uint8Array;
}

/** A shorter run cannot contain a secret. */
const fewest = Math.ceil((shortest * 8) / 6);

/** Separates decoded runs; it is in no secret. */
const separator = 0xff;

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';

/** 6 bits for each character. RFC 4648 4 and 5. */
const sixBitsOf = Uint8Array.from({ length: 256 }, (_, byte) =>
  alphabet.indexOf(String.fromCharCode(byte).replace('-', '+').replace('_', '/')),
);

/** Decodes every run of base64 in a text. `isCut` says whether a cut text may end at a place. */
export function decodeBase64(readings: Readings, isCut: (at: number) => boolean): Decoded {
  const runs = findRuns(readings);
  const size = runs.reduce((sum, { values }) => sum + 4 + 3 * values.length, 0);
  const bytes = new Uint8Array(size);
  const sources: { readonly start: number; readonly run: Base64Run }[] = [];
  const ends: number[] = [];
  let length = 0;
  for (const run of runs) {
    sources.push({ start: length, run });
    for (let skipped = 0; skipped < 4; skipped += 1) {
      const begin = length;
      length = decodeInto(bytes, length, run.values, skipped);
      ends.push(length, ...(isCut(run.to) ? endsBefore(length, begin) : []));
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
      const { from, to } = sources[low]?.run ?? { from: 0, to: 0 };
      return [from, to];
    },
  };
}

/** A cut escape, such as `\\\\u00`, can look like up to 5 more base64 characters. */
const endsBefore = (length: number, begin: number): readonly number[] =>
  [1, 2, 3, 4].map((fewer) => length - fewer).filter((end) => end > begin);

/** Returns where the bytes end. Bits that do not fill a byte are left out. */
function decodeInto(bytes: Uint8Array, start: number, values: Uint8Array, skipped: number): number {
  let [length, bits, count] = [start, 0, 0];
  for (let at = skipped; at < values.length; at += 1) {
    bits = ((bits << 6) | byteAt(values, at)) & 0xffff;
    count += 6;
    if (count < 8) continue;
    count -= 8;
    bytes[length] = (bits >> count) & 0xff;
    length += 1;
  }
  return length;
}

function findRuns(readings: Readings): readonly Base64Run[] {
  const { bytes, firstAt } = readings;
  const reader = createReader(readings);
  const scratch = new Uint8Array(bytes.length);
  const runs: Base64Run[] = [];
  for (let at = 0; at < bytes.length; at += 1) {
    if (!isKind(byteAt(bytes, at), kind.base64) && firstAt(at) === -1) continue;
    const run = readRun(reader, at, scratch);
    if (run.values.length >= fewest) runs.push({ ...run, values: run.values.slice() });
    at = Math.max(at, run.to - 1);
  }
  return runs;
}

/** Reads a run with the padding after it, across its own line breaks. Its values fill the beginning of `scratch`. */
function readRun(reader: GraphReader, from: number, scratch: Uint8Array): Base64Run {
  let [to, count] = [from, 0];
  for (let next = reader.one(to, kind.base64); next !== -1; ) {
    scratch[count] = byteAt(sixBitsOf, reader.byte);
    count += 1;
    to = next;
    next = reader.one(to, kind.base64);
    if (next === -1) next = reader.one(nextLine(reader, to), kind.base64);
  }
  for (let padding = 0; padding < 2 && count > 0; padding += 1) to = Math.max(to, reader.one(to, kind.padding));
  return { from, to, values: scratch.subarray(0, count) };
}

/** Most characters of a line break and the indentation after it. */
const mostBetweenLines = 64;

/**
 * Returns the place after a line break and white space, or `from` if there is none. RFC 2045 6.8. A character of the
 * next line wins over white space: `\\u0072` is an `r`, though it also reads as the escape `\r`.
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
