/** Undoes gzip and ZIP where nothing is configured, if the first bytes of a body are theirs: no text begins so. */
import type { DecodeStep } from '../../core/model/response-format.js';
import { type ByteSource, borrowingLike, type TakeChunk } from '../../core/util/byte-source.js';
import { deferred } from '../../core/util/deferred.js';
import { owned } from '../../core/util/lent-memory.js';
import { decodedBody } from './decode-body.js';

/** Control characters follow the first byte of both: neither JSON nor CSV, XML or another text has them there. */
const signatures: readonly { readonly bytes: readonly number[]; readonly step: DecodeStep }[] = [
  { bytes: [0x1f, 0x8b, 8], step: 'gunzip' },
  { bytes: [0x50, 0x4b, 3, 4], step: 'unzip' },
];

const stepOf = (start: Uint8Array): DecodeStep | undefined =>
  signatures.find(({ bytes }) => bytes.every((byte, at) => byte === start[at]))?.step;

/** Whether more bytes are needed to know. */
const isOpen = (start: Uint8Array): boolean =>
  signatures.some(({ bytes }) => start.length < bytes.length && start.every((byte, at) => byte === bytes[at]));

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
      const start = first.length === 0 ? chunk : Buffer.concat([first, chunk]);
      if (!isOpen(start)) return begin(start);
      first = Uint8Array.from(start);
      return undefined;
    };
    const begin: TakeChunk = (chunk) => {
      first = new Uint8Array();
      pass = take;
      const step = stepOf(chunk);
      if (step === undefined) return take(chunk);
      const packed: ByteSource = {
        read(inner) {
          pass = (later) => inner(owned(later));
          return over.promise;
        },
      };
      decoded = decodedBody(packed, { decode: [step] }).read(take, endFile);
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
