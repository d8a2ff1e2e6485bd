/** What the tests of PostgreSQL share: a server, its rows, and runs into it. */
import { batchOf } from '../../sinks/batch.js';
import type { Sink } from '../../sinks/contract.js';
import { calm, pageEnd } from '../sinks/lib.js';
import { connectReady, startPostgres, type TestServer } from '../support/servers.js';
import { begun } from './lib.js';

type Rows = readonly Readonly<Record<string, unknown>>[];

export interface Lent {
  readonly server: TestServer;
  readonly uri: (options?: string) => string;
  /** Runs a statement on a connection of its own. */
  readonly sql: (text: string) => Promise<Rows>;
  /** The items of a table, in its order; none if it is missing. */
  readonly read: (table: string) => Promise<readonly string[]>;
}

export async function withPostgres(work: (lent: Lent) => Promise<void>, more: readonly string[] = []): Promise<void> {
  const server = await startPostgres(more);
  const sql = async (text: string): Promise<Rows> => {
    const client = await connectReady(server.port);
    try {
      return (await client.query(text)).rows;
    } finally {
      await client.end();
    }
  };
  const read = async (table: string) => {
    const [found] = await sql(`SELECT to_regclass('"${table}"') IS NOT NULL AS found`);
    return found?.found === true
      ? (await sql(`SELECT item::text FROM "${table}" ORDER BY ctid`)).map(({ item }) => String(item))
      : [];
  };
  try {
    const uri = (options = '') => `postgres://rx@127.0.0.1:${server.port}/postgres${options}`;
    await work({ server, sql, read, uri });
  } finally {
    await server.close();
  }
}

/** Writes and commits a page of one batch. */
export async function put(sink: Sink, dataType: string, page: number, items: readonly unknown[]): Promise<void> {
  await sink.write(batchOf(dataType, items, { job: dataType, run: 'r', walk: '0', page, offset: 0 }), calm);
  await sink.commit?.(pageEnd(dataType, { page, keep: `k${page}`, count: items.length }), calm);
}

/** The columns of a table with their types. */
export const typesIn = async ({ sql }: Lent, table: string): Promise<string> => {
  const rows = await sql(`SELECT attname, format_type(atttypid, atttypmod) AS type FROM pg_attribute
    WHERE attrelid = '"${table}"'::regclass AND attnum > 0 AND NOT attisdropped ORDER BY attnum`);
  return rows.map(({ attname, type }) => `${attname} ${type}`).join(', ');
};

/** Writes pages and returns the summary. */
export async function pull(
  lent: Lent,
  options: string,
  pages: readonly (readonly unknown[])[],
  form = 'columns=typed',
) {
  const sink = await begun(lent.uri(`?${form}${options}`), { run: `run${Math.random()}` });
  try {
    await sink.open?.('t', 't');
    for (const [page, items] of pages.entries()) await put(sink, 't', page, items);
    await sink.close();
    return sink.summary?.()[0];
  } catch (thrown) {
    await sink.abort(undefined);
    throw thrown;
  }
}
