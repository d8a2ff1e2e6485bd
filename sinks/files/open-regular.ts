/**
 * Opens a file of an earlier run without blocking: its path may now be a pipe, and opening a pipe waits for its other
 * end.
 */
import { constants, type FileHandle, open } from 'node:fs/promises';

/**
 * Rejects with the system error, or if the path is not a regular file: a pipe, a socket or a device. Leaves a directory
 * to the system.
 */
export async function openRegular(path: string): Promise<FileHandle> {
  // Windows lacks this flag, and pipes among its files.
  const handle = await open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  try {
    await mustBeRegular(handle);
    return handle;
  } catch (thrown) {
    await handle.close();
    throw thrown;
  }
}

/** Rejects if the open handle is a pipe, a socket or a device. */
export async function mustBeRegular(handle: FileHandle): Promise<void> {
  const found = await handle.stat();
  if (!found.isFile() && !found.isDirectory()) throw new Error('it is not a regular file');
}
