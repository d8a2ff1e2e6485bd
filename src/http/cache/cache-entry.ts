/**
 * The file format of a cached response: a line of JSON, the body, and the SHA-256 of both. The reader detects a
 * truncated or changed file before it uses any byte.
 */

import { createHash } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';
import { readAll } from '../../core/util/file-io.js';

/** The facts about a response besides its body. */
export interface Head {
  /** Both in epoch ms. A reader may use a shorter time to live. */
  readonly storedAt: number;
  readonly expiresAt: number;
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string | string[]>>;
  /** The address of the response, without user information and query. */
  readonly address: string;
}

/** The position of the body in its file. */
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

/** Head size limit: the largest headers that undici accepts, with each byte escaped. */
const maxHeadBytes = 256 * 1024;

export const headLine = (head: Head): Buffer => Buffer.from(`${JSON.stringify({ format, ...head })}\n`);

/** Hashes all bytes of a file; `end` returns the trailer after the body. */
export function createSeal() {
  const hash = createHash('sha256');
  return {
    add: (bytes: Uint8Array): void => void hash.update(bytes),
    end: (): Buffer => hash.digest(),
  };
}

/** Reads the expiry time from the first line without verifying the file. `undefined`: unknown. */
export async function expiryOf(file: FileHandle): Promise<number | undefined> {
  try {
    const { line } = await firstLine(file, (await file.stat()).size);
    const { expiresAt } = JSON.parse(line);
    return typeof expiresAt === 'number' ? expiresAt : undefined;
  } catch {
    return undefined;
  }
}

/** Reads and verifies the whole file once. Throws if it was changed. */
export async function readEntry(file: FileHandle): Promise<CacheEntry> {
  const { size } = await file.stat();
  const to = size - digestBytes;
  const { line, from } = await firstLine(file, to);
  if (from === 0 || !(await isWhole(file, to))) throw new Error('its content was modified');
  return { head: headIn(line), from, to };
}

/** Reads the first line. `from` is the offset after it; 0 if there is no line. */
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

/** Yields the bytes of a range in slices, each in its own memory. Throws if the file has become shorter. */
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

/** Parses the first line of a verified file. Another version of rxtract may have written it. */
function headIn(line: string): Head {
  const { format: found, ...head } = JSON.parse(line) as Head & { readonly format: string }; // checked by the digest
  if (found !== format) throw new Error('another version of rxtract wrote it');
  return head;
}
