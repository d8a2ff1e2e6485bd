/** The files of a folder under temporary names, `.partial`, until the run can publish all of them. */
import { rename, stat, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { ExtractError } from '../../src/core/errors/errors.js';
import { systemError } from '../../src/core/errors/system-error.js';
import type { Notify } from '../../src/core/model/notice.js';
import { refused } from '../errors.js';
import { settleAll } from '../settle.js';
import { createFileNames } from './file-names.js';
import { createFolder } from './folder.js';
import {
  continueOutputFile,
  createOutputFile,
  type OpenFile,
  type OutputFile,
  type OutputFileOptions,
} from './output-file.js';

export interface PartialFile {
  /** Its final name. */
  readonly path: string;
  readonly file: OutputFile;
}

/** What a successful run does with its files. */
export interface Publication {
  /** Files that get their final names. */
  readonly published: readonly PartialFile[];
  /** Files to remove; earlier files with their names stay. */
  readonly dropped: readonly PartialFile[];
}

/** All methods but `pathOf` throw ERR_SINK. */
export interface PartialFiles {
  /** The final name of the data type's file. */
  pathOf(dataType: string): string;
  /** Creates the file anew, replacing the one of an earlier run; creates the folder if needed. */
  create(dataType: string, gatherBytes: number): Promise<PartialFile>;
  /** Continues the file after its first `length` bytes. */
  continueFile(dataType: string, length: number): Promise<PartialFile>;
  /**
   * Renames files once every one is safe on the disk, so that a full disk publishes nothing; calls `onRenamed` with
   * each path.
   */
  publish(files: Publication, onRenamed: (path: string) => void): Promise<void>;
  /** Whether a non-empty file has the final name of the data type. */
  hasEarlier(dataType: string): Promise<boolean>;
  /** Settles when the names survive a power cut. */
  sync(): Promise<void>;
}

export interface PartialFilesOptions {
  readonly dir: string;
  /** Receives a notice when a file cannot have the plain name of its data type. */
  readonly notify: Notify;
  readonly openFile?: OpenFile | undefined;
  readonly onFailure?: OutputFileOptions['onFailure'];
}

/** The temporary name of a file. */
export const partialOf = (path: string): string => `${path}.partial`;

/** Creates the set; creates no file yet. */
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
    async continueFile(dataType, length) {
      const path = pathOf(dataType);
      return { path, file: await continueOutputFile(partialOf(path), length, options) };
    },
    async publish(files, onRenamed) {
      await takeNames(files, onRenamed);
      if (files.published.length + files.dropped.length > 0) folder.touch();
      await folder.sync();
    },
    hasEarlier: (dataType) => isFilled(pathOf(dataType)),
    sync: folder.sync,
  };
}

async function takeNames({ published, dropped }: Publication, onRenamed: (path: string) => void): Promise<void> {
  const all = [...published, ...dropped];
  for (const { file } of all) await file.mustBeInPlace();
  await settleAll(all.map(({ file }) => file.close()));
  for (const { path } of published) {
    await rename(partialOf(path), path).catch((thrown: unknown) => {
      throw refused(`rename "${partialOf(path)}" to "${path}"`, thrown);
    });
    onRenamed(path);
  }
  for (const { path } of dropped) {
    await unlink(partialOf(path)).catch((thrown: unknown) => {
      throw refused(`remove "${partialOf(path)}"`, thrown);
    });
  }
}

/** Throws ERR_SINK if it cannot be determined. */
async function isFilled(path: string): Promise<boolean> {
  try {
    return (await stat(path)).size > 0;
  } catch (thrown) {
    if (systemError(thrown)?.code === 'ENOENT') return false;
    throw refused(`inspect "${path}"`, thrown);
  }
}

/** Checked before the first request, to fail early. */
async function mustNotBeDirectory(path: string): Promise<void> {
  const found = await stat(path).catch(() => undefined);
  if (found?.isDirectory()) throw new ExtractError('ERR_SINK', `cannot write "${path}": it is a directory`);
}
