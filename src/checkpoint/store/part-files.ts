/** The parts of a store as files of a directory, numbered in the order of their creation. */
import { type FileHandle, open, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Folder } from '../../../sinks/files/folder.js';
import { openRegular } from '../../../sinks/files/open-regular.js';
import { systemError } from '../../core/errors/system-error.js';
import { toTempFile } from '../../page/buffer/temp-file.js';
import type { Part } from './store.js';

export interface PartFiles {
  create(): Promise<Part>;
  /** Rejects if there is no part of that name. */
  open(name: string): Promise<Part>;
  remove(name: string): Promise<void>;
  /** Settles when all parts survive a power cut. */
  save(): Promise<void>;
}

const partName = /^part-(\d+)$/;

/** The names of the parts in the directory. */
export const partsIn = async (path: string): Promise<readonly string[]> =>
  (await readdir(path)).filter((name) => partName.test(name));

/** Numbers new parts after the existing ones. Only their owner can read them. */
export function createPartFiles(path: string, folder: Folder, there: readonly string[]): PartFiles {
  const unsaved = new Set<string>();
  let last = Math.max(0, ...there.map((name) => Number(partName.exec(name)?.[1])));

  return {
    async create() {
      last += 1;
      const name = `part-${last}`;
      const part = partOf(name, await open(join(path, name), 'wx+', 0o600));
      unsaved.add(name);
      folder.touch();
      return part;
    },
    open: async (name) => partOf(name, await openRegular(join(path, name))),
    async remove(name) {
      unsaved.delete(name);
      await rm(join(path, name), { force: true });
    },
    async save() {
      for (const name of unsaved) {
        await save(join(path, name));
        unsaved.delete(name);
      }
      await folder.sync();
    },
  };
}

const partOf = (name: string, file: FileHandle): Part => ({ ...toTempFile(file), name });

/** Syncs a part. One that was removed meanwhile needs no sync. */
async function save(path: string): Promise<void> {
  const handle = await open(path, 'r+').catch((thrown: unknown) => {
    if (systemError(thrown)?.code === 'ENOENT') return undefined;
    throw thrown;
  });
  try {
    await handle?.sync();
  } finally {
    await handle?.close();
  }
}
