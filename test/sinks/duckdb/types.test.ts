/** Texts of one form are columns with a type, and are given back as they were written. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Sink } from '../../../sinks/contract.js';
import type { Exact } from '../../../src/core/json/exact.js';
import { earlierOf, rejection } from '../lib.js';
import { nearlyTyped, typedTexts } from '../tables/typed-texts.js';
import { inDatabase, type Lent, put } from './lib.js';

const append = { mode: 'append' } as const;

/** The texts of a column, in the order of the rows. */
const textsOf = async ({ sql }: Lent, column: string): Promise<readonly unknown[]> =>
  (await sql(`SELECT "${column}" AS x FROM t ORDER BY rowid`)).map(({ x }) => x);

test(
  'dates, dates with a time and UUIDs have types, and other readers find the values',
  inDatabase(async ({ pull, sql, types }) => {
    const id = '0123ABCD-0000-0000-0000-00000000FFFF';
    const made = await pull({}, [
      [
        {
          day: '2024-02-29',
          at: '2024-01-02T03:04:05.120Z',
          local: '2024-01-02 03:04:05',
          id,
          o: { at: '0001-01-01T00:00:00Z' },
        },
      ],
      [{ day: '1969-12-31', at: '2024-01-02T03:04:05.000Z', local: '2024-01-02 03:04:06', id, o: { at: null } }],
    ]);
    assert.is(
      await types(),
      'day DATE, at TIMESTAMP WITH TIME ZONE, local TIMESTAMP, id UUID, o__at TIMESTAMP WITH TIME ZONE',
    );
    assert.is(made?.changed, undefined);
    const [row] = await sql(
      'SELECT epoch_ms("at") AS at, "local" - TIMESTAMP \'2024-01-02\' AS local, year(day) AS year FROM t',
    );
    assert.equal([row?.at, row?.year], [BigInt(Date.UTC(2024, 0, 2, 3, 4, 5, 120)), 2024n]);
  }),
);

test(
  'types=text keeps texts, and makes texts of what an earlier run has typed',
  inDatabase(async (lent) => {
    const item = { day: '2024-02-29', at: '2024-01-02T03:04:05Z' };
    await lent.pull({ types: 'text' }, [[item]]);
    assert.is(await lent.types(), 'day VARCHAR, at VARCHAR');
    await lent.sql('DROP TABLE t');
    await lent.pull({}, [[item]]);
    await lent.pull({ ...append, types: 'text' }, [[item]]);
    assert.is(await lent.types(), 'day VARCHAR, at VARCHAR');
    assert.equal(await textsOf(lent, 'at'), [item.at, item.at]);
  }),
);

test(
  'a column whose texts are nearly a type is one of texts',
  inDatabase(async (lent) => {
    for (const text of nearlyTyped) {
      await lent.sql('DROP TABLE IF EXISTS t');
      await lent.pull({}, [[{ x: text }]]);
      assert.equal([await lent.types(), await textsOf(lent, 'x')], ['x VARCHAR', [text]]);
    }
  }),
);

test(
  'what a run has typed becomes the texts that came when a later run brings another one',
  inDatabase(async (lent) => {
    for (let seed = 0; seed < 25; seed++) {
      await lent.sql('DROP TABLE IF EXISTS t');
      const make = typedTexts(seed);
      const sent = Array.from({ length: 9 }, make);
      await lent.pull({}, [sent.slice(0, 4).map((x) => ({ x }))]);
      await lent.pull(append, [sent.slice(4).map((x) => ({ x }))]);
      assert.not.match(await lent.types(), /VARCHAR/, `seed ${seed}: ${sent.join()}`);
      const made = await lent.pull(append, [[{ x: 'other' }]]);
      assert.equal(await textsOf(lent, 'x'), [...sent, 'other'], `seed ${seed}`);
      assert.is(made?.changed?.[0]?.to, 'VARCHAR');
    }
  }),
);

test(
  'an offset, digits or another case make the column one of texts, in each page',
  inDatabase(async (lent) => {
    const cases = [
      ['2024-01-01T00:00:00Z', '2024-01-01T00:00:00+02:00'],
      ['2024-01-01T00:00:00Z', '2024-01-01T00:00:00'],
      ['2024-01-01T00:00:00.5Z', '2024-01-01T00:00:00.50Z'],
      ['2024-01-01T00:00:00.123456Z', '2024-01-01T00:00:00.1234567Z'],
      ['2024-01-01', '2024-01-01T00:00:00Z'],
      ['aaaaaaaa-0000-0000-0000-000000000001', 'AAAAAAAA-0000-0000-0000-000000000001'],
    ];
    for (const [first, other] of cases) {
      for (const pages of [[[{ x: first }], [{ x: first }], [{ x: other }]], [[{ x: other }, { x: first }]]]) {
        await lent.sql('DROP TABLE IF EXISTS t');
        await lent.pull({}, pages);
        assert.equal([await lent.types(), await textsOf(lent, 'x')], ['x VARCHAR', pages.flat().map(({ x }) => x)]);
      }
    }
    await lent.sql('DROP TABLE t');
    await lent.pull({}, [
      [
        { x: '2024-01-01', y: 1, z: '2024-01-01' },
        { x: 5, y: '2024-01-01', z: [1] },
      ],
    ]);
    assert.is(await lent.types(), 'x VARCHAR, y VARCHAR, z VARCHAR');
  }),
);

test(
  'a column turns to text in the third page, after its process was killed',
  inDatabase(async (lent) => {
    const at = '2024-01-01T00:00:00Z';
    let sink: Sink = lent.sink();
    await sink.resume?.(earlierOf());
    await sink.open?.('t', 'job');
    let kept: Exact = null;
    for (const page of [0, 1]) kept = (await put(sink, page, [{ at, day: '2024-01-01' }])) ?? null;
    sink = lent.sink();
    await sink.resume?.(earlierOf({ epoch: 2, checkpoints: new Map([['t', kept]]) }));
    await sink.open?.('t', 'job');
    await put(sink, 2, [{ at: `${at.slice(0, -1)}+01:00`, day: '2024-01-02' }]);
    await sink.close();
    assert.is(await lent.types(), 'at VARCHAR, day DATE');
    assert.equal(await textsOf(lent, 'at'), [at, at, '2024-01-01T00:00:00+01:00']);
  }),
);

test(
  'columns of other types and of texts keep their type, and one that cannot change refuses what it would lose',
  inDatabase(async ({ pull, sql, types }) => {
    await sql('CREATE TABLE t (own TIMESTAMPTZ, text VARCHAR)');
    const [z, other] = ['2024-01-01T00:00:00Z', '2024-01-01T00:00:00+02:00'];
    await pull({}, [
      [
        { own: z, text: z },
        { own: other, text: z },
      ],
    ]);
    assert.is(await types(), 'own TIMESTAMP WITH TIME ZONE, text VARCHAR');
    await sql('DROP TABLE t');
    await pull({}, [[{ at: z }]]);
    await rejection(
      pull({ create: false }, [[{ at: other }]]),
      'ERR_SINK',
      /"at" of the table "t" is TIMESTAMP WITH TIME ZONE and cannot hold a value of the kind text, and create=false/,
    );
    await pull({ create: false }, [[{ at: '2025-01-01T00:00:00Z' }]]);
    await sql('CREATE UNIQUE INDEX own ON t ("at")');
    await rejection(pull(append, [[{ at: other }]]), 'ERR_SINK', /an index or a constraint depends on it/);
    await sql('DROP INDEX own');
    await sql('ALTER TABLE t ALTER "at" TYPE VARCHAR');
    await pull({}, [[{ at: z }]]);
    assert.is(await types(), 'at VARCHAR', 'the record of a column that was changed by hand counts no more');
  }),
);

test(
  'rows of lists follow a key that becomes a text, also of lists that the run does not have',
  inDatabase(async ({ sql, types, sink }) => {
    const [one, two] = ['AAAAAAAA-0000-0000-0000-000000000001', 'AAAAAAAA-0000-0000-0000-000000000002'];
    const pullAll = async (items: readonly object[]) => {
      const each = sink({ mode: 'merge', key: 'id', lists: 'tables' });
      await each.resume?.(earlierOf({ isStored: false }));
      await each.open?.('t', 'job');
      await put(each, 0, items);
      await each.close();
    };
    await pullAll([
      { id: one, a: [1, 2], b: [1] },
      { id: two, a: [3], b: [2] },
    ]);
    assert.match(await types('t__a'), /^t__id UUID/);
    await pullAll([{ id: 'x', a: [9] }, { id: one }]);
    assert.equal(
      [await types(), await types('t__a')],
      ['id VARCHAR', 't__id VARCHAR, a__position BIGINT, value BIGINT'],
    );
    assert.equal(await sql('SELECT t__id, value::INT AS v FROM t__a ORDER BY 2'), [
      { t__id: two, v: 3 },
      { t__id: 'x', v: 9 },
    ]);
    assert.equal(await sql('SELECT upper(t__id::VARCHAR) AS id FROM t__b'), [{ id: two }]);
  }),
);

test.run();
