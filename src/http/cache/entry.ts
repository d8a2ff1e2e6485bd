/**
 * A kept answer as a file: a line of JSON, the body, and after it the SHA-256 of both. What was cut, or changed, is
 * noticed before any of it is used.
 */

import { createHash } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';
import { readAll } from '../../core/util/file-io.js';

/** What is known of an answer besides its body. */
export interface Head {
  /** Epoch ms, both. A reader may hold it for a shorter time. */
  readonly storedAt: number;
  readonly expiresAt: number;
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string | string[]>>;
  /** The address that answered, without user information and query. */
  readonly address: string;
}

/** Where the body lies in its file. */
export interface ByteRange {
  readonly from: number;
  readonly to: number;
}

export interface CacheEntry extends ByteRange {
  readonly head: Head;
}

const format = 'rxtract 1';
const digestBytes = 32;
const sliceBytes = 256 * 1024;

/** The head of an answer is at most as large as the headers that undici takes, each byte of them escaped. */
const maxHeadBytes = 256 * 1024;

export const headLine = (head: Head): Buffer => Buffer.from(`${JSON.stringify({ format, ...head })}\n`);

/** Takes in all that is written to a file; `end` gives what stands behind the body. */
export function createSeal() {
  const hash = createHash('sha256');
  return {
    add: (bytes: Uint8Array): void => void hash.update(bytes),
    end: (): Buffer => hash.digest(),
  };
}

/** When an entry expires by its first line, which nothing vouches for. `undefined`: it is not known. */
export async function expiryOf(file: FileHandle): Promise<number | undefined> {
  try {
    const { line } = await firstLine(file, (await file.stat()).size);
    const { expiresAt } = JSON.parse(line);
    return typeof expiresAt === 'number' ? expiresAt : undefined;
  } catch {
    return undefined;
  }
}

/** Reads the file once, to its end. Throws where it is not as it was written. */
export async function readEntry(file: FileHandle): Promise<CacheEntry> {
  const { size } = await file.stat();
  const to = size - digestBytes;
  const { line, from } = await firstLine(file, to);
  if (from === 0 || !(await isWhole(file, to))) throw new Error('its content was modified');
  return { head: headIn(line), from, to };
}

/** `from`: where what follows begins; 0 where there is no line. */
async function firstLine(file: FileHandle, size: number): Promise<{ readonly line: string; readonly from: number }> {
  const start = await readAt(file, { from: 0, to: Math.max(0, Math.min(size, maxHeadBytes)) });
  const from = start.indexOf('\n') + 1;
  return { line: start.toString('utf8', 0, from), from };
}

async function isWhole(file: FileHandle, to: number): Promise<boolean> {
  const seal = createSeal();
  for await (const bytes of slices(file, { from: 0, to })) seal.add(bytes);
  return seal.end().equals(await readAt(file, { from: to, to: to + digestBytes }));
}

/** The bytes between, a piece at a time, each in memory of its own. Throws where the file has become shorter. */
export async function* slices(file: FileHandle, { from, to }: ByteRange): AsyncGenerator<Uint8Array> {
  for (let at = from; at < to; at += sliceBytes) {
    yield await readAt(file, { from: at, to: Math.min(at + sliceBytes, to) });
  }
}

async function readAt(file: FileHandle, { from, to }: ByteRange): Promise<Buffer> {
  const bytes = Buffer.allocUnsafe(to - from);
  if ((await readAll(file, bytes, from)) < bytes.length) throw new Error('the file was truncated during reading');
  return bytes;
}

/** Of a file that is whole: then the line is one that `headLine` made, be it of another version. */
function headIn(line: string): Head {
  const { format: found, ...head } = JSON.parse(line) as Head & { readonly format: string }; // the digest vouches for it
  if (found !== format) throw new Error('another version of rxtract wrote it');
  return head;
}
