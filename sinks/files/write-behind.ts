/**
 * Writes at the end of an open file, at most one write late; collects small batches first. Tracks the valid bytes.
 */
import type { ExtractError } from '../../src/core/errors/errors.js';
import { owned, retain } from '../../src/core/util/lent-memory.js';
import type { QuickFile } from '../../src/core/util/quick-writes.js';
import { createDeferredError } from '../deferred-error.js';
import { orAborted } from '../errors.js';
import { createTurns } from '../serialize.js';
import { createTail, type Tail } from './append-file.js';
import { createGathering, type Gathered } from './gathering.js';

export interface WriteBehind {
  /**
   * Settles when all earlier bytes have landed, and these are being written or collected; calls `landed` when they are
   * valid. Returns a promise only if it must wait.
   */
  append(bytes: Uint8Array, signal: AbortSignal, landed: () => void): void | Promise<void>;
  /** Settles when no write is active, and none has failed. Returns a promise only if it must wait. */
  settled(signal?: AbortSignal): void | Promise<void>;
  /** Writes the collected batches, and settles when all bytes have landed. */
  landed(): Promise<void>;
  /**
   * Drops all bytes from `length` on, and the failure of a write after it; calls `cut` when done. Throws an unreported
   * failure, and one that lost bytes before `length`. Returns a promise only if it must wait.
   */
  truncate(length: number, cut: () => void): void | Promise<void>;
  /** Truncates invalid bytes. */
  truncateInvalid(): Promise<void>;
  /** Saves the valid bytes to the disk. May run during a write. */
  save(): Promise<void>;
  /**
   * Returns the result of `read`, called when all earlier bytes have landed, and no later ones: a promise only if it
   * must wait.
   */
  whenWritten<T>(read: () => T, signal?: AbortSignal): T | Promise<T>;
  /** Writes the collected batches, and settles when no write is active. Throws an unreported failure. */
  throwUnreported(): Promise<void>;
}

export interface WriteBehindOptions {
  /** Creates the error of a failed write. */
  readonly failed: (thrown: unknown) => ExtractError;
  /** Receives that error at once. */
  readonly onFailure: (error: ExtractError) => void;
  /** The initial size of the file in bytes. */
  readonly start: number;
  /** After the first batch, collects smaller ones up to this size in bytes; 0: writes each separately. */
  readonly gatherBytes: number;
}

/**
 * Starts at the end of a file. A failed write reaches `onFailure` at once, and the next call that waits for it throws
 * it; from then on `append` and `landed` throw it until `truncate` has removed the lost bytes: accepted bytes that are
 * missing must not be forgotten.
 */
export const createWriteBehind = (handle: QuickFile, options: WriteBehindOptions): WriteBehind =>
  new LateWriter(handle, options);

class LateWriter implements WriteBehind {
  readonly #options: WriteBehindOptions;
  readonly #tail: Tail;
  readonly #inTurn = createTurns();
  readonly #failure = createDeferredError();
  readonly #gathered = createGathering(() => {
    if (this.#isIdle()) this.#flush();
  });
  #underWay: Promise<void> | undefined = undefined;
  /** The number of queued calls. */
  #queued = 0;
  #hasWritten = false;

  constructor(handle: QuickFile, options: WriteBehindOptions) {
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

  truncateInvalid(): Promise<void> {
    return this.#whenIdle(() => this.#tail.cut());
  }

  save(): Promise<void> {
    return this.#tail.save();
  }

  whenWritten<T>(read: () => T, signal?: AbortSignal): T | Promise<T> {
    if (this.#isIdle() && this.#gathered.size() === 0 && signal?.aborted !== true) return read();
    return this.#whenLanded(() => {
      this.#failure.mustBeNone();
      return read();
    }, signal);
  }

  throwUnreported(): Promise<void> {
    return this.#whenLanded(this.#failure.throwUnreported);
  }

  #isIdle(): boolean {
    return this.#underWay === undefined && this.#queued === 0 && !this.#failure.exists();
  }

  /** Writes the first batch at once, to detect a full disk before the second. */
  #take(batch: Gathered): void {
    const isSmall = this.#gathered.size() + batch.bytes.length < this.#options.gatherBytes;
    if (isSmall && this.#hasWritten) this.#gathered.add({ ...batch, bytes: owned(batch.bytes) });
    else this.#put(this.#gathered.size() === 0 ? [batch] : [join(this.#gathered.take()), batch]);
    this.#hasWritten = true;
  }

  #flush(): void {
    if (this.#gathered.size() === 0 || this.#failure.exists()) return;
    this.#put([join(this.#gathered.take())]);
  }

  /** Writes at once if the pieces are small; a failure is reported as if the write had been asynchronous. */
  #put(pieces: readonly Gathered[]): void {
    let done = 0;
    try {
      for (const { bytes, landed } of pieces) {
        if (!this.#tail.writeNow(bytes)) break;
        landed();
        done += 1;
      }
      if (done < pieces.length) this.#underWay = this.#write(pieces.slice(done));
    } catch (thrown) {
      this.#underWay = Promise.reject(thrown).catch(this.#failed);
    }
  }

  /** Never rejects: no call may be waiting for it. */
  async #write(pieces: readonly Gathered[]): Promise<void> {
    const releases = pieces.map(({ bytes }) => retain(bytes));
    try {
      for (const { bytes, landed } of pieces) {
        await this.#tail.write(bytes);
        landed();
      }
      this.#underWay = undefined;
    } catch (thrown) {
      this.#failed(thrown);
    }
    for (const release of releases) release?.();
  }

  readonly #failed = (thrown: unknown): void => {
    const { failed, onFailure } = this.#options;
    const error = failed(thrown);
    this.#failure.happened(error);
    onFailure(error);
    this.#underWay = undefined;
  };

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

/** Joins collected batches to one piece. */
function join(batches: readonly Gathered[]): Gathered {
  const [first] = batches;
  if (first !== undefined && batches.length === 1) return first;
  return {
    bytes: Buffer.concat(batches.map(({ bytes }) => bytes)),
    landed() {
      for (const { landed } of batches) landed();
    },
  };
}
