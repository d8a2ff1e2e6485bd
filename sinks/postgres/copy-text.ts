/** Rows as the text format of COPY: a line each, tabs between values, `\N` for none. */
import type { LeafRow, LeafValue } from '../tables/leaves.js';

/** A column of the statement. */
export interface CopiedColumn {
  /** The index of its leaf in a row. */
  readonly index: number;
  /** Values are written as JSON, and not as their text. */
  readonly isJson: boolean;
}

/** The server works on the first rows while the next ones become text. */
const rowsAtOnce = 200;

/** The bytes of the rows, made on demand. Half a surrogate pair becomes U+FFFD: UTF-8 has no other form for it. */
export function* copyText(rows: readonly LeafRow[], columns: readonly CopiedColumn[]): Iterable<Uint8Array> {
  for (let from = 0; from < rows.length; from += rowsAtOnce) {
    let text = '';
    for (const row of rows.slice(from, from + rowsAtOnce)) text += `${lineOf(row, columns)}\n`;
    yield Buffer.from(text);
  }
}

function lineOf(row: LeafRow, columns: readonly CopiedColumn[]): string {
  let line = '';
  for (const [place, { index, isJson }] of columns.entries()) {
    const value = row[index];
    line += `${place === 0 ? '' : '\t'}${value === undefined ? '\\N' : fieldOf(value, isJson)}`;
  }
  return line;
}

function fieldOf({ kind, raw }: LeafValue, isJson: boolean): string {
  if (kind !== 'text') return raw.includes('\\') ? raw.replaceAll('\\', '\\\\') : raw;
  if (isJson) return `"${raw.replaceAll('\\', '\\\\')}"`;
  // Without a backslash there is no character that JSON or COPY escapes.
  return raw.includes('\\') ? escaped(JSON.parse(`"${raw}"`)) : raw;
}

const escaped = (text: string): string =>
  text.replaceAll('\\', '\\\\').replaceAll('\n', '\\n').replaceAll('\r', '\\r').replaceAll('\t', '\\t');
