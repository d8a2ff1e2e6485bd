/**
 * The cache folder: responses by key, until they expire. A fault of the folder causes a notice and never fails a run.
 */
import type { FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { asyncScheduler } from 'rxjs';
import { openRegular } from '../../../sinks/files/open-regular.js';
import { describeSystemError, systemError } from '../../core/errors/system-error.js';
import type { Notify } from '../../core/model/notice.js';
import { makeFolder } from '../../core/util/make-folder.js';
import { type CacheEntry, type Head, readEntry } from './cache-entry.js';
import { beginDraft, type EntryWriter } from './entry-writer.js';
import { removeFile, sweep } from './sweep.js';

export interface StoreOptions {
  readonly folder: string;
  /** Time to live of a response, in seconds. */
  readonly ttlSeconds: number;
  readonly notify: Notify;
}

/** A valid cached response. The receiver closes the file. */
export interface FoundEntry extends CacheEntry {
  readonly file: FileHandle;
}

export interface CacheStore {
  /** Returns the entry of a key. Removes a broken or expired one. */
  find(key: string): Promise<FoundEntry | undefined>;
  /** Starts to store a response with the current time; `undefined` if the folder cannot be written. */
  begin(key: string, head: Omit<Head, 'storedAt' | 'expiresAt'>): Promise<EntryWriter | undefined>;
  forget(key: string): Promise<void>;
  /** Reports that a response could not be stored. */
  refuse(thrown: unknown): void;
}

/** Ten years: some file systems cannot store a later date. */
const mostSeconds = 10 * 365 * 24 * 60 * 60;

/** Creates the store. Its first use creates the folder, for its owner only, and removes expired entries. */
export function createStore({ folder, ttlSeconds, notify }: StoreOptions): CacheStore {
  const ttl = Math.min(ttlSeconds, mostSeconds) * 1000;
  const warn = (code: string, message: string) => notify({ level: 'warning', code, message });
  const refuse = (thrown: unknown) =>
    warn(
      'cache-not-written',
      `the cache "${folder}" cannot be written: ${describeSystemError(thrown)}; responses are not cached`,
    );
  let ready: Promise<boolean> | undefined;
  const isReady = () => {
    ready ??= prepare(folder, refuse);
    return ready;
  };
  const pathOf = (key: string) => join(folder, key);
  const forget = (key: string) => removeFile(pathOf(key));

  return {
    async find(key) {
      if (!(await isReady())) return undefined;
      const found = await openEntry(pathOf(key)).catch(async (thrown: unknown) => {
        await forget(key);
        warn(
          'cache-broken',
          `the cached response "${pathOf(key)}" cannot be used: ${describeSystemError(thrown)}; it is requested again`,
        );
        return undefined;
      });
      if (found === undefined || isFresh(found.head, ttl)) return found;
      await found.file.close();
      await forget(key);
      return undefined;
    },
    async begin(key, head) {
      if (!(await isReady())) return undefined;
      const storedAt = asyncScheduler.now();
      try {
        return await beginDraft(pathOf(key), { storedAt, expiresAt: storedAt + ttl, ...head });
      } catch (thrown) {
        refuse(thrown);
        return undefined;
      }
    },
    forget,
    refuse,
  };
}

async function prepare(folder: string, refuse: (thrown: unknown) => void): Promise<boolean> {
  try {
    await makeFolder(folder, 0o700);
  } catch (thrown) {
    refuse(thrown);
    return false;
  }
  await sweep(folder, asyncScheduler.now());
  return true;
}

/** Opens an entry; `undefined`: there is none. Throws if it cannot be used. */
async function openEntry(path: string): Promise<FoundEntry | undefined> {
  const file = await openRegular(path).catch((thrown: unknown) => {
    if (systemError(thrown)?.code === 'ENOENT') return undefined;
    throw thrown;
  });
  if (file === undefined) return undefined;
  try {
    return { ...(await readEntry(file)), file };
  } catch (thrown) {
    await file.close();
    throw thrown;
  }
}

/** False for a negative age too: the clock was set back. */
function isFresh({ storedAt }: Head, ttl: number): boolean {
  const age = asyncScheduler.now() - storedAt;
  return age >= 0 && age < ttl;
}
