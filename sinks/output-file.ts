/** A file that grows at its end and can be cut back: whole batches or nothing, whatever goes wrong in between. */
import { type FileHandle, open, stat, unlink } from 'node:fs/promises';
import { orAborted, refused, throwIfAborted } from './refusal.js';

export interface OutputFile {
  /** Writes all bytes at the end. Rejects with ERR_SINK, or ERR_ABORTED as soon as the signal aborts; then none of them count. */
  append(bytes: Uint8Array, signal: AbortSignal): Promise<void>;
  /** Forgets all from `length` on. */
  truncate(length: number): Promise<void>;
  /** Settles when what was appended survives a power cut. */
  sync(): Promise<void>;
  /** Rejects with ERR_SINK when another file has taken the name since. */
  mustBeInPlace(): Promise<void>;
  /** Cuts off what does not count, saves the rest and lets go of the file. A second call does nothing. */
  close(): Promise<void>;
}

export type OpenFile = (path: string, flags: 'wx') => Promise<FileHandle>;

/**
 * Creates the file anew. One of that name is replaced rather than emptied: another run may be writing to it, and what two write into
 * one file is torn. Throws ERR_SINK with its path, as all methods do.
 */
export async function createOutputFile(path: string, openFile: OpenFile = open): Promise<OutputFile> {
  const doing = async <T>(verb: string, work: () => Promise<T>) => {
    try {
      return await work();
    } catch (thrown) {
      throw refused(`${verb} "${path}"`, thrown);
    }
  };
  const handle = await doing('create', async () => {
    await unlink(path).catch(ignoreMissing);
    return openFile(path, 'wx');
  });
  const content = contentOf(handle);
  let closing: Promise<void> | undefined;

  const close = async () => {
    try {
      await doing('cut back', content.mend);
      await doing('save', content.sync);
    } finally {
      await doing('close', () => handle.close());
    }
  };

  return {
    append: (bytes, signal) => doing('write', () => content.append(bytes, signal)),
    truncate: (length) => doing('cut back', () => content.truncate(length)),
    sync: () => doing('save', content.sync),
    mustBeInPlace: () => doing('publish', () => mustBe(handle, path)),
    close: () => {
      closing ??= close();
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
  if (mine.ino !== found?.ino || mine.dev !== found.dev) throw new Error('another run has taken its place');
}

/** Keeps account of the bytes that count, one change at a time. */
function contentOf(handle: FileHandle) {
  const inTurn = createTurns();
  let length = 0;
  let torn = false;
  let unsaved = true;
  // An interrupted write goes on in the background, as no system can call it back. What follows waits for it.
  let last: Promise<unknown> = Promise.resolve();

  const cut = async (to: number) => {
    await last;
    if (!torn && to === length) return;
    await handle.truncate(to);
    length = to;
    torn = false;
    unsaved = true;
  };

  const add = async (bytes: Uint8Array, signal: AbortSignal) => {
    throwIfAborted(signal);
    await cut(length);
    const writing = writeAll(handle, bytes, length, signal);
    last = writing.catch(() => {});
    torn = true;
    await orAborted(writing, signal);
    torn = false;
    length += bytes.length;
    unsaved = true;
  };

  return {
    append: (bytes: Uint8Array, signal: AbortSignal) => inTurn(() => add(bytes, signal)),
    truncate: (to: number) => inTurn(() => cut(to)),
    mend: () => inTurn(() => cut(length)),
    // May run beside a write: it saves what has been appended until now.
    async sync() {
      if (!unsaved) return;
      unsaved = false;
      try {
        await handle.sync();
      } catch (thrown) {
        unsaved = true;
        throw thrown;
      }
    },
  };
}

/** Runs one piece of work after another, whatever became of those before. */
function createTurns(): <T>(work: () => Promise<T>) => Promise<T> {
  let turn: Promise<unknown> = Promise.resolve();
  return (work) => {
    const mine = turn.then(work);
    turn = mine.catch(() => {});
    return mine;
  };
}

/** Writes on where the system took only a part. */
async function writeAll(handle: FileHandle, bytes: Uint8Array, position: number, signal: AbortSignal): Promise<void> {
  for (let done = 0; done < bytes.length; ) {
    throwIfAborted(signal);
    const { bytesWritten } = await handle.write(bytes, done, bytes.length - done, position + done);
    if (bytesWritten === 0) throw new Error('the system takes no more bytes');
    done += bytesWritten;
  }
}
