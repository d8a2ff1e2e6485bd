/** Reads what a Parquet file of an earlier run says of itself. */
import { open } from 'node:fs/promises';
import { systemError } from '../../src/core/errors/system-error.js';
import { readAll } from '../../src/core/util/file-io.js';
import type { ColumnChange } from '../contract.js';
import { refused } from '../errors.js';

const MAGIC = 'PAR1';
/** The length of the footer, and the magic text. */
const endBytes = 8;

/** A file that was made. */
export interface ConvertedFile {
  readonly bytes: number;
  readonly columns: number;
  readonly changed: readonly ColumnChange[];
}

interface Footer {
  readonly bytes: Buffer;
  readonly fileBytes: number;
}

/** Whether a file has rows: without any, nothing is between its beginning and its footer. Throws ERR_SINK. */
export async function hasRows(path: string): Promise<boolean> {
  const footer = await footerOf(path);
  if (footer === undefined) return false;
  const isEmpty = footer.bytes.length > 0 && footer.fileBytes === MAGIC.length + footer.bytes.length + endBytes;
  return footer.fileBytes > 0 && !isEmpty;
}

/** The key of the note in which a file identifies the items that it was made from. */
export const noteKey = 'rxtract.items';

/** The beginning of that note: the bytes of the items as NDJSON, and their CRC-32. */
export const noteOf = (bytes: number, crc: number): string => `${bytes} bytes, CRC-32 ${crc}`;

/** Describes a file that was made from the items of a note; undefined: it was not. Throws ERR_SINK. */
export async function madeFrom(path: string, note: string): Promise<ConvertedFile | undefined> {
  const footer = await footerOf(path);
  const text = footer?.bytes.toString('latin1') ?? '';
  const [, columns] = new RegExp(`${note}, (\\d+) columns`).exec(text) ?? [];
  return footer === undefined || columns === undefined
    ? undefined
    : { bytes: footer.fileBytes, columns: Number(columns), changed: [] };
}

/** The footer, empty if the file is no Parquet file; undefined: there is no file. */
async function footerOf(path: string): Promise<Footer | undefined> {
  try {
    const handle = await open(path, 'r');
    try {
      const { size } = await handle.stat();
      const end = Buffer.alloc(endBytes);
      await readAll(handle, end, Math.max(0, size - endBytes));
      const length = end.readUInt32LE(0);
      const isParquet = end.toString('latin1', 4) === MAGIC && length + endBytes + MAGIC.length <= size;
      const bytes = Buffer.alloc(isParquet ? length : 0);
      await readAll(handle, bytes, size - endBytes - bytes.length);
      return { bytes, fileBytes: size };
    } finally {
      await handle.close();
    }
  } catch (thrown) {
    if (systemError(thrown)?.code === 'ENOENT') return undefined;
    throw refused(`inspect "${path}"`, thrown);
  }
}
