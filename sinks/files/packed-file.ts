/**
 * A file that a codec writes: appended in the background, with a place at each commit to which it can be truncated.
 */
import { crc32 } from 'node:zlib';
import { owned } from '../../src/core/util/lent-memory.js';
import { createDeferredError } from '../deferred-error.js';
import { orAborted, refused } from '../errors.js';
import { createTurns } from '../serialize.js';
import { settleAll } from '../settle.js';
import type { Codec, CodecStream, Content } from './codec.js';
import type { Gathered } from './gathering.js';
import type { OutputFile, OutputFileOptions } from './output-file.js';

/**
 * Where a file can be truncated and continued: its content up to there, and its own length and CRC-32, those of the
 * files before it included.
 */
export interface PackedPlace {
  readonly content: Content;
  readonly file: Content;
}

export interface PackedFile {
  /**
   * Settles when all earlier bytes are in the file, and these are being compressed or collected; calls `landed` when
   * they are in the file. Returns a promise only if it must wait. Failures are those of `OutputFile`.
   */
  append(bytes: Uint8Array, landed: () => void, signal: AbortSignal): void | Promise<void>;
  /** Everything appended belongs to completed pages: `rollback` keeps it. */
  keep(): void;
  /** The same, and settles when all of it is in the file, with the place after it. */
  commit(signal?: AbortSignal): Promise<PackedPlace>;
  /** Drops everything appended since the last `keep` or `commit`, and the failure of a write after it. */
  rollback(): Promise<void>;
  /** The place of the last commit, if bytes after it are in the file; undefined: everything in the file is kept. */
  cut(): PackedPlace | undefined;
  /** Bytes of content, those not in the file yet included. */
  contentBytes(): number;
  /** Bytes in this file and those before it. */
  fileBytes(): number;
  /** Settles when everything appended survives a power cut. */
  sync(): Promise<void>;
  /** Ends the file; settles with the place after it. Rejects if another file has the name by now. */
  finish(): Promise<PackedPlace>;
  /** Ends and closes the file. A second call does nothing. */
  close(): Promise<void>;
}

export interface PackedOptions {
  readonly codec: Codec;
  readonly path: string;
  readonly onFailure?: OutputFileOptions['onFailure'];
  /** The place where the file begins to grow. */
  readonly start: PackedPlace;
  /** The length of all files before this one, in bytes: `file` of a place counts them too. */
  readonly fileStart: number;
}

/** Smaller appends are collected to this size before they are compressed. */
const smallBytes = 64 * 1024;

const never = new AbortController().signal;

/** Continues the open file at `start`. */
export const createPackedFile = (file: OutputFile, options: PackedOptions): PackedFile => new Packed(file, options);

class Packed implements PackedFile {
  readonly #file: OutputFile;
  readonly #options: PackedOptions;
  readonly #inTurn = createTurns();
  readonly #failure = createDeferredError();
  #stream: CodecStream | undefined = undefined;
  /** What was fed to the stream, which may still hold some of it. */
  #fed: PackedPlace;
  /** The last place to which the file can be truncated. */
  #cut: PackedPlace;
  #pending: Gathered[] = [];
  #pendingBytes = 0;
  /** How many pending pieces belong to completed pages, and the content up to them, in bytes. */
  #kept = 0;
  #keptBytes: number;
  #contentBytes: number;
  /** Bytes after the last commit were fed; `#cut` is at that commit. */
  #isPast = false;
  #isEnded = false;
  /** The first bytes are written at once, to detect a full disk before the second. */
  #hasWritten = false;
  #underWay: Promise<void> | undefined = undefined;
  #closing: Promise<void> | undefined = undefined;

  constructor(file: OutputFile, options: PackedOptions) {
    this.#file = file;
    this.#options = options;
    this.#fed = options.start;
    this.#cut = options.start;
    this.#contentBytes = options.start.content.bytes;
    this.#keptBytes = this.#contentBytes;
  }

  append(bytes: Uint8Array, landed: () => void, signal: AbortSignal): void | Promise<void> {
    const isSmall = this.#hasWritten && this.#pendingBytes + bytes.length < smallBytes;
    if (isSmall && this.#inTurn.isFree() && !this.#failure.exists() && !signal.aborted) return this.#add(bytes, landed);
    return this.#whenIdle(() => {
      this.#failure.mustBeNone();
      this.#add(bytes, landed);
      if (this.#pendingBytes >= smallBytes || !this.#hasWritten) this.#underWay = this.#drain();
    }, signal);
  }

  keep(): void {
    this.#kept = this.#pending.length;
    this.#keptBytes = this.#contentBytes;
    this.#isPast = false;
  }

  commit(signal?: AbortSignal): Promise<PackedPlace> {
    const committed = this.#whenDrained(async () => {
      await this.#makeCut();
      this.keep();
      await this.#file.settled();
      return this.#cut;
    });
    return signal === undefined ? committed : orAborted(committed, signal);
  }

  rollback(): Promise<void> {
    return this.#whenIdle(async () => {
      this.#pending.length = this.#kept;
      this.#pendingBytes = this.#pending.reduce((sum, { bytes }) => sum + bytes.length, 0);
      this.#contentBytes = this.#keptBytes;
      if (this.#isPast && this.#cut.content.bytes === this.#keptBytes) await this.#cutBack();
      else this.#failure.mustBeNone();
      const lost = this.#failure.forget();
      if (lost !== undefined) throw lost;
    });
  }

  cut(): PackedPlace | undefined {
    return this.#isPast ? this.#cut : undefined;
  }

  contentBytes(): number {
    return this.#contentBytes;
  }

  fileBytes(): number {
    return this.#fed.file.bytes;
  }

  sync(): Promise<void> {
    return this.#whenDrained(async () => {
      await this.#flush();
      await this.#file.sync();
    });
  }

  finish(): Promise<PackedPlace> {
    return this.#whenDrained(async () => {
      await this.#end();
      await this.#file.mustBeInPlace();
      return this.#fed;
    });
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  /** After a failure the bytes that have landed stay as they are. */
  async #close(): Promise<void> {
    const ended = this.#whenIdle(async () => {
      if (!this.#failure.exists()) await this.#drain();
      this.#failure.throwUnreported();
      if (!this.#failure.exists()) await this.#end();
    });
    await Promise.allSettled([ended]);
    this.#stream?.discard();
    await settleAll([ended, this.#file.close()]);
  }

  #add(bytes: Uint8Array, landed: () => void): void {
    this.#pending.push({ bytes: owned(bytes), landed });
    this.#pendingBytes += bytes.length;
    this.#contentBytes += bytes.length;
  }

  /** Feeds all pending pieces. Never rejects: no call may be waiting for it. */
  async #drain(): Promise<void> {
    const kept = this.#pending.slice(0, this.#kept);
    const others = this.#pending.slice(this.#kept);
    const isPassing = others.length > 0 && !this.#isPast;
    if (isPassing) this.#isPast = true;
    this.#pending = [];
    this.#pendingBytes = 0;
    this.#kept = 0;
    try {
      for (const piece of kept) await this.#feed(piece);
      if (isPassing) await this.#makeCut();
      for (const piece of others) await this.#feed(piece);
      if (!this.#hasWritten) await this.#flush();
      this.#hasWritten = true;
    } catch (thrown) {
      this.#failed(thrown);
    }
    this.#underWay = undefined;
  }

  async #feed({ bytes, landed }: Gathered): Promise<void> {
    this.#stream ??= this.#options.codec.open(this.#fed.file.bytes > this.#options.fileStart);
    await this.#store(await this.#stream.feed(bytes));
    const { content, file } = this.#fed;
    this.#fed = { content: summed(content, bytes), file };
    landed();
  }

  /** Makes the end of the file a place to which it can be truncated. */
  async #makeCut(): Promise<void> {
    if (this.#cut.content.bytes === this.#fed.content.bytes) return;
    await this.#flush();
    this.#cut = this.#fed;
  }

  async #flush(): Promise<void> {
    if (this.#stream !== undefined) await this.#store(await this.#stream.flush());
  }

  async #cutBack(): Promise<void> {
    this.#stream?.discard();
    this.#stream = undefined;
    await this.#file.truncate(this.#cut.file.bytes - this.#options.fileStart);
    this.#fed = this.#cut;
    this.#isPast = false;
  }

  async #end(): Promise<void> {
    if (this.#isEnded) return;
    this.#stream ??= this.#options.codec.open(this.#fed.file.bytes > this.#options.fileStart);
    await this.#store(await this.#stream.end(this.#fed.content));
    this.#isEnded = true;
  }

  async #store(bytes: Uint8Array): Promise<void> {
    if (bytes.length === 0) return;
    await this.#file.append(bytes, never);
    this.#fed = { content: this.#fed.content, file: summed(this.#fed.file, bytes) };
  }

  #failed(thrown: unknown): void {
    const { path, onFailure } = this.#options;
    const error = refused(`compress "${path}"`, thrown);
    this.#failure.happened(error);
    if (error !== thrown) onFailure?.(error); // the file has reported its own
  }

  async #whenIdle<T>(work: () => T | Promise<T>, signal?: AbortSignal): Promise<T> {
    return this.#inTurn(async () => {
      const idle = this.#underWay ?? Promise.resolve();
      await (signal === undefined ? idle : orAborted(idle, signal));
      return work();
    }, signal);
  }

  #whenDrained<T>(work: () => T | Promise<T>): Promise<T> {
    return this.#whenIdle(async () => {
      this.#failure.mustBeNone();
      await this.#drain();
      this.#failure.mustBeNone();
      try {
        return await work();
      } catch (thrown) {
        this.#failed(thrown);
        this.#failure.mustBeNone();
        throw thrown;
      }
    });
  }
}

const summed = ({ bytes, crc }: Content, more: Uint8Array): Content => ({
  bytes: bytes + more.length,
  crc: crc32(more, crc),
});
