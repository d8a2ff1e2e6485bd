/** The folder beside the database in which the rows of a run wait until they are published. */
import { createReadStream } from 'node:fs';
import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Notify } from '../../src/core/model/notice.js';
import { openQuick, type QuickFile } from '../../src/core/util/quick-writes.js';
import type { Earlier } from '../contract.js';
import { refused } from '../errors.js';
import { codecOf } from '../files/codec.js';
import { createFileSink, type FileSink } from '../files/file-sink.js';
import type { Note } from './leaf-slots.js';
import { createNoteReader } from './row-notes.js';

export interface RowStaging {
  readonly files: FileSink;
  /** Removes the folder, and the one of the database if it is empty. */
  remove(): Promise<void>;
  /** A file beside the rows of a data type, for a moment. */
  draftOf(dataType: string): string;
  /** What the rows of a data type say of its slots. */
  notesOf(dataType: string): Promise<readonly Note[]>;
}

/** The folder of all runs into a database. */
export const stagingFolder = (file: string): string => `${file}.rxtract`;

/** The name of a run's folder. Without a state no later process needs it. */
const folderOf = ({ run, isStored }: Pick<Earlier, 'run' | 'isStored'>): string => (isStored ? run : `${run}.tmp`);

/** Describes the staging of a run; makes no folder yet. */
export function createRowStaging(file: string, earlier: Earlier): RowStaging {
  const parent = stagingFolder(file);
  const dir = join(parent, folderOf(earlier));
  // The name of a file is of no interest, unless it cannot be written: then the error has it.
  const notify: Notify = () => {};
  const packing = { codec: codecOf(undefined), rotateBytes: partBytes, keepsBatches: true };
  const openFile = earlier.isStored ? undefined : openUnsaved;
  const files = createFileSink({ name: dir, dir, extension: '.rows', notify, packing, openFile });
  return {
    files,
    async remove() {
      await removeFolder(dir);
      await removeIfEmpty(parent);
    },
    draftOf: (dataType) => `${files.pathOf(dataType)}.draft`,
    async notesOf(dataType) {
      const notes: object[] = [];
      for (const path of await files.partsOf(dataType)) {
        for (const note of await notesIn(path)) if (isOnSlots(note)) notes.push(note);
      }
      return notes as readonly Note[]; // They are from rows of this sink.
    },
  };
}

/** Opens a file that need not survive a power cut: without a state no later process reads it. */
async function openUnsaved(path: string, flags: 'wx' | 'r+'): Promise<QuickFile> {
  return Object.assign(await openQuick(path, flags), { sync: async () => {} });
}

/** DuckDB has read a part as a whole before it releases its memory. */
const partBytes = 4 * 1024 * 1024;

const isOnSlots = (note: object): boolean => !('job' in note);

/**
 * Removes what ended runs have left: those without a state, and those that this run replaces. The database is open, so
 * no other process uses the folder. Returns the names of the others.
 */
export async function removeEnded(file: string, earlier: Earlier): Promise<ReadonlySet<string>> {
  const parent = stagingFolder(file);
  const names = await readdir(parent).catch(() => []);
  const { replaces = [], run, epoch } = earlier;
  const isEnded = (name: string) =>
    (name.endsWith('.tmp') && name !== folderOf(earlier)) || replaces.includes(name) || (name === run && epoch === 1);
  for (const name of names) if (isEnded(name)) await removeFolder(join(parent, name));
  return new Set(names.filter((name) => !isEnded(name)));
}

async function removeFolder(path: string): Promise<void> {
  await rm(path, { recursive: true, force: true }).catch((thrown: unknown) => {
    throw refused(`remove the folder "${path}"`, thrown);
  });
}

async function removeIfEmpty(path: string): Promise<void> {
  const names = await readdir(path).catch(() => ['unknown']);
  if (names.length === 0) await removeFolder(path);
}

async function notesIn(path: string): Promise<readonly object[]> {
  const reader = createNoteReader();
  try {
    for await (const chunk of createReadStream(path, { highWaterMark: 1024 * 1024 })) reader.read(chunk);
  } catch (thrown) {
    throw refused(`read "${path}"`, thrown);
  }
  return reader.notes;
}
