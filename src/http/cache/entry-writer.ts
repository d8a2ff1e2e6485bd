/** An answer on its way into the cache: it grows beside its place, and takes that once it is whole. */
import { randomBytes } from 'node:crypto';
import { open, rename, unlink } from 'node:fs/promises';
import { createSeal, type Head, headLine } from './entry.js';

export interface EntryWriter {
  append(bytes: Uint8Array): Promise<void>;
  /** Puts it in its place at once, where one that another process made meanwhile gives way. */
  finish(): Promise<void>;
  /** Removes it. After `finish` there is nothing to remove. */
  discard(): Promise<void>;
}

/** Of a file that no run will finish any more. */
export const draftName = /^[\da-f]{64}\.[\da-f]{16}\.partial$/;

/**
 * Begins the file that is to be called `path`, readable for its owner alone; no other run has one of its name. The time
 * of its modification will be the one at which it expires, so that a look at the folder shows what may go. Throws what
 * the system throws, as all methods do.
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
      await rename(partial, path);
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
