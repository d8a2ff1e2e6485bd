/**
 * The folder of the cache: answers by their keys, for as long as they hold. What is wrong with it is reported, and fails no
 * run.
 */
import { type FileHandle, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { asyncScheduler } from 'rxjs';
import { openRegular } from '../../../sinks/open-regular.js';
import { describeSystemError, systemError } from '../../core/errors/system-error.js';
import type { Notify } from '../../core/model/notice.js';
import { type CacheEntry, type Head, readEntry } from './entry.js';
import { beginDraft, type EntryWriter } from './entry-writer.js';
import { removeFile, sweep } from './sweep.js';

export interface StoreOptions {
  readonly folder: string;
  /** Seconds for which an answer holds. */
  readonly ttlSeconds: number;
  readonly notify: Notify;
}

/** An answer that holds. The receiver closes the file. */
export interface FoundEntry extends CacheEntry {
  readonly file: FileHandle;
}

export interface CacheStore {
  /** What is kept under a key. What is broken or has expired is removed. */
  find(key: string): Promise<FoundEntry | undefined>;
  /** Begins to keep an answer as of now; `undefined` where the folder does not take it. */
  begin(key: string, head: Omit<Head, 'storedAt' | 'expiresAt'>): Promise<EntryWriter | undefined>;
  forget(key: string): Promise<void>;
  /** Says that an answer could not be kept. */
  refuse(thrown: unknown): void;
}

/** Ten years: a later date is more than the times of some file systems can say. */
const mostSeconds = 10 * 365 * 24 * 60 * 60;

/** Describes the folder. It is made, for its owner alone, and rid of what has expired, when it is first needed. */
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
    await mkdir(folder, { recursive: true, mode: 0o700 });
  } catch (thrown) {
    refuse(thrown);
    return false;
  }
  await sweep(folder, asyncScheduler.now());
  return true;
}

/** `undefined`: there is none. Throws why it cannot be used. */
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

/** A clock that was set back says nothing of the age. */
function isFresh({ storedAt }: Head, ttl: number): boolean {
  const age = asyncScheduler.now() - storedAt;
  return age >= 0 && age < ttl;
}
