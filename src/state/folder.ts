/** A folder as a store: the journal of records, a file for each part, and a lock. For the eyes of its owner alone. */
import { type FileHandle, mkdir, open, readdir, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { createFolder } from '../../sinks/folder.js';
import { refused } from '../../sinks/refusal.js';
import { asExtractError, ExtractError } from '../errors.js';
import { fileSpool } from '../page/spool.js';
import { linesOf, recordsIn } from './lines.js';
import { type Lock, takeLock } from './lock.js';
import type { OpenStore, Part, Store } from './store.js';

const partName = /^part-(\d+)$/;
const ownersAlone = 0o600;

/** Keeps a state in the folder, which is made where it is missing. One run at a time: `take` is how its lock is taken. */
export function stateFolder(path: string, take: (lock: string) => Promise<Lock> = takeLock): Store {
  return {
    open: () =>
      failing(path, async () => {
        await makeFolder(path);
        const lock = await take(join(path, 'lock'));
        try {
          const parts = await partsIn(path);
          return openFolder(path, await recordsOf(path, parts), parts, lock);
        } catch (thrown) {
          await lock.release();
          throw thrown;
        }
      }),
  };
}

/** Throws ERR_STATE for what is there and no folder. */
async function makeFolder(path: string): Promise<void> {
  try {
    await mkdir(path, { recursive: true, mode: 0o700 });
  } catch (thrown) {
    const isTaken = thrown instanceof Error && 'code' in thrown && thrown.code === 'EEXIST';
    throw isTaken ? new ExtractError('ERR_STATE', `"${path}" is a file: a state needs a folder of its own`) : thrown;
  }
}

function openFolder(path: string, records: readonly string[], parts: readonly string[], lock: Lock): OpenStore {
  const inTurn = createTurns();
  const doing = <T>(work: () => Promise<T>) => failing(path, () => inTurn(work));
  const writing = (work: () => Promise<void>) =>
    doing(async () => {
      lock.mustBeHeld();
      await work();
    });
  const folder = createFolder(path);
  const unsaved = new Set<string>();
  let journal: FileHandle | undefined;
  let lastPart = Math.max(0, ...parts.map((name) => Number(partName.exec(name)?.[1])));

  const append = async (texts: readonly string[]) => {
    await journal?.appendFile(linesOf(texts));
  };
  const saveParts = async () => {
    for (const name of unsaved) {
      unsaved.delete(name);
      await save(join(path, name));
    }
    await folder.sync();
  };

  return {
    name: path,
    records,
    replace: (texts) =>
      writing(async () => {
        const draft = join(path, 'journal.new');
        await saveParts();
        // Whatever lies there keeps neither its mode nor the place that it may be a link to.
        await rm(draft, { force: true });
        const next = await open(draft, 'wx', ownersAlone);
        await next.appendFile(linesOf(texts));
        await next.sync();
        // Where a name cannot be taken from an open file, as on Windows.
        await journal?.close();
        journal = undefined;
        await rename(draft, join(path, 'journal'));
        journal = next;
        folder.touch();
        await folder.sync();
      }),
    append: (texts) => writing(() => append(texts)),
    sync: (texts) =>
      writing(async () => {
        await saveParts();
        await append(texts);
        await journal?.sync();
      }),
    createPart: () =>
      failing(path, async () => {
        lastPart += 1;
        const name = `part-${lastPart}`;
        const part = partOf(name, await open(join(path, name), 'wx+', ownersAlone));
        unsaved.add(name);
        folder.touch();
        return part;
      }),
    openPart: (name) => failing(path, async () => partOf(name, await open(join(path, name), 'r'))),
    partNames: () => failing(path, () => partsIn(path)),
    removePart: (name) =>
      failing(path, async () => {
        unsaved.delete(name);
        await rm(join(path, name), { force: true });
      }),
    close: () =>
      doing(async () => {
        await journal?.close();
        journal = undefined;
        await lock.release();
      }),
  };
}

const partOf = (name: string, file: FileHandle): Part => ({ ...fileSpool(file), name });

/**
 * Those of the journal. It is written whole before anything else, and takes its name at once: where it has no beginning, or is missing beside
 * parts, it was damaged, or the folder is not one of ours. Throws ERR_STATE then, lest something be replaced that belongs to somebody.
 */
async function recordsOf(path: string, parts: readonly string[]): Promise<readonly string[]> {
  const journal = await journalOf(path);
  const records = recordsIn(journal ?? new Uint8Array());
  if (journal === undefined ? parts.length === 0 : records.length > 0) return records;
  const what = journal === undefined ? `"${parts[0]}", and no journal` : 'a journal without its beginning';
  throw new ExtractError(
    'ERR_STATE',
    `"${path}" holds ${what}: it is damaged, or no state; remove it, or name another`,
  );
}

async function journalOf(path: string): Promise<Uint8Array | undefined> {
  try {
    return await readFile(join(path, 'journal'));
  } catch (thrown) {
    if (thrown instanceof Error && 'code' in thrown && thrown.code === 'ENOENT') return undefined;
    throw thrown;
  }
}

const partsIn = async (path: string): Promise<readonly string[]> =>
  (await readdir(path)).filter((name) => partName.test(name));

/** A part that was removed meanwhile needs no saving. */
async function save(path: string): Promise<void> {
  const handle = await open(path, 'r+').catch(() => undefined);
  try {
    await handle?.sync();
  } finally {
    await handle?.close();
  }
}

/** One piece of work after another, whatever became of those before. */
function createTurns(): <T>(work: () => Promise<T>) => Promise<T> {
  let turn: Promise<unknown> = Promise.resolve();
  return (work) => {
    const mine = turn.then(work, work);
    turn = mine.catch(() => {});
    return mine;
  };
}

async function failing<T>(path: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (thrown) {
    if (thrown instanceof ExtractError && thrown.code === 'ERR_STATE') throw thrown;
    const { message } = asExtractError(refused(`keep the state in "${path}"`, thrown));
    throw new ExtractError('ERR_STATE', message, { cause: thrown });
  }
}
