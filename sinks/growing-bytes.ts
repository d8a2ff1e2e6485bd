/** Bytes that grow at their end. */
import { COMMA } from '../src/core/json/byte-steps.js';

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

/** Starts with memory for so many bytes. */
export const createBytes = (size: number): GrowingBytes => new Growing(size);

class Growing implements GrowingBytes {
  #bytes: Buffer;
  length = 0;

  constructor(size: number) {
    this.#bytes = Buffer.allocUnsafeSlow(size);
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
