/** The file of a recording while it is written: lines in order, each complete or the last one. */
import { type FileHandle, open, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { describeSystemError, systemError } from '../core/errors/system-error.js';
import { readAll } from '../core/util/file-io.js';
import { makeFolder } from '../core/util/make-folder.js';
import { type Line, recordingError } from './recording-lines.js';

export interface RecordingFile {
  readonly path: string;
  /** Appends lines. Resolves when the system has them; rejects with ERR_RECORDING, as does every later call. */
  write(lines: readonly Line[]): Promise<void>;
  /** Rejects with ERR_RECORDING if not all is on the disk. */
  close(): Promise<void>;
}

/** How a recording begins. */
const beginning = '{"line":"recording"';

/**
 * Creates the file, for its owner only, with its first line, and its folder if it is missing. A recording that is there
 * is replaced by the first write: a run that fails before its first request leaves it. Rejects with ERR_RECORDING for
 * any other file.
 */
export async function openRecording(path: string, first: Line): Promise<RecordingFile> {
  const isThere = await hasRecording(path);
  let handle = isThere ? undefined : await createFile(path);
  const append = async (lines: readonly Line[]): Promise<void> => {
    const isFirst = handle === undefined;
    if (isFirst) await failing(path, 'cannot be replaced', () => rm(path));
    const opened = handle ?? (await createFile(path));
    handle = opened;
    await failing(path, 'cannot be written', () => opened.appendFile(textOf(isFirst ? [first, ...lines] : lines)));
  };
  let writing = Promise.resolve();
  const write = (lines: readonly Line[]): Promise<void> => {
    writing = writing.then(() => append(lines));
    writing.catch(() => undefined); // the caller, or close, has it
    return writing;
  };
  if (!isThere) write([first]);
  return {
    path,
    write,
    async close() {
      try {
        await writing;
        await failing(path, 'cannot be written', async () => handle?.sync());
      } finally {
        await handle?.close();
      }
    },
  };
}

const createFile = (path: string): Promise<FileHandle> =>
  failing(path, 'cannot be created', async () => {
    await makeFolder(dirname(path));
    return open(path, 'wx', 0o600);
  });

const textOf = (lines: readonly Line[]): string => lines.map((line) => `${JSON.stringify(line)}\n`).join('');

async function hasRecording(path: string): Promise<boolean> {
  const handle = await open(path, 'r').catch((thrown: unknown) => {
    if (systemError(thrown)?.code === 'ENOENT') return undefined;
    throw recordingError(path, `cannot be replaced: ${describeSystemError(thrown)}`, thrown);
  });
  if (handle === undefined) return false;
  const isRecording = await beginsAsRecording(handle, path).finally(() => handle.close());
  if (!isRecording)
    throw recordingError(path, 'is a file that is no recording, and is not replaced. Name another file');
  return true;
}

async function beginsAsRecording(handle: FileHandle, path: string): Promise<boolean> {
  const bytes = Buffer.alloc(beginning.length);
  const length = await failing(path, 'cannot be replaced', () => readAll(handle, bytes, 0));
  return length === 0 || bytes.toString('latin1') === beginning;
}

async function failing<T>(path: string, what: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (thrown) {
    throw recordingError(path, `${what}: ${describeSystemError(thrown)}`, thrown);
  }
}
