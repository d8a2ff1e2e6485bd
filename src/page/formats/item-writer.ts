/** The output of a format: items of compact JSON in memory of its own, which leave it as slabs. */
import type { Slab } from '../scanner/scan.js';

const FIRST_BYTES = 64 * 1024;
const FIRST_ITEMS = 1024;
const NEWLINE = 0x0a;

export interface ItemWriterOptions {
  /** A slab is full when its complete items have at least this many bytes. */
  readonly batchBytes: number;
  /** Allocates the memory of a slab of that many bytes. */
  readonly allocate: (bytes: number) => Uint8Array;
}

/** Formats write into `bytes` at `length` themselves: a call for each byte would be slow. */
export class ItemWriter {
  bytes: Uint8Array = Buffer.allocUnsafeSlow(FIRST_BYTES);
  /** What is written, an incomplete item included. */
  length = 0;
  /** Where the incomplete item begins. */
  itemAt = 0;
  /** Items in the memory. */
  count = 0;
  #offsets = new Uint32Array(FIRST_ITEMS);
  readonly #options: ItemWriterOptions;

  constructor(options: ItemWriterOptions) {
    this.#options = options;
  }

  /** Makes room for so many more bytes; `bytes` may be another array afterwards. */
  reserve(more: number): void {
    if (this.length + more <= this.bytes.length) return;
    const larger = Buffer.allocUnsafeSlow(Math.max(this.length + more, this.bytes.length * 2));
    larger.set(this.bytes.subarray(0, this.length));
    this.bytes = larger;
  }

  /** Ends the item with its newline. */
  endItem(): void {
    this.reserve(1);
    this.bytes[this.length++] = NEWLINE;
    this.itemAt = this.length;
    this.count += 1;
    if (this.count === this.#offsets.length) {
      const larger = new Uint32Array(this.count * 2);
      larger.set(this.#offsets);
      this.#offsets = larger;
    }
    this.#offsets[this.count] = this.length;
  }

  /** Whether the complete items fill a slab. */
  isFull(): boolean {
    return this.itemAt >= this.#options.batchBytes;
  }

  /** Takes out the complete items. */
  takeSlab(): Slab {
    const bytes = this.#options.allocate(this.itemAt);
    bytes.set(this.bytes.subarray(0, this.itemAt));
    const offsets = this.#offsets.slice(0, this.count + 1);
    const slab = { bytes, offsets, count: this.count };
    this.bytes.copyWithin(0, this.itemAt, this.length);
    this.length -= this.itemAt;
    this.itemAt = 0;
    this.count = 0;
    return slab;
  }
}
