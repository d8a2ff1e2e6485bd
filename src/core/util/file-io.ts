/** Reads and writes whole ranges of a file: the system may transfer only a part at a time. */
import type { FileHandle } from 'node:fs/promises';

/** Resolves when all bytes are written from `position` on. Throws if the system takes no more of them. */
export async function writeAll(handle: FileHandle, bytes: Uint8Array, position: number): Promise<void> {
  for (let done = 0; done < bytes.length; ) {
    const { bytesWritten } = await handle.write(bytes, done, bytes.length - done, position + done);
    if (bytesWritten === 0) throw new Error('the system accepts no more bytes');
    done += bytesWritten;
  }
}

/** Fills `bytes` from `position` on. Resolves with the number of bytes read, less only at the end of the file. */
export async function readAll(handle: FileHandle, bytes: Uint8Array, position: number): Promise<number> {
  let done = 0;
  while (done < bytes.length) {
    const { bytesRead } = await handle.read(bytes, done, bytes.length - done, position + done);
    if (bytesRead === 0) break;
    done += bytesRead;
  }
  return done;
}
