/** Compresses with Snappy, the usual compression of Parquet, which Node does not have. */

/** A block is compressed by itself: places in it have 16 bits. */
const blockBytes = 65536;
const tableBits = 14;
/** Shorter rests are not searched: four bytes are read at a time. */
const margin = 15;

/**
 * One raw block of the format, https://github.com/google/snappy/blob/main/format_description.txt: the length, then
 * literals and copies of earlier bytes.
 */
export function compressSnappy(bytes: Buffer): Buffer {
  const out = new Output(32 + bytes.length + Math.ceil(bytes.length / 6));
  out.varint(bytes.length);
  const table = new Uint16Array(1 << tableBits);
  for (let from = 0; from < bytes.length; from += blockBytes) {
    compressBlock(bytes.subarray(from, from + blockBytes), table, out);
  }
  return out.bytes.subarray(0, out.length);
}

function compressBlock(block: Buffer, table: Uint16Array, out: Output): void {
  table.fill(0);
  const end = block.length - margin;
  let literal = 0;
  let at = 1;
  let misses = 32;
  while (at < end) {
    const word = wordAt(block, at);
    const slot = Math.imul(word, 0x1e35a7bd) >>> (32 - tableBits);
    const candidate = table[slot] ?? 0;
    table[slot] = at;
    if (candidate >= at || wordAt(block, candidate) !== word) {
      at += misses >>> 5; // Data without repetitions is searched ever more coarsely.
      misses += 1;
      continue;
    }
    out.literal(block, literal, at);
    let length = 4;
    while (at + length < block.length && block[candidate + length] === block[at + length]) length += 1;
    out.copy(at - candidate, length);
    at += length;
    literal = at;
    misses = 32;
  }
  out.literal(block, literal, block.length);
}

const wordAt = (bytes: Buffer, at: number): number =>
  (bytes[at] ?? 0) | ((bytes[at + 1] ?? 0) << 8) | ((bytes[at + 2] ?? 0) << 16) | ((bytes[at + 3] ?? 0) << 24);

class Output {
  readonly bytes: Buffer;
  length = 0;

  constructor(size: number) {
    this.bytes = Buffer.allocUnsafeSlow(size);
  }

  varint(value: number): void {
    let rest = value;
    for (; rest >= 128; rest >>>= 7) this.bytes[this.length++] = (rest & 127) | 128;
    this.bytes[this.length++] = rest;
  }

  literal(block: Buffer, from: number, to: number): void {
    const length = to - from;
    if (length === 0) return;
    if (length <= 60) this.bytes[this.length++] = (length - 1) << 2;
    else {
      const isShort = length <= 256;
      this.bytes[this.length++] = (isShort ? 60 : 61) << 2;
      this.bytes[this.length++] = (length - 1) & 0xff;
      if (!isShort) this.bytes[this.length++] = (length - 1) >>> 8;
    }
    if (length > 24) block.copy(this.bytes, this.length, from, to);
    else for (let at = from, own = this.length; at < to; at++, own++) this.bytes[own] = block[at] ?? 0;
    this.length += length;
  }

  /** Copies of at most 64 bytes; the last one has at least 4. */
  copy(distance: number, length: number): void {
    let rest = length;
    while (rest >= 68) {
      this.#copy(distance, 64);
      rest -= 64;
    }
    if (rest > 64) {
      this.#copy(distance, 60);
      rest -= 60;
    }
    this.#copy(distance, rest);
  }

  #copy(distance: number, length: number): void {
    if (length < 12 && distance < 2048) {
      this.bytes[this.length++] = 1 | ((length - 4) << 2) | ((distance >>> 8) << 5);
      this.bytes[this.length++] = distance & 0xff;
      return;
    }
    this.bytes[this.length++] = 2 | ((length - 1) << 2);
    this.bytes[this.length++] = distance & 0xff;
    this.bytes[this.length++] = distance >>> 8;
  }
}
