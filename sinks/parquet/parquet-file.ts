/** Writes a Parquet file from its beginning to its end: row groups, then what the file says of itself. */
import type { FileHandle } from 'node:fs/promises';
import { writeAll } from '../../src/core/util/file-io.js';
import { ColumnWriter } from './column.js';
import type { PageCodec } from './compression.js';
import { beginRowGroup, footer, pagesOf, type RowGroup } from './metadata.js';
import type { ParquetSchema } from './parquet-fields.js';

export interface ParquetFile {
  readonly columns: readonly ColumnWriter[];
  /** Ends full pages, and waits until all but the last of each column are compressed. Call it between rows. */
  endPages(): Promise<void>;
  /** Writes what the columns have, of so many rows. */
  endRowGroup(rows: number): Promise<void>;
  /** Ends the file. `note`: a key and a text of our own. Returns the size of the file. */
  finish(note: readonly [string, string]): Promise<number>;
}

const magic = Buffer.from('PAR1');
const pieceBytes = 1024 * 1024;

/** Begins a file, which is empty. Rejects with errors of the system. */
export async function beginParquetFile(
  handle: FileHandle,
  fields: ParquetSchema,
  codec: PageCodec,
): Promise<ParquetFile> {
  const columns = fields.leaves.map((leaf) => new ColumnWriter(leaf, codec.compress));
  const groups: RowGroup[] = [];
  const out = createOutput(handle);
  await out.write(magic);
  return {
    columns,
    async endPages() {
      for (const column of columns) {
        const before = column.mayEndPage();
        if (before !== undefined) await before;
      }
    },
    async endRowGroup(rows) {
      if (rows === 0) return;
      const group = beginRowGroup(codec.code);
      for (const column of columns) {
        const chunk = await column.take();
        group.add({ ...chunk, leaf: column.leaf, at: out.length() });
        for (const page of pagesOf(chunk)) await out.write(page.bytes);
      }
      groups.push(group.end(rows));
    },
    async finish(note) {
      const end = footer(fields.root, groups, note);
      const length = Buffer.alloc(4);
      length.writeUInt32LE(end.length);
      await out.write(Buffer.concat([end, length, magic]));
      await out.flush();
      return out.length();
    },
  };
}

/** Collects small pieces. */
function createOutput(handle: FileHandle) {
  let buffered: Buffer[] = [];
  let bufferedBytes = 0;
  let written = 0;
  const flush = async () => {
    const bytes = Buffer.concat(buffered);
    buffered = [];
    bufferedBytes = 0;
    await writeAll(handle, bytes, written);
    written += bytes.length;
  };
  return {
    length: () => written + bufferedBytes,
    flush,
    async write(bytes: Buffer) {
      buffered.push(bytes);
      bufferedBytes += bytes.length;
      if (bufferedBytes >= pieceBytes) await flush();
    },
  };
}
