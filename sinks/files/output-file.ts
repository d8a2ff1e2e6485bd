/**
 * A file that grows at its end and can be truncated: it holds complete batches or nothing, whatever fails in between.
 */
import { type FileHandle, stat, unlink } from 'node:fs/promises';
import type { ExtractError } from '../../src/core/errors/errors.js';
import { openQuick, type QuickFile } from '../../src/core/util/quick-writes.js';
import { refused } from '../errors.js';
import { settleAll } from '../settle.js';
import { mustBeRegular } from './open-regular.js';
import { createWriteBehind } from './write-behind.js';

export interface OutputFile {
  /**
   * Settles when all earlier bytes have landed at the end of the file, and these are being written or collected. So
   * memory holds at most two batches, and the collected ones. Calls `landed` when the bytes are valid. Returns a
   * promise only if it must wait.
   *
   * The next call of any method reports a write that fails later; its bytes are invalid, and `append` rejects until
   * `truncate` has removed them. Rejects with ERR_SINK, or with ERR_ABORTED as soon as the signal aborts: then nothing
   * was written.
   */
  append(bytes: Uint8Array, signal: AbortSignal, landed?: () => void): void | Promise<void>;
  /**
   * Settles when no write is active; rejects when one has failed. Stops waiting when the signal aborts. Returns a
   * promise only if it must wait.
   */
  settled(signal?: AbortSignal): void | Promise<void>;
  /**
   * Drops all bytes from `length` on, also those being written; calls `cut` when done. After a failed write this
   * repairs the file, unless bytes before `length` were lost. Returns a promise only if it must wait.
   */
  truncate(length: number, cut?: () => void): void | Promise<void>;
  /**
   * Returns the result of `read`, called when all earlier bytes have landed, and no later ones: a promise only if it
   * must wait.
   */
  whenWritten<T>(read: () => T, signal?: AbortSignal): T | Promise<T>;
  /** Settles when the appended bytes survive a power cut. */
  sync(): Promise<void>;
  /**
   * Settles when all bytes have landed. Rejects with ERR_SINK if some have not, or when another file has the name by
   * now.
   */
  mustBeInPlace(): Promise<void>;
  /**
   * Waits for the active write, truncates invalid bytes, saves the rest and closes the file. A second call does
   * nothing.
   */
  close(): Promise<void>;
}

export type OpenFile = (path: string, flags: 'wx' | 'r+') => Promise<FileHandle>;

export interface OutputFileOptions {
  readonly openFile?: OpenFile | undefined;
  /** Collects smaller batches up to this size, for at most a second; absent: collects none. */
  readonly gatherBytes?: number | undefined;
  /** Receives write errors at once. */
  readonly onFailure?: ((error: ExtractError) => void) | undefined;
}

/**
 * Creates the file anew. Replaces an existing one rather than emptying it: another run may be writing to it, and two
 * writers corrupt one file. Throws ERR_SINK with its path, as all methods do.
 */
export async function createOutputFile(path: string, options: OutputFileOptions = {}): Promise<OutputFile> {
  const { openFile = openQuick } = options;
  const handle = await doing('create', path, async () => {
    await unlink(path).catch(ignoreMissing);
    return openFile(path, 'wx');
  });
  return outputFile(path, handle, 0, options);
}

/** Continues a file after its first `length` bytes, and truncates the rest. Throws ERR_SINK. */
export async function continueOutputFile(
  path: string,
  length: number,
  options: OutputFileOptions = {},
): Promise<OutputFile> {
  const { openFile = openQuick } = options;
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

/** As `doing`, for started work that may need no wait. */
const waitingFor = (verb: string, path: string, work: void | Promise<void>): void | Promise<void> =>
  work === undefined ? undefined : doing(verb, path, () => work);

async function doing<T>(verb: string, path: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (thrown) {
    throw refused(`${verb} "${path}"`, thrown);
  }
}

function outputFile(path: string, handle: QuickFile, start: number, options: OutputFileOptions): OutputFile {
  const { onFailure = () => {}, gatherBytes = 0 } = options;
  const failed = (thrown: unknown) => refused(`write "${path}"`, thrown);
  const content = createWriteBehind(handle, { failed, onFailure, start, gatherBytes });
  let closing: Promise<void> | undefined;

  const letGo = async () => {
    try {
      await doing('cut back', path, () => content.truncateInvalid());
      await doing('save', path, () => content.save());
    } finally {
      await doing('close', path, () => handle.close());
    }
  };

  return {
    append: (bytes, signal, landed = () => {}) => waitingFor('write', path, content.append(bytes, signal, landed)),
    settled: (signal) => waitingFor('write', path, content.settled(signal)),
    truncate: (length, cut = () => {}) => waitingFor('cut back', path, content.truncate(length, cut)),
    whenWritten(read, signal) {
      const found = content.whenWritten(read, signal);
      return found instanceof Promise ? doing('write', path, () => found) : found;
    },
    async sync() {
      await content.landed();
      await doing('save', path, () => content.save());
    },
    async mustBeInPlace() {
      await content.landed();
      await doing('publish', path, () => mustBe(handle, path));
    },
    close: () => {
      closing ??= settleAll([content.throwUnreported(), letGo()]);
      return closing;
    },
  };
}

function ignoreMissing(thrown: NodeJS.ErrnoException): void {
  if (thrown.code !== 'ENOENT') throw thrown;
}

/** Some file systems have inode numbers beyond 2^53. */
const whole = { bigint: true } as const;

async function mustBe(handle: FileHandle, path: string): Promise<void> {
  const [mine, found] = [await handle.stat(whole), await stat(path, whole).catch(() => undefined)];
  if (mine.ino !== found?.ino || mine.dev !== found.dev) throw new Error('another run has replaced it');
}
