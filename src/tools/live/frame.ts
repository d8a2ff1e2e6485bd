/**
 * Converts rows to the lines of a frame that fits its terminal: a line a job, or, if there are too many, only the
 * running ones.
 */

import { cutEnd, widthOf } from '../text/cells.js';
import { grouped } from '../text/format.js';
import { createLayout, type DisplayLine, type Paint } from './layout.js';
import type { DisplayRow } from './model.js';
import { linesOfShared, type SharedProgress } from './shared-progress.js';
import { describeState, same } from './state.js';

/** Of a terminal, in cells. */
export interface Size {
  readonly columns: number;
  readonly rows: number;
}

const totalName = 'total';

/**
 * Returns a frame: a head, the jobs, for several jobs their sum, and of a shared run its tasks and workers, as its jobs
 * are done when it is. No line is wider than the terminal; its last row stays free for the cursor.
 */
export function frame(
  rows: readonly DisplayRow[],
  { columns, rows: height }: Size,
  elapsedMs: number,
  paint: Paint,
  shared?: SharedProgress,
) {
  const all = Math.max(1, height - 1);
  const below = shared === undefined ? [] : linesOfShared(shared, Math.floor(all / 2));
  const room = all - below.length;
  const sumRows = rows.length > 1 ? 1 : 0;
  const isFolded = 1 + rows.length + sumRows > room;
  const shown = isFolded ? atWork(rows).slice(0, Math.max(0, room - 2 - sumRows)) : rows;
  const sums = sumRows === 0 ? [] : [sumOf(rows, elapsedMs, isFolded || shared !== undefined ? '' : doneOf(rows))];

  const jobs = shown.map(lineOf);
  const names = [totalName, ...[...rows, ...below].map(({ name }) => cutEnd(name, columns))];
  const layout = createLayout([...jobs, ...sums, ...below], Math.max(...names.map(widthOf)), columns);
  const set = (line: DisplayLine) => layout.set(line, paint);
  const fold = isFolded ? [paint(cutEnd(summarizeRest(rows, shown.length), columns), 'faint')] : [];
  const lines = [paint(layout.head, 'faint'), ...jobs.map(set), ...fold, ...sums.map(set)];
  return [...lines.slice(-room), ...below.map(set)];
}

const lineOf = (row: DisplayRow): DisplayLine => ({
  name: row.name,
  figures: row.phase === 'waiting' ? undefined : row,
  state: describeState(row),
});

const atWork = (rows: readonly DisplayRow[]) => rows.filter(({ phase }) => phase === 'running');
const countOf = (rows: readonly DisplayRow[], phase: DisplayRow['phase']) =>
  rows.filter((row) => row.phase === phase).length;

/** `2 more at work, 26 more waiting, 3 done`. */
function summarizeRest(rows: readonly DisplayRow[], shown: number): string {
  const hidden = countOf(rows, 'running') - shown;
  const parts = [
    ...(hidden > 0 ? [`${grouped(hidden)} more at work`] : []),
    `${grouped(countOf(rows, 'waiting'))} more waiting`,
    `${grouped(countOf(rows, 'done'))} done`,
  ];
  return parts.join(', ');
}

const doneOf = (rows: readonly DisplayRow[]): string =>
  `${grouped(countOf(rows, 'done'))} of ${grouped(rows.length)} done`;

function sumOf(rows: readonly DisplayRow[], elapsedMs: number, state: string): DisplayLine {
  const sum = (of: (row: DisplayRow) => number) => rows.reduce((total, row) => total + of(row), 0);
  const rates = atWork(rows).flatMap(({ rate }) => (rate === undefined ? [] : [rate]));
  const figures = {
    pages: sum(({ pages }) => pages),
    items: sum(({ items }) => items),
    bytes: sum(({ bytes }) => bytes),
    retries: sum(({ retries }) => retries),
    rate: rates.length === 0 ? undefined : rates.reduce((total, rate) => total + rate, 0),
    elapsedMs,
    ...sumOfEstimates(rows),
  };
  return { name: totalName, figures, state: same(state) };
}

/**
 * The share of all jobs, if each that is not done has one, by their items, and the time left at the sum of their rates.
 * Child jobs do not count: they end with their parents.
 */
function sumOfEstimates(rows: readonly DisplayRow[]): Pick<DisplayRow, 'share' | 'leftMs'> {
  let [done, left, rate] = [0, 0, 0];
  for (const { isChild, phase, items, share, rate: own = 0 } of rows) {
    if (isChild) continue;
    done += items;
    if (phase === 'done') continue;
    if (share === undefined || share === 0) return {};
    left += items / share - items;
    rate += own;
  }
  if (left === 0) return {};
  return { share: done / (done + left), ...(rate === 0 ? {} : { leftMs: (left * 1000) / rate }) };
}
