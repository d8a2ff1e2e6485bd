/** Writes the final file of a table whose columns have grown: each row gets the cells that it lacks. */
import { open } from 'node:fs/promises';
import { QUOTE } from '../../src/core/json/byte-steps.js';
import { writeAll } from '../../src/core/util/file-io.js';
import { createBytes, type GrowingBytes } from '../growing-bytes.js';
import { CR } from './csv-cells.js';
import type { CsvTable, TableSegment } from './csv-table.js';

/** Whether the final file has other bytes than the file of the run. */
export function needsPadding(table: CsvTable): boolean {
  const { columns, blanks } = table.end();
  return table.segments().length > 1 || (columns === 1 && blanks > 0);
}

/** Where the rows begin in the file of the run, after its header. */
const rowsAt = (segments: readonly TableSegment[]): number => segments[0]?.at ?? 0;

/** The size of the final file, in bytes. */
export function paddedBytes(table: CsvTable): number {
  const { bytes, items, columns, blanks } = table.end();
  const segments = table.segments();
  const cells = segments.reduce((sum, segment, index) => {
    const rows = (segments[index + 1]?.items ?? items) - segment.items;
    return sum + rows * Math.max(0, columns - (segment.columns || 1));
  }, 0);
  return bytes - rowsAt(segments) + table.header().length + cells + (columns === 1 ? 2 * blanks : 0);
}

const pieceBytes = 1024 * 1024;

/** Writes `to` anew from the file of the run. Rejects with errors of the system. */
export async function writePadded(from: string, to: string, table: CsvTable, delimiter: number): Promise<void> {
  const [source, target] = [await open(from, 'r'), await open(to, 'w')];
  try {
    const pad = createPadder(table, delimiter);
    let [read, written] = [rowsAt(table.segments()), 0];
    const write = async (bytes: Uint8Array) => {
      await writeAll(target, bytes, written);
      written += bytes.length;
    };
    await write(table.header());
    const piece = Buffer.allocUnsafe(pieceBytes);
    while (read < table.end().bytes) {
      const { bytesRead } = await source.read(piece, 0, Math.min(pieceBytes, table.end().bytes - read), read);
      if (bytesRead === 0) throw new Error(`it ends after ${read} bytes, expected ${table.end().bytes}`);
      await write(pad(piece.subarray(0, bytesRead), read));
      read += bytesRead;
    }
    await target.sync();
  } finally {
    await Promise.allSettled([source.close(), target.close()]);
  }
}

/** Returns a function for the pieces of the file in their order; `at` is the place of a piece in the file. */
function createPadder(table: CsvTable, delimiter: number): (piece: Buffer, at: number) => Buffer {
  const { columns } = table.end();
  const segments: readonly TableSegment[] = table.segments();
  const blank = Buffer.from(columns === 1 ? '""' : '');
  let segment = 0;
  let isQuoted = false;
  let rowAt = rowsAt(segments);

  const endRow = (end: number, out: GrowingBytes) => {
    while ((segments[segment + 1]?.at ?? Number.POSITIVE_INFINITY) <= rowAt) segment += 1;
    if (end === rowAt) out.copy(blank, 0, blank.length);
    for (let cells = segments[segment]?.columns || 1; cells < columns; cells++) out.byte(delimiter);
    rowAt = end + 2;
  };

  return (piece, at) => {
    const out = createBytes(piece.length + 1024);
    let copied = 0;
    for (let index = 0; index < piece.length; index++) {
      const byte = piece[index];
      if (byte === QUOTE) isQuoted = !isQuoted;
      if (byte !== CR || isQuoted) continue;
      out.copy(piece, copied, index);
      copied = index;
      endRow(at + index, out);
    }
    out.copy(piece, copied, piece.length);
    return out.take();
  };
}
