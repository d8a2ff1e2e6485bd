/** Limits the size of a body: a configured cap, and a ratio to the bytes on the wire. */
import { ExtractError } from '../../core/errors/errors.js';

type Bytes = AsyncIterable<Uint8Array>;

/**
 * The largest ratio of decoded to compressed size: real data stays below; gzip alone reaches it with one repeated byte.
 */
const mostGrowth = 1000;
/** Bodies up to this size are not checked: small bodies may compress well. */
const freeBytes = 64 * 1024 * 1024;

export interface DecompressionGuard {
  /** Reports the compressed bytes consumed so far. */
  used(bytes: number): void;
  /** Wraps the decoded body in the check. Throws ERR_BODY_SIZE. */
  watch(decoded: Bytes): Bytes;
}

/** Creates the guard of one body; call it before the first byte. */
export function createGrowth(): DecompressionGuard {
  let before = Number.POSITIVE_INFINITY;
  return {
    used(bytes) {
      before = bytes;
    },
    async *watch(decoded) {
      let length = 0;
      for await (const chunk of decoded) {
        length += chunk.length;
        if (length > freeBytes && length > before * mostGrowth) {
          throw tooLarge(`the body decompresses to more than ${mostGrowth} times its compressed size`);
        }
        yield chunk;
      }
    },
  };
}

/** Fails a body that is larger than the cap. Throws ERR_BODY_SIZE. */
export async function* limitBytes(body: Bytes, maxBodyBytes: number): Bytes {
  let length = 0;
  for await (const chunk of body) {
    length += chunk.length;
    if (length > maxBodyBytes) throw tooLarge(`the body is larger than ${maxBodyBytes} bytes (\`maxBodyBytes\`)`);
    yield chunk;
  }
}

const tooLarge = (message: string): ExtractError => new ExtractError('ERR_BODY_SIZE', message);
