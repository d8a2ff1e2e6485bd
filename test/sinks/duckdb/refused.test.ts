/** Items that an existing table refuses are left out, each with its reason; the others arrive once. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { refusingRules } from '../../../sinks/conformance/refusing.js';
import { checkRules } from '../../../sinks/conformance.js';
import type { RefusedItem, Sink } from '../../../sinks/contract.js';
import type { Exact } from '../../../src/core/json/exact.js';
import { calm, earlierOf } from '../lib.js';
import { batchIn, type Given, inClosedDatabase, inDatabase, put } from './lib.js';

type Refused = readonly (readonly [page: number, item: number, reason: string])[];

/** Writes pages of values into the table `t`, and returns what was refused. */
async function pulled(sink: Sink, pages: readonly (readonly unknown[])[]): Promise<Refused> {
  const refused: [number, number, string][] = [];
  await sink.resume?.(earlierOf({ isStored: false }));
  await sink.open?.('t', 'job', opening(refused));
  for (const [page, items] of pages.entries()) await put(sink, page, items);
  await sink.close();
  return refused;
}

const opening = (refused: [number, number, string][]) => ({
  onFailure: (thrown: unknown) => assert.unreachable(String(thrown)),
  onItemError: ({ batch, index, reason }: RefusedItem) => void refused.push([batch.page, batch.offset + index, reason]),
});

interface Case {
  readonly what: string;
  readonly table: string;
  readonly given?: Given;
  readonly pages: readonly (readonly unknown[])[];
  readonly refused: readonly (readonly [page: number, item: number, reason: RegExp])[];
  /** As JSON. */
  readonly rows: readonly string[];
}

const cases: readonly Case[] = [
  {
    what: 'a value that does not fit a type that is never changed',
    table: 'CREATE TABLE t (id BIGINT, day DATE)',
    pages: [[{ id: 1, day: '2026-01-02' }, { id: 2, day: 'secret' }, { id: 3 }], [{ id: 4, day: 5 }]],
    refused: [
      [0, 1, /^cannot be stored \(table "t", column "day" of the type DATE\): a value does not fit the type/],
      [1, 0, /"day"/],
    ],
    rows: ['{"id":1,"day":"2026-01-02"}', '{"id":3,"day":null}'],
  },
  {
    what: 'a required column without a value, and one with a default',
    table: `CREATE TABLE t (id BIGINT, owner VARCHAR NOT NULL, state VARCHAR NOT NULL DEFAULT 'new')`,
    pages: [
      [{ id: 1 }, { id: 2, owner: 'me', state: 'old' }],
      [
        { id: 3, owner: null },
        { id: 4, owner: 'you' },
      ],
    ],
    refused: [
      [0, 0, /column "owner" of the type VARCHAR\): the column "owner" needs a value/],
      [1, 0, /needs a value/],
    ],
    rows: ['{"id":2,"owner":"me","state":"old"}', '{"id":4,"owner":"you","state":"new"}'],
  },
  {
    what: 'a CHECK',
    table: 'CREATE TABLE t (id BIGINT, "from" INTEGER, "to" INTEGER, CHECK ("from" < "to"))',
    pages: [
      [
        { id: 1, from: 1, to: 2 },
        { id: 2, from: 3, to: 2 },
        { id: 3, to: 2 },
        { id: 4, from: 3_000_000_000 },
      ],
    ],
    refused: [
      [0, 1, /^cannot be stored \(table "t", columns "from", "to"\): an item breaks a CHECK constraint$/],
      [0, 3, /"from" of the type INTEGER\): a value does not fit/],
    ],
    rows: ['{"id":1,"from":1,"to":2}', '{"id":3,"from":null,"to":2}'],
  },
  {
    what: 'in a merge a rule of a column that only earlier runs have filled',
    table: `CREATE TABLE t (id BIGINT, a INTEGER, b INTEGER NOT NULL, c INTEGER, CHECK (id > 5 OR a IS NOT NULL), CHECK (c > 0));
      CREATE SCHEMA rxtract; CREATE TABLE rxtract.columns (schema_name VARCHAR, table_name VARCHAR, column_name VARCHAR, member VARCHAR);
      INSERT INTO rxtract.columns VALUES ('main', 't', 'a', 'a'); INSERT INTO t VALUES (1, 1, 1, 1), (9, 9, 9, 9)`,
    given: { mode: 'merge', key: 'id' },
    pages: [
      [
        { id: 1, b: 2 },
        { id: 9, b: 3 },
      ],
    ],
    refused: [[0, 0, /^cannot be stored \(table "t", columns "id", "a"\): an item breaks a CHECK constraint$/]],
    rows: ['{"id":1,"a":1,"b":1,"c":1}', '{"id":9,"a":null,"b":3,"c":9}'],
  },
  {
    what: 'the key of an earlier item, and of a row of the table that stays',
    table:
      'CREATE TABLE t (id BIGINT PRIMARY KEY, a INTEGER, b INTEGER, UNIQUE (a, b)); INSERT INTO t VALUES (9, 9, 9)',
    given: { mode: 'append' },
    pages: [
      [{ id: 1, a: 1, b: 1 }, { id: 1 }, { id: 2, a: 1, b: 1 }, { id: 3, a: 1 }],
      [{ id: 9 }, { id: 2, a: 2, b: 1 }, { id: 4, a: 9, b: 9 }, { id: 5, a: 1 }],
    ],
    refused: [
      [0, 1, /column "id"\): an item has the key of another row/],
      [0, 2, /columns "a", "b"\)/],
      [1, 0, /"id"/],
      [1, 2, /"a", "b"/],
    ],
    rows: [
      '{"id":9,"a":9,"b":9}',
      '{"id":1,"a":1,"b":1}',
      '{"id":3,"a":1,"b":null}',
      '{"id":2,"a":2,"b":1}',
      '{"id":5,"a":1,"b":null}',
    ],
  },
  {
    what: 'with create=false, members and values for which the table would have to be changed',
    table: 'CREATE TABLE t (id INTEGER, price DECIMAL(6,2))',
    given: { create: false },
    pages: [
      [{ id: 1, price: 1.5 }, { id: 2, more: 1 }, { id: 2_000_000_000 }],
      [{ id: 3, price: 1.125 }, { id: 'x' }, { id: 4, price: 2 }],
    ],
    refused: [
      [0, 1, /^the table "t" has no column "more", and create=false$/],
      [1, 0, /^the column "price" of the table "t" is DECIMAL\(6,2\) and cannot hold a value of the kind decimal/],
      [
        1,
        1,
        /^the column "id" of the table "t" is INTEGER and cannot hold a value of the kind text, and create=false$/,
      ],
    ],
    rows: ['{"id":1,"price":1.5}', '{"id":2000000000,"price":null}', '{"id":4,"price":2.0}'],
  },
  {
    what: 'with mode=merge, an item without the key',
    table: 'CREATE TABLE t (id BIGINT PRIMARY KEY, a VARCHAR, kept VARCHAR NOT NULL)',
    given: { mode: 'merge', key: 'id' },
    pages: [[{ id: 1, a: 'x', kept: 'k' }, { a: 'y', kept: 'k' }, { id: 1, a: 'z', kept: 'k' }, { id: 2 }]],
    refused: [
      [0, 1, /^has no key "id"$/],
      [0, 3, /the column "kept" needs a value/],
    ],
    rows: ['{"id":1,"a":"z","kept":"k"}'],
  },
];

for (const { what, table, given, pages, refused, rows } of cases) {
  test(
    `is left out: ${what}`,
    inDatabase(async ({ sink, sql }) => {
      await sql(table);
      const found = await pulled(sink(given), pages);
      assert.equal(
        found.map(([page, item]) => [page, item]),
        refused.map(([page, item]) => [page, item]),
        JSON.stringify(found),
      );
      for (const [index, [, , reason]] of refused.entries()) {
        assert.match(found[index]?.[2] ?? '', reason);
        assert.not.match(found[index]?.[2] ?? '', 'secret');
      }
      assert.equal(
        (await sql('SELECT CAST(to_json(t) AS VARCHAR) AS row FROM t')).map(({ row }) => row),
        rows,
      );
    }),
  );
}

test(
  'a new table refuses items without the key, and columns of refused items are none',
  inDatabase(async ({ sink, sql, types }) => {
    const out = sink({ mode: 'merge', key: 'id' });
    const found = await pulled(out, [[{ name: 'x', only: 1 }], [{ id: 1, name: 'a' }, { more: 1 }, { id: 2 }]]);
    assert.equal(
      found.map(([page, item]) => [page, item]),
      [
        [0, 0],
        [1, 1],
      ],
    );
    assert.is(await types(), 'id BIGINT, name VARCHAR');
    assert.equal(await sql('SELECT count(*)::INT AS n FROM t'), [{ n: 2 }]);
    assert.is(out.summary?.()[0]?.items, 2);
  }),
);

test(
  'a key counts again after a rollback, and a resume knows the keys of its pages',
  inDatabase(async ({ sink, sql }) => {
    await sql('CREATE TABLE t (id BIGINT PRIMARY KEY)');
    const refused: [number, number, string][] = [];
    const first = sink();
    await first.resume?.(earlierOf());
    await first.open?.('t', 'job', opening(refused));
    const checkpoint = (await put(first, 0, [{ id: 1 }, { id: 1 }])) ?? null;
    await first.write(batchIn(1, [{ id: 2 }]), calm);
    await first.rollback?.('t');
    await first.rollback?.('t');
    await first.write(batchIn(1, [{ id: 2 }, { id: 3 }]), calm);
    await first.abort(undefined);
    assert.equal(refused.splice(0).length, 1);
    const second = sink();
    await second.resume?.(earlierOf({ epoch: 2, checkpoints: new Map<string, Exact>([['t', checkpoint]]) }));
    await second.open?.('t', 'job', opening(refused));
    await put(second, 1, [{ id: 2 }, { id: 1 }, { id: 3 }]);
    await second.close();
    assert.equal(
      refused.map(([page, item]) => [page, item]),
      [[1, 1]],
    );
    assert.equal(
      (await sql('SELECT id::INT AS id FROM t')).map(({ id }) => id),
      [1, 2, 3],
    );
  }),
);

test(
  'the kit: the other items of a page arrive, and without a rule the run ends',
  inClosedDatabase(async ({ sink, sql }) => {
    const read = async (dataType: string) =>
      (await sql(`SELECT CAST(item AS VARCHAR) AS item FROM "${dataType}"`)).map(({ item }) => String(item));
    const make = () => sink({ columns: 'item', mode: 'merge', key: 'n' });
    const checks = await checkRules(refusingRules, make, read, { refused: { refused: 1 } });
    assert.equal(
      checks.map(({ outcome, reason }) => [outcome, reason]),
      refusingRules.map(() => ['pass', undefined]),
    );
  }),
);

test.run();
