/** Buffers slabs until it is known whether their page repeats the previous one: in memory, then in a temporary file. */
import { owned } from '../../core/util/lent-memory.js';
import type { Slab } from '../scanner/scanner.js';
import { createSpillBuffer, type SpillBuffer } from './spill-buffer.js';
import { memoryBytes } from './temp-file.js';

export interface SlabBuffer {
  readonly size: number;
  add(slab: Slab): Promise<void>;
  /** Yields the slabs in order; repeated calls are allowed. */
  all(): AsyncGenerator<Slab>;
  /** Yields the slabs in order and removes them. */
  drain(): AsyncGenerator<Slab>;
  /** Drops all slabs and removes the file. */
  clear(): Promise<void>;
}

/**
 * Creates an empty buffer. `fits` receives the size including a new slab, and decides whether that slab stays in
 * memory; after the first that does not, all go to the file. The caller must call `clear`, or a temporary file may
 * stay.
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
    return this.#slabs.add(owned(bytes), { offsets, count });
  }

  async *all(): AsyncGenerator<Slab> {
    for await (const { bytes, about } of this.#slabs.all()) yield { bytes, ...about };
  }

  async *drain(): AsyncGenerator<Slab> {
    yield* this.all();
    await this.#slabs.clear();
  }

  clear(): Promise<void> {
    return this.#slabs.clear();
  }
}
