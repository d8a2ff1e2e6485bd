/** The tables of a shape have the columns that a run makes of the same items. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { createObserver } from '../../../sinks/shape/observe.js';
import { shapeDocument } from '../../../sinks/shape/shape-document.js';
import { anything, joined, type ValueShape } from '../../../sinks/shape/value-shape.js';
import { isObject } from '../../../src/core/json/exact.js';
import { parseExact } from '../../../src/core/json/exact-parse.js';
import { shapeAs } from '../../../src/tools/shape/shape-forms.js';
import { batchIn, inDatabase } from '../../sinks/duckdb/lib.js';
import { randomColumns } from './random-columns.js';

const sorted = (types: string) => types.split(', ').sort().join(', ');

/** By way of the text of the file. */
function tableOf(dataType: string, shape: ValueShape): string {
  const document = parseExact(shapeAs(shapeDocument(new Map([[dataType, shape]])), 'json'));
  return isObject(document) ? shapeAs(document, 'sql:duckdb').replaceAll(' NOT NULL', '') : '';
}

function shapeOf(items: readonly string[]): ValueShape {
  const observer = createObserver();
  observer.add(batchIn(0, items), 0, items.length);
  return observer.shape() ?? anything;
}

test(
  'of random items a table by `shape --as sql:duckdb` has the columns of a run into DuckDB',
  inDatabase(async ({ pull, sql, types }) => {
    const first = Math.floor(Math.random() * 2 ** 31);
    for (let seed = first; seed < first + 60; seed++) {
      const items = randomColumns(seed).map((item) => `=${item}`);
      await pull({}, [items]);
      await sql(tableOf('shaped', shapeOf(items)));
      assert.is(sorted(await types('shaped')), sorted(await types('t')), `seed ${seed}\n${items.join('\n')}`);
      await sql('DROP TABLE t');
      await sql('DROP TABLE shaped');
    }
  }),
);

test('joined shapes have the columns of all items', () => {
  const cases: readonly (readonly [one: string, other: string, type: string])[] = [
    ['1.5', '1.234', 'DECIMAL(18,3)'],
    ['1', '1.25', 'DECIMAL(18,2)'],
    ['12345678901234567890', '1', 'HUGEINT'],
    ['"2024-01-01"', '"2024-01-02"', 'DATE'],
    ['"2024-01-01"', '"2024-01-02T00:00:00"', 'VARCHAR'],
    ['"2024-01-01"', 'null', 'DATE'],
    ['"2024-01-01"', '"x"', 'VARCHAR'],
    ['"2024-01-01"', '1', 'VARCHAR'],
  ];
  for (const [one, other, type] of cases) {
    const shape = joined(shapeOf([`={"v":${one}}`]), shapeOf([`={"v":${other}}`]));
    assert.is(tableOf('t', shape), `CREATE TABLE "t" (\n  "v" ${type}\n);\n`, `${one} ${other}`);
  }
});

test('a shape of which nothing was seen has the types of its formats, and doubles', () => {
  const member = (rest: Partial<ValueShape>): ValueShape => ({ ...anything, ...rest });
  const shape = member({
    types: new Set(['object']),
    properties: new Map([
      ['at', member({ types: new Set(['string']), format: 'date-time' })],
      ['price', member({ types: new Set(['number']) })],
      ['count', member({ types: new Set(['integer']) })],
      ['other', anything],
    ]),
  });
  const columns = ['at" TIMESTAMP WITH TIME ZONE', 'price" DOUBLE', 'count" BIGINT', 'other" JSON'];
  assert.is(tableOf('t', shape), `CREATE TABLE "t" (\n${columns.map((each) => `  "${each}`).join(',\n')}\n);\n`);
});

test.run();
