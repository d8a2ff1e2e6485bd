/** A source of bytes that pushes chunks to one reader. */

/** Receives the next chunk. If it returns a promise, the chunk after it waits for that promise. */
export type TakeChunk = (chunk: Uint8Array) => void | Promise<void>;

const borrows = Symbol('borrows');

type MarkedTake = TakeChunk & { [borrows]?: true };

/** Marks a reader that may get lent memory (lent-memory.ts), and returns it. What it keeps it must retain or copy. */
export const borrowingChunks = (take: TakeChunk): TakeChunk => Object.assign(take, { [borrows]: true });

/** Whether a reader may get lent memory. */
export const borrowsChunks = (take: MarkedTake): boolean => take[borrows] === true;

/** Marks a reader that passes chunks on to another, if that is marked. */
export const borrowingLike = (reader: TakeChunk, take: TakeChunk): TakeChunk =>
  borrowsChunks(reader) ? borrowingChunks(take) : take;

/** Ends a file of an archive: the chunks since the file before it are its bytes. */
export type EndFile = () => void | Promise<void>;

export interface ByteSource {
  /**
   * Passes all chunks in order and resolves at their end; rejects with what `take` throws. Can be called once. Only an
   * archive calls `endFile`.
   */
  read(take: TakeChunk, endFile?: EndFile): Promise<void>;
}

/** Creates a source from an iterable. */
export const sourceOf = (chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>): ByteSource => ({
  async read(take) {
    for await (const chunk of chunks) {
      const waiting = take(chunk);
      if (waiting !== undefined) await waiting;
    }
  },
});
