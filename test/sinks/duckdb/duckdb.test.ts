import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { contentRules } from '../../../sinks/conformance/content.js';
import { checkRules, checkSink } from '../../../sinks/conformance.js';
import type { Earlier } from '../../../sinks/contract.js';
import { columnName } from '../../../sinks/duckdb/leaf-slots.js';
import { literal, quoted } from '../../../sinks/duckdb/sql.js';
import { sinkFromUri } from '../../../sinks/registry.js';
import { createLeafReader } from '../../../sinks/tables/leaves.js';
import type { Exact } from '../../../src/core/json/exact.js';
import type { Notice } from '../../../src/core/model/notice.js';
import { mulberry32 } from '../../support/mulberry32.js';
import { aMinute, calm, earlierOf, inFolder, pageEnd, rejection } from '../lib.js';
import { type LeafValue, leafRows } from '../tables/leaf-rows.js';
import { randomItem } from '../tables/random-items.js';
import { batchIn, inClosedDatabase, inDatabase, type Lent, put } from './lib.js';

/** Names of a table that may be missing. */
const isThere = (table: string) => `SELECT 1 FROM duckdb_tables() WHERE table_name = '${table}'`;

test(
  'the column `item` keeps every rule of the kit',
  inDatabase(async ({ sink, sql, dir }) => {
    const read = async (table: string) => {
      if ((await sql(isThere(table))).length === 0) return [];
      return (await sql(`SELECT item::VARCHAR AS item FROM "${table}"`)).map(({ item }) => String(item));
    };
    const checks = await checkSink(() => sink({ columns: 'item' }), read, { tooLong: aMinute });
    assert.equal(
      checks.filter(({ outcome }) => outcome === 'fail'),
      [],
    );
    assert.not.ok(existsSync(join(dir, 'out.db.rxtract')));
  }),
);

test(
  'typed columns keep the rules of the kit on content, but that on items which are no rows',
  inDatabase(async ({ sink, sql }) => {
    const read = async (table: string) => {
      if ((await sql(isThere(table))).length === 0) return [];
      const rows = await sql(`SELECT to_json(t)::VARCHAR AS item FROM "${table}" AS t`);
      return rows.map(({ item }) => JSON.stringify(JSON.parse(String(item), (_, value) => value ?? undefined)));
    };
    const checks = await checkRules(contentRules, () => sink(), read, { tooLong: aMinute });
    const failed = checks.filter(({ outcome }) => outcome === 'fail').map(({ name }) => name);
    assert.equal(failed, ['keeps every character of an item']);
  }),
);

test(
  'a column is added when it appears and widened when it must, never narrowed',
  inDatabase(async ({ pull, sql, types, dir }) => {
    const made = await pull({}, [
      [
        { id: 1, at: { ok: true, no: null, none: {} }, text: 'x\t"\\\n č' },
        { id: 2, tags: [1, 'a\n', { x: 1 }] },
      ],
      [{ id: 3.5, at: { ok: 2 } }, {}, null, 7, 'v', { tags: 'one', id: 4 }],
    ]);
    const rows = await sql('SELECT * REPLACE (id::VARCHAR AS id) FROM t');
    assert.equal(
      rows.map(({ id }) => id),
      ['1.0', '2.0', '3.5', null, null, null, null, '4.0'],
    );
    assert.equal(rows.map(({ at__ok }) => at__ok).slice(0, 3), ['true', null, '2']);
    assert.equal(
      [rows[0]?.text, rows[1]?.tags, rows[5]?.value, rows[7]?.tags],
      ['x\t"\\\n č', '[1,"a\\n",{"x":1}]', '7', '"one"'],
    );
    assert.is(await types(), 'id DECIMAL(18,1), at__ok VARCHAR, text VARCHAR, tags JSON, value VARCHAR');
    assert.equal([made?.items, made?.columns, made?.name.endsWith('out.db')], [8, 5, true]);
    assert.equal(made?.changed, [
      { column: 'id', from: 'BIGINT', to: 'DECIMAL(18,1)' },
      { column: 'at__ok', from: 'BOOLEAN', to: 'VARCHAR' },
      { column: 'value', from: 'BIGINT', to: 'VARCHAR' },
    ]);
    assert.ok((made?.size ?? 0) > 0 && (made?.size ?? 0) % 262_144 === 0);
    const again = await pull({}, [[{ id: 1 }]]);
    assert.equal([again?.columns, again?.changed], [5, undefined]);
    assert.match(await types(), /^id DECIMAL\(18,1\), at__ok VARCHAR/);
    const added = await pull({ mode: 'append' }, [[{ ID: 'x', more: [] }]]);
    assert.equal(added?.changed, [{ column: 'id', from: 'DECIMAL(18,1)', to: 'VARCHAR' }]);
    assert.equal(
      (await sql('SELECT id FROM t')).map(({ id }) => id),
      ['1.0', 'x'],
    );
    assert.equal(readdirSync(dir), ['out.db']);
    assert.equal(await sql("SELECT table_name AS name FROM duckdb_tables() WHERE schema_name = 'rxtract'"), [
      { name: 'columns' },
    ]);
  }),
);

/** What a column of these numbers has, and its type. */
const numbers: readonly (readonly [texts: readonly string[], type: string, read: readonly string[]])[] = [
  [
    ['1', '-9223372036854775808', '9223372036854775807'],
    'BIGINT',
    ['1', '-9223372036854775808', '9223372036854775807'],
  ],
  [['1', '9223372036854775808'], 'HUGEINT', ['1', '9223372036854775808']],
  [['1e3', '12345678901234567890123456789012345678'], 'HUGEINT', ['1000', '12345678901234567890123456789012345678']],
  [['0.10', '-5', '1.5e-2'], 'DECIMAL(18,3)', ['0.100', '-5.000', '0.015']],
  [['9223372036854775807', '0.5'], 'DECIMAL(38,1)', ['9223372036854775807.0', '0.5']],
  [['12345678901234567890.0987654321', '1'], 'DECIMAL(38,10)', ['12345678901234567890.0987654321', '1.0000000000']],
  [['1.1', '0.30000000000000004', '5'], 'DOUBLE', ['1.1', '0.30000000000000004', '5.0']],
  [['1.10', '123456789012345.67'], 'DECIMAL(18,2)', ['1.10', '123456789012345.67']],
  [['1.1', '0.12345678901234567'], 'DECIMAL(18,17)', ['1.10000000000000000', '0.12345678901234567']],
  [['1e300', '0.1', '7'], 'DOUBLE', ['1e+300', '0.1', '7.0']],
  [['1e300', '0.12345678901234567890', '7'], 'VARCHAR', ['1e300', '0.12345678901234567890', '7']],
  [['1.0', '9007199254740993', '1e99'], 'VARCHAR', ['1.0', '9007199254740993', '1e99']],
  [['-0', '0'], 'BIGINT', ['0', '0']],
];

test(
  'each digit of a number is kept',
  inDatabase(async ({ pull, sql, types }) => {
    for (const [texts, type, read] of numbers) {
      await sql('DROP TABLE IF EXISTS t');
      await pull({}, [texts.map((text) => `={"n":${text}}`)]);
      assert.is(await types(), `n ${type}`, texts.join());
      assert.equal(
        (await sql('SELECT n::VARCHAR AS n FROM t')).map(({ n }) => n),
        read,
      );
    }
  }),
);

test(
  'an existing column of numbers is widened so that no digit is lost',
  inDatabase(async ({ pull, sql, types }) => {
    const cases: readonly (readonly [type: string, value: string, added: string, after: string])[] = [
      ['TINYINT', '5', '99', 'TINYINT'],
      ['TINYINT', '5', '300', 'BIGINT'],
      ['INTEGER', '5', '0.5', 'DECIMAL(18,1)'],
      ['HUGEINT', '5', '0.5', 'DECIMAL(18,1)'],
      ['HUGEINT', '17014118346046923173168730371588410572', '0.5', 'VARCHAR'],
      ['DECIMAL(38,2)', '1.25', '0.12345', 'DECIMAL(18,5)'],
      ['DECIMAL(38,2)', '1.25', '1e300', 'DOUBLE'],
      ['DECIMAL(18,1)', '1.5', '0.30000000000000004', 'DOUBLE'],
      ['BIGINT', '5', '0.30000000000000004', 'DOUBLE'],
      ['BIGINT', '9007199254740993', '0.30000000000000004', 'DECIMAL(38,17)'],
      ['BIGINT', '9007199254740993', '1e300', 'VARCHAR'],
      ['DOUBLE', '0.1', '2.5', 'DOUBLE'],
      ['DOUBLE', '0.1', '0.12345678901234567890', 'VARCHAR'],
      ['DECIMAL(4,1)', '1.5', '99.9', 'DECIMAL(4,1)'],
      ['BOOLEAN', 'true', '1', 'VARCHAR'],
      ['BIGINT', '1', '[1]', 'JSON'],
      ['JSON', "'[1]'", '1.50', 'JSON'],
      ['FLOAT', '1', '0.5', 'FLOAT'],
    ];
    for (const [type, value, added, after] of cases) {
      await sql(`CREATE OR REPLACE TABLE t AS SELECT ${value}::${type} AS n`);
      await pull({ mode: 'append' }, [[`={"n":${added}}`]]);
      assert.is(await types(), `n ${after}`, `${type} ${value} ${added}`);
      const [first, second] = await sql('SELECT n::VARCHAR AS n FROM t');
      const plain = (text: unknown) => (Number.isNaN(Number(text)) ? text : Number(text));
      assert.equal([plain(first?.n), plain(second?.n)], [plain(value.replaceAll("'", '')), plain(added)]);
    }
  }),
);

test(
  'every value of random items is read back',
  inDatabase(async ({ pull, sql }) => {
    const seed = Math.floor(Math.random() * 2 ** 31);
    const random = mulberry32(seed);
    const items = Array.from({ length: 1000 }, (_, n) => new Map<string, unknown>([...randomItem(random), ['row', n]]));
    await pull({}, [items.slice(0, 300), items.slice(300)]);
    const columns = await sql(
      "SELECT column_name AS name, data_type AS type FROM duckdb_columns() WHERE table_name = 't'",
    );
    const texts = columns.map(({ name }) => `${quoted(String(name), 'column')}::VARCHAR`).join(', ');
    const rows = await sql(`SELECT [${texts}] AS texts FROM t ORDER BY row`);
    const leaves = createLeafReader({ nameOf: columnName, what: 'x' }).read([batchIn(0, items).bytes]);
    const { seen } = leaves;
    const expected = leafRows(leaves);
    const indexes = new Map([...seen.keys()].map(({ name, index }) => [name, index]));
    assert.equal([rows.length, columns.length], [1000, seen.size], `seed ${seed}`);
    for (const [at, { texts: read }] of rows.entries()) {
      for (const [place, { name, type }] of columns.entries()) {
        const value = expected[at]?.[indexes.get(String(name)) ?? -1];
        const found: unknown = Array.isArray(read) ? read[place] : undefined;
        const same = value === undefined ? found === null : isSame(String(found), value, String(type));
        assert.ok(same, `seed ${seed}, item ${at}, column ${name}: ${found}, expected ${value?.raw}`);
      }
    }
  }),
);

/** A number that is in a column of numbers may be written in another way. A column of JSON has values as JSON. */
function isSame(found: string, { kind, raw }: LeafValue, type: string): boolean {
  if (type !== 'VARCHAR' && type !== 'JSON' && kind !== 'boolean') return digitsOf(found) === digitsOf(raw);
  const text = kind === 'text' ? String(JSON.parse(`"${raw}"`)) : raw;
  return type === 'JSON' && kind === 'text' ? JSON.parse(found) === text : found === text;
}

/** `1e3` and `1000.00` are `1000`. */
const digitsOf = (text: string): string =>
  /[e]/i.test(text) ? String(Number(text)) : text.replace(/\.0*$|(\.\d*?)0+$/, '$1');

test(
  'U+0000, pairs and lone surrogates, and ends of lines in texts',
  inDatabase(async ({ pull, sql, dir }) => {
    const notices: Notice[] = [];
    const texts = ['a\0b', 'x\r\ny\n,""', '😀', '"', ',', '\\ud800'];
    const items = texts.map((text) => ({ text, list: [text] }));
    for (const columns of ['typed', 'item'] as const) {
      await sql('DROP TABLE IF EXISTS t');
      const notify = (notice: Notice) => void notices.push(notice);
      await pull({ columns, notify }, [
        items,
        ['={"text":"\\ud83d \\udE00x","list":["\\uD83D\\\\","\\ud83d\\ude00"]}', '={"text":"\\udbff"}'],
      ]);
      const text = columns === 'typed' ? 'text' : "item ->> 'text'";
      const list = columns === 'typed' ? 'list' : "item -> 'list'";
      const rows = await sql(`SELECT ${text} AS text, (${list})::VARCHAR AS list FROM t`);
      assert.equal(
        rows.map(({ text }) => text),
        [...texts, '\ufffd \ufffdx', '\ufffd'],
      );
      assert.equal(JSON.parse(String(rows[6]?.list)), ['\ufffd\\', '😀']);
      assert.equal(
        rows.slice(0, 6).map(({ list }) => JSON.parse(String(list))),
        texts.map((each) => [each]),
      );
    }
    assert.equal(
      notices.map(({ code, message }) => [code, message.slice(0, 3)]),
      [
        ['lone-surrogate', '"t"'],
        ['lone-surrogate', '"t"'],
      ],
    );
    assert.equal(readdirSync(dir), ['out.db']);
  }),
);

test(
  'names are quoted, and two paths that would be one column end the run',
  inDatabase(async ({ pull, sql, sink, types }) => {
    const name = 'x"; DROP TABLE t; --';
    await pull({ schema: `s'"; --` }, [[{ [name]: 1, "'": 2, '': 3, ' ': 4, '\ud800': 5, É: 6, é: 7 }]]);
    const found = await sql("SELECT schema_name AS s FROM duckdb_tables() WHERE table_name = 't'");
    assert.equal(found, [{ s: `s'"; --` }]);
    assert.is(await types(), `${name} BIGINT, ' BIGINT, _ BIGINT,   BIGINT, \ufffd BIGINT, É BIGINT, é BIGINT`);
    const collapse =
      /^duckdb: the table "t": the members \["a__b"\] and \["a","b"\] would be one column, "a__b" \(item 1 of the page, from 0\)$/;
    const error = await rejection(pull({}, [[{ id: 1 }], [{ a__b: 1 }, { a: { b: 1 } }]]), 'ERR_SINK', collapse);
    assert.equal([error.where.job, error.where.page], ['job', 1]);
    await rejection(
      pull({}, [[{ 'a\0': 1 }]]),
      'ERR_SINK',
      /"a\\u0000" cannot be the name of a column: it contains U\+0000/,
    );
    const two = sink();
    await two.resume?.(earlierOf());
    await two.open?.('users', 'a');
    await rejection(
      async () => two.open?.('Users', 'b'),
      'ERR_SINK',
      /^duckdb: "users" and "Users" would be one table/,
    );
    await rejection(
      async () => two.open?.('\0', 'b'),
      'ERR_SINK',
      /cannot be the name of a table: it contains U\+0000/,
    );
    await two.abort(undefined);
    assert.equal(await sql("SELECT table_name AS name FROM duckdb_tables() WHERE schema_name <> 'rxtract'"), [
      { name: 't' },
    ]);
  }),
);

test(
  'merge: the last item with a key counts, and an item without the key ends the run',
  inDatabase(async ({ pull, sql }) => {
    const merge = { mode: 'merge', key: 'o.id' } as const;
    await pull(merge, [
      [
        { o: { id: 1 }, n: 1 },
        { o: { id: 2 }, n: 1 },
        { o: { id: 1 }, n: 2 },
      ],
    ]);
    await pull(merge, [[{ o: { id: 2 }, n: 'x' }, { o: { id: 3 } }]]);
    await pull(merge, []);
    const rows = [
      { o__id: 1n, n: '2' },
      { o__id: 2n, n: 'x' },
      { o__id: 3n, n: null },
    ];
    assert.equal(await sql('SELECT * FROM t ORDER BY o__id'), rows);
    const noKey = /^duckdb: the item has no key "o.id" \(item 1 of the page, from 0\)$/;
    await rejection(pull(merge, [[{ o: { id: 1 } }, { n: 1 }]]), 'ERR_SINK', noKey);
    await rejection(pull(merge, [[{ o: { id: 1 } }, { o: { id: null } }]]), 'ERR_SINK', noKey);
    await rejection(pull({ mode: 'merge', key: 'x' }, []), 'ERR_SINK', /has no column "x" for the key$/);
    assert.equal(await sql('SELECT * FROM t ORDER BY o__id'), rows);
    const items = { ...merge, columns: 'item', schema: 's', key: 'o.i~/d' } as const;
    await pull(items, [['={"o":{"i~/d":"1"},"n":1}', '={"o":{"i~/d":"1"},"n":2}', '={"o":{"i~/d":2},"o":{"i~/d":3}}']]);
    await pull(items, [['={"o":{"i~/d":1},"n":3}']]);
    assert.equal(
      (await sql('SELECT item::VARCHAR AS item FROM s.t ORDER BY 1')).map(({ item }) => item),
      ['{"o":{"i~/d":1},"n":3}', '{"o":{"i~/d":2},"o":{"i~/d":3}}'],
    );
    for (const item of [{}, { o: 1 }, { o: { 'i~/d': [] } }, 5]) {
      await rejection(
        pull(items, [[item]]),
        'ERR_SINK',
        /the item has no key "o.i~\/d" \(item 0 of the page, from 0\)/,
      );
    }
  }),
);

test(
  'columns of other types stay, and a value that does not fit has its place',
  inDatabase(async ({ pull, sql, types, dir }) => {
    await sql(
      `CREATE TABLE t (id UTINYINT, "at" TIMESTAMP, list VARCHAR[], owner VARCHAR NOT NULL, flag VARCHAR NOT NULL DEFAULT 'f')`,
    );
    await pull({}, [
      [
        { id: 1, at: '2026-01-02T03:04:05Z', owner: 'me', list: ['a', 'b'] },
        { id: 2, owner: 'me' },
      ],
    ]);
    const before = await sql('SELECT id, "at"::VARCHAR AS "at", list::VARCHAR AS list, flag FROM t');
    assert.equal(before, [
      { id: 1, at: '2026-01-02 03:04:05', list: '[a, b]', flag: 'f' },
      { id: 2, at: null, list: null, flag: 'f' },
    ]);
    const fine = Array.from({ length: 3 }, () => ({ id: 5, owner: 'x' }));
    const faults: readonly (readonly [item: unknown, message: RegExp])[] = [
      [{ id: 700, owner: 'x' }, /column "id" of the type UTINYINT, item 2 of the page, from 0\): a value does not fit/],
      [{ id: -1, owner: 'x' }, /column "id" of the type UTINYINT, item 2 of the page/],
      [
        { at: 'secret', owner: 'x' },
        /table "t", column "at" of the type TIMESTAMP, item 2 of the page, from 0\): a value does not fit the type of its column$/,
      ],
      [{ list: 'x', owner: 'x' }, /column "list" of the type VARCHAR\[\], item 2 of the page/],
      [{ id: 1 }, /column "owner" of the type VARCHAR, item 2 of the page, from 0\): the column "owner" needs a value/],
      [{ id: 1.5, owner: 'x' }, /the column "id" of the table "t" is UTINYINT, and a value has a fraction \(item 2/],
    ];
    for (const [item, message] of faults) {
      const error = await rejection(
        pull({ mode: 'append' }, [fine, [...fine.slice(1), item, ...fine]]),
        'ERR_SINK',
        message,
      );
      assert.equal([error.where.job, error.where.page], ['job', 1]);
      assert.not.match(error.message, /secret/);
    }
    assert.equal(await sql('SELECT id, "at"::VARCHAR AS "at", list::VARCHAR AS list, flag FROM t'), before);
    assert.match(await types(), /^id UTINYINT, at TIMESTAMP, list VARCHAR\[\]/);
    assert.equal(readdirSync(dir), ['out.db']);
  }),
);

test(
  'a table of another shape, or that may not be changed, is an error before the first item where it can be',
  inDatabase(async ({ pull, sql }) => {
    const fixed = { create: false } as const;
    await sql('CREATE TABLE t (id BIGINT PRIMARY KEY, note VARCHAR); INSERT INTO t VALUES (1, NULL)');
    await sql('CREATE SCHEMA s; CREATE VIEW s.t AS SELECT 1 AS a; CREATE SCHEMA v; CREATE TABLE v.t (item VARCHAR)');
    await sql('CREATE SCHEMA w; CREATE TABLE w.t (item JSON, n INT NOT NULL); CREATE INDEX i ON t (note)');
    await pull(fixed, [[{ id: 5 }]]);
    const cases: readonly (readonly [
      given: Parameters<Lent['pull']>[0],
      items: readonly unknown[],
      message: RegExp,
    ])[] = [
      [{ schema: 's' }, [], /^duckdb: "s.t" is a view, and no table$/],
      [{ columns: 'item' }, [], /the table "t" has no column "item": it has another shape$/],
      [{ columns: 'item', schema: 'v' }, [], /the column "item" of the table "v.t" is VARCHAR, expected JSON$/],
      [{ columns: 'item', schema: 'w' }, [], /the column "n" of the table "w.t" needs a value/],
      [{ ...fixed, schema: 'none' }, [], /^duckdb: there is no schema "none", and create=false$/],
      [
        fixed,
        [{ id: 1 }, { more: 1 }],
        /the table "t" has no column "more", and create=false \(item 1 of the page, from 0\)$/,
      ],
      [
        fixed,
        [{ id: 'x' }],
        /the column "id" of the table "t" is BIGINT and cannot hold a value of the kind text, and create=false/,
      ],
      [fixed, ['={"id":1.5}'], /BIGINT and cannot hold a value of the kind decimal/],
      [
        { mode: 'append' },
        [{ id: 5 }],
        /cannot publish \(table "t", column "id", item 0 of the page, from 0\): an item has the key of another row \(PRIMARY KEY or UNIQUE\)$/,
      ],
      [
        {},
        [{ id: 'x' }],
        /the column "id" of the table "t" is BIGINT and cannot hold a value of the kind text, and an index or a constraint depends on it \(item 0/,
      ],
    ];
    for (const [given, items, message] of cases) await rejection(pull(given, [items]), 'ERR_SINK', message);
    await sql('DROP TABLE t');
    await rejection(pull(fixed, []), 'ERR_SINK', /^duckdb: there is no table "t", and create=false$/);
  }),
);

test(
  'a database that cannot be used is one error before the first request',
  inClosedDatabase(async ({ dir, sql, file, sink }) => {
    const begin = (uri: string) => async () => sinkFromUri(uri).resume?.(earlierOf());
    const check = (uri: string) => async () => sinkFromUri(uri).check?.();
    const uri = (name: string) => `duckdb:${join(dir, name)}`;
    writeFileSync(join(dir, 'text.db'), 'no database'.repeat(100));
    const [table, list] = ['id,name\n1,Ada\n', '[{"id":1}]'];
    writeFileSync(join(dir, 'table.csv'), table);
    writeFileSync(join(dir, 'list.json'), list);
    mkdirSync(join(dir, 'folder'));
    const cases: readonly (readonly [uri: string, message: RegExp])[] = [
      [uri('text.db'), /^duckdb: cannot open the database ".*text.db": the file is no database of DuckDB$/],
      // DuckDB would open these in memory, and lose the rows.
      [uri('table.csv'), /table.csv": the file is no database of DuckDB$/],
      [uri('list.json'), /list.json": the file is no database of DuckDB$/],
      [uri('folder'), /: it is a folder$/],
      [`${uri('none.db')}?create=false`, /^duckdb: there is no database ".*none.db", and create=false$/],
    ];
    for (const [address, message] of cases) {
      await rejection(begin(address), 'ERR_SINK', message);
      await rejection(check(address), 'ERR_SINK', message);
    }
    assert.equal(
      [readFileSync(join(dir, 'table.csv'), 'utf8'), readFileSync(join(dir, 'list.json'), 'utf8')],
      [table, list],
    );
    await rejection(begin(uri('table.csv/a.db')), 'ERR_SINK', /^cannot create the folder ".*table.csv": /);
    await rejection(check(uri('table.csv/a/b.db')), 'ERR_SINK', /^cannot create the database ".*b.db": /);
    await check(uri('new.db'))();
    assert.not.ok(existsSync(join(dir, 'new.db')));
    await sql('CREATE TABLE a (b INT)');
    await check(`duckdb:${file}?schema=other`)();
    await rejection(check(`duckdb:${file}?schema=other&create=false`), 'ERR_SINK', /there is no schema "other"/);
    assert.equal(await sql("SELECT 1 FROM duckdb_schemas() WHERE schema_name = 'other'"), []);
    const first = sink();
    await first.resume?.(earlierOf());
    const { status, stderr } = spawnSync(
      process.execPath,
      ['dist/src/cli/main.js', 'run', 'examples/005-pagenum/config.json', '--to', `duckdb:${file}`],
      { encoding: 'utf8' },
    );
    await first.abort(undefined);
    assert.is(status, 1, stderr);
    assert.match(
      stderr,
      new RegExp(`another process has it open \\(.*PID ${process.pid}\\): DuckDB lets one process write`),
    );
  }),
);

test(
  'missing folders of a database are made when the run begins, and not by a check',
  inFolder(async (dir) => {
    const uri = `duckdb:${join(dir, 'a', 'b', 'out.db')}`;
    await sinkFromUri(uri).check?.();
    assert.not.ok(existsSync(join(dir, 'a')));
    const sink = sinkFromUri(uri);
    await sink.resume?.(earlierOf({ isStored: false }));
    await sink.open?.('t', 'job');
    await put(sink, 0, [{ id: 1 }]);
    await sink.close();
    assert.ok(existsSync(join(dir, 'a', 'b', 'out.db')));
  }),
);

test(
  'what a run appends is there once, if it ended after its commit',
  inDatabase(async ({ dir, sink, sql }) => {
    const staging = join(dir, 'out.db.rxtract');
    const first = sink({ mode: 'append' });
    await first.resume?.(earlierOf());
    await first.open?.('t', 't');
    const checkpoint = await put(first, 0, [{ id: 1 }, { id: 2 }]);
    await put(first, 1, [{ id: 3, lost: 1 }]);
    await first.durable?.();
    await first.abort(undefined);
    const left = new Map<string, Exact>([['t', checkpoint ?? null]]);
    const again = (epoch: number, phase: 'writing' | 'publishing') => earlierOf({ epoch, phase, checkpoints: left });
    await rejection(
      async () => sink({ columns: 'item' }).resume?.(again(2, 'writing')),
      'ERR_RESUME',
      /with other options/,
    );
    const second = sink({ mode: 'append' });
    await second.resume?.(again(2, 'writing'));
    await second.open?.('t', 't');
    left.set('t', (await put(second, 1, [{ id: 'x' }])) ?? null);
    cpSync(staging, `${staging}.copy`, { recursive: true });
    await second.close();
    assert.not.ok(existsSync(staging));
    cpSync(`${staging}.copy`, staging, { recursive: true });
    const third = sink({ mode: 'append' });
    await third.resume?.(again(3, 'publishing'));
    await third.open?.('t', 't');
    await third.close();
    assert.equal(await sql('SELECT * FROM t'), [{ id: '1' }, { id: '2' }, { id: 'x' }]);
    assert.is(third.summary?.()[0]?.items, 3);
    assert.not.ok(existsSync(staging));
    assert.equal(await sql('SELECT run FROM rxtract.published'), [{ run: 'run-0000-0000-00' }]);
    await sql('UPDATE rxtract.published SET ended = 0');
    const next = sink();
    await next.resume?.(earlierOf({ run: 'run-0000-0000-01' }));
    await next.close();
    assert.equal(await sql('SELECT run FROM rxtract.published'), [{ run: 'run-0000-0000-01' }]);
  }),
);

test(
  'a process that begins after the end of its run, or after another run replaced it, is refused',
  inDatabase(async ({ sink, sql }) => {
    const late = (part: Partial<Earlier>) => sink({ mode: 'append' }).resume?.(earlierOf({ run: 'done', ...part }));
    const newer = sink({ mode: 'append' });
    await newer.resume?.(earlierOf({ run: 'done', epoch: 2 }));
    await newer.open?.('t', 't');
    await put(newer, 0, [{ id: 1 }]);
    await newer.close();
    await rejection(async () => late({}), 'ERR_RESUME', /the run "done" has ended/);
    const next = sink({ mode: 'append' });
    await next.resume?.(earlierOf({ run: 'next', replaces: ['never-begun'] }));
    await next.close();
    await rejection(async () => late({ run: 'never-begun' }), 'ERR_RESUME', /the run "never-begun" has ended/);
    assert.is((await sql('SELECT * FROM t')).length, 1);
    const runs = await sql('SELECT run FROM rxtract.published ORDER BY run');
    assert.equal(
      runs.map(({ run }) => run),
      ['done', 'never-begun', 'next'],
    );
  }),
);

test(
  'rows of several staged files keep their order through a resume, and a refused item its place',
  inDatabase(async ({ dir, sink, sql }) => {
    await sql('CREATE TABLE t (id BIGINT, "at" TIMESTAMP)');
    const text = `${'text, "quoted"\nand on. '.repeat(40)}`;
    const page = (from: number, fault?: number) =>
      Array.from({ length: 1000 }, (_, n) => ({ id: from + n, text, ...(n === fault ? { at: 'x' } : {}) }));
    const append = { mode: 'append' } as const;
    const first = sink(append);
    await first.resume?.(earlierOf());
    const left = new Map<string, Exact>();
    for (let n = 0; n < 7; n++) left.set('t', (await put(first, n, page(n * 1000))) ?? null);
    for (let n = 7; n < 12; n++) await first.write(batchIn(7, page(n * 1000)), calm);
    await first.durable?.();
    await first.abort(undefined);
    const staged = readdirSync(join(dir, 'out.db.rxtract', 'run-0000-0000-00'));
    assert.ok(staged.length > 2, staged.join(', '));
    const second = sink(append);
    await second.resume?.(earlierOf({ epoch: 2, checkpoints: left }));
    for (let n = 7; n < 10; n++) left.set('t', (await put(second, n, page(n * 1000))) ?? null);
    await second.write(batchIn(10, page(10_000)), calm);
    await second.rollback?.('t');
    left.set('t', (await put(second, 10, page(10_000, 5))) ?? null);
    const place = /table "t", column "at" of the type TIMESTAMP, item 5 of the page, from 0\)/;
    const error = await rejection(second.close(), 'ERR_SINK', place);
    assert.is(error.where.page, 10);
    await second.abort(error);
    await sql('ALTER TABLE t ALTER COLUMN "at" SET DATA TYPE VARCHAR');
    const third = sink(append);
    await third.resume?.(earlierOf({ epoch: 3, phase: 'publishing', checkpoints: left }));
    await third.close();
    assert.is(third.summary?.()[0]?.items, 11_000);
    const other = `count(*) FILTER (id <> rowid OR text <> ${literal(text)})::INT AS other`;
    assert.equal(await sql(`SELECT count(*)::INT AS rows, ${other}, max("at") AS "at" FROM t`), [
      { rows: 11_000, other: 0, at: 'x' },
    ]);
    assert.not.ok(existsSync(join(dir, 'out.db.rxtract')));
  }),
);

test(
  'merge: the last item with a key counts, also in another staged file',
  inDatabase(async ({ pull, sql }) => {
    const text = 'x'.repeat(1000);
    const pages = Array.from({ length: 6 }, (_, n) => Array.from({ length: 1000 }, (__, id) => ({ id, n, text })));
    await pull({ mode: 'merge', key: 'id' }, pages);
    assert.equal(await sql('SELECT count(*)::INT AS rows, min(n)::INT AS least FROM t'), [{ rows: 1000, least: 5 }]);
  }),
);

test(
  'decimals of up to 38 digits are loaded with each digit',
  inDatabase(async ({ pull, sql, types }) => {
    const columns: readonly (readonly [type: string, texts: readonly string[]])[] = [
      [
        'DECIMAL(38,16)',
        ['-9999999999999999999999.9999999999999999', '0.1', '-0.5', '7', '-12', '1.50', '25e-1', '-1E3'],
      ],
      ['DECIMAL(38,38)', ['0.00000000000000000000000000000000000001', '-0.99999999999999999999999999999999999999']],
      ['DECIMAL(38,1)', ['1234567890123456789012345678901234567.8', '-0.0', '0', '-3', '10.5']],
    ];
    for (const [type, texts] of columns) {
      await pull({}, [texts.map((text) => `={"a":${text}}`)]);
      assert.is(await types(), `a ${type}`);
      const wanted = texts.map((text) => `SELECT CAST('${text}' AS ${type})::VARCHAR AS a`).join(' UNION ALL ');
      assert.equal(await sql('SELECT a::VARCHAR AS a FROM t'), await sql(wanted));
      await sql('DROP TABLE t');
    }
  }),
);

test(
  'a page that is rolled back adds no column, and widens none',
  inDatabase(async ({ sink, types }) => {
    const one = sink();
    await one.resume?.(earlierOf({ isStored: false }));
    await put(one, 0, [{ a: 1 }]);
    await one.write(batchIn(1, [{ a: 'x', b: 1 }]), calm);
    await one.rollback?.('t');
    await one.write(batchIn(1, [{ c: 1, a: 2 }]), calm);
    await one.commit?.(pageEnd('t', { page: 1, count: 1 }), calm);
    await one.close();
    assert.is(await types(), 'a BIGINT, c BIGINT');
  }),
);

test(
  'a run removes what dead runs have staged, and keeps what may be resumed',
  inDatabase(async ({ dir, sink }) => {
    const staging = join(dir, 'out.db.rxtract');
    for (const name of ['dead.tmp', 'replaced', 'other', 'run-0000-0000-00'])
      mkdirSync(join(staging, name), { recursive: true });
    const one = sink();
    await one.resume?.(earlierOf({ replaces: ['replaced'] }));
    assert.equal(readdirSync(staging), ['other']);
    await one.abort(undefined);
  }),
);

test(
  'a thousand columns, and rows without a value',
  inDatabase(async ({ pull, sql }) => {
    const wide = Array.from({ length: 200 }, (_, row) =>
      Object.fromEntries(Array.from({ length: 10 }, (__, n) => [`c${(row * 10 + n) % 1200}`, row])),
    );
    const made = await pull({}, [wide, [{ c1199: 'late' }, { c1199: 'x'.repeat(3_000_000) }]]);
    assert.equal([made?.columns, made?.changed], [1200, [{ column: 'c1199', from: 'BIGINT', to: 'VARCHAR' }]]);
    assert.equal(await sql('SELECT count(*) AS rows, max(length(c1199)) AS longest FROM t'), [
      { rows: 202n, longest: 3_000_000n },
    ]);
    await pull({ schema: 'e' }, [[{}, null, { a: {} }]]);
    assert.equal(await sql('SELECT * FROM e.t'), [{ value: null }, { value: null }, { value: null }]);
    await pull({ schema: 'e', mode: 'append' }, [[{}]]);
    assert.equal(await sql('SELECT count(*) AS rows FROM e.t'), [{ rows: 4n }]);
    await pull({ schema: 'f', columns: 'item' }, []);
    assert.equal(await sql('SELECT * FROM f.t'), []);
  }),
);

test.run();
