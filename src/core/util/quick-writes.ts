/** Writes small pieces to a file without a thread of the pool, as long as the disk accepts them at once. */
import { writeSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';

/** As `fs.writeSync` at a position: writes at least one byte, and returns how many. */
export type WriteNow = (bytes: Uint8Array, offset: number, length: number, position: number) => number;

/** A file that can also be written synchronously; without `writeNow` all writes are asynchronous. */
export interface QuickFile extends FileHandle {
  readonly writeNow?: WriteNow;
}

/** Opens a file that can be written synchronously. */
export async function openQuick(path: string, flags: 'wx' | 'r+', mode?: number): Promise<QuickFile> {
  const handle = await open(path, flags, mode);
  const writeNow: WriteNow = (...piece) => writeSync(handle.fd, ...piece);
  return Object.assign(handle, { writeNow });
}

export interface QuickWrites {
  /** Writes all bytes from `position` on. False: it wrote nothing, and the caller must write asynchronously. */
  write(file: QuickFile, bytes: Uint8Array, position: number): boolean;
}

/** The longest piece that is written synchronously, in bytes: the largest one that files collect. */
const mostBytes = 64 * 1024;
/** The longest time of a write into the page cache, in ms. */
const mostTime = 5;
/** The number of asynchronous writes after two slow ones in a row: one alone may be a busy processor. */
const patience = 200;

/**
 * The system copies a few KiB into its page cache in about 10 us; a trip to the thread pool and back costs 100 us of
 * CPU time. But a write waits for the device if too much of the cache is unsaved, or if the file is on a network: then
 * the process stands still, and all its jobs with it. So after two slow writes, the next ones are asynchronous.
 * `now` returns milliseconds.
 */
export function createQuickWrites(now = milliseconds): QuickWrites {
  let asynchronous = 0;
  let wasSlow = false;
  return {
    write({ writeNow }, bytes, position) {
      if (writeNow === undefined || bytes.length > mostBytes) return false;
      if (asynchronous > 0) {
        asynchronous -= 1;
        return false;
      }
      const begun = now();
      for (let done = 0; done < bytes.length; ) {
        const written = writeNow(bytes, done, bytes.length - done, position + done);
        if (written === 0) throw new Error('the system accepts no more bytes');
        done += written;
      }
      const isSlow = now() - begun > mostTime;
      if (isSlow && wasSlow) asynchronous = patience;
      wasSlow = isSlow;
      return true;
    },
  };
}

/** Of the monotonic clock: only durations are measured, so this needs no scheduler. */
function milliseconds(): number {
  const [seconds, nanoseconds] = process.hrtime();
  return seconds * 1e3 + nanoseconds / 1e6;
}
