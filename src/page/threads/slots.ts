/** Shared memory for slabs: the thread that scans fills a slot, and the main thread frees it when it is not needed. */
import { lend } from '../../core/util/lent-memory.js';

/** The size of a slot in bytes: a batch, and what is scanned at once. Larger slabs get memory of their own. */
const slotBytes = 1024 * 1024 + 128 * 1024;

/** Enough for a page that is scanned, one that waits for the sink, and one that is being written. */
const slotCount = 4;

/** The memory of all slots of a thread. A word for each slot: 0 is free. */
export interface SlotMemory {
  readonly words: SharedArrayBuffer;
  readonly slots: readonly SharedArrayBuffer[];
}

/** Reserves address space; a slot takes memory as far as it is filled. */
export const createSlotMemory = (): SlotMemory => ({
  words: new SharedArrayBuffer(slotCount * Int32Array.BYTES_PER_ELEMENT),
  slots: Array.from({ length: slotCount }, () => new SharedArrayBuffer(slotBytes)),
});

/** The filling end. */
export interface SlotFiller {
  /** A free slot, or memory of its own if there is none or the slab is too large. */
  allocate(bytes: number): Uint8Array;
  /** The number of the slot that holds the bytes; undefined: they have memory of their own. */
  slotOf(bytes: Uint8Array): number | undefined;
}

export function createSlotFiller({ words, slots }: SlotMemory): SlotFiller {
  const taken = new Int32Array(words);
  const numbers = new Map<ArrayBufferLike, number>(slots.map((memory, slot) => [memory, slot]));
  return {
    allocate(bytes) {
      const slot = bytes > slotBytes ? -1 : taken.findIndex((_, index) => Atomics.load(taken, index) === 0);
      const memory = slots[slot];
      if (memory === undefined) return Buffer.allocUnsafeSlow(bytes);
      Atomics.store(taken, slot, 1);
      return Buffer.from(memory, 0, bytes);
    },
    slotOf: ({ buffer }) => numbers.get(buffer),
  };
}

/** The freeing end. */
export interface SlotLender {
  /** Lends the first bytes of a filled slot. Call `done` once; a slot that is retained stays taken until then. */
  lend(slot: number, length: number): { readonly bytes: Uint8Array; readonly done: () => void };
}

export function createSlotLender({ words, slots }: SlotMemory): SlotLender {
  const taken = new Int32Array(words);
  return {
    lend(slot, length) {
      const memory = slots[slot];
      if (memory === undefined) throw new RangeError(`no slot ${slot}`);
      const bytes = Buffer.from(memory, 0, length);
      const done = lend(bytes, () => Atomics.store(taken, slot, 0));
      return { bytes, done };
    },
  };
}
