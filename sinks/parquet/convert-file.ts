/** Makes a Parquet file from the items that a run has staged. docs/decisions/037. */
import { type FileHandle, open, unlink } from 'node:fs/promises';
import { crc32 } from 'node:zlib';
import { eachLines } from '../files/line-reader.js';
import type { PageCodec } from './compression.js';
import { ShapeReader } from './item-shape.js';
import { fieldsOf, type ParquetSchema } from './parquet-fields.js';
import { beginParquetFile, type ParquetFile } from './parquet-file.js';
import { type ConvertedFile, noteKey, noteOf } from './read-footer.js';
import { withoutRepeated } from './repeated.js';
import { RowWriter } from './rows.js';

export interface ConvertOptions {
  readonly dataType: string;
  readonly codec: PageCodec;
  /** The most rows of a row group. */
  readonly groupRows: number;
  readonly nestedAsJson: boolean;
  /** Texts of one form have a type. */
  readonly findsForms: boolean;
  readonly onLoneSurrogate: () => void;
  /** Gets the names of the columns of the file that was made. */
  readonly onColumns?: (names: readonly string[]) => void;
  /** The bytes of items from which columns are taken at first; default: 8 MiB. */
  readonly sampleBytes?: number;
}

/** More would cost more than it finds. */
const sampleBytes = 8 * 1024 * 1024;
/** A row group ends when its items have so many bytes, which bounds the memory. */
const groupBytes = 32 * 1024 * 1024;
/** The same for levels: a row has at least one in each column. */
const groupLevels = 16 * 1024 * 1024;

/**
 * Reads compact items with a newline after each from `from`, and writes `to` anew. The columns are those of the first
 * items; if a later item does not fit, all items are read for the columns, and the file is begun again. Rejects with
 * ERR_SINK if items cannot be columns, and with errors of the system.
 */
export async function convert(from: string, to: string, options: ConvertOptions): Promise<ConvertedFile> {
  const source = await open(from, 'r');
  try {
    const target = await open(to, 'w');
    try {
      const made =
        (await attempt(source, target, options.sampleBytes ?? sampleBytes, options)) ??
        (await again(source, target, options));
      await target.sync();
      return made;
    } catch (thrown) {
      await unlink(to);
      throw thrown;
    } finally {
      await target.close();
    }
  } finally {
    await source.close();
  }
}

async function again(source: FileHandle, target: FileHandle, options: ConvertOptions): Promise<ConvertedFile> {
  await target.truncate(0);
  const made = await attempt(source, target, Number.POSITIVE_INFINITY, options);
  if (made === undefined) throw new Error('an item does not fit into the columns of all items');
  return made;
}

/** Takes the columns from the first bytes. Undefined: an item does not fit into them. */
async function attempt(source: FileHandle, target: FileHandle, sample: number, options: ConvertOptions) {
  const shape = new ShapeReader(options);
  for await (const lines of eachLines(source, sample)) shape.read(lines);
  const fields = fieldsOf(shape.withColumn(), options);
  const file = await beginParquetFile(target, fields, options.codec);
  const crc = await writeRows(source, file, { ...options, fields, hasRepeated: shape.hasRepeated });
  if (crc === undefined) return undefined;
  const columns = fields.root.members.length;
  options.onColumns?.(fields.root.members.map(({ field }) => field.name));
  const note = `${noteOf((await source.stat()).size, crc)}, ${columns} columns`;
  return { bytes: await file.finish([noteKey, note]), columns, changed: fields.changed };
}

interface RowOptions extends ConvertOptions {
  readonly fields: ParquetSchema;
  readonly hasRepeated: boolean;
}

/** Returns the CRC-32 of all items; undefined: one does not fit. */
async function writeRows(source: FileHandle, file: ParquetFile, options: RowOptions): Promise<number | undefined> {
  const { fields, groupRows, hasRepeated } = options;
  const writer = new RowWriter(fields.root, file.columns, options.onLoneSurrogate);
  const mostRows = Math.min(groupRows, Math.ceil(groupLevels / fields.leaves.length));
  let [crc, rows, bytes] = [0, 0, 0];
  for await (const lines of eachLines(source, Number.POSITIVE_INFINITY)) {
    crc = crc32(lines, crc);
    const items = hasRepeated ? withoutRepeated(lines) : lines;
    for (let at = 0; at < items.length; ) {
      const end = writer.write(items, at);
      if (end < 0) return undefined;
      rows += 1;
      bytes += end + 1 - at;
      at = end + 1;
      if (rows < mostRows && bytes < groupBytes) continue;
      await file.endRowGroup(rows);
      rows = bytes = 0;
    }
    await file.endPages();
  }
  await file.endRowGroup(rows);
  return crc;
}
