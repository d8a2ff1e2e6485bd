/** How far a body may grow: beyond a cap that was asked for, or out of all proportion to what came over the wire. */
import { ExtractError } from '../../core/errors/errors.js';

type Bytes = AsyncIterable<Uint8Array>;

/** So much larger than its compressed form no page of data is; gzip alone reaches this with one byte repeated. */
const mostGrowth = 1000;
/** Up to this size nothing is compared: small bodies may hold little. */
const freeBytes = 64 * 1024 * 1024;

export interface DecompressionGuard {
  /** The compressed bytes that have been used up so far. */
  used(bytes: number): void;
  /** The decoded body, watched. Throws ERR_BODY_SIZE. */
  watch(decoded: Bytes): Bytes;
}

/** Starts with the first byte of one body. */
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

/** Ends a body that is larger than the cap. Throws ERR_BODY_SIZE. */
export async function* limitBytes(body: Bytes, maxBodyBytes: number): Bytes {
  let length = 0;
  for await (const chunk of body) {
    length += chunk.length;
    if (length > maxBodyBytes) throw tooLarge(`the body is larger than ${maxBodyBytes} bytes (\`maxBodyBytes\`)`);
    yield chunk;
  }
}

const tooLarge = (message: string): ExtractError => new ExtractError('ERR_BODY_SIZE', message);
