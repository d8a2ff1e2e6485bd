/** The columns of a frame: chooses those that fit, and formats lines. */
import { cutEnd, cutMiddle, padEnd, padStart, spaces, widthOf } from '../text/cells.js';
import { clock, grouped, percent, size } from '../text/format.js';
import type { DisplayRow } from './model.js';
import type { JobState, Tone } from './state.js';

export type Paint = (text: string, tone: Tone) => string;

export type Figures = Pick<
  DisplayRow,
  'pages' | 'items' | 'bytes' | 'retries' | 'rate' | 'elapsedMs' | 'share' | 'leftMs'
>;

export interface DisplayLine {
  readonly name: string;
  /** Absent: no data yet, so no zeros are shown. */
  readonly figures?: Figures | undefined;
  readonly state: JobState;
}

export interface Layout {
  readonly head: string;
  /** At most as wide as the terminal. */
  set(line: DisplayLine, paint: Paint): string;
}

interface Column {
  readonly head: string;
  /** Numbers grow, but a column should keep its width. */
  readonly least: number;
  cell(figures: Figures): string;
}

const pages: Column = { head: 'pages', least: 5, cell: (of) => grouped(of.pages) };
const items: Column = { head: 'items', least: 7, cell: (of) => grouped(of.items) };
const rate: Column = { head: 'items/s', least: 7, cell: (of) => (of.rate === undefined ? '' : grouped(of.rate)) };
const bytes: Column = { head: 'size', least: 8, cell: (of) => size(of.bytes) };
const retries: Column = { head: 'retries', least: 7, cell: (of) => grouped(of.retries) };
const time: Column = { head: 'time', least: 5, cell: (of) => (of.elapsedMs === undefined ? '' : clock(of.elapsedMs)) };
/** Estimates begin with `~`. Their columns are shown where one is known. */
const done: Column = { head: 'done', least: 5, cell: ({ share }) => (share === undefined ? '' : `~${percent(share)}`) };
const left: Column = {
  head: 'left',
  least: 6,
  cell: ({ leftMs }) => (leftMs === undefined ? '' : `~${clock(leftMs)}`),
};

const always = [pages, items, rate, bytes, retries, time];
/** Columns in the order in which they are dropped on narrow terminals. The state and the name of a job stay. */
const leaving = [retries, time, bytes, rate, pages, left, items, done];

const gap = 2;
/** Characters of a name that are kept before a column is dropped instead. */
const leastName = 16;
const mostName = 48;
const leastState = 14;
/** From this width on states are shown in full. */
const wideState = 30;

/** Computes the layout for a terminal of so many columns. `longest` is the width of the longest possible name. */
export function createLayout(lines: readonly DisplayLine[], longest: number, columns: number): Layout {
  const isEstimated = lines.some(({ figures }) => figures?.share !== undefined);
  const inOrder = isEstimated ? [...always, done, left] : always;
  const widths = new Map(inOrder.map((column) => [column, widthIn(lines, column)]));
  const taken = (shown: readonly Column[]) => shown.reduce((sum, column) => sum + gap + (widths.get(column) ?? 0), 0);
  const rest = gap + leastState;

  let shown = inOrder;
  for (const column of leaving) {
    if (Math.min(longest, leastName) + taken(shown) + rest <= columns) break;
    shown = shown.filter((each) => each !== column);
  }
  const name = Math.min(longest, mostName, Math.max(4, columns - taken(shown) - rest));
  const state = Math.max(0, columns - name - taken(shown) - gap);

  const put = (first: string, cell: (column: Column) => string) =>
    [
      padEnd(cutMiddle(first, name), name),
      ...shown.map((column) => padStart(cell(column), widths.get(column) ?? 0)),
    ].join(spaces(gap));
  const between = spaces(gap);

  return {
    head: cutEnd(`${put('job', ({ head }) => head)}${between}waits for`, columns),
    set(line, paint) {
      const { tone } = line.state;
      const figures = put(line.name, (column) => cellOf(column, line));
      const words = fit(line.state, state);
      if (words === '') return cutEnd(figures, columns).trimEnd();
      return tone === 'faint' ? paint(figures + between + words, tone) : figures + between + paint(words, tone);
    },
  };
}

const cellOf = ({ cell }: Column, { figures }: DisplayLine): string => (figures === undefined ? '' : cell(figures));

const widthIn = (lines: readonly DisplayLine[], column: Column): number =>
  Math.max(column.least, widthOf(column.head), ...lines.map((line) => widthOf(cellOf(column, line))));

/** One form for each width, so that words do not jump when numbers change. */
function fit({ texts }: JobState, width: number): string {
  const forms = width < wideState ? texts.slice(1) : texts;
  return forms.find((text) => widthOf(text) <= width) ?? cutEnd(forms.at(-1) ?? '', width);
}
