/** The directory of a sink: created on first use, and its entries saved like files. */
import { open } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { makeFolder } from '../../src/core/util/make-folder.js';
import { refused } from '../errors.js';

export interface Folder {
  /** Creates the directory and missing parents. Throws ERR_SINK. */
  make(): Promise<void>;
  /** Records that an entry was added or renamed. */
  touch(): void;
  /** Settles when the entries survive a power cut. */
  sync(): Promise<void>;
}

/** Creates the description; creates no directory yet. */
export function createFolder(path: string): Folder {
  const changed = new Set<string>();

  return {
    async make() {
      try {
        const first = await makeFolder(path);
        if (first !== undefined) for (const parent of parentsUpTo(first, path)) changed.add(parent);
      } catch (thrown) {
        throw refused(`create the directory "${path}"`, thrown);
      }
    },
    touch: () => void changed.add(resolve(path)),
    async sync() {
      for (const each of changed) {
        changed.delete(each); // first, because another entry may be added meanwhile
        await syncDirectory(each).catch((thrown: unknown) => {
          changed.add(each);
          throw thrown;
        });
      }
    },
  };
}

/** The directories that received an entry when `path` was created, from `first` on. */
function parentsUpTo(first: string, path: string): readonly string[] {
  const top = dirname(resolve(first));
  const parents: string[] = [];
  for (let at = dirname(resolve(path)); at.length > top.length; at = dirname(at)) parents.push(at);
  return [...parents, top];
}

/** Windows cannot open a directory; its file system journals renames itself. */
async function syncDirectory(path: string): Promise<void> {
  if (process.platform === 'win32') return;
  try {
    const handle = await open(path, 'r');
    try {
      await handle.sync();
    } finally {
      await handle.close();
    }
  } catch (thrown) {
    throw refused(`save the directory "${path}"`, thrown);
  }
}
