/**
 * Cuts a body into blocks of whole JSON texts, in memory of its own, so that a text that chunks have cut is looked at
 * once.
 */

export interface Blocks {
  /**
   * Takes a chunk in. Returns the texts that are whole now, up to the separator after them; it stands until the next
   * call.
   */
  take(chunk: Uint8Array): Block | undefined;
  /** The body has ended: what is left. */
  rest(): Block;
  /** The text whose end has not come: where in the body it begins, and its bytes so far. */
  open(): { readonly offset: number; readonly length: number };
}

/** Separator and text by turns; only the first block of a body begins with a text. */
export interface Block {
  /** One byte more than the block has: the separator that the next block begins with, or room for one. */
  readonly bytes: Buffer;
  /** Where in the body it begins. */
  readonly offset: number;
}

const FIRST_BYTES = 64 * 1024;

export function createBlocks(separator: number): Blocks {
  let held: Buffer = Buffer.allocUnsafe(FIRST_BYTES);
  let length = 0;
  /** The length of the block that was handed out last. */
  let taken = 0;
  let offset = 0;

  function append(chunk: Uint8Array): void {
    held.copyWithin(0, taken, length);
    length -= taken;
    offset += taken;
    taken = 0;
    if (length + chunk.length >= held.length) held = grown(held, length, length + chunk.length + 1);
    held.set(chunk, length);
    length += chunk.length;
  }

  function cut(to: number): Block {
    taken = to;
    return { bytes: held.subarray(0, to + 1), offset };
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

function grown(held: Buffer, length: number, needed: number): Buffer {
  const larger = Buffer.allocUnsafe(Math.max(needed, held.length * 2));
  held.copy(larger, 0, 0, length);
  return larger;
}
