/** The file of a journal's records: added to at its end, or put in the place of the old one when it is whole. */
import { type FileHandle, open, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Folder } from '../../../sinks/folder.js';
import { ExtractError } from '../../core/errors/errors.js';
import { contentOf } from './atomic-create.js';
import { linesOf, recordsIn } from './lines.js';

/** One call at a time. */
export interface JournalFile {
  /** Settles when these records, and they alone, outlive the machine. The first call. */
  replace(records: readonly string[]): Promise<void>;
  /** Settles when they outlive this process. */
  append(records: readonly string[]): Promise<void>;
  /** Settles when all that was appended outlives the machine. */
  sync(): Promise<void>;
  close(): Promise<void>;
}

const nameIn = (path: string): string => join(path, 'journal');

/**
 * The records in the file of the directory, up to the first that is damaged. It is written whole before anything else,
 * and takes its name at once: where it has no beginning, or is missing beside parts, it was damaged, or the folder is
 * not one of ours. Throws ERR_STATE then, lest something be replaced that belongs to somebody.
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

/** Opens nothing yet. For the eyes of its owner alone. */
export function createJournalFile(path: string, folder: Folder): JournalFile {
  let journal: FileHandle | undefined;

  const close = async () => {
    const ended = journal;
    journal = undefined;
    await ended?.close();
  };
  /** Throws where no journal could take its name: what is appended to none would be lost. */
  const opened = () => {
    if (journal === undefined) throw new Error('the journal is not open');
    return journal;
  };

  return {
    async replace(records) {
      const draft = `${nameIn(path)}.new`;
      // Whatever lies there keeps neither its mode nor the place that it may be a link to.
      await rm(draft, { force: true });
      const next = await open(draft, 'wx', 0o600);
      try {
        await next.appendFile(linesOf(records));
        await next.sync();
        // Where a name cannot be taken from an open file, as on Windows.
        await close();
        await rename(draft, nameIn(path));
      } catch (thrown) {
        await next.close().catch(() => {});
        await rm(draft, { force: true }).catch(() => {});
        throw thrown;
      }
      journal = next;
      folder.touch();
      await folder.sync();
    },
    async append(records) {
      if (records.length > 0) await opened().appendFile(linesOf(records));
    },
    async sync() {
      await journal?.sync();
    },
    close,
  };
}
