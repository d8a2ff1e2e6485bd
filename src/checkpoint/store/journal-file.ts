/** The journal file: appends records, or replaces the file as a whole. */
import { type FileHandle, open, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Folder } from '../../../sinks/folder.js';
import { ExtractError } from '../../core/errors/errors.js';
import { contentOf } from './atomic-create.js';
import { linesOf, recordsIn } from './lines.js';

/** One call at a time. */
export interface JournalFile {
  /** Settles when exactly these records survive a power cut. Must be the first call. */
  replace(records: readonly string[]): Promise<void>;
  /** Settles when the records survive the end of this process. */
  append(records: readonly string[]): Promise<void>;
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
export function createJournalFile(path: string, folder: Folder): JournalFile {
  let journal: FileHandle | undefined;

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
      const draft = `${nameIn(path)}.new`;
      // An existing file may have another mode, or be a link to another place.
      await rm(draft, { force: true });
      const next = await open(draft, 'wx', 0o600);
      try {
        await next.appendFile(linesOf(records));
        await next.sync();
        // Windows cannot replace an open file.
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
