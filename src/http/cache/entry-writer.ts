/** Writes a response into the cache: into a draft file first, which is renamed once it is complete. */
import { randomBytes } from 'node:crypto';
import { open, unlink } from 'node:fs/promises';
import { renameFile } from '../../core/util/rename-file.js';
import { createSeal, type Head, headLine } from './cache-entry.js';

export interface EntryWriter {
  append(bytes: Uint8Array): Promise<void>;
  /** Renames the draft to its final path in one step. Replaces an entry that another process wrote meanwhile. */
  finish(): Promise<void>;
  /** Removes the draft. Does nothing after `finish`. */
  discard(): Promise<void>;
}

/** The name of a draft file; a draft may remain after a crash. */
export const draftName = /^[\da-f]{64}\.[\da-f]{16}\.partial$/;

/**
 * Creates the draft of the file `path`, readable for its owner only, under a name that no other run uses. Sets the
 * modification time to the expiry time, so that a sweep of the folder finds expired files. All methods throw system
 * errors.
 */
export async function beginDraft(path: string, head: Head): Promise<EntryWriter> {
  const partial = `${path}.${randomBytes(8).toString('hex')}.partial`;
  const file = await open(partial, 'wx', 0o600);
  const seal = createSeal();
  const append = async (bytes: Uint8Array) => {
    seal.add(bytes);
    await file.appendFile(bytes);
  };
  const draft: EntryWriter = {
    append,
    async finish() {
      await file.appendFile(seal.end());
      await file.utimes(head.expiresAt / 1000, head.expiresAt / 1000);
      await file.close();
      await renameFile(partial, path);
    },
    async discard() {
      await file.close().catch(() => undefined);
      await unlink(partial).catch(() => undefined);
    },
  };
  try {
    await append(headLine(head));
    return draft;
  } catch (thrown) {
    await draft.discard();
    throw thrown;
  }
}
