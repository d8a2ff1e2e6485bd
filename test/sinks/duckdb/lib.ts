/** What tests of DuckDB share: runs into a database, and what another connection reads in it. */
import { join } from 'node:path';
import { batchOf } from '../../../sinks/batch.js';
import type { Sink, SinkOutput } from '../../../sinks/contract.js';
import { type DuckdbOptions, duckdb } from '../../../sinks/duckdb/duckdb.js';
import { type DuckdbDatabase, openDatabase } from '../../../sinks/duckdb/duckdb-client.js';
import { type Batch, createBatch, joinItems } from '../../../src/core/model/batch.js';
import { calm, earlierOf, inFolder, pageEnd } from '../lib.js';

export type Given = Partial<Omit<DuckdbOptions, 'file'>>;

/** A database in a folder of its own. */
export interface Lent {
  readonly dir: string;
  readonly file: string;
  readonly sink: (given?: Given) => Sink;
  /** Writes pages of JSON texts or values into the table `t`, and returns its line of the summary. */
  readonly pull: (given: Given, pages: readonly (readonly unknown[])[]) => Promise<SinkOutput | undefined>;
  /** The rows of a statement, by a connection of its own. */
  readonly sql: (text: string) => ReturnType<DuckdbDatabase['rows']>;
  /** `id BIGINT, name VARCHAR`. */
  readonly types: (table?: string) => Promise<string>;
}

/** Runs a test with a database that stays open, so that sinks open it at once. */
export const inDatabase = (work: (lent: Lent) => Promise<void>): (() => Promise<void>) =>
  inClosedDatabase(async (lent) => {
    const database = await openDatabase(lent.file);
    await work(lent).finally(() => database.close());
  });

/** The same, with a database that only sinks open. */
export const inClosedDatabase = (work: (lent: Lent) => Promise<void>): (() => Promise<void>) =>
  inFolder(async (dir) => {
    const file = join(dir, 'out.db');
    const sql = async (text: string) => {
      const database = await openDatabase(file);
      try {
        return await database.rows(text);
      } finally {
        database.close();
      }
    };
    await work({
      ...{ dir, file, sql },
      sink: (given = {}) => duckdb({ file, ...given }),
      pull: (given, pages) => pull(duckdb({ file, ...given }), pages),
      async types(table = 't') {
        const rows = await sql(`SELECT column_name AS name, data_type AS type FROM duckdb_columns()
          WHERE table_name = '${table}' ORDER BY column_index`);
        return rows.map(({ name, type }) => `${name} ${type}`).join(', ');
      },
    });
  });

async function pull(sink: Sink, pages: readonly (readonly unknown[])[]): Promise<SinkOutput | undefined> {
  try {
    await sink.resume?.(earlierOf({ isStored: false }));
    await sink.open?.('t', 'job');
    for (const [page, items] of pages.entries()) await put(sink, page, items);
    await sink.close();
    return sink.summary?.()[0];
  } catch (thrown) {
    await sink.abort(thrown);
    throw thrown;
  }
}

/** Writes and commits a page of the table `t`. Texts that begin with `=` are JSON. */
export async function put(sink: Sink, page: number, items: readonly unknown[]) {
  await sink.write(batchIn(page, items), calm);
  return sink.commit?.(pageEnd('t', { page, count: items.length }), calm);
}

/** A batch of values, and of JSON texts after `=`. */
export function batchIn(page: number, items: readonly unknown[]): Batch {
  const lines = items.map((item) =>
    typeof item === 'string' && item.startsWith('=') ? Buffer.from(`${item.slice(1)}\n`) : batchOf('t', [item]).bytes,
  );
  const origin = { job: 'job', dataType: 't', run: 'run-0000-0000-00', walk: '0', page };
  return createBatch(origin, joinItems(lines), 0);
}
