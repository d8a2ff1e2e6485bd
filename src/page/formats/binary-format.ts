/** Bytes of any kind: the whole body is one item, `{"base64": ...}`. docs/14-any-response.md#text-and-bytes. */
import { asBuffer } from '../../core/util/as-buffer.js';
import type { Converter, Format, FormatContext } from './body-format.js';
import { tooLarge } from './text-format.js';

/** Base64 writes three bytes as four characters. */
const GROUP_BYTES = 3;
const FRAME_BYTES = 32;

export const binary: Format = { create: (context) => new WholeBytes(context) };

class WholeBytes implements Converter {
  readonly #context: FormatContext;
  /** Bytes of an incomplete group. */
  #rest: Buffer = Buffer.alloc(0);
  #hasBegun = false;

  constructor(context: FormatContext) {
    this.#context = context;
  }

  push(chunk: Uint8Array, from: number): number {
    const { out, maxItemBytes } = this.#context;
    if (!this.#hasBegun) this.#write('{"base64":"');
    this.#hasBegun = true;
    const bytes = Buffer.concat([this.#rest, chunk.subarray(from)]);
    const whole = bytes.length - (bytes.length % GROUP_BYTES);
    this.#rest = bytes.subarray(whole);
    this.#write(bytes.toString('base64', 0, whole));
    if (out.length > maxItemBytes) throw tooLarge(maxItemBytes);
    return chunk.length;
  }

  end(): void {
    if (!this.#hasBegun) return;
    this.#write(`${this.#rest.toString('base64')}"}`);
    this.#context.out.endItem();
  }

  hasPlace(): boolean {
    return this.#hasBegun;
  }

  place(): string {
    return 'the end';
  }

  #write(text: string): void {
    const { out } = this.#context;
    out.reserve(text.length + FRAME_BYTES);
    out.length += asBuffer(out.bytes).write(text, out.length, 'latin1');
  }
}
