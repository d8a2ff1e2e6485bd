/**
 * Writes at the end of an open file, at most one write late: small batches are gathered first. It keeps account of the
 * bytes that count.
 */
import type { FileHandle } from 'node:fs/promises';
import type { ExtractError } from '../src/core/errors/errors.js';
import { createTail, type Tail } from './append-file.js';
import { createLateFailure } from './deferred-error.js';
import { orAborted } from './errors.js';
import { createGathering, type Gathered } from './gathering.js';
import { createTurns } from './serialize.js';

export interface WriteBehind {
  /**
   * Settles when all before has landed, and this has begun or was gathered; `landed` is called when it counts. A
   * promise only where something is waited for.
   */
  append(bytes: Uint8Array, signal: AbortSignal, landed: () => void): void | Promise<void>;
  /** Settles when no write is under way, and none has failed. A promise only where something is waited for. */
  settled(signal?: AbortSignal): void | Promise<void>;
  /** Writes what was gathered, and settles when nothing is missing. */
  landed(): Promise<void>;
  /**
   * Forgets all from `length` on, and that a write after it failed; `cut` is called when that is done. Throws a failure
   * that was not reported, and one that lost bytes before `length`. A promise only where something is waited for.
   */
  truncate(length: number, cut: () => void): void | Promise<void>;
  /** Cuts off what does not count. */
  mend(): Promise<void>;
  /** Brings to the disk what counts. May run beside a write. */
  save(): Promise<void>;
  /** What `read` gives when all before has landed and nothing after it. */
  standing<T>(read: () => T, signal?: AbortSignal): Promise<T>;
  /** Writes what was gathered, and settles when nothing is under way. Throws a failure that was not reported. */
  tell(): Promise<void>;
}

export interface WriteBehindOptions {
  /** What a failed write is an error of. */
  readonly failed: (thrown: unknown) => ExtractError;
  /** Gets that error at once. */
  readonly onFailure: (error: ExtractError) => void;
  /** Bytes that the file has. */
  readonly start: number;
  /** After the first, smaller batches wait until there are so many bytes of them; 0: each is written by itself. */
  readonly gatherBytes: number;
}

/**
 * Begins at the end of a file. A write that failed is reported at once, and thrown by the next call that waits for it;
 * from then on `append` and `landed` throw it until `truncate` has gone back: what was taken and is missing must not be
 * forgotten.
 */
export const createWriteBehind = (handle: FileHandle, options: WriteBehindOptions): WriteBehind =>
  new LateWriter(handle, options);

class LateWriter implements WriteBehind {
  readonly #options: WriteBehindOptions;
  readonly #tail: Tail;
  readonly #inTurn = createTurns();
  readonly #failure = createLateFailure();
  readonly #gathered = createGathering(() => {
    if (this.#isIdle()) this.#flush();
  });
  #underWay: Promise<void> | undefined = undefined;
  /** Calls that wait for their turn. */
  #queued = 0;
  #hasWritten = false;

  constructor(handle: FileHandle, options: WriteBehindOptions) {
    this.#options = options;
    this.#tail = createTail(handle, options.start);
  }

  append(bytes: Uint8Array, signal: AbortSignal, landed: () => void): void | Promise<void> {
    if (this.#isIdle() && !signal.aborted) return this.#take({ bytes, landed });
    return this.#whenIdle(() => {
      this.#failure.mustBeNone();
      this.#take({ bytes, landed });
    }, signal);
  }

  settled(signal?: AbortSignal): void | Promise<void> {
    if (this.#isIdle() && signal?.aborted !== true) return undefined;
    return this.#whenIdle(this.#failure.mustBeNone, signal);
  }

  landed(): Promise<void> {
    return this.#whenLanded(this.#failure.mustBeNone);
  }

  truncate(length: number, cut: () => void): void | Promise<void> {
    if (!this.#isIdle() || length < this.#tail.length()) return this.#whenIdle(() => this.#cutBack(length, cut));
    this.#gathered.keep(length - this.#tail.length());
    return cut();
  }

  mend(): Promise<void> {
    return this.#whenIdle(() => this.#tail.cut());
  }

  save(): Promise<void> {
    return this.#tail.save();
  }

  standing<T>(read: () => T, signal?: AbortSignal): Promise<T> {
    return this.#whenLanded(() => {
      this.#failure.mustBeNone();
      return read();
    }, signal);
  }

  tell(): Promise<void> {
    return this.#whenLanded(this.#failure.tell);
  }

  #isIdle(): boolean {
    return this.#underWay === undefined && this.#queued === 0 && !this.#failure.exists();
  }

  /** The first batch is written at once: a disk that takes nothing is noticed before there is a second. */
  #take(batch: Gathered): void {
    const isSmall = this.#gathered.size() + batch.bytes.length < this.#options.gatherBytes;
    if (isSmall && this.#hasWritten) this.#gathered.add(batch);
    else this.#underWay = this.#write(this.#gathered.take(), batch);
    this.#hasWritten = true;
  }

  #flush(): void {
    if (this.#gathered.size() === 0 || this.#failure.exists()) return;
    this.#underWay = this.#write(this.#gathered.take(), undefined);
  }

  /** Never rejects: nothing may be waiting for it. */
  async #write(small: readonly Gathered[], last: Gathered | undefined): Promise<void> {
    const { failed, onFailure } = this.#options;
    try {
      if (small.length > 0) await this.#tail.write(Buffer.concat(small.map(({ bytes }) => bytes)));
      for (const { landed } of small) landed();
      if (last !== undefined) await this.#tail.write(last.bytes);
      last?.landed();
    } catch (thrown) {
      const error = failed(thrown);
      this.#failure.happened(error);
      onFailure(error);
    }
    this.#underWay = undefined;
  }

  async #whenIdle<T>(work: () => T | Promise<T>, signal?: AbortSignal): Promise<T> {
    this.#queued += 1;
    try {
      return await this.#inTurn(() => this.#idle(signal).then(work), signal);
    } finally {
      this.#queued -= 1;
    }
  }

  #whenLanded<T>(work: () => T | Promise<T>, signal?: AbortSignal): Promise<T> {
    return this.#whenIdle(async () => {
      this.#flush();
      await this.#idle(signal);
      return work();
    }, signal);
  }

  #idle(signal?: AbortSignal): Promise<void> {
    const idle = this.#underWay ?? Promise.resolve();
    return signal === undefined ? idle : orAborted(idle, signal);
  }

  async #cutBack(length: number, cut: () => void): Promise<void> {
    if (length > this.#tail.length()) this.#failure.mustBeNone();
    await this.#tail.cut(Math.min(length, this.#tail.length()));
    this.#gathered.keep(length - this.#tail.length());
    const lost = this.#failure.forget();
    cut();
    if (lost !== undefined) throw lost;
  }
}
