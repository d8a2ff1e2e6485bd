/** Fits the log to the width of a terminal: words wrap, and a table that is too wide becomes a list. */
import { table, wrap } from './text.js';

/** Fewer columns are not respected. */
const leastColumns = 20;
/** Narrower cells would have one word a line. */
const leastCell = 16;

const widthOf = (text: string): number => [...text].length;

/**
 * Breaks a line at its spaces. What follows is indented as the text of the line is, or by two. A word that is longer
 * than a line stays whole. Infinity: there is no terminal.
 */
export function fitLine(line: string, columns: number): readonly string[] {
  const width = Math.max(leastColumns, columns);
  if (widthOf(line) <= width) return [line];
  const [lead = ''] = /^ *\S+ {2,}|^ +/.exec(line) ?? [];
  const indent = ' '.repeat(lead === '' || lead.length > width / 2 ? 2 : lead.length);
  return wrap(line.slice(lead.length), lead, indent, width);
}

/**
 * The lines of a table: its last column wraps if it is text, or else each row becomes a name and its values, as in
 * `users`, `requests: 14, pages: 14`. The first row is the heads, and columns in `right` are numbers.
 */
export function fitTable(
  rows: readonly (readonly string[])[],
  right: ReadonlySet<number>,
  columns: number,
): readonly string[] {
  const width = Math.max(leastColumns, columns);
  const lines = table(rows, right);
  if (lines.every((line) => widthOf(line) <= width)) return lines;
  const last = Math.max(...rows.map((row) => row.length)) - 1;
  const before = table(
    rows.map((row) => [...row.slice(0, last), '']),
    right,
  );
  const gap = 2;
  const used = Math.max(...before.map(widthOf)) + gap;
  if (right.has(last) || width - used < leastCell) return listOf(rows, width);
  return rows.flatMap((row, index) =>
    wrap(row[last] ?? '', (before[index] ?? '').padEnd(used), ' '.repeat(used), width).map((line) => line.trimEnd()),
  );
}

function listOf([heads = [], ...rows]: readonly (readonly string[])[], width: number): readonly string[] {
  return rows.flatMap(([name = '', ...values]) => {
    const parts = values.flatMap((value, index) => (value === '' ? [] : [`${heads[index + 1]}: ${value}`]));
    return [name, ...wrap(parts.join(', '), '  ', '  ', width)];
  });
}
