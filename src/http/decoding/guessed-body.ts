/** Undoes gzip and ZIP where nothing is configured, if the first bytes of a body are theirs: no text begins so. */
import type { DecodeStep } from '../../core/model/response-format.js';
import { type ByteSource, borrowingLike, type EndFile, type TakeChunk } from '../../core/util/byte-source.js';
import { type Deferred, deferred } from '../../core/util/deferred.js';
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
  async read(take, endFile) {
    const guess = new Guess(take, endFile);
    try {
      await body.read(borrowingLike(take, (chunk) => guess.pass(chunk)));
    } catch (thrown) {
      return guess.fail(thrown);
    }
    return guess.end();
  },
});

const noBytes = new Uint8Array();

/** The reading of one body. What a packed one needs is made when its first bytes are known: most are not packed. */
class Guess {
  readonly #take: TakeChunk;
  readonly #endFile: EndFile | undefined;
  #isKnown = false;
  /** Decodes the bytes; undefined: they are as they seem. */
  #unpack: TakeChunk | undefined = undefined;
  /** The first bytes, until they are enough. */
  #first: Uint8Array = noBytes;
  #packed: { readonly over: Deferred; readonly decoded: Promise<void> } | undefined = undefined;

  constructor(take: TakeChunk, endFile: EndFile | undefined) {
    this.#take = take;
    this.#endFile = endFile;
  }

  pass(chunk: Uint8Array): void | Promise<void> {
    if (this.#isKnown) return this.#unpack === undefined ? this.#take(chunk) : this.#unpack(owned(chunk));
    const start = this.#first.length === 0 ? chunk : Buffer.concat([this.#first, chunk]);
    if (!isOpen(start)) return this.#begin(start);
    this.#first = Uint8Array.from(start);
  }

  /** Returns a promise only if something waits. */
  end(): void | Promise<void> {
    return this.#first.length === 0 && this.#packed === undefined ? undefined : this.#finish();
  }

  async #finish(): Promise<void> {
    if (this.#first.length > 0) await this.#begin(this.#first);
    this.#packed?.over.resolve();
    await this.#packed?.decoded;
  }

  /** The error of a packed body is that of its decoder, which gets the one of the body. */
  async fail(thrown: unknown): Promise<void> {
    if (this.#packed === undefined) throw thrown;
    this.#packed.over.reject(thrown);
    await this.#packed.decoded;
  }

  #begin(start: Uint8Array): void | Promise<void> {
    this.#first = noBytes;
    this.#isKnown = true;
    const step = stepOf(start);
    if (step !== undefined) this.#beginUnpacking(step);
    return this.pass(start);
  }

  #beginUnpacking(step: DecodeStep): void {
    const over = deferred();
    const packed: ByteSource = {
      read: (inner) => {
        this.#unpack = inner;
        return over.promise;
      },
    };
    const decoded = decodedBody(packed, { decode: [step] }).read(this.#take, this.#endFile);
    decoded.catch(() => undefined); // It is returned in the end.
    this.#packed = { over, decoded };
  }
}
