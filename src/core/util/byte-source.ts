/** Bytes that are pushed to one reader, at its pace. */

/** Receives the next chunk. The chunk after it waits for the promise, where there is one. */
export type TakeChunk = (chunk: Uint8Array) => void | Promise<void>;

export interface ByteSource {
  /** Hands over all chunks, in order, and resolves at their end. Once. A throw of `take` is thrown on. */
  read(take: TakeChunk): Promise<void>;
}

/** Pushes chunks that are pulled. */
export const sourceOf = (chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>): ByteSource => ({
  async read(take) {
    for await (const chunk of chunks) {
      const waiting = take(chunk);
      if (waiting !== undefined) await waiting;
    }
  },
});

/** The source; each of the functions is called with each chunk before its reader. */
export function tapped(source: ByteSource, listeners: readonly ((chunk: Uint8Array) => void)[]): ByteSource {
  if (listeners.length === 0) return source;
  return {
    read: (take) =>
      source.read((chunk) => {
        for (const listener of listeners) listener(chunk);
        return take(chunk);
      }),
  };
}
