/** `mode=merge`: an item replaces the row with its key, and all that earlier items filled. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { quoted } from '../../../sinks/duckdb/sql.js';
import type { Notice } from '../../../src/core/model/notice.js';
import { rejection } from '../lib.js';
import { checkMerges, mustSayKept, rowOfItem, rowOfTexts } from '../tables/random-merges.js';
import { inDatabase, type Lent } from './lib.js';

const merge = { mode: 'merge', key: 'id' } as const;

test(
  'a column that only earlier runs have filled is empty where an item has nothing for it',
  inDatabase(async ({ pull, sql }) => {
    for (const first of [{}, { mode: 'append' }, merge] as const) {
      await sql('DROP TABLE IF EXISTS t');
      await pull(first, [
        [
          { id: 1, email: 'a@x', cancelled: '2026-01-01', o: { x: 1 }, list: [1] },
          { id: 2, cancelled: '2026-01-02' },
        ],
      ]);
      await pull(merge, [[{ id: 1, email: 'a@x', cancelled: null }]]);
      assert.equal(await sql('SELECT * REPLACE (cancelled::VARCHAR AS cancelled) FROM t ORDER BY id'), [
        { id: 1n, email: 'a@x', cancelled: null, o__x: null, list: null },
        { id: 2n, email: null, cancelled: '2026-01-02', o__x: null, list: null },
      ]);
      await pull(merge, [[{ id: 2 }]]);
      assert.equal((await sql('SELECT cancelled FROM t WHERE id = 2'))[0], { cancelled: null });
    }
  }),
);

test(
  "columns of the user's own keep their values, until an item has one for them",
  inDatabase(async ({ pull, sql }) => {
    await sql(`CREATE TABLE t (ID BIGINT PRIMARY KEY, a VARCHAR, state VARCHAR NOT NULL DEFAULT 'new', note VARCHAR,
      seen INT DEFAULT 5, double AS (ID * 2))`);
    await pull(merge, [[{ id: 1, a: 'x', state: 'old' }]]);
    await sql(`UPDATE t SET note = 'mine', seen = 6`);
    await pull(merge, [[{ id: 1 }, { id: 2 }]]);
    const row = { a: null, state: 'new', note: null, seen: 5 };
    assert.equal(await sql('SELECT * FROM t ORDER BY id'), [
      { ...row, ID: 1n, note: 'mine', seen: 6, double: 2n },
      { ...row, ID: 2n, double: 4n },
    ]);
    await pull(merge, [[{ id: 2, note: 'item' }]]);
    await pull(merge, [[{ id: 1, a: 'y' }]]);
    assert.equal(await sql('SELECT a, note FROM t ORDER BY id'), [
      { a: 'y', note: null },
      { a: null, note: 'item' },
    ]);
  }),
);

test(
  'a table of which no run has recorded the columns keeps their values, with a notice',
  inDatabase(async ({ pull, sql }) => {
    const notices: Notice[] = [];
    const given = { ...merge, notify: (notice: Notice) => void notices.push(notice) };
    await sql(`CREATE TABLE t AS SELECT 1::BIGINT AS id, 'x' AS a, 'y' AS b`);
    await sql('ALTER TABLE t ADD COLUMN c INT DEFAULT 1');
    await pull(given, [[{ id: 1 }]]);
    assert.equal(await sql('SELECT * FROM t'), [{ id: 1n, a: 'x', b: 'y', c: 1 }]);
    await pull(given, [[{ id: 2, a: 'z' }]]);
    await pull(given, [[{ id: 1 }]]);
    assert.equal(await sql('SELECT * FROM t WHERE id = 1'), [{ id: 1n, a: null, b: 'y', c: 1 }]);
    mustSayKept(notices);
  }),
);

test(
  'what items have filled is known in a copy of the database, and not of a table that was made anew',
  inDatabase(async ({ pull, sql, dir }) => {
    await pull({}, [[{ id: 1, a: 'x' }]]);
    await sql(`ATTACH '${dir}/copy.db' AS copy; COPY FROM DATABASE out TO copy`);
    assert.equal(await sql('SELECT * EXCLUDE (form) FROM copy.rxtract.columns'), [
      { schema_name: 'main', table_name: 't', column_name: 'id', member: 'id' },
      { schema_name: 'main', table_name: 't', column_name: 'a', member: 'a' },
    ]);
    await sql('DETACH copy; DROP TABLE t');
    await pull(merge, [[{ id: 1 }]]);
    assert.equal(await sql('SELECT column_name FROM rxtract.columns'), [{ column_name: 'id' }]);
  }),
);

test(
  'a required column that an earlier item has filled needs a value',
  inDatabase(async ({ pull, sql }) => {
    await sql('CREATE TABLE t (id BIGINT, a INT NOT NULL, b INT NOT NULL, CHECK (a < b))');
    await sql('INSERT INTO t VALUES (3, 1, 2)');
    await pull(merge, [[{ id: 1, a: 1, b: 2 }]]);
    const needs = /column "a" of the type INTEGER, item 1 of the page, from 0\): the column "a" needs a value/;
    await rejection(
      pull(merge, [
        [
          { id: 1, b: 3, a: 0 },
          { id: 1, b: 4 },
        ],
      ]),
      'ERR_SINK',
      needs,
    );
    await rejection(pull(merge, [[{ id: 1, b: 4 }]]), 'ERR_SINK', /column "a" needs a value/);
    await rejection(pull(merge, [[{ id: 1, a: 4, b: 4 }]]), 'ERR_SINK', /breaks a CHECK constraint/);
    assert.equal(await sql('SELECT * FROM t'), [
      { id: 3n, a: 1, b: 2 },
      { id: 1n, a: 1, b: 2 },
    ]);
  }),
);

test(
  'a table without items gets the columns of its key later',
  inDatabase(async ({ pull, sql }) => {
    await pull({}, []);
    await pull(merge, []);
    await pull(merge, [[{ id: 1, a: 'x' }, { id: 1 }]]);
    assert.equal(await sql('SELECT id, a FROM t'), [{ id: 1n, a: null }]);
    await rejection(pull({ ...merge, key: 'x' }, []), 'ERR_SINK', /the table "t" has no column "x" for the key/);
  }),
);

for (const columns of ['typed', 'item'] as const) {
  test(
    `after random runs a table has the last item of each key: columns=${columns}`,
    inDatabase(async (lent) => {
      const first = Math.floor(Math.random() * 2 ** 31);
      for (let seed = first; seed < first + 8; seed++) {
        await lent.sql('DROP TABLE IF EXISTS t');
        await checkMerges(
          { merge: (key, pages) => lent.pull({ mode: 'merge', key, columns }, pages), read: readerOf(lent, columns) },
          seed,
        );
      }
    }),
  );
}

const readerOf =
  ({ sql, types }: Lent, columns: 'typed' | 'item') =>
  async () => {
    if (columns === 'item')
      return (await sql('SELECT item::VARCHAR AS item FROM t')).map(({ item }) => rowOfItem(String(item)));
    const names = (await types()).split(', ').map((each) => quoted(each.replace(/ .*/, ''), 'column'));
    const rows = await sql(`SELECT ${names.map((name) => `${name}::VARCHAR AS ${name}`).join(', ')} FROM t`);
    return rows.map(rowOfTexts);
  };

test.run();
