/** Text: the whole body is one item, `{"text": ...}`. docs/14-any-response.md#text-and-bytes. */
import { ExtractError } from '../../core/errors/errors.js';
import type { Converter, Format, FormatContext } from './body-format.js';
import { escapes } from './csv-bytes.js';
import { detectByMark, TextInput } from './text-input.js';

/** The longest escape of a byte, and what is around the text. */
const MOST_GROWTH = 6;
const FRAME_BYTES = 16;

const opening = Buffer.from('{"text":"');

export const text: Format = {
  create: (context) => new TextInput(new WholeText(context), context.options.encoding, detectByMark),
};

class WholeText implements Converter {
  readonly #context: FormatContext;
  #hasBegun = false;

  constructor(context: FormatContext) {
    this.#context = context;
  }

  push(chunk: Uint8Array, from: number): number {
    const { out, maxItemBytes } = this.#context;
    out.reserve((chunk.length - from) * MOST_GROWTH + FRAME_BYTES);
    const { bytes } = out;
    let { length } = out;
    if (!this.#hasBegun) {
      bytes.set(opening, length);
      length += opening.length;
    }
    this.#hasBegun = true;
    for (let at = from; at < chunk.length; at++) {
      const byte = chunk[at] ?? 0;
      const escaped = escapes[byte];
      if (escaped === undefined) bytes[length++] = byte;
      else for (const each of escaped) bytes[length++] = each;
    }
    out.length = length;
    if (length > maxItemBytes) throw tooLarge(maxItemBytes);
    return chunk.length;
  }

  end(): void {
    const { out } = this.#context;
    if (!this.#hasBegun) return;
    out.reserve(FRAME_BYTES);
    out.bytes[out.length++] = 0x22;
    out.bytes[out.length++] = 0x7d;
    out.endItem();
  }

  hasPlace(): boolean {
    return this.#hasBegun;
  }

  place(): string {
    return 'the end of what is valid';
  }
}

/** The error of a body that is one item. */
export const tooLarge = (maxItemBytes: number): ExtractError =>
  new ExtractError('ERR_ITEM_SIZE', `the body, which is one item, is larger than ${maxItemBytes} bytes`);
