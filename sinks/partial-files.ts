/** The files of a folder under names that say that they are not whole yet: `.partial`, until all that a run writes may be published. */
import { rename, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { ExtractError } from '../src/errors.js';
import type { Notify } from '../src/types.js';
import { createFileNames } from './file-names.js';
import { createFolder } from './folder.js';
import { continueOutputFile, createOutputFile, type OpenFile, type OutputFile } from './output-file.js';
import { refused } from './refusal.js';

export interface PartialFile {
  /** The name that it will take. */
  readonly path: string;
  readonly file: OutputFile;
}

/** All but `pathOf` throws ERR_SINK. */
export interface PartialFiles {
  /** The name that the file of the data type will take. */
  pathOf(dataType: string): string;
  /** Creates the file anew, whatever an earlier run has left, in a folder that is made where it is missing. */
  create(dataType: string): Promise<PartialFile>;
  /** Goes on behind its first `length` bytes. */
  goOn(dataType: string, length: number): Promise<PartialFile>;
  /** Gives them their names once every one is safe on the disk, so that a full disk publishes nothing; `hear` is told of each. */
  publish(all: readonly PartialFile[], hear: (path: string) => void): Promise<void>;
  /** Settles when the names survive a power cut. */
  sync(): Promise<void>;
}

export interface PartialFilesOptions {
  readonly dir: string;
  /** Hears when a file could not have the plain name of its data type. */
  readonly notify: Notify;
  readonly openFile: OpenFile;
}

/** The name that a file has until it takes this one. */
export const partialOf = (path: string): string => `${path}.partial`;

/** Nothing is made yet. */
export function createPartialFiles({ dir, notify, openFile }: PartialFilesOptions): PartialFiles {
  const nameOf = createFileNames();
  const pathOf = (dataType: string) => join(dir, `${nameOf(dataType).name}.ndjson`);
  const folder = createFolder(dir);

  return {
    pathOf,
    async create(dataType) {
      const { because } = nameOf(dataType);
      const path = pathOf(dataType);
      if (because !== undefined) {
        notify({ level: 'info', code: 'file-name', message: `"${dataType}" is written to "${path}", as ${because}` });
      }
      await folder.make();
      await mustNotBeDirectory(path);
      const file = await createOutputFile(partialOf(path), openFile);
      folder.touch();
      return { path, file };
    },
    async goOn(dataType, length) {
      const path = pathOf(dataType);
      return { path, file: await continueOutputFile(partialOf(path), length, openFile) };
    },
    async publish(all, hear) {
      await takeNames(all, hear);
      if (all.length > 0) folder.touch();
      await folder.sync();
    },
    sync: folder.sync,
  };
}

async function takeNames(all: readonly PartialFile[], hear: (path: string) => void): Promise<void> {
  for (const { file } of all) await file.mustBeInPlace();
  for (const { file } of all) await file.close();
  for (const { path } of all) {
    await rename(partialOf(path), path).catch((thrown: unknown) => {
      throw refused(`rename "${partialOf(path)}" to "${path}"`, thrown);
    });
    hear(path);
  }
}

/** Better told before the first request than after the last. */
async function mustNotBeDirectory(path: string): Promise<void> {
  const found = await stat(path).catch(() => undefined);
  if (found?.isDirectory()) throw new ExtractError('ERR_SINK', `cannot write "${path}": it is a directory`);
}
