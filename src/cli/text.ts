/** Formats tables and wraps text for a terminal. */

/** Pads the cells of each column to one width; columns in `right` are aligned right. Lines have no trailing spaces. */
export function table(rows: readonly (readonly string[])[], right: ReadonlySet<number>): readonly string[] {
  const widths: number[] = [];
  for (const row of rows) {
    for (const [column, cell] of row.entries()) widths[column] = Math.max(widths[column] ?? 0, widthOf(cell));
  }
  const pad = (cell: string, column: number): string => {
    const space = ' '.repeat((widths[column] ?? 0) - widthOf(cell));
    return right.has(column) ? `${space}${cell}` : `${cell}${space}`;
  };
  return rows.map((row) => row.map(pad).join('  ').trimEnd());
}

/** In code points: accurate enough for names of jobs, without a table of widths. */
const widthOf = (cell: string): number => [...cell].length;

/** The usual width of running text. */
const usualWidth = 100;

/**
 * Breaks at spaces outside of code; all lines but the first begin with `indent`. A longer word gets its own line. Words
 * on one line keep the spaces between them: a value may have several.
 */
export function wrap(text: string, first: string, indent: string, width = usualWidth): readonly string[] {
  const lines: string[] = [];
  let line = first;
  let isEmpty = true;
  for (const [, gap = '', word = ''] of text.matchAll(/( *)((?:`[^`]*`|[^ ])+)/g)) {
    if (!isEmpty && line.length + gap.length + word.length > width) {
      lines.push(line);
      line = indent;
      isEmpty = true;
    }
    line += isEmpty ? word : `${gap}${word}`;
    isEmpty = false;
  }
  return [...lines, line];
}
