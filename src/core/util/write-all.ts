/**
 * Writes bytes to a file to the last of them: a system may take only a part at a time. Alone, as outputs and temporary
 * files need it alike.
 */
import type { FileHandle } from 'node:fs/promises';

/** Settles when all bytes are written, from `position` on. Throws when the system takes no more of them. */
export async function writeAll(handle: FileHandle, bytes: Uint8Array, position: number): Promise<void> {
  for (let done = 0; done < bytes.length; ) {
    const { bytesWritten } = await handle.write(bytes, done, bytes.length - done, position + done);
    if (bytesWritten === 0) throw new Error('the system takes no more bytes');
    done += bytesWritten;
  }
}
