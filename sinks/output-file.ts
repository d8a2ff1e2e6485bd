/** A file that grows at its end and can be cut back: whole batches or nothing, whatever goes wrong in between. */
import { type FileHandle, open, stat, unlink } from 'node:fs/promises';
import type { ExtractError } from '../src/core/errors/errors.js';
import { refused } from './errors.js';
import { mustBeRegular } from './open-regular.js';
import { settleAll } from './settle.js';
import { createWriteBehind } from './write-behind.js';

export interface OutputFile {
  /**
   * Settles when all bytes before have landed at the end of the file, and the writing of these has begun or they were
   * gathered. So at most two batches are in memory, and what was gathered. `landed` is called when the bytes count. A
   * promise only where something is waited for.
   *
   * A write that fails later is reported by the next call of any method, and its bytes do not count; nothing more is
   * appended then, until `truncate` has gone back. Rejects with ERR_SINK, or with ERR_ABORTED as soon as the signal
   * aborts: then nothing has begun.
   */
  append(bytes: Uint8Array, signal: AbortSignal, landed?: () => void): void | Promise<void>;
  /**
   * Settles when no write is under way; rejects when one has failed. Waits no longer than the signal lets it. A promise
   * only where something is waited for.
   */
  settled(signal?: AbortSignal): void | Promise<void>;
  /**
   * Forgets all from `length` on, that of the write under way too; `cut` is called when that is done. After a failed
   * write this makes the file whole again, unless bytes before `length` were lost. A promise only where something is
   * waited for.
   */
  truncate(length: number, cut?: () => void): void | Promise<void>;
  /** What `read` gives when all that was appended before has landed, and nothing after it. */
  standing<T>(read: () => T, signal?: AbortSignal): Promise<T>;
  /** Settles when what was appended survives a power cut. */
  sync(): Promise<void>;
  /**
   * Settles when all has landed. Rejects with ERR_SINK where some has not, or when another file has taken the name
   * since.
   */
  mustBeInPlace(): Promise<void>;
  /**
   * Waits for the write under way, cuts off what does not count, saves the rest and lets go of the file. A second call
   * does nothing.
   */
  close(): Promise<void>;
}

export type OpenFile = (path: string, flags: 'wx' | 'r+') => Promise<FileHandle>;

export interface OutputFileOptions {
  readonly openFile?: OpenFile;
  /** Smaller batches are gathered until there are so many bytes of them, for a second at most; absent: none is. */
  readonly gatherBytes?: number | undefined;
  /** Gets at once why bytes have not landed. */
  readonly onFailure?: ((error: ExtractError) => void) | undefined;
}

/**
 * Creates the file anew. One of that name is replaced rather than emptied: another run may be writing to it, and what
 * two write into one file is torn. Throws ERR_SINK with its path, as all methods do.
 */
export async function createOutputFile(path: string, options: OutputFileOptions = {}): Promise<OutputFile> {
  const { openFile = open } = options;
  const handle = await doing('create', path, async () => {
    await unlink(path).catch(ignoreMissing);
    return openFile(path, 'wx');
  });
  return outputFile(path, handle, 0, options);
}

/** Goes on with a file behind its first `length` bytes; what follows them is cut off. Throws ERR_SINK. */
export async function continueOutputFile(
  path: string,
  length: number,
  options: OutputFileOptions = {},
): Promise<OutputFile> {
  const { openFile = open } = options;
  const handle = await doing('open', path, () => openFile(path, 'r+'));
  try {
    await doing('open', path, () => mustBeRegular(handle));
    await doing('cut back', path, () => handle.truncate(length));
  } catch (thrown) {
    await handle.close();
    throw thrown;
  }
  return outputFile(path, handle, length, options);
}

/** As `doing`, for work that is under way where it waits at all. */
const waitingFor = (verb: string, path: string, work: void | Promise<void>): void | Promise<void> =>
  work === undefined ? undefined : doing(verb, path, () => work);

async function doing<T>(verb: string, path: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (thrown) {
    throw refused(`${verb} "${path}"`, thrown);
  }
}

function outputFile(path: string, handle: FileHandle, start: number, options: OutputFileOptions): OutputFile {
  const { onFailure = () => {}, gatherBytes = 0 } = options;
  const failed = (thrown: unknown) => refused(`write "${path}"`, thrown);
  const content = createWriteBehind(handle, { failed, onFailure, start, gatherBytes });
  let closing: Promise<void> | undefined;

  const letGo = async () => {
    try {
      await doing('cut back', path, () => content.mend());
      await doing('save', path, () => content.save());
    } finally {
      await doing('close', path, () => handle.close());
    }
  };

  return {
    append: (bytes, signal, landed = () => {}) => waitingFor('write', path, content.append(bytes, signal, landed)),
    settled: (signal) => waitingFor('write', path, content.settled(signal)),
    truncate: (length, cut = () => {}) => waitingFor('cut back', path, content.truncate(length, cut)),
    standing: (read, signal) => doing('write', path, () => content.standing(read, signal)),
    async sync() {
      await content.landed();
      await doing('save', path, () => content.save());
    },
    async mustBeInPlace() {
      await content.landed();
      await doing('publish', path, () => mustBe(handle, path));
    },
    close: () => {
      closing ??= settleAll([content.tell(), letGo()]);
      return closing;
    },
  };
}

function ignoreMissing(thrown: NodeJS.ErrnoException): void {
  if (thrown.code !== 'ENOENT') throw thrown;
}

/** Some file systems number files beyond 2^53. */
const whole = { bigint: true } as const;

async function mustBe(handle: FileHandle, path: string): Promise<void> {
  const [mine, found] = [await handle.stat(whole), await stat(path, whole).catch(() => undefined)];
  if (mine.ino !== found?.ino || mine.dev !== found.dev) throw new Error('another run has replaced it');
}
