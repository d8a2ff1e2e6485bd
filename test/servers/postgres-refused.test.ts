/** Items that a table of PostgreSQL refuses: found with their page, left out, and stored as dead letters once. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test as run } from 'uvu';
import * as assert from 'uvu/assert';
import { batchOf } from '../../sinks/batch.js';
import type { RefusedItem, Sink } from '../../sinks/contract.js';
import { ownCommand } from '../blackbox/command.js';
import { json, startApi } from '../loopback/api.js';
import { calm, inFolder, pageEnd, rejection } from '../sinks/lib.js';
import { postgresMissing } from '../support/servers.js';
import { testWhere } from '../where.js';
import { begun } from './lib.js';
import { withPostgres } from './postgres-lib.js';

const test = testWhere(postgresMissing);

const place = { job: 'j', run: 'r', walk: '0', page: 0, offset: 0 };

/** Opens the data type `t` of a sink. What it refuses is added to the list: the place, and the reason. */
async function opened(uri: string, refused: string[]): Promise<Sink> {
  const sink = await begun(uri);
  const onItemError = ({ batch, index, reason }: RefusedItem) => void refused.push(`${batch.offset + index} ${reason}`);
  await sink.open?.('t', 'j', { onItemError });
  return sink;
}

interface Case {
  readonly tables: string;
  readonly options: string;
  readonly items: readonly unknown[];
  readonly refused: readonly RegExp[];
  /** What the table has in the end, by this column. */
  readonly column: string;
  readonly kept: readonly string[];
}

const cases: readonly Case[] = [
  {
    tables: `CREATE TABLE t (item jsonb CHECK (item ->> 'id' <> '4')); CREATE UNIQUE INDEX ON t ((item ->> 'id'))`,
    options: '',
    items: [{ id: 1 }, { id: 'a\0' }, { id: 2 }, { id: 1, n: 2 }, { id: 4 }, { id: 3 }],
    refused: [
      /^1 cannot be stored \(table "public.t", column "item"\): the value contains U\+0000.* \(22P05\)$/,
      /^3 cannot be stored \(table "public.t"\): an item with this value is there already \(23505\)$/,
      /^4 cannot be stored \(table "public.t"\): the value breaks a constraint \(23514, "t_item_check"\)$/,
    ],
    ...{ column: `item ->> 'id'`, kept: ['1', '2', '3'] },
  },
  {
    tables: 'CREATE TABLE t (id smallint PRIMARY KEY, owner text NOT NULL, age int CHECK (age > 0))',
    options: 'columns=typed&mode=append',
    items: [
      { id: 1, owner: 'x' },
      { id: 70_000, owner: 'x' },
      { id: 2 },
      { id: 3, owner: 'x', age: -1 },
      { id: 3, owner: 'x', age: 7 },
      { id: 1, owner: 'y' },
    ],
    refused: [
      /^1 .*column "id"\): the number is out of range/,
      /^2 .*column "owner"\): the value is missing/,
      /^3 .*\(23514, "t_age_check"\)$/,
      /^5 .*an item with this value is there already \(23505\)$/,
    ],
    ...{ column: 'id', kept: ['1', '3'] },
  },
  {
    tables: 'CREATE TABLE t (id bigint)',
    options: 'columns=typed&create=false&mode=append',
    items: [{ id: 1 }, { id: 'x' }, { id: 2, more: 1 }, { id: 3 }],
    refused: [
      /^1 the table "public.t" cannot hold a value in "id", and create=false: it is not changed$/,
      /^2 the table "public.t" has no column "more", and create=false: it is not changed$/,
    ],
    ...{ column: 'id', kept: ['1', '3'] },
  },
  ...['item', 'typed'].map((columns) => ({
    tables: 'SELECT 1',
    options: `mode=merge&key=id&columns=${columns}`,
    items: [{ id: 1 }, { n: 1 }, { id: 1, v: 2 }, { id: 2 }],
    refused: [columns === 'item' ? /^1 .*\(23514, "has_key"\)$/ : /^1 item 1 of the page \(from 0\) has no key "id"/],
    ...{ column: columns === 'item' ? `item ->> 'id'` : 'id', kept: ['1', '2'] },
  })),
  {
    tables: `CREATE TABLE ids (id bigint PRIMARY KEY); INSERT INTO ids VALUES (1), (2), (3);
      CREATE TABLE t (id bigint UNIQUE REFERENCES ids DEFERRABLE INITIALLY DEFERRED); INSERT INTO t VALUES (3)`,
    options: 'columns=typed&mode=append&log=true',
    items: [{ id: 1 }, { id: 9 }, { id: 3 }, { id: 2 }],
    refused: [/^1 .*\(23503, "t_id_fkey"\)$/, /^2 .*\(23505, "t_id_key"\)$/],
    ...{ column: 'id', kept: ['1', '2', '3'] },
  },
];

for (const { tables, options, items, refused, column, kept } of cases) {
  test(`items that a table refuses are reported, and the others arrive: ${options} ${tables.slice(0, 40)}`, () =>
    withPostgres(async ({ sql, uri }) => {
      await sql(tables);
      const reasons: string[] = [];
      const sink = await opened(uri(`?${options}`), reasons);
      const half = items.length >> 1;
      await sink.write(batchOf('t', items.slice(0, half), place), calm);
      await sink.write(batchOf('t', items.slice(half), { ...place, offset: half }), calm);
      const end = pageEnd('t', { keep: 'k', count: items.length, bytes: 1000 });
      await sink.prepare?.(end, calm);
      assert.is(reasons.length, refused.length, reasons.join('\n'));
      refused.forEach((pattern, index) => void assert.match(reasons[index] ?? '', pattern));
      await sink.commit?.(end, calm);
      await sink.close();
      assert.equal(
        (await sql(`SELECT (${column})::text AS found FROM t ORDER BY 1`)).map(({ found }) => found),
        kept,
      );
      assert.is(sink.summary?.()[0]?.items, items.length - refused.length);
    }));
}

test('a page whose connection breaks before its commit is stored once, and reports an item once', () =>
  withPostgres(async ({ sql, uri, server }) => {
    const reasons: string[] = [];
    const sink = await opened(uri('?mode=append'), reasons);
    for (let page = 0; page < 3; page++) {
      await sink.write(batchOf('t', [page, 'a\0', 'b'], { ...place, page }), calm);
      const end = pageEnd('t', { page, keep: `k${page}`, count: 3 });
      await sink.prepare?.(end, calm);
      await sink.prepare?.(end, calm);
      if (page === 1) {
        await server.kill();
        await server.start();
      }
      await sink.commit?.(end, calm);
    }
    await sink.write(batchOf('t', ['rolled back'], { ...place, page: 3 }), calm);
    await sink.prepare?.(pageEnd('t', { page: 3 }), calm);
    await sink.rollback?.('t');
    await sink.close();
    assert.equal(
      reasons.map((reason) => reason.slice(0, 2)),
      ['1 ', '1 ', '1 '],
    );
    assert.equal(
      (await sql('SELECT item::text AS found FROM t ORDER BY 1')).map(({ found }) => found),
      ['"b"', '"b"', '"b"', '0', '1', '2'],
    );
  }));

test('a page that is too large for memory leaves refused items out too', () =>
  withPostgres(async ({ sql, uri }) => {
    const reasons: string[] = [];
    const sink = await opened(uri('?mode=append'), reasons);
    const text = 'x'.repeat(9 << 20);
    for (const [index, item] of [text, `${text}\0`, text, 'end'].entries()) {
      await sink.write(batchOf('t', [item], { ...place, offset: index }), calm);
    }
    const end = pageEnd('t', { keep: 'k', count: 4 });
    await sink.prepare?.(end, calm);
    await sink.commit?.(end, calm);
    await sink.close();
    assert.is(reasons.length, 1);
    assert.is((await sql('SELECT FROM t')).length, 3);
  }));

test('without a rule the error names the item and the rule', () =>
  withPostgres(async ({ uri }) => {
    const sink = await begun(uri());
    await sink.open?.('t', 'j');
    await sink.write(batchOf('t', [1, 'a\0'], place), calm);
    const error = await rejection(
      async () => sink.commit?.(pageEnd('t', { keep: 'k' }), calm),
      'ERR_SINK',
      /item 1 of the page \(from 0\)\): the value contains U\+0000/,
    );
    assert.match(error.where.remedy ?? '', '--on-item-error skip');
    await sink.abort(undefined);
  }));

for (const rule of ['dead-letter=ndjson:letters', 'skip']) {
  test(`a killed run continues with ${rule}: each item is in the table or a letter, once`, () =>
    withPostgres(({ sql, uri }) =>
      inFolder(async (folder) => {
        await sql(`CREATE TABLE users (item jsonb CHECK ((item ->> 'id')::int % 5 <> 0))`);
        let kill: (() => void) | undefined;
        const api = await startApi(({ target }) => {
          const page = Number(/page=(\d+)/.exec(target)?.[1] ?? 1);
          if (page === 7) kill?.();
          return json(page > 12 ? [] : Array.from({ length: 4 }, (_, index) => ({ id: (page - 1) * 4 + index + 1 })));
        });
        const stdin = JSON.stringify({
          api: { baseUrl: `${api.origin}/`, pagination: { method: 'pagenum', limit: 4 } },
          config: { jobs: [{ endpoint: 'users', dataType: 'users' }] },
        });
        const words = ['run', '-', '--to', uri(), '--on-item-error', rule, '--state', 'st', '--log', 'json'];
        try {
          const onStart = (signal: (name: NodeJS.Signals) => void) => {
            kill = () => signal('SIGKILL');
          };
          assert.is((await ownCommand(words, { cwd: folder, stdin, onStart })).exit, null);
          kill = undefined;
          const { exit, stderr } = await ownCommand([...words, '--resume'], { cwd: folder, stdin });
          assert.is(exit, 0, stderr);
        } finally {
          await api.close();
        }
        const ids = Array.from({ length: 48 }, (_, index) => index + 1);
        assert.equal(
          (await sql(`SELECT (item ->> 'id')::int AS id FROM users ORDER BY 1`)).map(({ id }) => id),
          ids.filter((id) => id % 5 !== 0),
        );
        if (rule === 'skip') return;
        const letters = (await readFile(join(folder, 'letters', 'users.ndjson'), 'utf8')).trim().split('\n');
        assert.equal(
          letters.map((line) => JSON.parse(line).item.id),
          ids.filter((id) => id % 5 === 0),
        );
      })(),
    ));
}

run.run();
