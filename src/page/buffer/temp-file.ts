/** A temporary file for bytes that exceed the memory limit: readable for its owner only, removed when closed. */
import { type FileHandle, mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readAll, writeAll } from '../../core/util/file-io.js';

/** Bytes in memory before a temporary file takes the rest. */
export const memoryBytes = 8 * 1024 * 1024;

/** The position of a piece in the file. */
export interface Piece {
  readonly position: number;
  readonly length: number;
}

export interface TempFile {
  /** Appends; one call at a time. */
  write(bytes: Uint8Array): Promise<Piece>;
  read(piece: Piece): Promise<Uint8Array>;
  /** Closes the file; one from `openTempFile` is removed too. */
  close(): Promise<void>;
}

/** Creates the file in its own folder. The caller must call `close`. */
export async function openTempFile(): Promise<TempFile> {
  const dir = await mkdtemp(join(tmpdir(), 'rxtract-'));
  const remove = () => rm(dir, { recursive: true, force: true, maxRetries: 5 });
  try {
    const spool = toTempFile(await open(join(dir, 'held'), 'wx+', 0o600));
    return { ...spool, close: () => spool.close().finally(remove) };
  } catch (thrown) {
    await remove();
    throw thrown;
  }
}

/** Wraps an empty file; the file stays when it is closed. */
export function toTempFile(file: FileHandle): TempFile {
  let end = 0;
  return {
    async write(bytes) {
      const piece = { position: end, length: bytes.length };
      await writeAll(file, bytes, end);
      end += bytes.length;
      return piece;
    },
    read: (piece) => readPiece(file, piece),
    close: () => file.close(),
  };
}

async function readPiece(file: FileHandle, { position, length }: Piece): Promise<Uint8Array> {
  const bytes = new Uint8Array(length);
  const done = await readAll(file, bytes, position);
  if (done < length) throw new Error('the temporary file of a buffered page was truncated');
  return bytes;
}
