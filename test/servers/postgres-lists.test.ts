/** Lists as tables in a real PostgreSQL: modes, resumes, refused items, and rows joined again. */
import { test as run } from 'uvu';
import * as assert from 'uvu/assert';
import { batchOf } from '../../sinks/batch.js';
import type { Opening, Sink } from '../../sinks/contract.js';
import { sinkFromUri } from '../../sinks/registry.js';
import type { ListForm } from '../../src/core/tables/list-rules.js';
import { calm, earlierOf, rejection } from '../sinks/lib.js';
import { badItems, mustEnd, type Published } from '../sinks/related-tables/bad-items.js';
import { compare, writeShapes } from '../sinks/related-tables/reassembly.js';
import { postgresMissing } from '../support/servers.js';
import { testWhere } from '../where.js';
import { begun } from './lib.js';
import { type Lent, pull, put, typesIn, withPostgres } from './postgres-lib.js';

const test = testWhere(postgresMissing);

const lists = '&lists=tables&key=id';

const rowsIn = async ({ sql }: Lent, text: string) =>
  (
    await sql(
      `SELECT array_to_string(ARRAY(SELECT value FROM json_each_text(to_json(r))), ' ') AS row FROM (${text}) AS r`,
    )
  ).map(({ row }) => row);

/** `1 0 a`: the key of the item, the place, the value. */
const tagsIn = (lent: Lent) => rowsIn(lent, 'SELECT t__id, tags__position, value FROM t__tags ORDER BY t__id::text, 2');

test('lists are tables with references, and rows of several levels join', () =>
  withPostgres(async (lent) => {
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
    await pull(lent, lists, [items.slice(0, 2), items.slice(2)]);
    assert.is(await typesIn(lent, 't'), 'id bigint, at__city text');
    assert.is(await typesIn(lent, 't__lines'), 't__id bigint, lines__position bigint, sku text, price numeric');
    assert.equal(
      await rowsIn(
        lent,
        `SELECT t.id, l.sku, coalesce(g.value, '-') AS tag FROM t JOIN t__lines AS l ON t__id = id
         LEFT JOIN t__lines__tags AS g USING (t__id, lines__position) ORDER BY 1, 2, 3`,
      ),
      ['1 a x', '1 a y', '1 b -', '3 c z'],
    );
  }));

test('without a key items have an id; replace removes rows of lists that are gone, append keeps them', () =>
  withPostgres(async (lent) => {
    await pull(lent, '&lists=tables', [[{ tags: ['a'], l: [1] }, { tags: ['b'] }]]);
    await pull(lent, '&lists=tables&mode=append', [[{ tags: ['a'] }]]);
    assert.equal(await rowsIn(lent, 'SELECT count(DISTINCT row_id) AS n FROM t JOIN t__tags ON t__row_id = row_id'), [
      '3',
    ]);
    await pull(lent, '&lists=tables', [[{ tags: ['c'] }]]);
    assert.equal(await rowsIn(lent, 'SELECT value FROM t__tags'), ['c']);
    assert.equal(await rowsIn(lent, 'SELECT * FROM t__l'), []);
  }));

test('mode=merge replaces the rows of an item in all lists, by those of the last item with the key', () =>
  withPostgres(async (lent) => {
    const merge = `${lists}&mode=merge`;
    await pull(lent, merge, [
      [
        { id: 1, tags: ['a', 'b'], more: [1] },
        { id: 2, tags: ['c'], more: [2] },
        { id: 3, tags: ['d'] },
      ],
    ]);
    assert.equal(await tagsIn(lent), ['1 0 a', '1 1 b', '2 0 c', '3 0 d']);
    await pull(lent, merge, [
      [{ id: 1 }, { id: 2, tags: ['x', 'y'] }],
      [{ id: 2 }, { id: 4, tags: ['q'] }, { id: 2, tags: ['z'] }],
      [{ id: 4 }],
    ]);
    assert.equal(await tagsIn(lent), ['2 0 z', '3 0 d']);
    assert.equal(await rowsIn(lent, 'SELECT * FROM t__more'), []);
    await pull(lent, merge, [
      [
        { id: 'x', tags: ['t'] },
        { id: 3, tags: ['e'] },
      ],
    ]);
    assert.equal(await tagsIn(lent), ['2 0 z', '3 0 e', 'x 0 t']);
    await lent.sql('DELETE FROM rxtract_lists');
    await pull(lent, merge, [[{ id: 3, tags: ['f'] }]]);
    assert.equal(await tagsIn(lent), ['2 0 z', '3 0 f', 'x 0 t']);
  }));

for (const keys of ['', '&foreignKeys=true'])
  test(`mode=mirror${keys} removes the rows of items that a complete run does not have; with \`deleted\` they stay`, () =>
    withPostgres(async (lent) => {
      const mirror = async (more: string, items: readonly unknown[], isComplete: boolean) => {
        const sink = await begun(lent.uri(`?columns=typed${lists}&mode=mirror${keys}${more}`), {
          run: `run${Math.random()}`,
        });
        await sink.open?.('t', 't');
        await put(sink, 't', 0, items);
        await sink.close({ keep: new Set(), complete: new Set(isComplete ? ['t'] : []) });
        return sink.summary?.().map(({ dataType, items: count, columns }) => `${dataType} ${count} ${columns}`);
      };
      await mirror(
        '',
        [
          { id: 1, tags: ['a'] },
          { id: 2, tags: ['b'] },
          { id: 3, tags: ['c'] },
        ],
        true,
      );
      assert.equal(await mirror('', [{ id: 1, tags: ['x', 'y'] }], false), ['t 1 1', 't__tags 2 3']);
      assert.equal(await tagsIn(lent), ['1 0 x', '1 1 y', '2 0 b', '3 0 c']);
      await mirror('', [{ id: 1, tags: ['x'] }, { id: 2 }], true);
      assert.equal(await tagsIn(lent), ['1 0 x']);
      await mirror('&deleted=gone', [{ id: 2, tags: ['z'] }], true);
      assert.equal(await tagsIn(lent), ['1 0 x', '2 0 z']);
    }));

test('a resume has each row once, and publishes lists that only an earlier process has', () =>
  withPostgres(async (lent) => {
    const uri = lent.uri(`?columns=typed${lists}&mode=merge`);
    const earlier = earlierOf({ run: 'run-1' });
    const begin = async (epoch: number): Promise<Sink> => {
      const sink = sinkFromUri(uri);
      await sink.resume?.({ ...earlier, epoch });
      await sink.open?.('t', 't');
      return sink;
    };
    const first = await begin(1);
    await put(first, 't', 0, [{ id: 1, tags: ['a'], l: [{ x: [1] }] }]);
    const lost = { job: 't', run: 'r', walk: '0', page: 1, offset: 0 };
    await first.write(batchOf('t', [{ id: 2, tags: ['lost'], lost: [1] }], lost), calm);
    await first.abort(undefined);
    const second = await begin(2);
    assert.equal([...((await second.positions?.()) ?? [])], [['0', 'k0']]);
    await put(second, 't', 1, [{ id: 1, tags: ['b'] }, { id: 3 }]);
    await second.close();
    assert.equal(await tagsIn(lent), ['1 0 b']);
    assert.equal(await rowsIn(lent, 'SELECT * FROM t__l__x'), []);
    assert.equal(await rowsIn(lent, "SELECT to_regclass('t__lost') IS NULL AS gone"), ['true']);
  }));

/** The foreign keys of a database, as `table: definition`. */
const foreignKeysIn = ({ sql }: Lent) =>
  sql(`SELECT conrelid::regclass || ': ' || pg_get_constraintdef(oid) AS key FROM pg_constraint
    WHERE contype = 'f' ORDER BY 1`).then((rows) => rows.map(({ key }) => key));

const deferred = 'DEFERRABLE INITIALLY DEFERRED';
const keyed = `${lists}&foreignKeys=true`;

for (const mode of ['replace', 'merge', 'mirror']) {
  test(`mode=${mode} makes foreign keys once, and later runs keep to them`, () =>
    withPostgres(async (lent) => {
      const options = `${keyed}&mode=${mode}`;
      const first = [
        { id: 1, lines: [{ tags: ['x', 'y'] }, { tags: [] }] },
        { id: 2, lines: [{ tags: ['z'] }] },
      ];
      const expected = [
        `t__lines: FOREIGN KEY (t__id) REFERENCES t(id) ${deferred}`,
        `t__lines__tags: FOREIGN KEY (t__id, lines__position) REFERENCES t__lines(t__id, lines__position) ${deferred}`,
      ];
      await pull(lent, options, [first]);
      assert.equal(await foreignKeysIn(lent), expected);
      const made = await lent.sql("SELECT oid FROM pg_constraint WHERE contype = 'f' ORDER BY 1");
      await pull(lent, options, [[{ id: 2, lines: [{ tags: ['q'] }] }], [{ id: 1, lines: [] }, { id: 3 }]]);
      assert.equal(await lent.sql("SELECT oid FROM pg_constraint WHERE contype = 'f' ORDER BY 1"), made);
      assert.equal(await rowsIn(lent, 'SELECT t__id, value FROM t__lines__tags ORDER BY 1'), ['2 q']);
      await pull(lent, options, [
        [
          { id: 2, more: 'new', lines: [{ sku: 'a', tags: ['w'] }] },
          { id: 4, l: [1] },
        ],
      ]);
      assert.equal(await foreignKeysIn(lent), [`t__l: FOREIGN KEY (t__id) REFERENCES t(id) ${deferred}`, ...expected]);
      assert.equal(await rowsIn(lent, 'SELECT t__id, value FROM t__lines__tags'), ['2 w']);
      assert.match(await lent.sql('INSERT INTO t__l VALUES (9, 0, 1)').then(String, String), /t__l_fkey/);
    }));
}

test('keys that become texts, also in lists without rows, keep their foreign keys', () =>
  withPostgres(async (lent) => {
    const merge = `${keyed}&mode=merge`;
    await pull(lent, merge, [[{ id: 1, l: [{ m: [1] }], other: ['o'] }]]);
    await pull(lent, merge, [[{ id: 'x', l: [{ m: [2] }] }]]);
    assert.is(await typesIn(lent, 't__l__m'), 't__id text, l__position bigint, l__m__position bigint, value bigint');
    assert.is(await typesIn(lent, 't__other'), 't__id text, other__position bigint, value text');
    assert.is((await foreignKeysIn(lent)).length, 3);
    await pull(lent, `${lists}&mode=merge`, [[{ id: 1, l: [{ m: ['t'] }] }]]);
    assert.is((await foreignKeysIn(lent)).length, 3);
    await pull(lent, merge, [[{ id: 1, other: ['p'] }]]);
    assert.equal(await rowsIn(lent, 'SELECT t__id, value FROM t__l__m'), ['x 2']);
    assert.equal(await rowsIn(lent, 'SELECT t__id, value FROM t__other'), ['1 p']);
    await lent.sql('DROP TABLE t, t__l, t__l__m, t__other');
    const day = (date: string) =>
      pull(lent, '&lists=tables&key=day&foreignKeys=true&mode=merge', [[{ day: date, l: [1] }]]);
    await day('2024-02-29');
    await day('2024-03-01');
    assert.is(await typesIn(lent, 't__l'), 't__day date, l__position bigint, value bigint');
    await day('n/a');
    assert.equal(await rowsIn(lent, 'SELECT t__day FROM t__l ORDER BY 1'), ['2024-02-29', '2024-03-01', 'n/a']);
    assert.is((await foreignKeysIn(lent)).length, 1);
  }));

test('foreign keys without a key refer to the id of the item; append keeps rows; long names are cut', () =>
  withPostgres(async (lent) => {
    const append = '&lists=tables&foreignKeys=true&mode=append';
    const long = 'l'.repeat(80);
    for (const value of [1, 2]) await pull(lent, append, [[{ tags: [value], [long]: [{ [long]: [value] }] }]]);
    assert.is((await foreignKeysIn(lent)).length, 3);
    assert.equal(await rowsIn(lent, 'SELECT value FROM t JOIN t__tags ON t__row_id = row_id ORDER BY 1'), ['1', '2']);
  }));

test('tables of your own that foreign keys do not fit are an error, and nothing is published', () =>
  withPostgres(async (lent) => {
    await lent.sql('CREATE TABLE t (id bigint); INSERT INTO t VALUES (1), (1)');
    const append = '&lists=tables&foreignKeys=true&mode=append&key=id';
    const refused = (message: RegExp) => rejection(pull(lent, append, [[{ id: 2, l: [1] }]]), 'ERR_SINK', message);
    await refused(/the table "public.t" has several rows with one value of "id": foreignKeys needs a unique key/);
    assert.equal(await rowsIn(lent, "SELECT count(*), to_regclass('t__l') IS NULL FROM t"), ['2 true']);
    await lent.sql('TRUNCATE t; CREATE TABLE t__l (t__id bigint, l__position bigint, value bigint)');
    await lent.sql('INSERT INTO t__l VALUES (7, 0, 0)');
    await refused(/the table "public.t__l" has rows without one in "public.t": foreignKeys cannot refer to it/);
    await lent.sql('DROP TABLE t__l; CREATE TABLE t__l (t__id varchar(9), l__position bigint, value bigint)');
    await refused(/the column "t__id" of the table "public.t__l" has another type than the key of "public.t"/);
    assert.equal(await rowsIn(lent, 'SELECT id FROM t UNION ALL SELECT value FROM t__l'), []);
    await rejection(
      pull(lent, `${keyed}`, [[{ id: 2, l: [1] }, { id: 2 }]]),
      'ERR_SINK',
      /several rows with one value/,
    );
    for (const [options, message] of [
      ['foreignKeys=true', /foreignKeys needs lists=tables/],
      ['columns=typed&lists=tables&foreignKeys=true&create=false', /foreignKeys needs create=true/],
    ] as const)
      await rejection(async () => sinkFromUri(lent.uri(`?${options}`)), 'ERR_USAGE', message);
  }));

test('an item with a refused row is left out as a whole, and reported as it was', () =>
  withPostgres(async (lent) => {
    await lent.sql('CREATE TABLE t__tags (t__id bigint, tags__position bigint, value int CHECK (value < 10))');
    const refused: (readonly [item: unknown, reason: string])[] = [];
    const sink = await begun(lent.uri(`?columns=typed${lists}`), { run: 'run-1' });
    const onItemError: Opening['onItemError'] = ({ batch, index, reason }) =>
      void refused.push([batch.values()[index], reason]);
    await sink.open?.('t', 't', { onItemError });
    const items = [{ tags: [1] }, { id: 1, tags: [2] }, { id: 2, tags: [3, 40] }, { id: 3, l: [1], tags: [5] }];
    await put(sink, 't', 0, items);
    await sink.close();
    assert.equal(await tagsIn(lent), ['1 0 2', '3 0 5']);
    assert.equal(await rowsIn(lent, 'SELECT id FROM t ORDER BY 1'), ['1', '3']);
    assert.equal(
      refused.map(([item]) => item),
      [items[0], items[2]],
    );
    assert.match(JSON.stringify(refused), /has a list, and no value at \\"id\\"/);
    assert.match(JSON.stringify(refused), /has a list with a row that cannot be stored \(table \\"public.t__tags\\"/);
    const plain = await begun(lent.uri(`?columns=typed${lists}`), { run: 'run-2' });
    await plain.open?.('t', 't');
    await put(plain, 't', 0, [{ id: 1, tags: [2] }]);
    await rejection(
      put(plain, 't', 1, [{ id: 2 }, { l: [3] }]),
      'ERR_SINK',
      /item 1 of the page \(from 0\) has a list, and no/,
    );
    await plain.abort(undefined);
  }));

test('mode=merge replaces the rows of a table of your own, with its constraints', () =>
  withPostgres(async (lent) => {
    await lent.sql(`CREATE TABLE t__tags (t__id bigint, tags__position bigint, value text NOT NULL CHECK (value <> 'no'),
      PRIMARY KEY (t__id, tags__position))`);
    await lent.sql("INSERT INTO t__tags VALUES (1, 0, 'old'), (2, 0, 'other')");
    const sink = await begun(lent.uri(`?columns=typed${lists}&mode=merge`), { run: 'run-1' });
    await sink.open?.('t', 't', { onItemError: () => {} });
    await put(sink, 't', 0, [
      { id: 1, tags: ['a', 'b'] },
      { id: 3, tags: ['x'] },
      { id: 3, tags: ['c'] },
    ]);
    await sink.close();
    assert.equal(await tagsIn(lent), ['1 0 a', '1 1 b', '2 0 other', '3 0 c']);
  }));

test('jobs name lists; names that are taken, and options that do not go together, are errors', () =>
  withPostgres(async (lent) => {
    const named = await begun(lent.uri('?columns=typed'), { run: 'run-1' });
    const forms = new Map<string, ListForm>([
      ['a', 'table'],
      ['none', 'table'],
    ]);
    const tables = { dataType: 't', mappings: new Map(), isIncremental: false, level: 3, lists: forms };
    await named.open?.('t', 't', { tables });
    await named.open?.('t', 'other', { tables });
    await put(named, 't', 0, [{ a: [1], b: [2] }]);
    await rejection(async () => named.open?.('t__a', 'x'), 'ERR_SINK', /"t__a" would be the table of a list of "t"/);
    await named.close();
    assert.equal(await rowsIn(lent, 'SELECT b, value FROM t JOIN t__a ON t__row_id = row_id'), ['[2] 1']);
    const taken = await begun(lent.uri(`?columns=typed${lists}`), { run: 'run-2' });
    await taken.open?.('t', 't');
    await taken.open?.('t__l', 'x');
    await rejection(put(taken, 't', 0, [{ id: 1, l: [1] }]), 'ERR_SINK', /"t__l" would be the table of a list of "t"/);
    await taken.abort(undefined);
    for (const [options, message] of [
      ['lists=tables', /lists=tables needs columns=typed/],
      ['columns=typed&lists=tables&mode=history&key=id', /lists=tables needs another mode than history/],
      ['columns=typed&lists=tables&mode=append&log=true', /lists=tables needs log=false/],
    ] as const)
      await rejection(async () => sinkFromUri(lent.uri(`?${options}`)), 'ERR_USAGE', message);
  }));

test('tables of lists have names of at most 63 bytes: longer ones end with a hash, in each run the same', () =>
  withPostgres(async (lent) => {
    const [outer, inner] = ['ř'.repeat(40), 'inner'.repeat(20)];
    const pullOnce = async (run: string, items: readonly object[]) => {
      const sink = await begun(lent.uri(`?columns=typed&mode=merge${lists}`), { run });
      await sink.open?.('t', 't');
      await put(sink, 't', 0, items);
      await sink.close();
    };
    await pullOnce('run-1', [{ id: 1, [outer]: [{ [inner]: [1, 2] }, { [inner]: [3] }] }]);
    await pullOnce('run-2', [{ id: 1, [outer]: [{ [inner]: [4] }] }]);
    const tables = await rowsIn(lent, "SELECT tablename FROM pg_tables WHERE starts_with(tablename, 't__') ORDER BY 1");
    assert.is(tables.length, 2);
    for (const name of tables) assert.match(String(name), /_[\da-f]{8}$/);
    const counts = await Promise.all(tables.map((name) => rowsIn(lent, `SELECT count(*) FROM "${name}"`)));
    assert.equal(counts.flat(), ['1', '1']);
  }));

test('items that are not what a table expects are an error with their page, or have their tables', () =>
  withPostgres(async ({ uri, sql }) => {
    for (const [index, { items, outcomes }] of badItems.entries()) {
      const read = async (): Promise<Published> => {
        const found =
          await sql(`SELECT table_name::text AS name, json_agg(column_name ORDER BY ordinal_position) AS columns
          FROM information_schema.columns WHERE table_schema = 's${index}' AND NOT starts_with(table_name, 'rxtract_')
          GROUP BY 1 ORDER BY 1`);
        return Object.fromEntries(found.map(({ name, columns }) => [name, columns]));
      };
      await mustEnd(items, outcomes.postgres, uri(`?columns=typed&schema=s${index}${lists}`), read);
    }
  }));

test('items are what their tables are, joined again', () =>
  withPostgres(async ({ uri, sql }) => {
    const seeds = Array.from({ length: 10 }, (_, index) => index + 1);
    for (const hasKey of [true, false]) {
      const sink = sinkFromUri(uri(`?columns=typed&lists=tables&schema=s${hasKey}${hasKey ? '&key=id' : ''}`));
      const all = await writeShapes(sink, seeds);
      await sql(`ALTER ROLE rx SET search_path = s${hasKey}`);
      await compare(
        {
          rows: (text) => sql(text.replace('SELECT made', 'SELECT made::text')),
          object: 'json_build_object',
          list: (value, order) => `json_agg(${value} ORDER BY ${order})`,
          schema: `s${hasKey}`,
        },
        all,
        { hasKey, isText: false },
      );
    }
  }));

run.run();
