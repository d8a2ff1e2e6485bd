/** What has to go from the folder of the cache: answers that have expired, and drafts that no run finishes any more. */
import { opendir, stat, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { openRegular } from '../../../sinks/open-regular.js';
import { expiryOf } from './entry.js';
import { draftName } from './entry-writer.js';

const entryName = /^[\da-f]{64}$/;

const dayMs = 24 * 60 * 60 * 1000;

/**
 * Files of other names stay. Only those are opened whose times say that they may go, as these do not outlast a copy of
 * the folder. `now` in epoch ms. Another process may be at it too: what fails is left.
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

/** A run that still writes has touched its draft since. */
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

/** Removes a file, where it is there and can be removed. */
export const removeFile = (path: string): Promise<void> => unlink(path).catch(() => undefined);
