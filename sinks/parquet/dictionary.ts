/** The different values of a column, each stored once. */
import { createBytes, type GrowingBytes } from '../growing-bytes.js';

/** The most values, so that a place among them has 16 bits. */
const mostValues = 65_536;
const mostBytes = 1024 * 1024;

export class Dictionary {
  count = 0;
  /** As in a page of the encoding PLAIN: a text with its length before it. */
  #bytes: Buffer = Buffer.allocUnsafeSlow(256);
  #ends = new Int32Array(64);
  #hashes = new Int32Array(64);
  /** Places by hash, plus 1; 0: free. */
  #slots = new Int32Array(256);
  readonly #prefix: number;

  /** `prefix`: the bytes before a value that hold its length, 4 or 0. */
  constructor(prefix: number) {
    this.#prefix = prefix;
  }

  /** Bytes in all. */
  length(): number {
    return this.#ends[this.count - 1] ?? 0;
  }

  isFull(): boolean {
    return this.count >= mostValues || this.length() >= mostBytes;
  }

  /** The place of a value, which is added if it is new. */
  place(source: Buffer, from: number, to: number, hash: number): number {
    const mask = this.#slots.length - 1;
    let slot = hash & mask;
    for (let entry = this.#slots[slot] ?? 0; entry > 0; entry = this.#slots[slot] ?? 0) {
      if (this.#hashes[entry - 1] === hash && this.#equals(entry - 1, source, from, to)) return entry - 1;
      slot = (slot + 1) & mask;
    }
    this.#slots[slot] = this.count + 1;
    this.#add(source, from, to, hash);
    if (this.count * 2 > this.#slots.length) this.#rehash();
    return this.count - 1;
  }

  /** Appends the value at a place as a page of the encoding PLAIN has it. */
  copy(place: number, out: GrowingBytes): void {
    out.copy(this.#bytes, this.#startOf(place), this.#ends[place] ?? 0);
  }

  /** The content of the page of the dictionary. */
  take(): Buffer {
    return this.#bytes.subarray(0, this.length());
  }

  #startOf(place: number): number {
    return place === 0 ? 0 : (this.#ends[place - 1] ?? 0);
  }

  #equals(place: number, source: Buffer, from: number, to: number): boolean {
    const start = this.#startOf(place) + this.#prefix;
    if ((this.#ends[place] ?? 0) - start !== to - from) return false;
    for (let at = from, own = start; at < to; at++, own++) if (this.#bytes[own] !== source[at]) return false;
    return true;
  }

  #add(source: Buffer, from: number, to: number, hash: number): void {
    const start = this.length();
    const end = start + this.#prefix + to - from;
    if (end > this.#bytes.length) this.#bytes = grown(this.#bytes, Math.max(end, this.#bytes.length * 2));
    if (this.#prefix > 0) this.#bytes.writeUInt32LE(to - from, start);
    source.copy(this.#bytes, start + this.#prefix, from, to);
    if (this.count === this.#ends.length) {
      this.#ends = larger(this.#ends);
      this.#hashes = larger(this.#hashes);
    }
    this.#ends[this.count] = end;
    this.#hashes[this.count] = hash;
    this.count += 1;
  }

  #rehash(): void {
    this.#slots = new Int32Array(this.#slots.length * 2);
    const mask = this.#slots.length - 1;
    for (let place = 0; place < this.count; place++) {
      let slot = (this.#hashes[place] ?? 0) & mask;
      while (this.#slots[slot] !== 0) slot = (slot + 1) & mask;
      this.#slots[slot] = place + 1;
    }
  }
}

function grown(bytes: Buffer, size: number): Buffer {
  const made = Buffer.allocUnsafeSlow(size);
  bytes.copy(made);
  return made;
}

/** Twice the list. */
export function larger(list: Int32Array): Int32Array<ArrayBuffer> {
  const made = new Int32Array(list.length * 2);
  made.set(list);
  return made;
}

/** The values of places one after the other, in the encoding PLAIN. */
export function plainValues(dictionary: Dictionary, places: Int32Array, count: number): GrowingBytes {
  const out = createBytes(1024);
  for (let at = 0; at < count; at++) dictionary.copy(places[at] ?? 0, out);
  return out;
}

/** FNV-1a, of 32 bits. */
export function hashOf(source: Buffer, from: number, to: number): number {
  let hash = hashSeed;
  for (let at = from; at < to; at++) hash = nextHash(hash, source[at] ?? 0);
  return hash;
}

export const hashSeed = 0x811c9dc5 | 0;
export const nextHash = (hash: number, byte: number): number => Math.imul(hash ^ byte, 0x01000193);
