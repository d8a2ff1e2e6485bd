/** Leaves of items against a reference that parses them, and the kinds of their columns. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { batchOf } from '../../../sinks/batch.js';
import { kindOfNumber, widened } from '../../../sinks/tables/column-kinds.js';
import { createLeafReader } from '../../../sinks/tables/leaves.js';
import { type Exact, isArray, isNumber, isObject, stringifyExact } from '../../../src/core/json/exact.js';
import { mulberry32 } from '../../support/mulberry32.js';
import { rejection } from '../lib.js';
import { leafRows } from './leaf-rows.js';
import { randomItem } from './random-items.js';

const reader = (join = '.') => createLeafReader({ nameOf: (path) => path.join(join), what: 'x: the table "t"' });

/** Path -> kind and text, as a parser sees it. */
function leavesOf(value: Exact, path: readonly string[] = []): readonly (readonly [string, string])[] {
  if (value === null) return [];
  if (isObject(value)) return [...value].flatMap(([name, member]) => leavesOf(member, [...path, name]));
  const key = JSON.stringify(path);
  if (isArray(value)) return [[key, `json ${stringifyExact(value)}`]];
  if (isNumber(value)) return [[key, `${kindOfNumber(value.text)} ${value.text}`]];
  return [[key, typeof value === 'string' ? `text ${value}` : `boolean ${value}`]];
}

test('leaves are those that a parser finds, for 1,000 random items', () => {
  const seed = Math.floor(Math.random() * 2 ** 31);
  const random = mulberry32(seed);
  for (let round = 0; round < 100; round++) {
    const batch = batchOf(
      't',
      Array.from({ length: 10 }, () => randomItem(random)),
    );
    const read = createLeafReader({ nameOf: JSON.stringify, what: 'x' }).read([batch.bytes]);
    const rows = leafRows(read);
    for (const [at, item] of batch.exact().entries()) {
      const found = [...read.seen.keys()].flatMap(({ path, index }) => {
        const value = rows[at]?.[index];
        if (value === undefined) return [];
        const text = value.kind === 'text' ? JSON.parse(`"${value.raw}"`) : value.raw;
        return [[JSON.stringify(path), `${value.kind} ${text}`] as const];
      });
      assert.equal([...found].sort(), [...leavesOf(item)].sort(), `seed ${seed}`);
    }
  }
});

test('of equal names the last one counts, and two spellings are one name', () => {
  const line = Buffer.from('{"a":1,"a":"x","b":2,"b":null,"\\u0061":3}\n');
  const read = reader().read([line]);
  assert.equal(
    [...read.seen].map(([{ name }, kind]) => `${name} ${kind}`),
    ['a integer,text', 'b integer'],
  );
  assert.equal(leafRows(read), [[{ kind: 'integer', raw: '3' }, undefined]]);
});

test('two paths with one name are an error that names both', async () => {
  const line = Buffer.from('{"a":{"b":1},"a.b":2}\n');
  const error = await rejection(
    () => reader().read([line]),
    'ERR_SINK',
    /^x: the table "t": the members \["a","b"\] and \["a.b"\] would be one column, "a.b"$/,
  );
  assert.match(error.where.remedy ?? '', /with --select, or use columns=item/);
});

test('kinds are widened, never narrowed', () => {
  const cases = [
    ['integer', 'integer', 'integer'],
    ['integer', 'decimal', 'decimal'],
    ['boolean', 'integer', 'text'],
    ['text', 'decimal', 'text'],
    ['boolean', 'json', 'json'],
  ] as const;
  for (const [one, other, wide] of cases) {
    assert.equal([widened(one, other), widened(other, one)], [wide, wide]);
  }
  assert.equal([widened('text', 'json'), widened('json', 'text')], ['text', 'json']);
});

test('an integer fits into 64 bits', () => {
  const integers = ['0', '-0', '9223372036854775807', '-9223372036854775808', '123456789012345678'];
  const decimals = ['9223372036854775808', '-9223372036854775809', '1.0', '1e3', '12345678901234567890'];
  for (const text of integers) assert.is(kindOfNumber(text), 'integer', text);
  for (const text of decimals) assert.is(kindOfNumber(text), 'decimal', text);
});

test.run();
