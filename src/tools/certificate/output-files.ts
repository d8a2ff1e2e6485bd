/** The files of an output: which they are, what is in them, and their digests. */
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { createGunzip } from 'node:zlib';
import type { CertifiedFile } from './certificate.js';

/** What the files of an output have, by its name: an item a line, records of CSV, or anything else. */
export type FileContent = 'items' | 'rows' | 'bytes';

/** Undefined: the output is no file that can be certified. */
export function contentOf(name: string): FileContent | undefined {
  if (/\.ndjson(?:\.gz)?$/.test(name)) return 'items';
  if (/\.csv(?:\.gz)?$/.test(name)) return 'rows';
  return /\.(?:ndjson\.zst|csv\.zst|parquet)$/.test(name) ? 'bytes' : undefined;
}

const ofParts = /-\*(\.\w+(?:\.\w+)?)$/;

/** The name of a numbered part; without numbers that of the only file. */
export const partName = (name: string, part: number): string =>
  name.replace(ofParts, (_, end: string) => `-${String(part).padStart(6, '0')}${end}`);

/** The files of the output, in order; none: it is not there, or no file that can be certified. */
export async function filesOf(name: string, dir: string): Promise<readonly string[]> {
  if (contentOf(name) === undefined) return [];
  const files: string[] = [];
  for (let part = 1; part === 1 || ofParts.test(name); part++) {
    const file = partName(name, part);
    if (!(await isFile(join(dir, file)))) break;
    files.push(file);
  }
  return files;
}

const isFile = (path: string): Promise<boolean> =>
  stat(path).then(
    (found) => found.isFile(),
    () => false,
  );

/** Digests a file as it is on the disk, and counts its records if it is CSV. */
export async function digestFile(dir: string, file: string): Promise<CertifiedFile> {
  const hash = createHash('sha256');
  let bytes = 0;
  for await (const chunk of createReadStream(join(dir, file))) {
    hash.update(chunk);
    bytes += chunk.length;
  }
  const own = { file, bytes, sha256: hash.digest('hex') };
  return contentOf(file) === 'rows' ? { ...own, rows: await countRows(contentIn(dir, file)) } : own;
}

/** What is in a file, decompressed. */
export async function* contentIn(dir: string, file: string): AsyncIterable<Uint8Array> {
  const stream = createReadStream(join(dir, file));
  if (!file.endsWith('.gz')) return yield* stream;
  const unpacked = createGunzip();
  stream.on('error', (thrown) => unpacked.destroy(thrown));
  yield* stream.pipe(unpacked);
}

const [quote, newline] = [34, 10];

/** The records of CSV, its header among them. A line within quotes is no record. */
async function countRows(content: AsyncIterable<Uint8Array>): Promise<number> {
  let rows = 0;
  let isQuoted = false;
  let isOpen = false;
  for await (const chunk of content) {
    for (const byte of chunk) {
      if (byte === quote) isQuoted = !isQuoted;
      isOpen = byte !== newline || isQuoted;
      if (!isOpen) rows += 1;
    }
  }
  return rows + (isOpen ? 1 : 0);
}
