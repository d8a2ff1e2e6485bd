/** Writes all bytes to a file: the system may take only a part at a time. Used for outputs and temporary files. */
import type { FileHandle } from 'node:fs/promises';

/** Resolves when all bytes are written from `position` on. Throws if the system takes no more of them. */
export async function writeAll(handle: FileHandle, bytes: Uint8Array, position: number): Promise<void> {
  for (let done = 0; done < bytes.length; ) {
    const { bytesWritten } = await handle.write(bytes, done, bytes.length - done, position + done);
    if (bytesWritten === 0) throw new Error('the system accepts no more bytes');
    done += bytesWritten;
  }
}
