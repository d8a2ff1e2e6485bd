/** Makes a folder with its parents. `recursive` of Node never ends where the system refuses a folder with ENOENT. */
import { mkdirSync, type Stats, statSync } from 'node:fs';
import { mkdir, stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { systemError } from '../errors/system-error.js';

/**
 * Makes a folder, and those above it that are missing, with the rights `mode`. Returns the absolute path of the first
 * one that it made, or undefined if the folder is there. Rejects with an error of the system: ENOENT in `/proc`.
 */
export async function makeFolder(path: string, mode = 0o777): Promise<string | undefined> {
  const full = resolve(path);
  try {
    return await makeOne(full, mode);
  } catch (thrown) {
    if (!mayLackParent(full, thrown)) throw thrown;
  }
  const first = await makeFolder(dirname(full), mode);
  const made = await makeOne(full, mode);
  return first ?? made;
}

async function makeOne(path: string, mode: number): Promise<string | undefined> {
  try {
    await mkdir(path, { mode });
    return path;
  } catch (thrown) {
    if (isFolder(await stat(path).catch(() => undefined))) return undefined;
    throw thrown;
  }
}

/** The same in one call. Throws. */
export function makeFolderSync(path: string, mode = 0o777): string | undefined {
  const full = resolve(path);
  try {
    return makeOneSync(full, mode);
  } catch (thrown) {
    if (!mayLackParent(full, thrown)) throw thrown;
  }
  const first = makeFolderSync(dirname(full), mode);
  const made = makeOneSync(full, mode);
  return first ?? made;
}

function makeOneSync(path: string, mode: number): string | undefined {
  try {
    mkdirSync(path, { mode });
    return path;
  } catch (thrown) {
    if (isFolder(statSync(path, { throwIfNoEntry: false }))) return undefined;
    throw thrown;
  }
}

const isFolder = (found: Stats | undefined): boolean => found?.isDirectory() === true;

const mayLackParent = (path: string, thrown: unknown): boolean =>
  systemError(thrown)?.code === 'ENOENT' && dirname(path) !== path;
