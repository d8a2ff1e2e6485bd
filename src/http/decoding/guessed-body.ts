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

/** Returns the body, decoded if its first chunk begins a gzip file or a ZIP archive with one file. */
export const guessedBody = (body: ByteSource): ByteSource => ({
  read(take, endFile) {
    let pass: TakeChunk | undefined;
    let decoded: Promise<void> | undefined;
    const over = deferred();
    const passOn: TakeChunk = (chunk) => {
      if (pass !== undefined) return pass(chunk);
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
      () => {
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
