/** The journal file: appends records, or replaces the file as a whole. */
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Folder } from '../../../sinks/files/folder.js';
import { ExtractError } from '../../core/errors/errors.js';
import { writeAll } from '../../core/util/file-io.js';
import { createQuickWrites, openQuick, type QuickFile } from '../../core/util/quick-writes.js';
import { renameFile } from '../../core/util/rename-file.js';
import { contentOf } from './atomic-create.js';
import { createLine, linesOf, recordsIn } from './journal-lines.js';

/** One call at a time. */
export interface JournalFile {
  /** Settles when exactly these records survive a power cut. Must be the first call. */
  replace(records: readonly string[]): Promise<void>;
  /** Settles when the records survive the end of this process. */
  append(records: readonly string[]): Promise<void>;
  /** The same at once, for one record. False: it wrote nothing, because the disk is slow or the record is large. */
  appendNow(record: string): boolean;
  /** Settles when all appended records survive a power cut. */
  sync(): Promise<void>;
  close(): Promise<void>;
}

const nameIn = (path: string): string => join(path, 'journal');

/**
 * Reads the records of the directory, up to the first damaged one. A journal gets its name only when it is complete. So
 * a journal without a beginning, or parts without a journal, are damaged or belong to something else. Throws ERR_STATE
 * then, so that nothing foreign is replaced.
 */
export async function readJournal(path: string, parts: readonly string[]): Promise<readonly string[]> {
  const journal = await contentOf(nameIn(path));
  const records = recordsIn(journal ?? new Uint8Array());
  if (journal === undefined ? parts.length === 0 : records.length > 0) return records;
  const what = journal === undefined ? `"${parts[0]}", and no journal` : 'a journal without its beginning';
  throw new ExtractError(
    'ERR_STATE',
    `"${path}" contains ${what}: it is damaged or not a state. Remove it, or use another folder`,
  );
}

/** Opens nothing yet. Only the owner can read the file. */
export function createJournalFile(path: string, folder: Folder, quick = createQuickWrites()): JournalFile {
  let journal: QuickFile | undefined;
  let length = 0;
  const lineOf = createLine();

  const close = async () => {
    const ended = journal;
    journal = undefined;
    await ended?.close();
  };
  /** Throws if no journal has its name yet: appended records would be lost. */
  const opened = () => {
    if (journal === undefined) throw new Error('the journal is not open');
    return journal;
  };

  return {
    async replace(records) {
      const lines = Buffer.from(linesOf(records));
      // Windows cannot replace an open file.
      journal = await createJournal(path, lines, close);
      length = lines.length;
      folder.touch();
      await folder.sync();
    },
    async append(records) {
      if (records.length === 0) return;
      const [file, lines] = [opened(), Buffer.from(linesOf(records))];
      const start = length;
      length += lines.length;
      await writeAll(file, lines, start);
    },
    appendNow(record) {
      const line = lineOf(record);
      const isWritten = line !== undefined && quick.write(opened(), line, length);
      if (isWritten) length += line.length;
      return isWritten;
    },
    async sync() {
      await journal?.sync();
    },
    close,
  };
}

/** Writes a journal under a temporary name, and renames it after `letGo`. */
async function createJournal(path: string, lines: Uint8Array, letGo: () => Promise<void>): Promise<QuickFile> {
  const draft = `${nameIn(path)}.new`;
  // An existing file may have another mode, or be a link to another place.
  await rm(draft, { force: true });
  const next = await openQuick(draft, 'wx', 0o600);
  try {
    await writeAll(next, lines, 0);
    await next.sync();
    await letGo();
    await renameFile(draft, nameIn(path));
    return next;
  } catch (thrown) {
    await next.close().catch(() => {});
    await rm(draft, { force: true }).catch(() => {});
    throw thrown;
  }
}
