/** The folder in which Node 22 and later keep the compiled code of the command: a fifth of the time of a short run. */
import { lstatSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';

/** The parts of the process used here. */
export interface CodeCacheProcess {
  /** As in `node:module`. Absent in Node 20. */
  readonly enableCompileCache: ((folder: string) => unknown) | undefined;
  /** Absent on Windows. */
  readonly userId: number | undefined;
}

type NodeModule = Partial<Pick<CodeCacheProcess, 'enableCompileCache'>>;

/** This process. Coverage is less precise for functions that Node kept, so it keeps none meanwhile. */
export function ownProcess(env: Readonly<Record<string, string | undefined>>): CodeCacheProcess {
  const { enableCompileCache } = process.getBuiltinModule('node:module') as NodeModule; // the types are those of Node 20
  const isCovered = env.NODE_V8_COVERAGE !== undefined;
  return { enableCompileCache: isCovered ? undefined : enableCompileCache, userId: process.getuid?.() };
}

/**
 * Has Node keep the code of what is loaded from here on, in the cache folder of the user; undefined: there is none.
 * Does nothing if the folder cannot be made, or if another user could write to it, since the code is run as it is
 * found. `NODE_COMPILE_CACHE` names another folder, and `NODE_DISABLE_COMPILE_CACHE=1` leaves all code as it is.
 */
export function cacheCode(cacheFolder: string | undefined, { enableCompileCache, userId }: CodeCacheProcess): void {
  if (enableCompileCache === undefined || cacheFolder === undefined) return;
  const folder = join(cacheFolder, 'code');
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    if (isOnlyOf(folder, userId)) enableCompileCache(folder);
  } catch {
    // A folder that cannot be written, as in some containers, costs only time.
  }
}

/** Windows has no such bits: the folders of a user are that user's. */
function isOnlyOf(folder: string, userId: number | undefined): boolean {
  const found = lstatSync(folder);
  return found.isDirectory() && (userId === undefined || (found.uid === userId && (found.mode & 0o022) === 0));
}
