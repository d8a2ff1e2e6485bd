/** Removes expired responses and abandoned drafts from the cache folder. */
import { opendir, stat, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { openRegular } from '../../../sinks/files/open-regular.js';
import { expiryOf } from './cache-entry.js';
import { draftName } from './entry-writer.js';

const entryName = /^[\da-f]{64}$/;

const dayMs = 24 * 60 * 60 * 1000;

/**
 * Removes expired files; keeps files with other names. Opens only files whose modification time has passed, then reads
 * the expiry time, because a copy of the folder loses modification times. `now` is in epoch ms. Ignores failures:
 * another process may sweep at the same time.
 */
export async function sweep(folder: string, now: number): Promise<void> {
  try {
    for await (const { name } of await opendir(folder)) {
      const path = join(folder, name);
      if (draftName.test(name)) await removeOlder(path, now - dayMs);
      else if (entryName.test(name)) await removeExpired(path, now);
    }
  } catch {
    // The next run tries again.
  }
}

/** A run that still writes has modified its draft more recently. */
async function removeOlder(path: string, than: number): Promise<void> {
  const { mtimeMs } = await stat(path);
  if (mtimeMs <= than) await removeFile(path);
}

async function removeExpired(path: string, now: number): Promise<void> {
  const { mtimeMs } = await stat(path);
  if (mtimeMs > now) return;
  const file = await openRegular(path);
  const expiresAt = await expiryOf(file).finally(() => file.close());
  if ((expiresAt ?? mtimeMs + dayMs) <= now) await removeFile(path);
}

/** Removes a file; ignores failures. */
export const removeFile = (path: string): Promise<void> => unlink(path).catch(() => undefined);
