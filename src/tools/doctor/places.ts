/** Places of a run on this machine, and its destinations: rights, space, connections. */
import { access, constants, stat, statfs } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import type { Sink } from '../../../sinks/contract.js';
import { describeSystemError, systemError } from '../../core/errors/system-error.js';
import { size } from '../text/format.js';
import type { StepFinding } from './steps.js';

/** What is asked of a file system; tests have their own. */
export interface FileSystem {
  isFolder(path: string): Promise<boolean>;
  /** Rejects if this process cannot create files in the folder. */
  mayWrite(folder: string): Promise<void>;
  /** Bytes that this user can still write. */
  freeBytes(folder: string): Promise<number>;
}

export const thisFileSystem: FileSystem = {
  isFolder: async (path) => (await stat(path)).isDirectory(),
  mayWrite: (folder) => access(folder, constants.W_OK | constants.X_OK),
  async freeBytes(folder) {
    const { bavail, bsize } = await statfs(folder);
    return bavail * bsize;
  },
};

/** Less free space is a warning, in bytes. */
const little = 500e6;

/** Checks that files can be created in the folder, or that it can be created itself. Changes nothing. */
export async function checkFolder(path: string, files: FileSystem = thisFileSystem): Promise<StepFinding> {
  const todo = 'Choose another folder, or correct its rights.';
  try {
    const there = await existing(resolve(path), files);
    if (!there.isFolder) return { verdict: 'failed', message: `${there.path} is no folder`, todo };
    await files.mayWrite(there.path);
    const free = await files.freeBytes(there.path);
    const isNew = there.path !== resolve(path);
    const message = `${path}: ${isNew ? 'can be created' : 'can be written'}, ${size(free)} free`;
    if (free === 0)
      return {
        verdict: 'failed',
        message: `${path}: the disk is full`,
        todo: 'Free some space, or choose another disk.',
      };
    return free < little ? { verdict: 'warning', message, todo: 'Check that the output of a run fits.' } : { message };
  } catch (thrown) {
    return { verdict: 'failed', message: `${path}: ${describeSystemError(thrown)}`, todo };
  }
}

/** The folder itself, or the nearest one above it that exists. */
async function existing(
  path: string,
  files: FileSystem,
): Promise<{ readonly path: string; readonly isFolder: boolean }> {
  try {
    return { path, isFolder: await files.isFolder(path) };
  } catch (thrown) {
    const above = dirname(path);
    const code = systemError(thrown)?.code;
    if (above === path || (code !== 'ENOENT' && code !== 'ENOTDIR')) throw thrown;
    return existing(above, files);
  }
}

/** Connects to the destination or opens its file, as `validate --connect` does. */
export async function checkDestination(sink: Sink): Promise<StepFinding> {
  const name = sink.name ?? 'the sink';
  if (sink.check === undefined) {
    return { verdict: 'skipped', message: `${name} has nothing that can be checked without writing` };
  }
  await sink.check();
  return { message: `${name} ${readiness(name)}` };
}

/** Files are opened, object stores answer requests, and servers accept connections. */
function readiness(name: string): string {
  if (name.startsWith('s3://')) return 'can be reached';
  return /^[a-z\d]+:(?!\/\/)/.test(name) ? 'can be written' : 'accepts connections';
}
