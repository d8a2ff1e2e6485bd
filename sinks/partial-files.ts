/**
 * The files of a folder under names that say that they are not whole yet: `.partial`, until all that a run writes may
 * be published.
 */
import { rename, stat, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { ExtractError } from '../src/core/errors/errors.js';
import { systemError } from '../src/core/errors/system-error.js';
import type { Notify } from '../src/core/model/notice.js';
import { refused } from './errors.js';
import { createFileNames } from './file-names.js';
import { createFolder } from './folder.js';
import {
  continueOutputFile,
  createOutputFile,
  type OpenFile,
  type OutputFile,
  type OutputFileOptions,
} from './output-file.js';
import { settleAll } from './settle.js';

export interface PartialFile {
  /** The name that it will take. */
  readonly path: string;
  readonly file: OutputFile;
}

/** What a run that succeeded makes of its files. */
export interface Publication {
  /** They take their names. */
  readonly published: readonly PartialFile[];
  /** They go, and the files of their names stay. */
  readonly dropped: readonly PartialFile[];
}

/** All but `pathOf` throws ERR_SINK. */
export interface PartialFiles {
  /** The name that the file of the data type will take. */
  pathOf(dataType: string): string;
  /** Creates the file anew, whatever an earlier run has left, in a folder that is made where it is missing. */
  create(dataType: string, gatherBytes: number): Promise<PartialFile>;
  /** Goes on behind its first `length` bytes. */
  goOn(dataType: string, length: number): Promise<PartialFile>;
  /**
   * Gives files their names once every one is safe on the disk, so that a full disk publishes nothing; `hear` is told
   * of each.
   */
  publish(files: Publication, hear: (path: string) => void): Promise<void>;
  /** Whether a file that is not empty has the name of the data type. */
  hasEarlier(dataType: string): Promise<boolean>;
  /** Settles when the names survive a power cut. */
  sync(): Promise<void>;
}

export interface PartialFilesOptions {
  readonly dir: string;
  /** Hears when a file could not have the plain name of its data type. */
  readonly notify: Notify;
  readonly openFile: OpenFile;
  readonly onFailure?: OutputFileOptions['onFailure'];
}

/** The name that a file has until it takes this one. */
export const partialOf = (path: string): string => `${path}.partial`;

/** Nothing is made yet. */
export function createPartialFiles({ dir, notify, ...options }: PartialFilesOptions): PartialFiles {
  const nameOf = createFileNames();
  const pathOf = (dataType: string) => join(dir, `${nameOf(dataType).name}.ndjson`);
  const folder = createFolder(dir);

  return {
    pathOf,
    async create(dataType, gatherBytes) {
      const { because } = nameOf(dataType);
      const path = pathOf(dataType);
      if (because !== undefined) {
        notify({
          level: 'info',
          code: 'file-name',
          message: `"${dataType}" is written to "${path}", because ${because}`,
        });
      }
      await folder.make();
      await mustNotBeDirectory(path);
      const file = await createOutputFile(partialOf(path), { ...options, gatherBytes });
      folder.touch();
      return { path, file };
    },
    async goOn(dataType, length) {
      const path = pathOf(dataType);
      return { path, file: await continueOutputFile(partialOf(path), length, options) };
    },
    async publish(files, hear) {
      await takeNames(files, hear);
      if (files.published.length + files.dropped.length > 0) folder.touch();
      await folder.sync();
    },
    hasEarlier: (dataType) => isFilled(pathOf(dataType)),
    sync: folder.sync,
  };
}

async function takeNames({ published, dropped }: Publication, hear: (path: string) => void): Promise<void> {
  const all = [...published, ...dropped];
  for (const { file } of all) await file.mustBeInPlace();
  await settleAll(all.map(({ file }) => file.close()));
  for (const { path } of published) {
    await rename(partialOf(path), path).catch((thrown: unknown) => {
      throw refused(`rename "${partialOf(path)}" to "${path}"`, thrown);
    });
    hear(path);
  }
  for (const { path } of dropped) {
    await unlink(partialOf(path)).catch((thrown: unknown) => {
      throw refused(`remove "${partialOf(path)}"`, thrown);
    });
  }
}

/** Throws ERR_SINK where it cannot be known. */
async function isFilled(path: string): Promise<boolean> {
  try {
    return (await stat(path)).size > 0;
  } catch (thrown) {
    if (systemError(thrown)?.code === 'ENOENT') return false;
    throw refused(`inspect "${path}"`, thrown);
  }
}

/** Better told before the first request than after the last. */
async function mustNotBeDirectory(path: string): Promise<void> {
  const found = await stat(path).catch(() => undefined);
  if (found?.isDirectory()) throw new ExtractError('ERR_SINK', `cannot write "${path}": it is a directory`);
}
