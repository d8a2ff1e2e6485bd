/**
 * Writes at the end of an open file, one batch behind whoever hands them over, and keeps account of the bytes that
 * count.
 */
import type { FileHandle } from 'node:fs/promises';
import type { ExtractError } from '../src/core/errors/errors.js';
import { createTail } from './append-file.js';
import { createLateFailure } from './deferred-error.js';
import { orAborted } from './errors.js';
import { createTurns } from './serialize.js';

export interface WriteBehind {
  /** Settles when all before has landed and this has begun; `landed` is called when it counts. */
  append(bytes: Uint8Array, signal: AbortSignal, landed: () => void): Promise<void>;
  /** Settles when nothing is under way and nothing is missing. */
  landed(signal?: AbortSignal): Promise<void>;
  /**
   * Forgets all from `length` on, and that a write failed; `cut` is called when that is done. Throws a failure that was
   * not told.
   */
  truncate(length: number, cut: () => void): Promise<void>;
  /** Cuts off what does not count. */
  mend(): Promise<void>;
  /** Brings to the disk what counts. May run beside a write. */
  save(): Promise<void>;
  /**
   * What `read` gives when all before has landed and nothing after it. A failure that it rejects with does not count as
   * told.
   */
  standing<T>(read: () => T): Promise<T>;
  /** Settles when nothing is under way. Throws a failure that was not told. */
  tell(): Promise<void>;
}

export interface WriteBehindOptions {
  /** What a failed write is an error of. */
  readonly failed: (thrown: unknown) => ExtractError;
  /** Gets that error at once. */
  readonly onFailure: (error: ExtractError) => void;
  /** Bytes that the file has. */
  readonly start: number;
}

/**
 * Begins at the end of a file. A write that failed is reported at once, and told by the next call that waits for it;
 * from then on `append` and `landed` throw it until `truncate` has gone back: what was taken and is missing must not be
 * forgotten.
 */
export function createWriteBehind(handle: FileHandle, { failed, onFailure, start }: WriteBehindOptions): WriteBehind {
  const inTurn = createTurns();
  const tail = createTail(handle, start);
  const failure = createLateFailure();
  let underWay: Promise<void> = Promise.resolve();

  // Never rejects: nobody may be waiting.
  const write = async (bytes: Uint8Array, landed: () => void) => {
    try {
      await tail.write(bytes);
      landed();
    } catch (thrown) {
      const error = failed(thrown);
      failure.happened(error);
      onFailure(error);
    }
  };
  const idle = (signal?: AbortSignal) => (signal === undefined ? underWay : orAborted(underWay, signal));
  const whenIdle = <T>(work: () => T | Promise<T>, signal?: AbortSignal) =>
    inTurn(() => idle(signal).then(work), signal);

  return {
    append: (bytes, signal, landed) =>
      whenIdle(() => {
        failure.mustBeNone();
        underWay = write(bytes, landed);
      }, signal),
    landed: (signal) => whenIdle(failure.mustBeNone, signal),
    truncate: (length, cut) =>
      whenIdle(async () => {
        await tail.cut(length);
        const lost = failure.forget();
        cut();
        if (lost !== undefined) throw lost;
      }),
    mend: () => whenIdle(() => tail.cut()),
    save: tail.save,
    standing: (read) =>
      whenIdle(() => {
        failure.mention();
        return read();
      }),
    tell: () => whenIdle(failure.tell),
  };
}
