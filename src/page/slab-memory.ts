/**
 * Memory of slabs that is used again. V8 counts the memory of dead slabs until a collection of young objects, and there
 * are few such objects a page. Without this, large slabs start a collection of the whole heap every few pages.
 */
import { lend } from '../core/util/lent-memory.js';

export interface SlabMemory {
  /** Memory for a slab of that many bytes; large ones are lent. */
  readonly allocate: (bytes: number) => Uint8Array;
  /** Ends a loan, when the call that received the slab has settled: a sink may still retain the memory. */
  readonly settled: (bytes: Uint8Array) => void;
}

/** Smaller slabs have memory of their own: it is less than what else a page leaves behind. */
const leastBytes = 32 * 1024;
/** A batch, and what is scanned at once. Larger slabs, of one large item, are rare. */
const mostBytes = 1024 * 1024 + 128 * 1024;
const step = 64 * 1024;
/** One slab that is filled, one that is being written, and one more for a second walk. */
const mostFree = 3;

/** Creates the memory of a run, empty. */
export function createSlabMemory(): SlabMemory {
  /** The smallest first. */
  const free: Uint8Array[] = [];
  const loans = new WeakMap<ArrayBufferLike, () => void>();
  const give = (whole: Uint8Array) => {
    free.push(whole);
    free.sort((a, b) => a.length - b.length);
    if (free.length > mostFree) free.shift();
  };
  return {
    allocate(bytes) {
      if (bytes < leastBytes || bytes > mostBytes) return Buffer.allocUnsafeSlow(bytes);
      const found = free.findIndex((whole) => whole.length >= bytes);
      const [known] = found < 0 ? [] : free.splice(found, 1);
      const whole = known ?? Buffer.allocUnsafeSlow(Math.ceil(bytes / step) * step);
      const lent = whole.subarray(0, bytes);
      loans.set(
        lent.buffer,
        lend(lent, () => give(whole)),
      );
      return lent;
    },
    settled({ buffer }) {
      const end = loans.get(buffer);
      loans.delete(buffer);
      end?.();
    },
  };
}
