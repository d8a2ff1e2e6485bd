/**
 * Opens what an earlier run has left, without waiting: in its place may lie a pipe, and the opening of one lasts until
 * its other end is open.
 */
import { constants, type FileHandle, open } from 'node:fs/promises';

/**
 * Rejects with what the system says, or that it is not a regular file: a pipe, a socket or a device. A directory is left
 * to the system.
 */
export async function openRegular(path: string): Promise<FileHandle> {
  // Windows has no such flag, and no pipes among its files.
  const handle = await open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  try {
    await mustBeRegular(handle);
    return handle;
  } catch (thrown) {
    await handle.close();
    throw thrown;
  }
}

/** Rejects for what is open and is a pipe, a socket or a device. */
export async function mustBeRegular(handle: FileHandle): Promise<void> {
  const found = await handle.stat();
  if (!found.isFile() && !found.isDirectory()) throw new Error('it is not a regular file');
}
