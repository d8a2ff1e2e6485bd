/**
 * Slabs kept back until it is known whether their page repeats the one before: in memory, beyond that in a temporary
 * file.
 */
import type { Slab } from '../scanner/scanner.js';
import { createSpillBuffer, type SpillBuffer } from './spill-buffer.js';
import { memoryBytes } from './temp-file.js';

export interface SlabBuffer {
  readonly size: number;
  add(slab: Slab): Promise<void>;
  /** Gives the slabs back in order and forgets them. */
  drain(): AsyncGenerator<Slab>;
  /** Forgets all slabs and removes the file. */
  clear(): Promise<void>;
}

/**
 * Starts empty. `fits` gets the size with a slab that has come, and says whether that one may wait in memory; after
 * one that may not all go to the file. `clear` must be called in the end, or a temporary file may stay.
 */
export const createSlabBuffer = (fits = (size: number): boolean => size <= memoryBytes): SlabBuffer =>
  new HeldSlabs(fits);

class HeldSlabs implements SlabBuffer {
  readonly #slabs: SpillBuffer<Omit<Slab, 'bytes'>>;

  constructor(fits: (size: number) => boolean) {
    this.#slabs = createSpillBuffer(fits);
  }

  get size(): number {
    return this.#slabs.size;
  }

  add({ bytes, offsets, count }: Slab): Promise<void> {
    return this.#slabs.add(bytes, { offsets, count });
  }

  async *drain(): AsyncGenerator<Slab> {
    for await (const { bytes, about } of this.#slabs.all()) yield { bytes, ...about };
    await this.#slabs.clear();
  }

  clear(): Promise<void> {
    return this.#slabs.clear();
  }
}
