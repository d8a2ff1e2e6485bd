/** The folder in which Node 22 and later keep the compiled code of the command: a fifth of the time of a short run. */
import { existsSync, lstatSync, readdirSync, realpathSync, rmSync, type Stats, utimesSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { makeFolderSync } from '../core/util/make-folder.js';
import { version } from '../core/util/version.js';

/** The parts of the process used here. */
export interface CodeCacheProcess {
  /** As in `node:module`. Absent in Node 20. */
  readonly enableCompileCache: ((folder: string) => unknown) | undefined;
  /** Absent on Windows. */
  readonly userId: number | undefined;
  /** The name of this build for this Node: `code/BUILD` has its code. */
  readonly build: string;
  /** In epoch ms. */
  now(): number;
}

type NodeModule = Partial<Pick<CodeCacheProcess, 'enableCompileCache'>>;

/** This process. Coverage is less precise for functions that Node kept, so it keeps none meanwhile. */
export function ownProcess(env: Readonly<Record<string, string | undefined>>): CodeCacheProcess {
  // The types are those of Node 20, which lacks it.
  const { enableCompileCache } = process.getBuiltinModule('node:module') as NodeModule;
  const isCovered = env.NODE_V8_COVERAGE !== undefined;
  return {
    enableCompileCache: isCovered ? undefined : enableCompileCache,
    userId: process.getuid?.(),
    build: buildAt(import.meta.url),
    now: Date.now,
  };
}

/** The file of this code has a name by its content, so each build has another one. */
const buildAt = (url: string): string =>
  `v${version}-${basename(fileURLToPath(url)).replace(/\.\w+$/, '')}-node-${process.versions.node}`;

/**
 * Has Node keep the code of what is loaded from here on, in the cache folder of the user; undefined: there is none.
 * Does nothing if the folder cannot be made, or if another user could write to it or replace it, since the code is run
 * as it is found. Nothing is made in a folder of another user: `sudo` may leave HOME as it was.
 * `NODE_COMPILE_CACHE` names another folder, and `NODE_DISABLE_COMPILE_CACHE=1` leaves all code as it is.
 * Each build has a folder of its own. Those that were not used for a day are removed.
 */
export function cacheCode(cacheFolder: string | undefined, own: CodeCacheProcess): void {
  const { enableCompileCache, userId, build } = own;
  if (enableCompileCache === undefined || cacheFolder === undefined) return;
  try {
    if (!isSafePlace(cacheFolder, userId)) return;
    makeFolderSync(join(cacheFolder, 'code'), 0o700);
    const all = join(realpathSync(cacheFolder), 'code');
    if (!isSafePlace(cacheFolder, userId) || !isOnlyOf(lstatSync(all), userId)) return;
    const folder = join(all, build);
    const isNew = makeFolderSync(folder, 0o700) !== undefined;
    const found = lstatSync(folder);
    if (!isOnlyOf(found, userId)) return;
    enableCompileCache(folder);
    if (isNew || found.mtimeMs < own.now() - hour) useNow(all, own);
  } catch {
    // A folder that cannot be written, as in some containers, costs only time.
  }
}

const hour = 3_600_000;
const day = 24 * hour;

/** Folders of builds, and those that Node made before builds had one. */
const ofBuild = /^v\d+\.\d+\.\d+[\w.-]*$/;

/** Marks the folder as used, and removes those of other builds that were not used for a day: two may be in use. */
function useNow(all: string, { build, userId, now }: CodeCacheProcess): void {
  const at = now();
  utimesSync(join(all, build), at / 1000, at / 1000);
  for (const name of readdirSync(all)) {
    if (name === build || !ofBuild.test(name)) continue;
    const folder = join(all, name);
    const found = lstatSync(folder);
    if (isOnlyOf(found, userId) && found.mtimeMs < at - day) rmSync(folder, { recursive: true, force: true });
  }
}

/** Windows has no such bits: the folders of a user are that user's. */
const isOnlyOf = (found: Stats, userId: number | undefined): boolean =>
  found.isDirectory() && (userId === undefined || (found.uid === userId && !isOpen(found)));

/** The group or all users can write to it. */
const isOpen = ({ mode }: Stats): boolean => (mode & 0o022) !== 0;

/** Whether no other user but root can rename or replace the folder, or those above it, links followed. */
function isSafePlace(folder: string, userId: number | undefined): boolean {
  if (userId === undefined) return true;
  for (let path = existingOf(folder); ; path = dirname(path)) {
    const found = lstatSync(path);
    const isSticky = (found.mode & 0o1000) !== 0;
    if ((found.uid !== userId && found.uid !== 0) || (isOpen(found) && !isSticky)) return false;
    if (path === dirname(path)) return true;
  }
}

/** The folder, or the nearest one above it that is there. */
const existingOf = (folder: string): string =>
  existsSync(folder) ? realpathSync(folder) : existingOf(dirname(folder));
