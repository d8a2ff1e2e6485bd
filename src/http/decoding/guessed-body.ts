/** Undoes gzip and ZIP where nothing is configured, if the first bytes of a body are theirs: no text begins so. */
import type { DecodeStep } from '../../core/model/response-format.js';
import { type ByteSource, borrowingLike, type TakeChunk } from '../../core/util/byte-source.js';
import { deferred } from '../../core/util/deferred.js';
import { owned } from '../../core/util/lent-memory.js';
import { decodedBody } from './decode-body.js';

/** Control characters follow the first byte of both: neither JSON nor CSV, XML or another text has them there. */
function stepsOf([first, second, third, fourth]: Uint8Array): readonly DecodeStep[] {
  if (first === 0x1f && second === 0x8b && third === 8) return ['gunzip'];
  return first === 0x50 && second === 0x4b && third === 3 && fourth === 4 ? ['unzip'] : [];
}

const mostSignature = 4;

/** Whether what follows may make it the first bytes of a file that is decoded. */
const mayBegin = (bytes: Uint8Array): boolean =>
  bytes.length < mostSignature && signatures.some((signature) => bytes.every((byte, at) => byte === signature[at]));

const signatures = [
  [0x1f, 0x8b, 8],
  [0x50, 0x4b, 3, 4],
];

/** Returns the body, decoded if it begins as a gzip file or a ZIP archive with one file, however it is cut. */
export const guessedBody = (body: ByteSource): ByteSource => ({
  read(take, endFile) {
    let pass: TakeChunk | undefined;
    let decoded: Promise<void> | undefined;
    /** The first bytes, until they are enough. */
    let first = new Uint8Array();
    const over = deferred();
    const passOn: TakeChunk = (chunk) => {
      if (pass !== undefined) return pass(chunk);
      const bytes = first.length === 0 ? chunk : Buffer.concat([first, chunk]);
      if (stepsOf(bytes).length === 0 && mayBegin(bytes)) {
        first = Uint8Array.from(bytes);
        return undefined;
      }
      first = new Uint8Array();
      return begin(bytes);
    };
    const begin: TakeChunk = (chunk) => {
      pass = take;
      const decode = stepsOf(chunk);
      if (decode.length === 0) return take(chunk);
      const packed: ByteSource = {
        read(inner) {
          pass = (later) => inner(owned(later));
          return over.promise;
        },
      };
      decoded = decodedBody(packed, { decode }).read(take, endFile);
      decoded.catch(() => undefined); // It is returned below.
      return pass(chunk);
    };
    return body.read(borrowingLike(take, passOn)).then(
      async () => {
        if (first.length > 0) await begin(first);
        over.resolve();
        return decoded;
      },
      (thrown: unknown) => {
        if (decoded === undefined) throw thrown;
        over.reject(thrown);
        return decoded;
      },
    );
  },
});
