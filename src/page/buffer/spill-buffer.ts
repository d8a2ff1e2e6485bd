/**
 * Pieces of bytes that are kept in order, in memory, and from a size on in a temporary file: where it is not known
 * how many will come.
 */
import { openTempFile, type Piece, type TempFile } from './temp-file.js';

/** Bytes, and what there is to know about them, which stays in memory. */
export interface BufferedEntry<About> {
  readonly bytes: Uint8Array;
  readonly about: About;
}

export interface SpillBuffer<About> {
  /** In bytes, wherever they lie. */
  readonly size: number;
  /** One call at a time. */
  add(bytes: Uint8Array, about: About): Promise<void>;
  /**
   * All in order, as often as asked for, even at the same time. Once cleared, what a file would have held is not given
   * any more.
   */
  all(): AsyncGenerator<BufferedEntry<About>>;
  /** Forgets all, and removes the file. */
  clear(): Promise<void>;
}

/**
 * Starts empty. `fits` gets the size with a piece that has come, and says whether that one may stay in memory;
 * after one that may not all go to the file. `clear` must be called in the end, or a temporary file may stay.
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
