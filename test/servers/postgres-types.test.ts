/** Typed columns of PostgreSQL for texts of one form, which are given back as they were written. */

import { test as run } from 'uvu';
import * as assert from 'uvu/assert';
import { batchOf } from '../../sinks/batch.js';
import { createObserver } from '../../sinks/shape/observe.js';
import { shapeDocument } from '../../sinks/shape/shape-document.js';
import { anything } from '../../sinks/shape/value-shape.js';
import { parseExact } from '../../src/core/json/exact-parse.js';
import { shapeAs } from '../../src/tools/shape/shape-forms.js';
import { rejection } from '../sinks/lib.js';
import { nearlyTyped, typedTexts } from '../sinks/tables/typed-texts.js';
import { postgresMissing } from '../support/servers.js';
import { randomColumns } from '../tools/shape/random-columns.js';
import { testWhere } from '../where.js';
import { begun } from './lib.js';
import { type Lent, pull, put, typesIn, withPostgres } from './postgres-lib.js';

const test = testWhere(postgresMissing);

/** The texts of a column, in the order of the rows. */
const textsOf = async ({ sql }: Lent, column: string): Promise<readonly unknown[]> =>
  (await sql(`SELECT "${column}" AS x FROM t ORDER BY ctid`)).map(({ x }) => x);

const z = '2024-01-01T00:00:00Z';

test('dates, dates with a time and UUIDs have types; types=text keeps texts', () =>
  withPostgres(async (lent) => {
    const id = '0123ABCD-0000-0000-0000-00000000FFFF';
    const item = { day: '2024-02-29', at: '0001-01-02T03:04:05.120Z', local: '2024-01-02 03:04:05', id, o: { at: z } };
    await pull(lent, '', [[item], [{ ...item, day: '1969-12-31' }]]);
    const local = 'timestamp without time zone';
    assert.is(
      await typesIn(lent, 't'),
      `day date, at timestamp with time zone, local ${local}, id uuid, o__at timestamp with time zone`,
    );
    const [row] = await lent.sql(`SELECT extract(epoch FROM o__at)::text AS at, extract(year FROM day)::int AS year,
      (SELECT count(*) FROM pg_description WHERE objoid = 't'::regclass)::int AS comments FROM t`);
    assert.equal([Number(row?.at), row?.year, row?.comments], [Date.parse(z) / 1000, 2024, 0]);
    await pull(lent, '&types=text&mode=append', [[item]]);
    assert.is(await typesIn(lent, 't'), 'day text, at text, local text, id text, o__at text');
    assert.equal(await textsOf(lent, 'at'), [item.at, item.at, item.at]);
    await lent.sql('DROP TABLE t');
    await pull(lent, '&types=text', [[item]]);
    assert.is(await typesIn(lent, 't'), 'day text, at text, local text, id text, o__at text');
  }));

test('a column whose texts are nearly a type is one of texts', () =>
  withPostgres(async (lent) => {
    const item = Object.fromEntries(nearlyTyped.map((text, index) => [`x${index}`, text]));
    await pull(lent, '', [[item]]);
    const [row] = await lent.sql('SELECT * FROM t');
    assert.equal({ ...row }, item);
    assert.not.match(await typesIn(lent, 't'), / (?!text)\w+(,|$)/);
  }));

test('what was typed becomes the texts that came, in a later page, run, or after the process was killed', () =>
  withPostgres(async (lent) => {
    for (let seed = 0; seed < 40; seed++) {
      await lent.sql('DROP TABLE IF EXISTS t');
      const make = typedTexts(seed);
      const sent = Array.from({ length: 9 }, make);
      const pageOf = (from: number, to: number) => sent.slice(from, to).map((x) => ({ x, y: x }));
      const mode = seed % 3 === 0 ? '&mode=append&log=true' : '&mode=append';
      const uri = lent.uri(`?columns=typed${mode}`);
      const first = await begun(uri, { run: `killed${seed}` });
      await first.open?.('t', 't');
      await put(first, 't', 0, pageOf(0, 2));
      await put(first, 't', 1, pageOf(2, 4));
      const second = await begun(uri, { run: `killed${seed}`, epoch: 2 });
      await second.positions?.();
      await second.open?.('t', 't');
      await put(second, 't', 2, pageOf(4, 6));
      await put(second, 't', 3, [{ x: 'other' }]);
      await second.close();
      await first.abort(undefined);
      assert.match(await typesIn(lent, 't'), /^x text, y (date|uuid|timestamp)/, `seed ${seed}: ${sent.join()}`);
      await pull(lent, mode, [pageOf(6, 9)]);
      assert.match(await typesIn(lent, 't'), /^x text, y (date|uuid|timestamp)/, `seed ${seed}: ${sent.join()}`);
      const made = await pull(lent, mode, [[{ y: 'other' }]]);
      assert.is(made?.changed?.[0]?.to, 'text');
      assert.equal(
        (await textsOf(lent, 'x')).filter((text) => text !== null && text !== 'other'),
        sent,
        `seed ${seed}`,
      );
      assert.equal(await textsOf(lent, 'y'), [...sent.slice(0, 6), null, ...sent.slice(6), 'other'], `seed ${seed}`);
    }
  }));

test('the time zone and the form of dates of a session do not matter', () =>
  withPostgres(async (lent) => {
    await lent.sql(`ALTER ROLE rx SET timezone = 'America/New_York'; ALTER ROLE rx SET datestyle = 'German'`);
    const item = { day: '2024-02-03', at: '2024-07-01T00:00:00.5Z', local: '2024-03-10T02:30:00' };
    await pull(lent, '', [[item]]);
    await pull(lent, '&mode=append', [[{ day: 'x', at: 'x', local: 'x' }]]);
    assert.equal({ ...(await lent.sql('SELECT * FROM t'))[0] }, item);
  }));

test('columns of other types and of texts keep their type, and one that may not change refuses what it would lose', () =>
  withPostgres(async (lent) => {
    const other = '2024-01-01T00:00:00+02:00';
    await lent.sql('CREATE TABLE t (own timestamptz, text text)');
    await pull(lent, '', [[{ own: z, text: z }], [{ own: other, text: z }]]);
    assert.is(await typesIn(lent, 't'), 'own timestamp with time zone, text text');
    await lent.sql('DROP TABLE t');
    await pull(lent, '', [[{ at: z }]]);
    const message = /cannot hold a value in "at", and create=false/;
    await rejection(pull(lent, '&create=false', [[{ at: other }]]), 'ERR_SINK', message);
    await pull(lent, '&create=false', [[{ at: '2025-01-01T00:00:00Z' }]]);
    await lent.sql('ALTER TABLE t ALTER at SET NOT NULL');
    await pull(lent, '&mode=append', [[{ at: other }]]);
    assert.equal(await textsOf(lent, 'at'), ['2025-01-01T00:00:00Z', other]);
    await pull(lent, '', [[{ at: z }]]);
    assert.is(await typesIn(lent, 't'), 'at text');
  }));

test('rows of lists follow a key that is or becomes a text, also of lists that the run does not have', () =>
  withPostgres(async (lent) => {
    const [one, two] = ['AAAAAAAA-0000-0000-0000-000000000001', 'AAAAAAAA-0000-0000-0000-000000000002'];
    const merge = '&mode=merge&key=id&lists=tables';
    await pull(lent, merge, [
      [
        { id: one, a: [1, 2], b: [1] },
        { id: two, a: [3], b: [2] },
      ],
    ]);
    assert.match(await typesIn(lent, 't__a'), /^t__id uuid/);
    await pull(lent, merge, [[{ id: 'x', a: [9] }, { id: one }, { id: two.toLowerCase(), c: [1] }]]);
    assert.match(
      `${await typesIn(lent, 't')}; ${await typesIn(lent, 't__a')}; ${await typesIn(lent, 't__c')}`,
      /^id text; t__id text.*; t__id text/,
    );
    assert.equal(
      (await lent.sql('SELECT t__id, value::int AS v FROM t__a ORDER BY 2')).map((row) => ({ ...row })),
      [
        { t__id: two, v: 3 },
        { t__id: 'x', v: 9 },
      ],
    );
    assert.equal(
      (await lent.sql('SELECT upper(t__id::text) AS id FROM t__b')).map(({ id }) => id),
      [two],
    );
  }));

test('a schema that an earlier version has made gets what is recorded of forms', () =>
  withPostgres(async (lent) => {
    await lent.sql(
      'CREATE TABLE rxtract_columns (table_name text, column_name text, PRIMARY KEY (table_name, column_name))',
    );
    await pull(lent, '', [[{ at: z }]]);
    await pull(lent, '&mode=append', [[{ at: 'x' }]]);
    assert.equal(await textsOf(lent, 'at'), [z, 'x']);
  }));

test('of random items a table by `shape --as sql:postgres` has the columns of a run', () =>
  withPostgres(async (lent) => {
    const sorted = async (table: string) => (await typesIn(lent, table)).split(', ').sort().join(', ');
    const first = Math.floor(Math.random() * 2 ** 31);
    for (let seed = first; seed < first + 40; seed++) {
      const items = randomColumns(seed).map((text) => parseExact(text));
      await pull(lent, '', [items]);
      const observer = createObserver();
      observer.add(batchOf('shaped', items), 0, items.length);
      const document = shapeDocument(new Map([['shaped', observer.shape() ?? anything]]));
      await lent.sql(shapeAs(document, 'sql:postgres').replaceAll(' NOT NULL', ''));
      assert.is(await sorted('shaped'), await sorted('t'), `seed ${seed}`);
      await lent.sql('DROP TABLE t; DROP TABLE shaped');
    }
  }));

run.run();
