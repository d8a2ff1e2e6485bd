/** `mode=mirror` and `mode=history`: rows that a complete run does not have, and versions of rows. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { duckdb } from '../../../sinks/duckdb/duckdb.js';
import { sinkFromUri } from '../../../sinks/registry.js';
import { rejection } from '../lib.js';
import { checkPulls, pullItems } from '../tables/random-pulls.js';
import { inDatabase, type Lent } from './lib.js';

const tableOf = ({ file, sql }: Lent) => ({
  sink: (options: string) => sinkFromUri(`duckdb:${file}?${options}`),
  drop: () => sql('DROP TABLE IF EXISTS t'),
  async read(form: string, column: string | undefined) {
    const names = form === 'typed' ? 'id, name' : `item ->> '$.id' AS id, item ->> '$.name' AS name`;
    const hasName =
      form === 'item' ||
      (await sql("SELECT 1 FROM duckdb_columns() WHERE table_name = 't' AND column_name = 'name'")).length > 0;
    const hasId =
      form === 'item' ||
      (await sql("SELECT 1 FROM duckdb_columns() WHERE table_name = 't' AND column_name = 'id'")).length > 0;
    if (!hasId) return [];
    const rows = await sql(
      `SELECT ${hasName ? names : 'id, NULL AS name'}, ${column === undefined ? 'true' : `${column} IS NULL`} AS now FROM t`,
    );
    return rows.map(({ id, name, now }) => `${id} ${name ?? ''} ${now}`);
  },
});

for (const seed of [1, 2, 3]) {
  test(
    `a table is that of a model after random pulls, seed ${seed}`,
    inDatabase((lent) => checkPulls(tableOf(lent), seed)),
  );
}

test(
  'a version has the time from which it counts, and the one at which it ended',
  inDatabase(async ({ file, sql }) => {
    const history = () => duckdb({ file, mode: 'history', key: 'id' });
    await pullItems(history(), [{ id: 1, name: 'a' }], true);
    await pullItems(history(), [{ id: 1, name: 'b' }], true);
    const [first, second, ...none] = await sql('SELECT name, valid_from, valid_to FROM t ORDER BY valid_from');
    assert.equal([first?.name, second?.name, second?.valid_to, none.length], ['a', 'b', null, 0]);
    assert.is(String(first?.valid_to), String(second?.valid_from));
  }),
);

test(
  'a table and items that do not fit the mode are refused',
  inDatabase(async ({ file, sql, sink }) => {
    await sql('CREATE TABLE t (id BIGINT)');
    const plain = () => pullItems(duckdb({ file, mode: 'history', key: 'id' }), [{ id: 1 }], true);
    await rejection(plain, 'ERR_SINK', /the table "t" has no column "valid_from", which mode=history needs/);
    await sql('DROP TABLE t');
    const items = [{ id: 1, valid_from: 1 }];
    const own = () => pullItems(sink({ mode: 'history', key: 'id' }), items, true);
    await rejection(own, 'ERR_SINK', /items have a member for the column "valid_from" of the table "t"/);
    const usage = async () => sink({ mode: 'merge', key: 'id', deleted: 'gone' });
    await rejection(usage, 'ERR_USAGE', /duckdb: deleted needs mode=mirror/);
    await rejection(async () => sink({ mode: 'mirror' }), 'ERR_USAGE', /mode=mirror needs key=/);
  }),
);

test.run();
