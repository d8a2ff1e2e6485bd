/**
 * Creates a file atomically: one of many processes succeeds, and the file is complete or absent. Locks are built on it.
 */
import { randomUUID } from 'node:crypto';
import { link, readdir, unlink, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { openRegular } from '../../../sinks/files/open-regular.js';
import { systemError } from '../../core/errors/system-error.js';

/**
 * Creates the file; only its owner can read it. False: it exists already. A link creates it, so its content is complete
 * at once. `pid` is that of the process, for the name of its draft.
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

/** Another process has the file, and has removed all drafts of it. */
const isRemoved = (thrown: unknown): boolean =>
  thrown instanceof Error && 'syscall' in thrown && thrown.syscall === 'link' && systemError(thrown)?.code === 'ENOENT';

/**
 * Removes the drafts of the file, and of claims to it, that killed processes left. A living process makes its draft
 * anew.
 */
export async function removeDrafts(path: string): Promise<void> {
  const [folder, start] = [dirname(path), `${basename(path)}.`];
  const names = await readdir(folder).catch(() => []);
  const drafts = names.filter((name) => name.startsWith(start) && draftEnd.test(name.slice(start.length)));
  await Promise.all(drafts.map((name) => unlink(join(folder, name)).catch(() => {})));
}

const draftEnd = /^(?:after-[\da-f]{16}\.)?\d+-[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/;

/** For file systems without links, which Windows says of FAT by EISDIR. */
async function createPlainly(path: string, content: string, why: unknown): Promise<boolean> {
  if (!['EPERM', 'ENOTSUP', 'ENOSYS', 'EOPNOTSUPP', 'EISDIR'].includes(systemError(why)?.code ?? '')) throw why;
  try {
    await writeFile(path, content, { mode: 0o600, flag: 'wx' });
    return true;
  } catch (thrown) {
    if (systemError(thrown)?.code === 'EEXIST') return false;
    throw thrown;
  }
}

/** Reads the file; undefined: there is none. */
export async function contentOf(path: string): Promise<Buffer | undefined> {
  try {
    const handle = await openRegular(path);
    return await handle.readFile().finally(() => handle.close());
  } catch (thrown) {
    if (systemError(thrown)?.code === 'ENOENT') return undefined;
    throw thrown;
  }
}
