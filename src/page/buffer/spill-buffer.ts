/**
 * Pieces of bytes that are kept in order, in memory, and from a size on in a temporary file: for whoever does not know
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
 * Starts empty. `fits` is told the size with a piece that has come, and says whether that one may stay in memory;
 * behind one that may not all go to the file. `clear` must be called in the end, or a temporary file may stay.
 */
export function createSpillBuffer<About>(fits: (size: number) => boolean): SpillBuffer<About> {
  let inMemory: BufferedEntry<About>[] = [];
  let inFile: { readonly piece: Piece; readonly about: About }[] = [];
  let size = 0;
  let spool: TempFile | undefined;

  return {
    get size() {
      return size;
    },
    async add(bytes, about) {
      size += bytes.length;
      if (spool === undefined && fits(size)) {
        inMemory.push({ bytes, about });
        return;
      }
      spool ??= await openTempFile();
      inFile.push({ piece: await spool.write(bytes), about });
    },
    async *all() {
      yield* inMemory;
      for (const { piece, about } of inFile) if (spool !== undefined) yield { bytes: await spool.read(piece), about };
    },
    async clear() {
      const opened = spool;
      [inMemory, inFile, size, spool] = [[], [], 0, undefined];
      await opened?.close();
    },
  };
}
