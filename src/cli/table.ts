/** An aligned table for a terminal. */

/** Pads the cells of each column to one width, `right` columns from the left; no space is left at the end of a line. */
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

/** In code points: near enough for names of jobs, and no table of widths is needed. */
const widthOf = (cell: string): number => [...cell].length;
