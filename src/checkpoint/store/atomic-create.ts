/** A file that one of many makes, and that is there whole or not at all: what a lock is built of. */
import { randomUUID } from 'node:crypto';
import { link, readdir, unlink, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { openRegular } from '../../../sinks/open-regular.js';
import { systemError } from '../../core/errors/system-error.js';

/**
 * Makes the file, for the eyes of its owner alone. False: there is one already. Its content is there from the first
 * moment on, as it comes by a link; `pid` is whose draft that is of.
 */
export async function createOnce(path: string, content: string, pid: number): Promise<boolean> {
  const draft = `${path}.${pid}-${randomUUID()}`;
  try {
    await writeFile(draft, content, { mode: 0o600 });
    await link(draft, path);
    return true;
  } catch (thrown) {
    if (systemError(thrown)?.code === 'EEXIST' || isRemoved(thrown)) return false;
    return await createPlainly(path, content, thrown);
  } finally {
    await unlink(draft).catch(() => {});
  }
}

/** Another has the file, and has removed all drafts of it. */
const isRemoved = (thrown: unknown): boolean =>
  thrown instanceof Error && 'syscall' in thrown && thrown.syscall === 'link' && systemError(thrown)?.code === 'ENOENT';

/**
 * Removes the drafts of the file and of claims to it, which processes that were killed have left. One that lives begins
 * anew.
 */
export async function removeDrafts(path: string): Promise<void> {
  const [folder, start] = [dirname(path), `${basename(path)}.`];
  const names = await readdir(folder).catch(() => []);
  const drafts = names.filter((name) => name.startsWith(start) && draftEnd.test(name.slice(start.length)));
  await Promise.all(drafts.map((name) => unlink(join(folder, name)).catch(() => {})));
}

const draftEnd = /^(?:after-[\da-f]{16}\.)?\d+-[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/;

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
    const handle = await openRegular(path);
    return await handle.readFile().finally(() => handle.close());
  } catch (thrown) {
    if (systemError(thrown)?.code === 'ENOENT') return undefined;
    throw thrown;
  }
}
