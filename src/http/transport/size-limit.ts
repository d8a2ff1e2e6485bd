/** Limits the size of a body: a configured cap, and a ratio to the bytes on the wire. */
import { ExtractError } from '../../core/errors/errors.js';
import { type ByteSource, borrowingLike, type TakeChunk } from '../../core/util/byte-source.js';

/**
 * The largest ratio of decoded to compressed size: real data stays below; gzip alone reaches it with one repeated byte.
 */
const mostGrowth = 1000;
/** Bodies up to this size are not checked: small bodies may compress well. */
const freeBytes = 64 * 1024 * 1024;

/**
 * Compares a decoded body with its compressed one: both are to be read through what is returned. Throws ERR_BODY_SIZE
 * where one chunk too many was decoded.
 */
export function limitGrowth(
  body: ByteSource,
  take: TakeChunk,
): { readonly compressed: ByteSource; readonly decoded: TakeChunk } {
  let before = 0;
  let length = 0;
  return {
    compressed: {
      read: (decode) =>
        body.read((chunk) => {
          before += chunk.length;
          return decode(chunk);
        }),
    },
    decoded: borrowingLike(take, (piece) => {
      length += piece.length;
      if (length > freeBytes && length > before * mostGrowth) {
        throw tooLarge(`the body decompresses to more than ${mostGrowth} times its compressed size`);
      }
      return take(piece);
    }),
  };
}

/** Fails a body that is larger than the cap. Reading it throws ERR_BODY_SIZE. */
export function limitBytes(body: ByteSource, maxBodyBytes: number): ByteSource {
  return {
    read(take) {
      let length = 0;
      return body.read((chunk) => {
        length += chunk.length;
        if (length > maxBodyBytes) throw tooLarge(`the body is larger than ${maxBodyBytes} bytes (\`maxBodyBytes\`)`);
        return take(chunk);
      });
    },
  };
}

const tooLarge = (message: string): ExtractError => new ExtractError('ERR_BODY_SIZE', message);
