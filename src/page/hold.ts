/** Slabs kept back until it is known whether their page repeats the one before: in memory, beyond that in a temporary file. */
import { type FileHandle, mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Slab } from './scanner/scanner.js';

/** How many bytes wait in memory before a temporary file takes the rest. */
export const memoryBytes = 8 * 1024 * 1024;

export interface Hold {
  readonly size: number;
  add(slab: Slab): Promise<void>;
  /** Gives the slabs back in order and forgets them. */
  drain(): AsyncGenerator<Slab>;
  /** Forgets all slabs and removes the file. */
  clear(): Promise<void>;
}

interface Spool {
  readonly dir: string;
  readonly file: FileHandle;
  position: number;
}

/** Starts empty. `clear` must be called in the end, or a temporary file may stay. */
export function createHold(limit = memoryBytes): Hold {
  let inMemory: Slab[] = [];
  let inFile: {
    readonly position: number;
    readonly length: number;
    readonly offsets: Uint32Array;
    readonly count: number;
  }[] = [];
  let held = 0;
  let spool: Spool | undefined;

  const clear = async () => {
    inMemory = [];
    inFile = [];
    held = 0;
    const { dir, file } = spool ?? {};
    spool = undefined;
    await file?.close();
    if (dir !== undefined) await rm(dir, { recursive: true, force: true });
  };

  return {
    get size() {
      return held;
    },
    async add(slab) {
      held += slab.bytes.length;
      if (held <= limit) {
        inMemory.push(slab);
        return;
      }
      spool ??= await openSpool();
      await writeAll(spool.file, slab.bytes, spool.position);
      inFile.push({ position: spool.position, length: slab.bytes.length, offsets: slab.offsets, count: slab.count });
      spool.position += slab.bytes.length;
    },
    async *drain() {
      yield* inMemory;
      for (const { position, length, offsets, count } of inFile) {
        yield { bytes: await readAll(spool, position, length), offsets, count };
      }
      await clear();
    },
    clear,
  };
}

async function openSpool(): Promise<Spool> {
  const dir = await mkdtemp(join(tmpdir(), 'rxtract-'));
  return { dir, file: await open(join(dir, 'held'), 'wx+', 0o600), position: 0 };
}

async function readAll(spool: Spool | undefined, position: number, length: number): Promise<Uint8Array> {
  const bytes = new Uint8Array(length);
  let done = 0;
  while (done < length) {
    const { bytesRead } = (await spool?.file.read(bytes, done, length - done, position + done)) ?? { bytesRead: 0 };
    if (bytesRead === 0) throw new Error('the temporary file of a held page was cut short');
    done += bytesRead;
  }
  return bytes;
}

async function writeAll(file: FileHandle, bytes: Uint8Array, position: number): Promise<void> {
  let done = 0;
  while (done < bytes.length) {
    const { bytesWritten } = await file.write(bytes, done, bytes.length - done, position + done);
    done += bytesWritten;
  }
}
