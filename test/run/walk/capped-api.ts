/** An API of rows by time that gives only so many of them for one query. */
import { type Answer, json } from '../../loopback/api.js';

export interface CappedRow {
  readonly id: number;
  /** Unix seconds. */
  readonly at: number;
}

export interface CappedApi {
  readonly rows: readonly CappedRow[];
  readonly pageSize: number;
  /** The most rows of one query. */
  readonly cap: number;
  /** What shows that there are more. */
  readonly shows: 'total' | 'status' | 'nothing';
}

/** Reads `start`, `end` (without the end) and `page`. */
export const cappedApi =
  ({ rows, pageSize, cap, shows }: CappedApi): Answer =>
  ({ target }) => {
    const { searchParams } = new URL(target, 'http://x');
    const [start, end] = [Number(searchParams.get('start')), Number(searchParams.get('end'))];
    const first = (Number(searchParams.get('page') ?? 1) - 1) * pageSize;
    if (shows === 'status' && first >= cap) return json({ error: 'only the first results' }, { status: 422 });
    const found = within(rows, start, end);
    const items = found.slice(first, Math.min(first + pageSize, cap));
    return json(shows === 'total' ? { total: found.length, items } : { items });
  };

/** Rows are in the order of their time. */
function within(rows: readonly CappedRow[], start: number, end: number): readonly CappedRow[] {
  return rows.slice(firstFrom(rows, start), firstFrom(rows, end));
}

function firstFrom(rows: readonly CappedRow[], time: number): number {
  let [low, high] = [0, rows.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((rows[middle]?.at ?? 0) < time) low = middle + 1;
    else high = middle;
  }
  return low;
}
