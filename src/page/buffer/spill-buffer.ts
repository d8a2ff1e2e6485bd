/** Buffers byte pieces of unknown number in order: in memory up to a size, then in a temporary file. */
import { openTempFile, type Piece, type TempFile } from './temp-file.js';

/** Bytes and their metadata, which stays in memory. */
export interface BufferedEntry<About> {
  readonly bytes: Uint8Array;
  readonly about: About;
}

export interface SpillBuffer<About> {
  /** In bytes, in memory and file together. */
  readonly size: number;
  /** One call at a time. */
  add(bytes: Uint8Array, about: About): Promise<void>;
  /**
   * Yields all entries in order; repeated and concurrent calls are allowed. After `clear`, entries in the file are
   * gone.
   */
  all(): AsyncGenerator<BufferedEntry<About>>;
  /** Drops all entries and removes the file. */
  clear(): Promise<void>;
}

/**
 * Creates an empty buffer. `fits` receives the size including a new piece, and decides whether that piece stays in
 * memory; after the first that does not, all go to the file. The caller must call `clear`, or a temporary file may
 * stay.
 */
export const createSpillBuffer = <About>(fits: (size: number) => boolean): SpillBuffer<About> =>
  new Pieces<About>(fits);

class Pieces<About> implements SpillBuffer<About> {
  size = 0;
  readonly #fits: (size: number) => boolean;
  #inMemory: BufferedEntry<About>[] = [];
  #inFile: { readonly piece: Piece; readonly about: About }[] = [];
  #file: TempFile | undefined = undefined;

  constructor(fits: (size: number) => boolean) {
    this.#fits = fits;
  }

  async add(bytes: Uint8Array, about: About): Promise<void> {
    this.size += bytes.length;
    if (this.#file === undefined && this.#fits(this.size)) {
      this.#inMemory.push({ bytes, about });
      return;
    }
    this.#file ??= await openTempFile();
    this.#inFile.push({ piece: await this.#file.write(bytes), about });
  }

  async *all(): AsyncGenerator<BufferedEntry<About>> {
    yield* this.#inMemory;
    for (const { piece, about } of this.#inFile) {
      if (this.#file !== undefined) yield { bytes: await this.#file.read(piece), about };
    }
  }

  async clear(): Promise<void> {
    const opened = this.#file;
    this.#inMemory = [];
    this.#inFile = [];
    this.size = 0;
    this.#file = undefined;
    await opened?.close();
  }
}
