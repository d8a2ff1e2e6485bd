/** A file that arrives on the disk. What an attempt leaves there, the next one continues, also in another process. */
import { createHash, type Hash } from 'node:crypto';
import { type FileHandle, open, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { readAll, writeAll } from '../../src/core/util/file-io.js';
import type { FileDraft, LeftBytes } from '../contract.js';
import { refused } from '../errors.js';

/** After so many bytes what has arrived is saved, and can be continued after a crash. */
const savedBytes = 8 * 1024 * 1024;
const pieceBytes = 1024 * 1024;

/** Beside a file: how much of it survives a crash, and of which version. */
const noteOf = (path: string): string => `${path}.left`;

/** Opens an attempt at the file. Methods reject with ERR_SINK. `step` is for tests. */
export async function openDraft(path: string, step = savedBytes): Promise<FileDraft> {
  const left = await doing('read', path, () => leftAt(path));
  return new DiskDraft(path, step, left);
}

export const removeNote = (path: string): Promise<void> => rm(noteOf(path), { force: true });

async function leftAt(path: string): Promise<LeftBytes | undefined> {
  const note = await readFile(noteOf(path), 'utf8').catch(() => '');
  const at = note.indexOf(' ');
  const bytes = Number(note.slice(0, Math.max(0, at)));
  const size = (await stat(path).catch(() => undefined))?.size ?? 0;
  return bytes > 0 && bytes <= size ? { bytes, version: note.slice(at + 1) } : undefined;
}

class DiskDraft implements FileDraft {
  readonly left?: LeftBytes;
  readonly #path: string;
  readonly #step: number;
  #file: FileHandle | undefined = undefined;
  #hash: Hash = createHash('sha256');
  #size = 0;
  #saved = 0;
  #version: string | undefined = undefined;

  constructor(path: string, step: number, left: LeftBytes | undefined) {
    this.#path = path;
    this.#step = step;
    if (left !== undefined) this.left = left;
  }

  begin(bytes: number, version?: string): Promise<void> {
    return doing('write', this.#path, async () => {
      await removeNote(this.#path);
      this.#file = await open(this.#path, bytes === 0 ? 'w' : 'r+');
      await this.#file.truncate(bytes);
      this.#hash = await hashOf(this.#file, bytes, this.#path);
      this.#size = bytes;
      this.#saved = bytes;
      this.#version = version;
    });
  }

  write(chunk: Uint8Array): Promise<void> {
    return doing('write', this.#path, async () => {
      this.#hash.update(chunk);
      if (this.#file !== undefined) await writeAll(this.#file, chunk, this.#size);
      this.#size += chunk.length;
      if (this.#size - this.#saved >= this.#step) await this.#save();
    });
  }

  end(): Promise<{ readonly size: number; readonly sha256: string }> {
    return doing('write', this.#path, async () => {
      await this.#file?.datasync();
      if (this.#size >= this.#step) await this.#note();
      this.#saved = this.#size;
      return { size: this.#size, sha256: this.#hash.digest('hex') };
    });
  }

  leave(): Promise<void> {
    return doing('write', this.#path, async () => {
      const file = this.#file;
      if (file === undefined) return;
      try {
        if (this.#size > this.#saved) await this.#save();
      } finally {
        this.#file = undefined;
        await file.close();
      }
    });
  }

  async #save(): Promise<void> {
    if (this.#version !== undefined) await this.#file?.datasync();
    await this.#note();
    this.#saved = this.#size;
  }

  async #note(): Promise<void> {
    if (this.#version !== undefined) await writeFile(noteOf(this.#path), `${this.#size} ${this.#version}`);
  }
}

async function hashOf(file: FileHandle, bytes: number, path: string): Promise<Hash> {
  const hash = createHash('sha256');
  const piece = Buffer.allocUnsafe(Math.min(bytes, pieceBytes));
  for (let at = 0; at < bytes; ) {
    const read = await readAll(file, piece.subarray(0, bytes - at), at);
    if (read === 0) throw new Error(`"${path}" has lost its end`);
    hash.update(piece.subarray(0, read));
    at += read;
  }
  return hash;
}

async function doing<T>(verb: string, path: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (thrown) {
    throw refused(`${verb} "${path}"`, thrown);
  }
}
