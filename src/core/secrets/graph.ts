/**
 * All readings of a text as a graph: nodes are the places between bytes; edges are bytes and the meanings of escapes.
 */

import { byteAt, numberAt } from './number-tables.js';

/**
 * Each path through the graph reads every escape or leaves it as it is. So whatever part of a text was encoded, one
 * path shows that part plain. Escapes are numbered; -1 is none. The data is in arrays because there may be one escape
 * for every third byte.
 */
export interface Readings {
  readonly bytes: Uint8Array;
  /** The latest escape that begins at a place. */
  firstAt(at: number): number;
  /** The next escape of the same place. */
  nextOf(each: number): number;
  toOf(each: number): number;
  bytesOf(each: number): Uint8Array;
  /** Adds an escape, unless it is known. It becomes the first of its place. */
  add(at: number, to: number, bytes: Uint8Array): void;
}

/** Creates a graph without escapes. */
export function createReadings(bytes: Uint8Array): Readings {
  const firsts = new Int32Array(bytes.length + 1).fill(-1);
  const nexts: number[] = [];
  const tos: number[] = [];
  const meanings: Uint8Array[] = [];
  const none = new Uint8Array();
  const firstAt = (at: number): number => firsts[at] ?? -1;
  const nextOf = (each: number): number => nexts[each] ?? -1;
  return {
    bytes,
    firstAt,
    nextOf,
    toOf: (each) => tos[each] ?? 0,
    bytesOf: (each) => meanings[each] ?? none,
    add(at, to, meaning) {
      for (let each = firstAt(at); each !== -1; each = nextOf(each)) {
        if (tos[each] === to && isSame(meanings[each] ?? none, meaning)) return;
      }
      nexts.push(firstAt(at));
      tos.push(to);
      meanings.push(meaning);
      firsts[at] = tos.length - 1;
    },
  };
}

const isSame = (one: Uint8Array, other: Uint8Array): boolean =>
  one === other || (one.length === other.length && one.every((byte, index) => byte === other[index]));

/**
 * Reads characters of the wanted kinds (bits of `kind`), plain or as an escape. The longest escape wins: a text encoded
 * twice may look like another text encoded once. Results are in members, so that reading allocates nothing.
 */
export interface GraphReader {
  /** Returns the place after one byte; -1: there is none. */
  one(at: number, wanted: number): number;
  /** Returns the place after all letters and digits, up to `most`. */
  word(at: number, most: number): number;
  /** Returns the place after `least` to `most` digits, hexadecimal ones if the base is 16; -1: there are fewer. */
  digits(at: number, base: 10 | 16, least: number, most: number): number;
  /** The byte read last. */
  readonly byte: number;
  /** The word read last. */
  readonly text: string;
  /** The number of the digits read last. */
  readonly number: number;
}

/** Creates a reader. It sees escapes that are added later. */
export function createReader({ bytes, firstAt, nextOf, toOf, bytesOf }: Readings): GraphReader {
  let [byte, text, number] = [0, '', 0];
  const one = (at: number, wanted: number): number => {
    byte = byteAt(bytes, at);
    if (isKind(byte, wanted) && at < bytes.length) return at + 1;
    let to = -1;
    for (let each = firstAt(at); each !== -1; each = nextOf(each)) {
      const meaning = bytesOf(each);
      const first = byteAt(meaning, 0);
      if (meaning.length !== 1 || toOf(each) <= to || !isKind(first, wanted)) continue;
      byte = first;
      to = toOf(each);
    }
    return to;
  };
  return {
    one,
    word(from, most) {
      let at = from;
      text = '';
      for (let to = one(at, kind.alphanumeric); to !== -1 && text.length < most; to = one(at, kind.alphanumeric)) {
        text += String.fromCharCode(byte);
        at = to;
      }
      return at;
    },
    digits(from, base, least, most) {
      const wanted = base === 16 ? kind.hex : kind.digit;
      let [at, count] = [from, 0];
      number = 0;
      for (; count < most; count += 1) {
        const to = one(at, wanted);
        if (to === -1) break;
        number = number * base + (byte <= 0x39 ? byte - 0x30 : (byte | 0x20) - 0x57);
        at = to;
      }
      return count < least ? -1 : at;
    },
    get byte() {
      return byte;
    },
    get text() {
      return text;
    },
    get number() {
      return number;
    },
  };
}

/** Whether the byte is of one of the kinds. */
export const isKind = (byte: number, wanted: number): boolean => (numberAt(kinds, byte) & wanted) !== 0;

/** Bits for kinds of bytes. */
export const kind = {
  digit: 1,
  hex: 2,
  alphanumeric: 4,
  base64: 8,
  padding: 16,
  continuation: 32,
  hash: 64,
  semicolon: 128,
  u: 256,
  x: 512,
  lineBreak: 1024,
  blank: 2048,
} as const;

const byKind: readonly (readonly [number, RegExp])[] = [
  [kind.digit, /\d/],
  [kind.hex, /[\da-f]/i],
  [kind.alphanumeric, /[\da-z]/i],
  [kind.base64, /[\da-z+/_-]/i],
  [kind.padding, /=/],
  [kind.continuation, /[\x80-\xbf]/],
  [kind.hash, /#/],
  [kind.semicolon, /;/],
  [kind.u, /u/],
  [kind.x, /x/i],
  [kind.lineBreak, /[\r\n]/],
  [kind.blank, /[ \t]/],
];

const kinds = Uint32Array.from({ length: 256 }, (_, byte) =>
  byKind.reduce((bits, [bit, form]) => (form.test(String.fromCharCode(byte)) ? bits | bit : bits), 0),
);
