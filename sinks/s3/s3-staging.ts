/** The folder in which a run stages its objects, with the list of its uploads, so that a later process finds them. */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ExtractError } from '../../src/core/errors/errors.js';
import { systemError } from '../../src/core/errors/system-error.js';
import { digestOf } from '../../src/core/util/digest.js';
import { makeFolder } from '../../src/core/util/make-folder.js';
import { renameFile } from '../../src/core/util/rename-file.js';
import type { Earlier } from '../contract.js';
import { refused } from '../errors.js';
import { createTurns } from '../serialize.js';

export interface Staging {
  /** Where the files are. */
  readonly files: string;
  /** The ids of the uploads that have not ended, by key. */
  uploads(): ReadonlyMap<string, string>;
  /** Records an upload; undefined: it has ended. Settles when it is in the file. */
  record(key: string, upload: string | undefined): Promise<void>;
  remove(): Promise<void>;
}

/**
 * Opens the folder of a run and reads its uploads. `name` sets the sinks of a run apart, `chosen` is the option of the
 * address. Without a state the folder is temporary. Throws ERR_USAGE if the state has no folder and none is chosen.
 */
export async function openStaging(name: string, chosen: string | undefined, earlier: Earlier): Promise<Staging> {
  if (!earlier.isStored) return temporary(chosen ?? tmpdir());
  return stagingIn(join(folderOf(chosen, earlier), folderName(name, earlier.run)));
}

/** The folders of the runs that this one replaces. */
export async function replacedStagings(
  name: string,
  chosen: string | undefined,
  earlier: Earlier,
): Promise<readonly Staging[]> {
  if (!earlier.isStored) return [];
  const folder = folderOf(chosen, earlier);
  return Promise.all((earlier.replaces ?? []).map((run) => stagingIn(join(folder, folderName(name, run)))));
}

function folderOf(chosen: string | undefined, { folder = chosen }: Earlier): string {
  const found = chosen ?? folder;
  if (found !== undefined) return found;
  throw new ExtractError('ERR_USAGE', 's3: the store of the run has no folder: choose one with the option staging');
}

const folderName = (name: string, run: string): string =>
  `s3-${digestOf(name).slice(0, 8)}-${run.replace(/[^\w-]/g, '_')}`;

async function temporary(parent: string): Promise<Staging> {
  const path = await doing(parent, async () => {
    await makeFolder(parent);
    return mkdtemp(join(parent, 'rxtract-s3-'));
  });
  return staging(path, new Map());
}

async function stagingIn(path: string): Promise<Staging> {
  const text = await readFile(listIn(path), 'utf8').catch((thrown: unknown) => {
    if (systemError(thrown)?.code === 'ENOENT') return '{}';
    throw refused(`read "${listIn(path)}"`, thrown);
  });
  return staging(path, new Map(Object.entries(uploadsIn(text))));
}

/** A damaged list is an empty one: its uploads are dropped after a week. */
function uploadsIn(text: string): Readonly<Record<string, string>> {
  try {
    const parsed: unknown = JSON.parse(text);
    const entries = Object.entries(parsed ?? {}).filter(([, upload]) => typeof upload === 'string');
    return Object.fromEntries(entries) as Readonly<Record<string, string>>; // only texts are left
  } catch {
    return {};
  }
}

const listIn = (path: string): string => join(path, 'uploads.json');

function staging(path: string, uploads: Map<string, string>): Staging {
  const inTurn = createTurns();
  return {
    files: join(path, 'files'),
    uploads: () => uploads,
    async record(key, upload) {
      if (upload === undefined) uploads.delete(key);
      else uploads.set(key, upload);
      await inTurn(() =>
        doing(path, async () => {
          await makeFolder(path, 0o700);
          const draft = `${listIn(path)}.new`;
          await writeFile(draft, JSON.stringify(Object.fromEntries(uploads)), { mode: 0o600 });
          await renameFile(draft, listIn(path));
        }),
      );
    },
    remove: () => doing(path, () => rm(path, { recursive: true, force: true })),
  };
}

async function doing<T>(path: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (thrown) {
    throw refused(`stage in "${path}"`, thrown);
  }
}
