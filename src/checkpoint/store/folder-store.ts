/** A folder as a store: the journal, a file for each part, and a lock. Only its owner can read it. */
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { refused } from '../../../sinks/errors.js';
import { createFolder } from '../../../sinks/files/folder.js';
import { createTurns } from '../../../sinks/serialize.js';
import { asExtractError, ExtractError } from '../../core/errors/errors.js';
import { systemError } from '../../core/errors/system-error.js';
import { makeFolder } from '../../core/util/make-folder.js';
import { createJournalFile, readJournal } from './journal-file.js';
import { type Lock, takeLock } from './lock.js';
import { createPartFiles, partsIn } from './part-files.js';
import type { OpenStore, Store } from './store.js';

/** Keeps a state in the folder, and makes the folder if it is missing. One run at a time: `take` takes its lock. */
export function stateFolder(path: string, take: (lock: string) => Promise<Lock> = takeLock): Store {
  return {
    exists: () =>
      stat(path).then(
        () => true,
        () => false,
      ),
    open: () =>
      failing(path, async () => {
        await makeStateFolder(path);
        const lock = await take(join(path, 'lock'));
        try {
          const parts = await partsIn(path);
          return openFolder(path, await readJournal(path, parts), parts, lock);
        } catch (thrown) {
          await lock.release();
          throw thrown;
        }
      }),
  };
}

/** Throws ERR_STATE if the path exists and is not a folder. */
async function makeStateFolder(path: string): Promise<void> {
  try {
    await makeFolder(path, 0o700);
  } catch (thrown) {
    const isTaken = systemError(thrown)?.code === 'EEXIST';
    throw isTaken ? new ExtractError('ERR_STATE', `"${path}" is a file: expected a folder for the state`) : thrown;
  }
}

function openFolder(path: string, records: readonly string[], there: readonly string[], lock: Lock): OpenStore {
  const folder = createFolder(path);
  const journal = createJournalFile(path, folder);
  const parts = createPartFiles(path, folder, there);
  const inTurn = createTurns();
  const doing = async (work: () => Promise<void>) => failing(path, async () => inTurn(work));
  const writing = (work: () => Promise<void>, check: () => void | Promise<void> = lock.mustBeHeld) =>
    doing(async () => {
      await check();
      await work();
    });

  return {
    name: path,
    folder: join(path, 'sinks'),
    records,
    replace: (texts) =>
      writing(async () => {
        await parts.save();
        await journal.replace(texts);
      }, lock.verify),
    append: (texts) => writing(() => journal.append(texts)),
    appendNow(text) {
      if (!inTurn.isFree()) return false;
      try {
        lock.mustBeHeld();
        return journal.appendNow(text);
      } catch (thrown) {
        throw stateError(path, thrown);
      }
    },
    sync: (texts) =>
      writing(async () => {
        await parts.save();
        await journal.append(texts);
        await journal.sync();
      }, lock.verify),
    createPart: () => failing(path, parts.create),
    openPart: (name) => failing(path, () => parts.open(name)),
    partNames: () => failing(path, () => partsIn(path)),
    removePart: (name) => failing(path, () => parts.remove(name)),
    close: () =>
      doing(async () => {
        await journal.close();
        await lock.release();
      }),
  };
}

async function failing<T>(path: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (thrown) {
    throw stateError(path, thrown);
  }
}

function stateError(path: string, thrown: unknown): ExtractError {
  if (thrown instanceof ExtractError && thrown.code === 'ERR_STATE') return thrown;
  const { message } = asExtractError(refused(`keep the state in "${path}"`, thrown));
  return new ExtractError('ERR_STATE', message, { cause: thrown });
}
