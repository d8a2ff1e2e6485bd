/** Slabs kept back until it is known whether their page repeats the one before: in memory, beyond that in a temporary file. */
import type { Slab } from './scanner/scanner.js';
import { memoryBytes, openSpool, type Piece, type Spool } from './spool.js';

export interface Hold {
  readonly size: number;
  add(slab: Slab): Promise<void>;
  /** Gives the slabs back in order and forgets them. */
  drain(): AsyncGenerator<Slab>;
  /** Forgets all slabs and removes the file. */
  clear(): Promise<void>;
}

/**
 * Starts empty. `fits` is told the size with a slab that has come, and says whether that one may wait in memory; behind one that may not
 * all go to the file. `clear` must be called in the end, or a temporary file may stay.
 */
export function createHold(fits = (size: number): boolean => size <= memoryBytes): Hold {
  let inMemory: Slab[] = [];
  let inFile: { readonly piece: Piece; readonly offsets: Uint32Array; readonly count: number }[] = [];
  let held = 0;
  let spool: Spool | undefined;

  const clear = async () => {
    inMemory = [];
    inFile = [];
    held = 0;
    const opened = spool;
    spool = undefined;
    await opened?.close();
  };

  return {
    get size() {
      return held;
    },
    async add(slab) {
      held += slab.bytes.length;
      if (spool === undefined && fits(held)) {
        inMemory.push(slab);
        return;
      }
      spool ??= await openSpool();
      const { offsets, count } = slab;
      inFile.push({ piece: await spool.write(slab.bytes), offsets, count });
    },
    async *drain() {
      yield* inMemory;
      for (const { piece, offsets, count } of inFile) {
        if (spool !== undefined) yield { bytes: await spool.read(piece), offsets, count };
      }
      await clear();
    },
    clear,
  };
}
