/**
 * Cuts a body into blocks of complete JSON texts, in their own memory, so that a text split across chunks is checked
 * once.
 */

export interface Blocks {
  /**
   * Adds a chunk. Returns the texts that are complete now, up to the separator after them; the block is valid until the
   * next call.
   */
  take(chunk: Uint8Array): Block | undefined;
  /** Returns the rest at the end of the body. */
  rest(): Block;
  /** The incomplete text: its offset in the body, and its bytes so far. */
  open(): { readonly offset: number; readonly length: number };
}

/** Alternating separators and texts; only the first block of a body begins with a text. */
export interface Block {
  /** One byte longer than the block: the separator that starts the next block, or room for one. */
  readonly bytes: Buffer;
  /** The offset in the body. */
  readonly offset: number;
}

const FIRST_BYTES = 64 * 1024;

export function createBlocks(separator: number): Blocks {
  let buffer: Buffer = Buffer.allocUnsafe(FIRST_BYTES);
  let length = 0;
  /** The length of the last returned block. */
  let taken = 0;
  let offset = 0;

  function append(chunk: Uint8Array): void {
    buffer.copyWithin(0, taken, length);
    length -= taken;
    offset += taken;
    taken = 0;
    if (length + chunk.length >= buffer.length) buffer = grown(buffer, length, length + chunk.length + 1);
    buffer.set(chunk, length);
    length += chunk.length;
  }

  function cut(to: number): Block {
    taken = to;
    return { bytes: buffer.subarray(0, to + 1), offset };
  }

  return {
    take(chunk) {
      append(chunk);
      const last = chunk.lastIndexOf(separator);
      const to = length - chunk.length + last;
      return last < 0 || to === 0 ? undefined : cut(to);
    },
    rest() {
      append(new Uint8Array(0));
      return cut(length);
    },
    open() {
      const separators = offset + taken > 0 ? 1 : 0;
      return { offset: offset + taken + separators, length: length - taken - separators };
    },
  };
}

function grown(buffer: Buffer, length: number, needed: number): Buffer {
  const larger = Buffer.allocUnsafe(Math.max(needed, buffer.length * 2));
  buffer.copy(larger, 0, 0, length);
  return larger;
}
