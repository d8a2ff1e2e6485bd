/** A source of bytes that pushes chunks to one reader. */

/** Receives the next chunk. If it returns a promise, the chunk after it waits for that promise. */
export type TakeChunk = (chunk: Uint8Array) => void | Promise<void>;

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

/** Returns a source that calls every listener with each chunk before its reader gets it. */
export function tapped(source: ByteSource, listeners: readonly ((chunk: Uint8Array) => void)[]): ByteSource {
  if (listeners.length === 0) return source;
  return {
    read: (take, endFile) =>
      source.read((chunk) => {
        for (const listener of listeners) listener(chunk);
        return take(chunk);
      }, endFile),
  };
}
