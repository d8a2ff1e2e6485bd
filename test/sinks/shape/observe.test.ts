/** The shape of items: types, members, enumerations, formats, and what was seen. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { createObserver } from '../../../sinks/shape/observe.js';
import type { ValueShape } from '../../../sinks/shape/value-shape.js';
import { batchOf, sample } from './sample.js';

function observed(items: readonly unknown[], text?: (item: unknown) => string): ValueShape | undefined {
  const observer = createObserver();
  const batch = batchOf(items, {}, text);
  observer.add(batch, 0, batch.count);
  return observer.shape();
}

const raw = String;

/** Of the member `v` of items. */
const memberOf = (values: readonly unknown[], text = (value: unknown): string => JSON.stringify(value)) =>
  observed(values, (value) => `{"v":${text(value)}}`)?.properties.get('v');

const times = <T>(count: number, value: (n: number) => T): readonly T[] =>
  Array.from({ length: count }, (_, n) => value(n));

test('no item has no shape', () => {
  assert.is(createObserver().shape(), undefined);
});

test('types are those of JSON, and a number with a fraction or an exponent makes all of them numbers', () => {
  const cases: readonly (readonly [readonly unknown[], readonly string[]])[] = [
    [['1', '-2'], ['integer']],
    [['1', '2.0'], ['number']],
    [['1e3'], ['number']],
    [['true', 'false'], ['boolean']],
    [
      ['null', '"a"'],
      ['null', 'string'],
    ],
    [
      ['{}', '[]'],
      ['object', 'array'],
    ],
  ];
  for (const [values, types] of cases) assert.equal([...(memberOf(values, raw)?.types ?? [])], types, String(values));
});

test('a member is required if each object has it, and counted where it is missing', () => {
  const shape = observed([{ a: 1, b: 1 }, { a: 2 }, { a: null, a2: 1 }]);
  assert.equal([...(shape?.required ?? [])], ['a']);
  assert.equal(shape?.properties.get('b')?.seen, { count: 1, nulls: 0, missing: 2, range: ['1', '1'] });
  assert.equal(shape?.properties.get('a')?.seen, { count: 3, nulls: 1, missing: 0, range: ['1', '2'] });
});

test('a repeated member counts once', () => {
  const shape = observed(['{"a":1,"a":2}', '{"b":1}'], raw);
  assert.equal([...(shape?.required ?? [])], []);
  assert.is(shape?.properties.get('a')?.seen?.missing, 1);
});

test('ranges keep every digit', () => {
  const values = ['9007199254740993', '9007199254740992', '9007199254740994'];
  assert.equal(memberOf(values, raw)?.seen?.range, ['9007199254740992', '9007199254740994']);
  assert.equal(memberOf(['2.50', '-1e2', '10'], raw)?.seen?.range, ['-1e2', '10']);
});

test('lengths count characters and elements', () => {
  assert.equal(memberOf(['é', '😀😀', ''])?.seen?.length, [0, 2]);
  assert.equal(memberOf([[], [1, 2, 3]])?.seen?.length, [0, 3]);
});

test('a format is that of all texts', () => {
  const cases: readonly (readonly [readonly string[], string | undefined])[] = [
    [['2026-02-28', '1999-12-31'], 'date'],
    [['2026-02-28', '1999-13-31'], undefined],
    [['2026-02-28T00:00:00Z', '2026-02-28t23:59:60.123456+05:30'], 'date-time'],
    [['2026-02-28T00:00:00'], undefined],
    [['2026-02-28', '2026-02-28T00:00:00Z'], undefined],
    [['6f9619ff-8b86-d011-b42d-00c04fc964ff', '6F9619FF-8B86-D011-B42D-00C04FC964FF'], 'uuid'],
    [['6f9619ff8b86d011b42d00c04fc964ff'], undefined],
    [[''], undefined],
  ];
  for (const [values, format] of cases) assert.is(memberOf(values)?.format, format, values.join());
});

test('few texts that occur often are an enumeration', () => {
  assert.equal(memberOf(times(20, (n) => 'ab'.charAt(n % 2)))?.values, ['a', 'b']);
  assert.equal(memberOf([...times(20, (n) => 'ab'.charAt(n % 2)), null])?.values, ['a', 'b']);
  assert.is(memberOf(times(19, (n) => 'ab'.charAt(n % 2)))?.values, undefined, 'not often enough');
  assert.is(memberOf(times(1000, (n) => `v${n % 21}`))?.values, undefined, 'too many');
  assert.is(memberOf(times(100, () => 'x'.repeat(65)))?.values, undefined, 'too long');
  assert.is(memberOf(times(100, () => '2026-01-01'))?.values, undefined, 'a format says more');
});

test('an object with more than 1,000 members has keys of a table', () => {
  const shape = memberOf([Object.fromEntries(times(1001, (n) => [`k${n}`, n])), { other: 'x' }]);
  assert.is(shape?.properties.size, 0);
  assert.equal([...(shape?.rest?.types ?? [])].sort(), ['integer', 'string']);
  assert.is(shape?.rest?.seen?.count, 1002);
});

test('a value that is nested deeper than 32 levels may be anything', () => {
  let shape = observed([`${'{"a":'.repeat(40)}1${'}'.repeat(40)}`], raw);
  for (let depth = 0; depth < 32; depth++) shape = shape?.properties.get('a');
  assert.is(shape?.types.size, 0);
});

test('names are what they are: __proto__, empty, quotes, escapes', () => {
  const names = ['__proto__', '', 'a"b', 'a.b', 'é', 'toString'];
  const shape = observed([`{${names.map((name) => `${JSON.stringify(name)}:1`).join(',')}}`], raw);
  assert.equal([...(shape?.properties.keys() ?? [])], names);
  const escaped = observed(['{"\\u00e9":1}', '{"é":2}'], raw);
  assert.equal([...(escaped?.properties.keys() ?? [])], ['é']);
});

test('batches add up to the shape of all items', () => {
  const [whole, parts, batch] = [createObserver(), createObserver(), sample(100)];
  whole.add(batch, 0, 100);
  for (const [from, to] of [
    [0, 1],
    [1, 40],
    [40, 100],
  ] as const)
    parts.add(batch, from, to);
  assert.equal(parts.shape(), whole.shape());
});

test.run();
