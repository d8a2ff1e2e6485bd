/** The first bytes of a body, kept for the error of one that is no JSON at all: an error page says more than its first character. */

export interface Beginning {
  /** The body, its first bytes noted on their way. */
  body(chunks: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array>;
  /** The beginning of a body that does not start as JSON does, not masked; undefined for any other. */
  readonly strange: string | undefined;
}

const keptBytes = 1024;

/** As a JSON text starts, a byte-order mark and white space left out. */
const startOfJson = /^\uFEFF?\s*(?:[[{"\d-]|true|false|null|$)/;

/** Starts before the first chunk. */
export function createBeginning(): Beginning {
  let first = Buffer.alloc(0);

  async function* noted(chunks: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array> {
    for await (const chunk of chunks) {
      if (first.length < keptBytes) {
        first = Buffer.concat([first, chunk.subarray(0, keptBytes - first.length)]);
      }
      yield chunk;
    }
  }

  return {
    body: noted,
    get strange() {
      const text = first.toString('utf8');
      return startOfJson.test(text) ? undefined : text;
    },
  };
}
