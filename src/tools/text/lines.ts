/** Text for a terminal: what it can show, what may be printed, lines that wrap, and tables. */

import type { Secrets } from '../../core/model/secrets.js';
import { elementAt } from '../../core/util/element-at.js';
import { padEnd, padStart, spaces, widthOf } from './cells.js';

/** Most characters of a text in a line for people. What is written for programs has all of them. */
const mostShown = 10_000;

/**
 * Makes a text of a configuration or of an API printable: masked, without control characters, which would control the
 * terminal, and cut after `most` characters. It is cut first: masking a text takes memory.
 */
export function printable(text: string, mask: Secrets['mask'] = (each) => each, most = mostShown): string {
  if (text.length <= most) return withoutControls(mask(text));
  const start = text.slice(0, most).replace(/[\uD800-\uDBFF]$/, '');
  return `${withoutControls(mask(start, 'cut'))}...`;
}

const withoutControls = (text: string): string => text.replace(/\p{Cc}+/gu, ' ');

/** Pads the cells of each column to one width; columns in `right` are aligned right. Lines have no trailing spaces. */
export function table(rows: readonly (readonly string[])[], right: ReadonlySet<number>): readonly string[] {
  const widths: number[] = [];
  for (const row of rows) {
    for (const [column, cell] of row.entries()) widths[column] = Math.max(widths[column] ?? 0, widthOf(cell));
  }
  const pad = (cell: string, column: number): string =>
    (right.has(column) ? padStart : padEnd)(cell, elementAt(widths, column));
  return rows.map((row) => row.map(pad).join('  ').trimEnd());
}

/** The usual width of running text. */
const usualWidth = 100;

/**
 * Breaks at spaces outside of code; all lines but the first begin with `indent`. A longer word gets its own line. Words
 * on one line keep the spaces between them: a value may have several.
 */
export function wrap(text: string, first: string, indent: string, width = usualWidth): readonly string[] {
  const lines: string[] = [];
  let line = first;
  let left = width - widthOf(first);
  let isEmpty = true;
  for (const [, gap = '', word = ''] of text.matchAll(/( *)((?:`[^`]*`|[^ ])+)/g)) {
    const cells = widthOf(word);
    if (!isEmpty && gap.length + cells > left) {
      lines.push(line);
      line = indent;
      left = width - widthOf(indent);
      isEmpty = true;
    }
    const added = isEmpty ? word : `${gap}${word}`;
    line += added;
    left -= isEmpty ? cells : gap.length + cells;
    isEmpty = false;
  }
  return [...lines, line];
}

/** Fewer columns of a log are not respected. */
const leastColumns = 20;
/** Narrower cells would have one word a line. */
const leastCell = 16;

/**
 * Breaks a line at its spaces. What follows is indented as the text of the line is, or by two. A word that is longer
 * than a line stays whole. Infinity: there is no terminal.
 */
export function fitLine(line: string, columns: number): readonly string[] {
  const width = Math.max(leastColumns, columns);
  if (width === Number.POSITIVE_INFINITY || widthOf(line) <= width) return [line];
  const [lead = ''] = /^ *\S+ {2,}|^ +/.exec(line) ?? [];
  const indent = widthOf(lead) > width / 2 || lead === '' ? 2 : widthOf(lead);
  return wrap(line.slice(lead.length), lead, spaces(indent), width);
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
    wrap(row[last] ?? '', padEnd(elementAt(before, index), used), spaces(used), width).map((line) => line.trimEnd()),
  );
}

function listOf([heads = [], ...rows]: readonly (readonly string[])[], width: number): readonly string[] {
  return rows.flatMap(([name = '', ...values]) => {
    const parts = values.flatMap((value, index) => (value === '' ? [] : [`${heads[index + 1]}: ${value}`]));
    return [name, ...wrap(parts.join(', '), '  ', '  ', width)];
  });
}

/** A path or another text as a word of a shell. */
export const quotedForShell = (text: string): string =>
  /^[\w./@%+=:,-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
