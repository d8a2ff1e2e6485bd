/** An API over rows with an `updated` value: it answers those from a value on, in pages. */
import type { Configuration } from '../../src/config/configuration.js';
import { json, startApi } from '../loopback/api.js';
import { unchecked } from '../unchecked.js';

export interface ChangingRow {
  readonly id: number;
  readonly updated: string | number | null;
  readonly note?: string;
}

export interface RowsApi {
  rows: readonly ChangingRow[];
  readonly origin: string;
  /** The targets of all requests so far; they are forgotten. */
  takeTargets(): readonly string[];
  close(): Promise<void>;
}

const pageSize = 2;

/** Starts the API. Rows come by `updated`, then by `id`, if `sorted` is absent or true. */
export async function rowsApi({ isSorted = true }: { readonly isSorted?: boolean } = {}): Promise<RowsApi> {
  let targets: string[] = [];
  const server = await startApi(({ target }) => {
    targets.push(target);
    const url = new URL(target, 'http://x');
    const since = url.searchParams.get('since');
    const until = url.searchParams.get('until');
    const found = api.rows.filter(({ updated }) => isWithin(updated, since, until));
    const rows = isSorted ? found.toSorted(byUpdated) : found;
    const page = Number(url.searchParams.get('page') ?? 1);
    return json(rows.slice((page - 1) * pageSize, page * pageSize));
  });
  const api: RowsApi = {
    rows: [],
    origin: server.origin,
    takeTargets() {
      const taken = targets;
      targets = [];
      return taken;
    },
    close: () => server.close(),
  };
  return api;
}

const rank = (value: string | number | null): number =>
  value === null ? Number.POSITIVE_INFINITY : typeof value === 'number' ? value : Date.parse(value);

const numeric = (text: string): number => (/^\d+$/.test(text) ? Number(text) : Date.parse(text));

function isWithin(value: ChangingRow['updated'], since: string | null, until: string | null): boolean {
  return (since === null || rank(value) >= numeric(since)) && (until === null || rank(value) < numeric(until));
}

const byUpdated = (a: ChangingRow, b: ChangingRow): number => rank(a.updated) - rank(b.updated) || a.id - b.id;

/** A configuration of it, with this `incremental`. */
export const rowsConfiguration = (origin: string, incremental: object, more: object = {}): Configuration =>
  unchecked({
    api: { baseUrl: `${origin}/`, pagination: { method: 'pagenum', limit: pageSize }, retryConfig: { maxRetries: 0 } },
    config: { jobs: [{ endpoint: 'rows', incremental: { path: 'updated', param: 'since', ...incremental }, ...more }] },
  });
