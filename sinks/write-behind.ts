/** Writes at the end of an open file, one batch behind whoever hands them over, and keeps account of the bytes that count. */
import type { FileHandle } from 'node:fs/promises';
import type { ExtractError } from '../src/errors.js';
import { orAborted } from './refusal.js';

export interface WriteBehind {
  /** Settles when all before has landed and this has begun; `landed` is called when it counts. */
  append(bytes: Uint8Array, signal: AbortSignal, landed: () => void): Promise<void>;
  /** Settles when nothing is under way and nothing is missing. */
  landed(signal?: AbortSignal): Promise<void>;
  /** Forgets all from `length` on, and that a write failed; `cut` is called when that is done. Throws a failure that was not told. */
  truncate(length: number, cut: () => void): Promise<void>;
  /** Cuts off what does not count. */
  mend(): Promise<void>;
  /** Brings to the disk what counts. May run beside a write. */
  save(): Promise<void>;
  /** What `read` gives when all before has landed and nothing after it. A failure that it rejects with does not count as told. */
  standing<T>(read: () => T): Promise<T>;
  /** Settles when nothing is under way. Throws a failure that was not told. */
  tell(): Promise<void>;
}

/**
 * Begins with a file of `start` bytes. A write that failed is told by the next call that waits for it, as what `failed` makes of it; from then
 * on `append` and `landed` throw it until `truncate` has gone back: what was taken and is missing must not be forgotten.
 */
export function createWriteBehind(
  handle: FileHandle,
  failed: (thrown: unknown) => ExtractError,
  start = 0,
): WriteBehind {
  const inTurn = createTurns();
  let length = start;
  let unsaved = true;
  let underWay: Promise<void> = Promise.resolve();
  let failure: { readonly error: ExtractError; readonly told: boolean } | undefined;

  // Never rejects: nobody may be waiting.
  const write = async (bytes: Uint8Array, landed: () => void) => {
    try {
      await writeAll(handle, bytes, length);
      length += bytes.length;
      unsaved = true;
      landed();
    } catch (thrown) {
      failure = { error: failed(thrown), told: false };
    }
  };

  const mustBeWhole = () => {
    if (failure === undefined) return;
    failure = { ...failure, told: true };
    throw failure.error;
  };

  const cut = async (to: number) => {
    await underWay;
    if (failure === undefined && to === length) return;
    await handle.truncate(to);
    length = to;
    unsaved = true;
  };

  return {
    append: (bytes, signal, landed) =>
      inTurn(async () => {
        await orAborted(underWay, signal);
        mustBeWhole();
        underWay = write(bytes, landed);
      }, signal),
    landed: (signal) =>
      inTurn(async () => {
        await (signal === undefined ? underWay : orAborted(underWay, signal));
        mustBeWhole();
      }, signal),
    truncate: (to, done) =>
      inTurn(async () => {
        await cut(to);
        const lost = failure;
        failure = undefined;
        done();
        if (lost?.told === false) throw lost.error;
      }),
    mend: () => inTurn(() => cut(length)),
    async save() {
      if (!unsaved) return;
      unsaved = false;
      try {
        await handle.sync();
      } catch (thrown) {
        unsaved = true;
        throw thrown;
      }
    },
    standing: (read) =>
      inTurn(async () => {
        await underWay;
        if (failure !== undefined) throw failure.error;
        return read();
      }),
    tell: () =>
      inTurn(async () => {
        await underWay;
        if (failure?.told === false) mustBeWhole();
      }),
  };
}

/** Runs one piece of work after another, whatever became of those before. Who is aborted while waiting leaves the line. */
function createTurns(): <T>(work: () => Promise<T>, signal?: AbortSignal) => Promise<T> {
  let turn: Promise<void> = Promise.resolve();
  return (work, signal) => {
    const mine = (signal === undefined ? turn : orAborted(turn, signal)).then(work);
    turn = Promise.allSettled([turn, mine]).then(() => {});
    return mine;
  };
}

/** Writes on where the system took only a part. */
async function writeAll(handle: FileHandle, bytes: Uint8Array, position: number): Promise<void> {
  for (let done = 0; done < bytes.length; ) {
    const { bytesWritten } = await handle.write(bytes, done, bytes.length - done, position + done);
    if (bytesWritten === 0) throw new Error('the system takes no more bytes');
    done += bytesWritten;
  }
}
