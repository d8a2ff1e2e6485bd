/** The files of a folder under temporary names, `.partial`, until the run can publish all of them. */
import { stat, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { ExtractError } from '../../src/core/errors/errors.js';
import { systemError } from '../../src/core/errors/system-error.js';
import type { Notify } from '../../src/core/model/notice.js';
import { renameFile } from '../../src/core/util/rename-file.js';
import type { Earlier } from '../contract.js';
import { refused } from '../errors.js';
import { settleAll } from '../settle.js';
import { type FileMode, longestBeforeRun, removeAdded, runMark } from './added-files.js';
import type { Codec } from './codec.js';
import { createFileNames, type FileName, type FileNames } from './file-names.js';
import { createFolder } from './folder.js';
import {
  continueOutputFile,
  createOutputFile,
  type OpenFile,
  type OutputFile,
  type OutputFileOptions,
} from './output-file.js';
import {
  allParts,
  continueParts,
  createParts,
  type NumberedPartsOptions,
  numberOf,
  type Parts,
  partialOf,
  partsIn,
} from './parts.js';
import type { LeftFile } from './resume-file.js';

export interface PartialFile {
  readonly dataType: string;
  /** Its final name; of numbered parts a pattern. */
  readonly path: string;
  readonly file: OutputFile;
  /** The same, if it is compressed or has parts. */
  readonly parts?: Parts;
}

/** The end of the name of a folder for the files of items, after that of the file with the items. */
export const folderEnd = '.files';

/** How files are written, if not as they are. */
export interface Packing {
  readonly codec: Codec;
  /** The size of a numbered part, in bytes before compression; absent: one file without a number. */
  readonly rotateBytes?: number | undefined;
  /** No batch is divided: items may have line breaks. A part may then be larger. */
  readonly keepsBatches?: boolean;
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
  readonly names: FileNames;
  /** The files of the folder are those of this run alone: earlier ones stay. */
  readonly isAdding: boolean;
  /** Has the files of this run have its name, with `mode=append`. */
  nameRun(earlier: Earlier): void;
  /** Removes what the runs that this one replaces have left under temporary names of their own. */
  removeReplaced(earlier: Earlier): Promise<void>;
  /** The final name of the data type's file. */
  pathOf(dataType: string): string;
  /** Creates the file anew, replacing the one of an earlier run; creates the folder if needed. */
  create(dataType: string, gatherBytes: number): Promise<PartialFile>;
  /** The final name of the folder for the files of its items: that of its first file, with an end. */
  folderOf(dataType: string): string;
  /** The final names of its files. */
  pathOfPart(dataType: string, part: number): string;
  /** The numbered parts that are in the folder, in order, under final or temporary names. Throws ERR_SINK. */
  partsOf(dataType: string): Promise<readonly string[]>;
  /** Continues the file of an earlier process of the run. */
  continueFile(left: LeftFile): Promise<PartialFile>;
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
  /** The end of the name, such as `.ndjson`. */
  readonly extension: string;
  /** Receives a notice when a file cannot have the plain name of its data type. */
  readonly notify: Notify;
  readonly openFile?: OpenFile | undefined;
  readonly onFailure?: OutputFileOptions['onFailure'];
  readonly packing?: Packing | undefined;
  /** Default: `replace`. */
  readonly mode?: FileMode | undefined;
  /**
   * Makes the final file from the complete one, and returns its temporary name. Undefined: it made none, and the
   * complete file is renamed. Called for all files before the first one gets its final name.
   */
  readonly make?: (dataType: string, path: string) => Promise<string | undefined>;
  /** Whether the final file is one that `make` has made, in a run that was interrupted while it published. */
  readonly isMade?: (dataType: string, path: string) => Promise<boolean>;
}

/** Creates the set; creates no file yet. */
export function createPartialFiles(given: PartialFilesOptions): PartialFiles {
  const { dir, notify, packing, make = async () => undefined, openFile, onFailure } = given;
  const options = { openFile, onFailure };
  const names = createFileNames(given.mode === 'append' ? longestBeforeRun : undefined);
  const paths = createPaths(given, (dataType) => names.of(dataType).name);
  const { pathOf, pathOfPart } = paths;
  const folder = createFolder(dir);
  const partsOf = (dataType: string): NumberedPartsOptions | undefined =>
    packing && { ...options, ...packing, pathOf: (part) => pathOfPart(dataType, part) };

  const createNamed = async (dataType: string, gatherBytes: number): Promise<PartialFile> => {
    const path = pathOf(dataType);
    const packed = partsOf(dataType);
    await mustNotBeDirectory(pathOfPart(dataType, 1));
    folder.touch();
    if (packed !== undefined) return withParts({ dataType, path }, await createParts(packed));
    return { dataType, path, file: await createOutputFile(partialOf(path), { ...options, gatherBytes }) };
  };

  return {
    ...paths,
    names,
    partsOf: (dataType) => allParts((part) => pathOfPart(dataType, part)),
    async create(dataType, gatherBytes) {
      // Before the first wait: of two data types that meet in one name, the first to be opened has it.
      names.of(dataType);
      await folder.make();
      const created = await orInAscii(() => createNamed(dataType, gatherBytes), { names, dataType });
      noticeName(names.of(dataType), dataType, created.path, notify);
      return created;
    },
    async continueFile({ dataType, at }) {
      const path = pathOf(dataType);
      const packed = partsOf(dataType);
      if (packed !== undefined && at.place !== undefined) {
        return withParts({ dataType, path }, await continueParts(packed, at.place));
      }
      return { dataType, path, file: await continueOutputFile(partialOf(path), at.bytes, options) };
    },
    async publish(files, onRenamed) {
      await takeNames(files, make, onRenamed);
      if (files.published.length + files.dropped.length > 0) folder.touch();
      await folder.sync();
    },
    hasEarlier: (dataType) => hasEarlier(dataType, paths, packing),
    sync: folder.sync,
  };
}

interface Named {
  readonly names: FileNames;
  readonly dataType: string;
}

/** Creates a file again, under a name in ASCII, if the file system cannot hold the letters of its name. */
async function orInAscii<T>(create: () => Promise<T>, { names, dataType }: Named): Promise<T> {
  try {
    return await create();
  } catch (thrown) {
    const { code } = systemError(thrown instanceof ExtractError ? thrown.cause : thrown) ?? {};
    const isOfName = code === 'EILSEQ' || code === 'EINVAL';
    if (!isOfName || !names.refuseLetters(dataType)) throw thrown;
    return create();
  }
}

/** The final paths of data types. */
function createPaths({ dir, extension, packing, mode }: PartialFilesOptions, nameOf: (dataType: string) => string) {
  const isAdding = mode === 'append';
  const hasParts = packing?.rotateBytes !== undefined;
  let mark = 'run';
  const suffixOf = (number: string) => (isAdding ? `.${mark}.${number}` : hasParts ? `-${number}` : '');
  const named = (dataType: string, number: string) =>
    join(dir, `${nameOf(dataType)}${suffixOf(number)}${extension}${packing?.codec.extension ?? ''}`);
  return {
    isAdding,
    nameRun(earlier: Earlier) {
      mark = runMark(earlier);
    },
    async removeReplaced({ replaces = [] }: Earlier) {
      if (isAdding) await removeAdded(dir, replaces);
    },
    pathOf: (dataType: string) => named(dataType, hasParts ? '*' : numberOf(1)),
    pathOfPart: (dataType: string, part: number) => named(dataType, numberOf(part)),
    folderOf: (dataType: string) => `${named(dataType, numberOf(1))}${folderEnd}`,
  };
}

async function hasEarlier(
  dataType: string,
  { pathOf, pathOfPart }: ReturnType<typeof createPaths>,
  packing: Packing | undefined,
): Promise<boolean> {
  const least = packing?.codec.emptyBytes ?? 0;
  if (packing?.rotateBytes === undefined) return isFilled(pathOf(dataType), least);
  for (const { path } of await partsIn((part) => pathOfPart(dataType, part))) {
    if (await isFilled(path, least)) return true;
  }
  return false;
}

const withParts = (names: Pick<PartialFile, 'dataType' | 'path'>, parts: Parts): PartialFile => ({
  ...names,
  file: parts,
  parts,
});

function noticeName({ because }: FileName, dataType: string, path: string, notify: Notify): void {
  if (because === undefined) return;
  const message = `"${dataType}" is written to "${path}", because ${because}`;
  notify({ level: 'info', code: 'file-name', message });
}

async function takeNames(
  { published, dropped }: Publication,
  make: NonNullable<PartialFilesOptions['make']>,
  onRenamed: (path: string) => void,
): Promise<void> {
  const all = [...published, ...dropped];
  for (const { file } of all) await file.mustBeInPlace();
  await settleAll(all.map(({ file }) => file.close()));
  const made = await makeAll(published, make);
  for (const { path, parts } of published) {
    if (parts === undefined) await takeName(path, made.get(path));
    else await parts.publish();
    onRenamed(path);
  }
  for (const { path, parts } of dropped) {
    if (parts === undefined) await removePartial(path);
    else await parts.remove();
  }
}

/** Returns the temporary names of final files by their final ones. Removes them if one cannot be made. */
async function makeAll(files: readonly PartialFile[], make: NonNullable<PartialFilesOptions['make']>) {
  const made = new Map<string, string | undefined>();
  try {
    for (const { dataType, path, parts } of files) {
      if (parts === undefined) made.set(path, await make(dataType, path));
    }
    return made;
  } catch (thrown) {
    for (const path of made.values()) if (path !== undefined) await unlink(path).catch(() => {});
    throw thrown;
  }
}

/** A run that is interrupted before the complete file is removed makes the final one again. */
async function takeName(path: string, made: string | undefined): Promise<void> {
  const from = made ?? partialOf(path);
  await renameFile(from, path).catch((thrown: unknown) => {
    throw refused(`rename "${from}" to "${path}"`, thrown);
  });
  if (made !== undefined) await removePartial(path);
}

async function removePartial(path: string): Promise<void> {
  await unlink(partialOf(path)).catch((thrown: unknown) => {
    throw refused(`remove "${partialOf(path)}"`, thrown);
  });
}

/** Throws ERR_SINK if it cannot be determined. */
async function isFilled(path: string, emptyBytes: number): Promise<boolean> {
  try {
    return (await stat(path)).size > emptyBytes;
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
