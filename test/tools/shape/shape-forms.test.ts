/** What follows from a shape: types of TypeScript, tables in SQL, sources of dbt, and its own text. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { createObserver } from '../../../sinks/shape/observe.js';
import { shapeDocument } from '../../../sinks/shape/shape-document.js';
import { anything, type ValueShape } from '../../../sinks/shape/value-shape.js';
import { fromPlain, isObject } from '../../../src/core/json/exact.js';
import { parseExact } from '../../../src/core/json/exact-parse.js';
import { shapeAs } from '../../../src/tools/shape/shape-forms.js';
import { rejection } from '../../sinks/lib.js';
import { batchOf, sample } from '../../sinks/shape/sample.js';

function documentOf(items: readonly unknown[] | undefined, dataType = 'order-lines', text?: (item: unknown) => string) {
  const observer = createObserver();
  const batch = items === undefined ? sample(300) : batchOf(items, {}, text);
  observer.add(batch, 0, batch.count);
  return shapeDocument(new Map<string, ValueShape>([[dataType, observer.shape() ?? anything]]));
}

test('types of TypeScript', () => {
  assert.is(
    shapeAs(documentOf(undefined), 'ts'),
    `export interface OrderLines {
  id: number;
  code: string;
  email: string | null;
  score: number;
  isActive: boolean;
  born: string;
  createdAt: string;
  uid: string;
  status: "open" | "paid" | "sent";
  address: {
    city: string;
    geo: {
      lat: number;
      lng: number;
    };
    zip?: string;
  };
  lines: {
    sku: string;
    count: number;
    price: number;
  }[];
  tags: string[];
  note?: string;
}
`,
  );
});

test('types of TypeScript for what is no plain object', () => {
  const cases: readonly (readonly [unknown, string])[] = [
    ['text', 'string'],
    [null, 'null'],
    [{ 'a-b': 1 }, '{\n  "a-b": number;\n}'],
    [{}, '{ [name: string]: never }'],
    [[1, 'a', null], '(number | string | null)[]'],
    [[], 'unknown[]'],
  ];
  for (const [item, type] of cases) {
    const text = shapeAs(documentOf([item], '2 things'), 'ts');
    assert.ok(text.startsWith('export '), text);
    assert.ok(text.includes('Item2Things'), text);
    assert.ok(text.trim().replace(/;$/, '').endsWith(type), text);
  }
});

test('data types of one name are types of two names', () => {
  const schema = { type: 'integer' };
  const document = fromPlain({ $defs: { 'a-b': schema, 'a b': schema } });
  assert.ok(isObject(document));
  assert.is(shapeAs(document, 'ts'), 'export type AB = number;\n\nexport type AB2 = number;\n');
});

test('tables of PostgreSQL and DuckDB', () => {
  assert.is(
    shapeAs(documentOf(undefined, 'users'), 'sql:postgres'),
    `CREATE TABLE "users" (
  "id" bigint NOT NULL,
  "code" text NOT NULL,
  "email" text,
  "score" numeric NOT NULL,
  "isActive" boolean NOT NULL,
  "born" date NOT NULL,
  "createdAt" text NOT NULL,
  "uid" uuid NOT NULL,
  "status" text NOT NULL,
  "address__city" text NOT NULL,
  "address__geo__lat" numeric NOT NULL,
  "address__geo__lng" bigint NOT NULL,
  "address__zip" text,
  "lines" jsonb NOT NULL,
  "tags" jsonb NOT NULL,
  "note" text
);
`,
  );
  const inDuckdb = shapeAs(documentOf(undefined, 'users'), 'sql:duckdb');
  assert.match(inDuckdb, /"score" DECIMAL\(18,2\) NOT NULL,\n.*"isActive" BOOLEAN/);
});

test('a column has room for each of its values', () => {
  const cases: readonly (readonly [values: readonly string[], postgres: string, duckdb: string])[] = [
    [['1', '9223372036854775807'], 'bigint NOT NULL', 'BIGINT NOT NULL'],
    [['1', '9223372036854775808'], 'numeric NOT NULL', 'HUGEINT NOT NULL'],
    [['1', '"a"'], 'text NOT NULL', 'VARCHAR NOT NULL'],
    [['1', '[]'], 'jsonb NOT NULL', 'JSON NOT NULL'],
    [['0.5', '1e30'], 'numeric NOT NULL', 'DECIMAL(38,1) NOT NULL'],
    [['"2026-01-01T00:00:00Z"'], 'timestamp with time zone NOT NULL', 'TIMESTAMP WITH TIME ZONE NOT NULL'],
    [['"2026-01-01T00:00:00"'], 'timestamp without time zone NOT NULL', 'TIMESTAMP NOT NULL'],
    [['"2026-01-01T00:00:00+02:00"'], 'text NOT NULL', 'VARCHAR NOT NULL'],
    [['"2026-01-01"', '1'], 'text NOT NULL', 'VARCHAR NOT NULL'],
    [['"2026-01-01"', 'null'], 'date', 'DATE'],
  ];
  for (const [values, postgres, duckdb] of cases) {
    const document = documentOf(values, 't', (value) => `{"v":${value}}`);
    assert.ok(shapeAs(document, 'sql:postgres').includes(`"v" ${postgres}\n`), values.join());
    assert.ok(shapeAs(document, 'sql:duckdb').includes(`"v" ${duckdb}\n`), values.join());
  }
});

test('null and empty objects are no values: no column', () => {
  const document = documentOf([{ a: null, b: {} }], 't');
  assert.is(shapeAs(document, 'sql:postgres'), 'CREATE TABLE "t" ();\n');
  assert.is(shapeAs(document, 'sql:duckdb'), 'CREATE TABLE "t" ("value" JSON);\n');
});

test('two members that would be one column are an error, as in a run', async () => {
  const document = documentOf([{ a: { b: 1 }, a__b: 1 }], 't');
  for (const form of ['sql:postgres', 'sql:duckdb', 'dbt'] as const)
    await rejection(async () => shapeAs(document, form), 'ERR_SINK', /would be one column, "a__b"/);
});

test('a member of an object that may be absent or another value is not required', () => {
  const optional = documentOf([{ a: { b: 1 } }, {}], 't');
  assert.ok(shapeAs(optional, 'sql:postgres').includes('"a__b" bigint\n'));
  const mixed = documentOf([{ a: { b: 1 } }, { a: 'x' }], 't');
  assert.ok(shapeAs(mixed, 'sql:postgres').includes('"a" text,\n  "a__b" bigint\n'));
});

test('names that DuckDB cannot tell apart, and quotes', () => {
  const text = shapeAs(documentOf([{ id: 1, ID: 2, 'a"b': 3 }], 'my "table"'), 'sql:duckdb');
  assert.is(
    text,
    'CREATE TABLE "my ""table""" (\n  "id" BIGINT NOT NULL,\n  "ID_1" BIGINT NOT NULL,\n  "a""b" BIGINT NOT NULL\n);\n',
  );
});

test('a name that a database cannot hold is named', async () => {
  const document = documentOf([{ a: 1 }], 'x'.repeat(80));
  await rejection(async () => shapeAs(document, 'sql:postgres'), 'ERR_SINK', /cannot be the name of a table/);
});

test('sources of dbt', () => {
  const items = Array.from({ length: 30 }, (_, n) => ({
    id: n,
    no: n % 2 === 0 ? null : 1,
    kind: ['yes', 'b'][n % 2],
  }));
  assert.is(
    shapeAs(documentOf(items, 'users'), 'dbt'),
    `version: 2
sources:
  - name: rxtract
    tables:
      - name: users
        columns:
          - name: id
            data_type: bigint
            data_tests:
              - not_null
          - name: "no"
            data_type: bigint
          - name: kind
            data_type: text
            data_tests:
              - not_null
              - accepted_values:
                  values: ["yes", b]
`,
  );
});

test('the text of a shape is JSON, with what was seen on one line', () => {
  const document = documentOf([{ id: 1, tags: ['a'] }], 'users');
  const text = shapeAs(document, 'json');
  assert.equal(parseExact(text), document);
  assert.match(text, /\n {10}"x-seen": \{ "count": 1, "range": \[1, 1\] \}\n/);
  assert.ok(text.endsWith('}\n'));
});

test.run();
