import { totalmem } from 'node:os';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { readAddress } from '../../../sinks/addresses/options.js';
import { duckdbEntry } from '../../../sinks/duckdb/duckdb.js';
import type { DuckdbDatabase } from '../../../sinks/duckdb/duckdb-client.js';
import { duckdbSettings } from '../../../sinks/duckdb/duckdb-options.js';
import { publish } from '../../../sinks/duckdb/publish.js';
import { createStagedTable } from '../../../sinks/duckdb/staged-table.js';
import { targetOf } from '../../../sinks/duckdb/target-table.js';
import { earlierOf, rejection } from '../lib.js';
import { batchIn } from './lib.js';

/**
 * Publishes a table into a database whose first inserts, and first questions for a size, fail with these messages.
 * Returns the bounds of memory.
 */
async function boundsOf(failures: string[], sizeFailures: string[] = []): Promise<readonly string[]> {
  const bounds: string[] = [];
  const database: DuckdbDatabase = {
    async run(sql) {
      const [, bound] = /^SET memory_limit = '(\d+)MiB'$/.exec(sql) ?? [];
      if (bound !== undefined) bounds.push(bound);
      const failure = sql.startsWith('INSERT') ? failures.shift() : undefined;
      if (failure !== undefined) throw new Error(failure);
    },
    async rows(sql) {
      const failure = sql.includes('pragma_storage_info') ? sizeFailures.shift() : undefined;
      if (failure !== undefined) throw new Error(failure);
      return [];
    },
    transaction: (work) => work(),
    close() {},
  };
  await publishOne(database);
  return bounds;
}

/** Publishes a table with one item. */
async function publishOne(database: DuckdbDatabase, options = ''): Promise<void> {
  const settings = duckdbSettings(readAddress(`duckdb:a.db${options}`, duckdbEntry, {}).options);
  const table = createStagedTable({ target: targetOf(settings, 't', 'j'), found: undefined, settings, notify() {} });
  table.encode(batchIn(0, [{ id: 1 }]));
  const earlier = earlierOf({ isStored: false });
  await publish(database, [{ table, paths: ['a.rows'], isComplete: false, items: 1 }], {
    settings,
    earlier,
    notify() {},
  });
}

test('a load that needs more memory than the bound is done again with more; in the end there is no bound', async () => {
  const failure = 'Out of Memory Error: failed to allocate';
  const most = String(Math.floor((totalmem() * 0.8) / 1024 / 1024));
  const sizing = ['4', most]; // the sizes of the tables
  assert.equal(await boundsOf([]), ['10', '10', ...sizing], 'again before the commit');
  assert.equal(await boundsOf([failure]), ['10', '18', '18', ...sizing]);
  assert.equal(await boundsOf(Array(4).fill(failure)), ['10', '18', '66', '194', most, most, ...sizing]);
  await rejection(
    boundsOf(Array(5).fill(failure)),
    'ERR_SINK',
    /cannot publish \(table "t"\): DuckDB needs more memory/,
  );
});

test('the size of a table that needs more memory than its bound is asked for again without a bound', async () => {
  const most = String(Math.floor((totalmem() * 0.8) / 1024 / 1024));
  const failure = 'Out of Memory Error: failed to allocate';
  assert.equal(await boundsOf([], [failure]), ['10', '10', '4', most, most]);
});

test('items as JSON are compressed in one way during the load, columns as DuckDB chooses', async () => {
  const found = async (columns: 'item' | 'typed') => {
    const statements: string[] = [];
    const database: DuckdbDatabase = {
      run: async (sql) => void statements.push(sql),
      rows: async () => [],
      transaction: (work) => work(),
      close() {},
    };
    await publishOne(database, `?columns=${columns}`);
    return statements.flatMap((sql, at) =>
      sql.includes('force_compression') ? [`${at < 5 ? 'first' : 'last'}: ${sql}`] : [],
    );
  };
  assert.equal(await found('typed'), []);
  assert.equal(await found('item'), ["first: SET force_compression = 'fsst'", "last: SET force_compression = 'auto'"]);
});

test.run();
