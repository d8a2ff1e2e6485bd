/** Bytes that grow at their end. */
import { COMMA } from '../src/core/json/byte-steps.js';
import { lend } from '../src/core/util/lent-memory.js';

export interface GrowingBytes {
  readonly length: number;
  /** The memory, with room for so many bytes after `length`: write there, then set the length with `end`. */
  room(size: number): Buffer;
  byte(byte: number): void;
  copy(source: Buffer, from: number, to: number): void;
  /** Ends at a length: drops what is after it, or keeps what was written to `room`. */
  end(length: number): void;
  /** Writes the byte in place of a comma at the end, or after it if there is none. */
  replaceComma(byte: number): void;
  /** The bytes, without a copy; call it last. */
  take(): Buffer;
}

/** Shorter copies are faster in a loop. */
const shortBytes = 32;

/** Starts with memory for so many bytes; `pool` has it if it lends the result. */
export const createBytes = (size: number, pool?: BytePool): GrowingBytes =>
  new Growing(pool?.take(size) ?? Buffer.allocUnsafeSlow(size));

/**
 * Memory that is used again: V8 counts that of dead buffers until it collects them, and then they are many. Holds a
 * few, those of one batch.
 */
export interface BytePool {
  /** Memory for so many bytes or more. */
  take(size: number): Buffer;
  /** Lends what `take` of bytes has returned. The result ends the loan: call it once, when the sink has them. */
  lend(bytes: Uint8Array): () => void;
}

const mostFree = 4;
/** Larger ones are of one large item. */
const mostBytes = 4 * 1024 * 1024;

export function createBytePool(): BytePool {
  const free: Buffer[] = [];
  return {
    take(size) {
      const found = free.findIndex(({ length }) => length >= size);
      return free.splice(found, found < 0 ? 0 : 1)[0] ?? Buffer.allocUnsafeSlow(size);
    },
    lend: (bytes) =>
      lend(bytes, () => {
        if (free.length < mostFree && bytes.buffer.byteLength <= mostBytes) free.push(Buffer.from(bytes.buffer));
      }),
  };
}

class Growing implements GrowingBytes {
  #bytes: Buffer;
  length = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  room(size: number): Buffer {
    if (this.length + size > this.#bytes.length) this.#grow(size);
    return this.#bytes;
  }

  byte(byte: number): void {
    if (this.length === this.#bytes.length) this.#grow(1);
    this.#bytes[this.length] = byte;
    this.length += 1;
  }

  copy(source: Buffer, from: number, to: number): void {
    const size = to - from;
    if (this.length + size > this.#bytes.length) this.#grow(size);
    if (size > shortBytes) source.copy(this.#bytes, this.length, from, to);
    else for (let at = from, own = this.length; at < to; at++, own++) this.#bytes[own] = source[at] ?? 0;
    this.length += size;
  }

  end(length: number): void {
    this.length = length;
  }

  replaceComma(byte: number): void {
    if (this.#bytes[this.length - 1] === COMMA) this.length -= 1;
    this.byte(byte);
  }

  take(): Buffer {
    return this.#bytes.subarray(0, this.length);
  }

  #grow(more: number): void {
    const larger = Buffer.allocUnsafeSlow(Math.max(this.#bytes.length * 2, this.length + more));
    this.#bytes.copy(larger, 0, 0, this.length);
    this.#bytes = larger;
  }
}
