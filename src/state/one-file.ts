/** A file that one of many makes, and that is there whole or not at all: what a lock is built of. */
import { randomUUID } from 'node:crypto';
import { link, readFile, unlink, writeFile } from 'node:fs/promises';
import { systemError } from '../reason.js';

/**
 * Makes the file, for the eyes of its owner alone. False: there is one already. Its content is there from the first moment on, as it comes by
 * a link; `pid` is whose draft that is of.
 */
export async function createOnce(path: string, content: string, pid: number): Promise<boolean> {
  const draft = `${path}.${pid}-${randomUUID()}`;
  await writeFile(draft, content, { mode: 0o600 });
  try {
    await link(draft, path);
    return true;
  } catch (thrown) {
    if (systemError(thrown)?.code === 'EEXIST') return false;
    return await createPlainly(path, content, thrown);
  } finally {
    await unlink(draft).catch(() => {});
  }
}

/** For file systems without links. */
async function createPlainly(path: string, content: string, why: unknown): Promise<boolean> {
  if (!['EPERM', 'ENOTSUP', 'ENOSYS', 'EOPNOTSUPP'].includes(systemError(why)?.code ?? '')) throw why;
  try {
    await writeFile(path, content, { mode: 0o600, flag: 'wx' });
    return true;
  } catch (thrown) {
    if (systemError(thrown)?.code === 'EEXIST') return false;
    throw thrown;
  }
}

/** What is in the file; undefined: there is none. */
export async function contentOf(path: string): Promise<Buffer | undefined> {
  try {
    return await readFile(path);
  } catch (thrown) {
    if (systemError(thrown)?.code === 'ENOENT') return undefined;
    throw thrown;
  }
}
