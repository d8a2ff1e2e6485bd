/** An API of rows that change, which checks that a pull requests what is new, and how often a page is asked for. */
import { json, startApi } from '../loopback/api.js';
import { type ChangingItem, type ChangingRows, mostLate } from './changing-rows.js';

export const pageSize = 5;

/** The configuration that pulls the rows. */
export const configurationOf = (origin: string) => ({
  api: { baseUrl: `${origin}/`, pagination: { method: 'pagenum', limit: pageSize } },
  config: {
    jobs: [
      {
        endpoint: 'rows',
        dataType: 'rows',
        dataField: 'rows',
        incremental: { path: 'updated', param: 'since', lookback: `${mostLate}s` },
      },
    ],
  },
});

/** One pull, as the API sees it. */
interface PullBounds {
  /** It asks for everything. */
  readonly isFull: boolean;
  /** The lowest moment that it may ask for; null: it may ask for everything. */
  readonly from: string | null;
  /** The requests of an undisturbed pull. */
  readonly pages: number;
}

/** The pages of so many rows: one that is shorter ends the walk. */
const pagesOf = (rows: readonly ChangingItem[]): number => Math.floor(rows.length / pageSize) + 1;

/** Serves the rows page by page. */
export async function startRows(rows: ChangingRows) {
  const counts = { requests: 0, sent: 0, requestsOfAll: 0 };
  const broken: string[] = [];
  let pull: PullBounds = { isFull: true, from: null, pages: 0 };
  let [ofPull, left, highest] = [0, Number.POSITIVE_INFINITY, ''];
  let strike = () => {};
  const server = await startApi(({ target }) => {
    const { searchParams } = new URL(target, 'http://x');
    const [page, since] = [Number(searchParams.get('page')), searchParams.get('since')];
    if (pull.from !== null && (since ?? '') < pull.from) broken.push(`${target} asks for more than what is new`);
    const found = rows.since(since).slice((page - 1) * pageSize, page * pageSize);
    counts.requests += 1;
    counts.sent += found.length;
    ofPull += 1;
    left -= 1;
    if (left === 0) strike();
    return json({ rows: found });
  });
  return {
    origin: server.origin,
    counts,
    broken,
    close: server.close,
    /** Begins a pull. Returns the requests that it needs if nothing disturbs it. */
    begin(isFull: boolean): number {
      const from = isFull || highest === '' ? null : new Date(Date.parse(highest) - mostLate * 1000).toISOString();
      pull = { isFull, from, pages: pagesOf(rows.since(from)) };
      ofPull = 0;
      return pull.pages;
    },
    /** Ends a pull: each process that was killed may cost two pages, `anew` ones begin at the first page. */
    end(killed: number, anew: number): void {
      counts.requestsOfAll += pagesOf(rows.all());
      const most = pull.pages * (1 + anew) + 2 * killed;
      if (ofPull > most) broken.push(`a pull sent ${ofPull} requests: ${most} suffice`);
      // A pull that was killed before its first request has not begun.
      if (ofPull === 0) return;
      const last = rows.since(null).at(-1)?.updated ?? '';
      highest = pull.isFull || last > highest ? last : highest;
    },
    /** Calls `work` once, after so many requests from now. */
    afterRequests(count: number, work: () => void): void {
      left = count;
      strike = work;
    },
  };
}
