/** Rows as the text format of COPY: a line each, tabs between values, `\N` for none. */
import { BACKSLASH, stringAt } from '../../src/core/json/byte-steps.js';
import { createBytes, type GrowingBytes } from '../growing-bytes.js';
import { type Backslashes, createBackslashes } from '../json-escapes.js';
import { type LeafChunk, LeafRow, type ReadRows } from '../tables/leaves.js';

/** A column of the statement. */
export interface CopiedColumn {
  /** The index of its leaf in a row. */
  readonly index: number;
  /** Values are written as JSON, and not as their text. */
  readonly isJson: boolean;
}

/** The server works on the first rows while the next ones become text. */
const rowsAtOnce = 200;
const [TAB, LF, letterN] = [0x09, 0x0a, 0x4e];

/** The bytes of the rows, made on demand. Half a surrogate pair becomes U+FFFD: UTF-8 has no other form for it. */
export function* copyText({ chunks }: ReadRows, columns: readonly CopiedColumn[]): Iterable<Uint8Array> {
  const row = new LeafRow();
  for (const chunk of chunks) {
    const backslashes = createBackslashes(chunk.source);
    const count = chunk.ends.length;
    for (let from = 0; from < count; from += rowsAtOnce) {
      const to = Math.min(from + rowsAtOnce, count);
      const out = createBytes(Math.ceil((chunk.source.length * (to - from)) / count) + 1024);
      for (let at = from; at < to; at++) {
        row.read(chunk, at);
        writeLine(row, columns, { chunk, backslashes, out });
      }
      yield out.take();
    }
  }
}

interface Writing {
  readonly chunk: LeafChunk;
  readonly backslashes: Backslashes;
  readonly out: GrowingBytes;
}

function writeLine(row: LeafRow, columns: readonly CopiedColumn[], writing: Writing): void {
  const { out } = writing;
  let isFirst = true;
  for (const column of columns) {
    if (!isFirst) out.byte(TAB);
    isFirst = false;
    if (row.has(column.index)) writeField(row, column, writing);
    else {
      out.byte(BACKSLASH);
      out.byte(letterN);
    }
  }
  out.byte(LF);
}

function writeField(row: LeafRow, { index, isJson }: CopiedColumn, { chunk, backslashes, out }: Writing): void {
  const { source } = chunk;
  const [from, to] = [row.from(index), row.to(index)];
  const isText = !isJson && row.kind(index) === 'text';
  if (!backslashes.areBetween(from, to)) {
    // Without a backslash there is no character that JSON or COPY escapes.
    if (isText) out.copy(source, from + 1, to - 1);
    else out.copy(source, from, to);
    return;
  }
  const bytes = Buffer.from(isText ? escaped(stringAt(source, from, to)) : doubled(source.toString('utf8', from, to)));
  out.copy(bytes, 0, bytes.length);
}

const doubled = (text: string): string => text.replaceAll('\\', '\\\\');

const escaped = (text: string): string =>
  doubled(text).replaceAll('\n', '\\n').replaceAll('\r', '\\r').replaceAll('\t', '\\t');
