import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { sinkFromUri } from '../../../sinks/registry.js';
import type { Exact } from '../../../src/core/json/exact.js';
import { calm, earlierOf, rejection } from '../lib.js';
import { batchIn, inDatabase, type Lent, put } from './lib.js';

const lists = { lists: 'tables', key: 'id' } as const;

/** The rows of a table as JSON texts, in the order of their columns. */
const rowsIn = async ({ sql }: Lent, table: string, order: string) =>
  (await sql(`SELECT to_json(t)::VARCHAR AS row FROM ${table} AS t ORDER BY ${order}`)).map(({ row }) => String(row));

/** `1.0 a`: the key of the item, the place, the value of each row. */
const tagsIn = async ({ sql }: Lent) =>
  (await sql("SELECT concat_ws(' ', t__id, tags__position, value) AS row FROM t__tags ORDER BY ALL")).map(
    ({ row }) => row,
  );

test(
  'a list is a table, which refers to its items and to the elements around it',
  inDatabase(async (lent) => {
    const items = [
      {
        id: 1,
        at: { city: 'Brno' },
        lines: [
          { sku: 'a', tags: ['x', 'y'] },
          { sku: 'b', price: 1.5 },
        ],
      },
      { id: 2, lines: [] },
      { id: 3, lines: [{ sku: 'c', tags: ['z'] }] },
    ];
    await lent.pull(lists, [items.slice(0, 2), items.slice(2)]);
    assert.is(await lent.types(), 'id BIGINT, at__city VARCHAR');
    assert.is(await lent.types('t__lines'), 't__id BIGINT, lines__position BIGINT, sku VARCHAR, price DECIMAL(18,1)');
    const joined = await lent.sql(`SELECT t.id, l.sku, g.value AS tag FROM t JOIN t__lines AS l ON l.t__id = t.id
      LEFT JOIN t__lines__tags AS g USING (t__id, lines__position) ORDER BY ALL`);
    assert.equal(
      joined.map(({ id, sku, tag }) => `${id} ${sku} ${tag}`),
      ['1 a x', '1 a y', '1 b null', '3 c z'],
    );
    const record = await lent.sql(
      'SELECT table_name AS name, owner_name AS owner, reference FROM rxtract.lists ORDER BY ALL',
    );
    assert.equal(record, [
      { name: 't__lines', owner: 't', reference: '["t__id"]' },
      { name: 't__lines__tags', owner: 't', reference: '["t__id"]' },
    ]);
  }),
);

test(
  'without a key items have an id; mode=replace removes the rows of lists that are gone, mode=append keeps them',
  inDatabase(async (lent) => {
    const given = { lists: 'tables' } as const;
    await lent.pull(given, [[{ tags: ['a'], l: [1] }, { tags: ['b'] }]]);
    assert.is(await lent.types('t'), 'row_id VARCHAR');
    await lent.pull({ ...given, mode: 'append' }, [[{ tags: ['a'] }]]);
    const ids = await lent.sql('SELECT count(DISTINCT t.row_id)::INT AS n FROM t JOIN t__tags ON t__row_id = t.row_id');
    assert.equal(ids, [{ n: 3 }]);
    await lent.pull(given, [[{ tags: ['c'] }]]);
    assert.equal(await lent.sql('SELECT value FROM t__tags'), [{ value: 'c' }]);
    assert.equal(await lent.sql('SELECT * FROM t__l'), []);
  }),
);

test(
  'mode=merge replaces the rows of an item in all lists, by those of the last item with the key',
  inDatabase(async (lent) => {
    const merge = { ...lists, mode: 'merge' } as const;
    await lent.pull(merge, [
      [
        { id: 1, tags: ['a', 'b'], more: [1] },
        { id: 2, tags: ['c'], more: [2] },
        { id: 3, tags: ['d'] },
      ],
    ]);
    assert.equal(await tagsIn(lent), ['1 0 a', '1 1 b', '2 0 c', '3 0 d']);
    // 1 loses its tags, 2 comes three times, 4 is new and has none in the end, and no item has `more`.
    const pages = [
      [{ id: 1 }, { id: 2, tags: ['x', 'y'] }],
      [{ id: 2 }, { id: 4, tags: ['q'] }, { id: 2, tags: ['z'] }],
      [{ id: 4 }],
    ];
    await lent.pull(merge, pages);
    assert.equal(await tagsIn(lent), ['2 0 z', '3 0 d']);
    assert.equal(await lent.sql('SELECT * FROM t__more'), []);
    assert.equal(
      (await lent.sql('SELECT id FROM t ORDER BY id')).map(({ id }) => Number(id)),
      [1, 2, 3, 4],
    );
    // The key gets another type, and its references with it.
    await lent.pull(merge, [
      [
        { id: 'x', tags: ['t'] },
        { id: 3, tags: ['e'] },
      ],
    ]);
    assert.equal(await tagsIn(lent), ['2 0 z', '3 0 e', 'x 0 t']);
    assert.match(await lent.types('t__tags'), /^t__id VARCHAR,/);
  }),
);

test(
  'mode=mirror removes the rows of items that a complete run does not have; with `deleted` they stay with their item',
  inDatabase(async (lent) => {
    const mirror = async (given: object, items: readonly unknown[], isComplete: boolean) => {
      const sink = lent.sink({ ...lists, mode: 'mirror', ...given });
      await sink.resume?.(earlierOf({ isStored: false }));
      await sink.open?.('t', 'job');
      await put(sink, 0, items);
      await sink.close({ keep: new Set(), complete: new Set(isComplete ? ['t'] : []) });
      return sink.summary?.().map(({ dataType, items: count }) => `${dataType} ${count}`);
    };
    await mirror(
      {},
      [
        { id: 1, tags: ['a'] },
        { id: 2, tags: ['b'] },
        { id: 3, tags: ['c'] },
      ],
      true,
    );
    assert.equal(await mirror({}, [{ id: 1, tags: ['x', 'y'] }], false), ['t 1', 't__tags 2']);
    assert.equal(await tagsIn(lent), ['1 0 x', '1 1 y', '2 0 b', '3 0 c']);
    await mirror({}, [{ id: 1, tags: ['x'] }, { id: 2 }], true);
    assert.equal(await tagsIn(lent), ['1 0 x']);
    await mirror({ deleted: 'gone' }, [{ id: 2, tags: ['z'] }], true);
    assert.equal(await tagsIn(lent), ['1 0 x', '2 0 z']);
  }),
);

test(
  'a resume has each row once, in lists of which nothing was committed too',
  inDatabase(async (lent) => {
    const create = () => lent.sink(lists);
    const first = create();
    await first.resume?.(earlierOf());
    await first.open?.('t', 'job');
    const checkpoint = await put(first, 0, [{ id: 1, tags: ['a'] }]);
    await first.write(batchIn(1, [{ id: 2, tags: ['lost'], lost: [1] }]), calm);
    await first.durable?.();
    await first.abort(undefined);
    const checkpoints = new Map<string, Exact>([['t', checkpoint ?? null]]);
    for (const other of ['lists=tables:2&key=id', 'lists=tables', ''])
      await rejection(
        async () => sinkFromUri(`duckdb:${lent.file}?${other}`).resume?.(earlierOf({ epoch: 2, checkpoints })),
        'ERR_RESUME',
        /with other options/,
      );
    const second = create();
    await second.resume?.(earlierOf({ epoch: 2, checkpoints }));
    await second.open?.('t', 'job');
    await second.write(batchIn(1, [{ id: 9, tags: ['z'], l: [1] }]), calm);
    await second.rollback?.('t');
    await put(second, 1, [{ id: 2, tags: ['b'] }]);
    await second.close();
    assert.equal(await tagsIn(lent), ['1 0 a', '2 0 b']);
    assert.equal(
      second.summary?.().map(({ dataType, items }) => [dataType, items]),
      [
        ['t', 2],
        ['t__tags', 2],
        ['t__l', 0],
      ],
    );
    assert.equal(await rowsIn(lent, 't__l', '1').catch(() => []), []);
  }),
);

test(
  'an item that is refused has no rows in its lists, and is reported as it was',
  inDatabase(async (lent) => {
    await lent.sql('CREATE TABLE t (id INT CHECK (id < 10))');
    const refused: unknown[] = [];
    const sink = lent.sink(lists);
    await sink.resume?.(earlierOf({ isStored: false }));
    await sink.open?.('t', 'job', {
      onItemError: ({ batch, index, reason }) => void refused.push([batch.values()[index], reason]),
    });
    const items = [{ tags: ['none'] }, { id: 1, tags: ['a'] }, { id: 20, tags: ['b'] }, { id: 2, tags: ['c'] }];
    await put(sink, 0, items);
    await sink.close();
    assert.equal(await tagsIn(lent), ['1 0 a', '2 0 c']);
    assert.equal(refused, [
      [items[0], 'has a list, and no value at "id": rows of lists refer to the key'],
      [items[2], 'cannot be stored (table "t", column "id"): an item breaks a CHECK constraint'],
    ]);
  }),
);

test(
  'an item without its key, a row of a list that is refused, and names of two tables end the run with their place',
  inDatabase(async ({ sink, sql }) => {
    const begun = async () => {
      const made = sink(lists);
      await made.resume?.(earlierOf({ isStored: false }));
      return made;
    };
    const keyless = await begun();
    await keyless.open?.('t', 'job');
    await rejection(
      put(keyless, 0, [{ id: 1 }, { tags: [1] }]),
      'ERR_SINK',
      /^duckdb: item 1 of the page \(from 0\) has a list, and no value at "id"/,
    );
    await keyless.abort(undefined);
    await sql('CREATE TABLE t__tags (t__id INT, tags__position INT, value INT CHECK (value < 10))');
    const row = await begun();
    await row.open?.('t', 'job', { onItemError: () => {} });
    await rejection(
      put(row, 0, [{ id: 1, tags: [1, 12] }]),
      'ERR_SINK',
      /^duckdb: item 1 of the page \(from 0\) in the table "t__tags" .*CHECK/,
    );
    await row.abort(undefined);
    const taken = await begun();
    await taken.open?.('t', 'job');
    await taken.open?.('t__l', 'other');
    await rejection(
      put(taken, 0, [{ id: 1, l: [1] }]),
      'ERR_SINK',
      /^"t__l" would be the table of a list of "t", and of/,
    );
    await taken.abort(undefined);
    const late = await begun();
    await late.open?.('t', 'job');
    await put(late, 0, [{ id: 1, l: [1] }]);
    await rejection(
      async () => late.open?.('t__l', 'other'),
      'ERR_SINK',
      /^"t__l" would be the table of a list of "t"/,
    );
    await late.abort(undefined);
  }),
);

test(
  'mode=merge replaces the rows of a table of your own, with its constraints',
  inDatabase(async (lent) => {
    await lent.sql(`CREATE TABLE t__tags (t__id BIGINT NOT NULL, tags__position BIGINT NOT NULL,
      value VARCHAR NOT NULL CHECK (value <> 'no'))`);
    await lent.sql("INSERT INTO t__tags VALUES (1, 0, 'old'), (2, 0, 'other')");
    const sink = lent.sink({ ...lists, mode: 'merge' });
    await sink.resume?.(earlierOf({ isStored: false }));
    await sink.open?.('t', 'job', { onItemError: () => {} });
    await put(sink, 0, [
      { id: 1, tags: ['a', 'b'] },
      { id: 3, tags: ['x'] },
      { id: 3, tags: ['c'] },
    ]);
    await sink.close();
    assert.equal(await tagsIn(lent), ['1 0 a', '1 1 b', '2 0 other', '3 0 c']);
  }),
);

test('options that do not go together are errors', () => {
  const cases: readonly (readonly [options: string, message: RegExp])[] = [
    ['lists=tables&columns=item', /lists=tables needs columns=typed/],
    ['lists=tables&mode=history&key=id', /lists=tables needs another mode than history/],
    ['key=id', /key needs mode=merge/],
    ['lists=tables&key=', /key/],
    ['lists=tables:0', /lists: expected json, tables, or tables:2/],
  ];
  for (const [options, message] of cases) assert.throws(() => sinkFromUri(`duckdb:a.db?${options}`), message);
});

test.run();
