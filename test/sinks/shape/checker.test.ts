/** The checker of bytes finds what the comparison of shapes finds, in every item. */
import fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { createChecker } from '../../../sinks/shape/checker.js';
import { differencesOf } from '../../../sinks/shape/differences.js';
import { formatOf } from '../../../sinks/shape/formats.js';
import { createObserver, shapeOfItem } from '../../../sinks/shape/observe.js';
import { anything, formatNames, type ValueShape } from '../../../sinks/shape/value-shape.js';
import type { Batch } from '../../../src/core/model/batch.js';
import { batchOf, sample, sampleItem } from './sample.js';

function shapeOf(batch: Batch): ValueShape {
  const observer = createObserver();
  observer.add(batch, 0, batch.count);
  return observer.shape() ?? anything;
}

/** The items that do not fit. */
function unfitIn(shape: ValueShape, batch: Batch): readonly number[] {
  const checker = createChecker(shape);
  const found: number[] = [];
  for (let at = checker.firstUnfit(batch, 0); at < batch.count; at = checker.firstUnfit(batch, at + 1)) found.push(at);
  return found;
}

const differing = (shape: ValueShape, batch: Batch): readonly number[] =>
  Array.from({ length: batch.count }, (_, index) => index).filter(
    (index) => differencesOf(shape, shapeOfItem(batch, index)).length > 0,
  );

test('items fit the shape that they have', () => {
  const batch = sample(500);
  assert.equal(unfitIn(shapeOf(batch), batch), []);
});

test('items fit in any order of their members', () => {
  const shape = shapeOf(sample(200));
  const shuffled = Array.from({ length: 200 }, (_, n) => {
    const entries = Object.entries(sampleItem(n));
    return Object.fromEntries(n % 2 === 0 ? entries.reverse() : [...entries.slice(5), ...entries.slice(0, 5)]);
  });
  assert.equal(unfitIn(shape, batchOf(shuffled)), []);
});

test('what is repeated in an item does not stand for what is missing', () => {
  const shape = shapeOf(batchOf([{ a: 1, b: 2 }]));
  const texts = ['{"a":1,"a":2}', '{"b":1,"a":2}', '{"a":1}', '{}', '{"a":1,"b":1,"a":1}'];
  assert.equal(unfitIn(shape, batchOf(texts, {}, String)), [0, 2, 3]);
});

test('an item that is written in another way is left to the comparison', () => {
  const shape = shapeOf(batchOf([{ a: 'x', n: 1 }]));
  const batch = batchOf(['{"\\u0061":"x","n":1}', '{"a":"x","n":1}'], {}, String);
  assert.equal(unfitIn(shape, batch), [0]);
  assert.equal(differing(shape, batch), []);
});

test('a name that begins like another one is another one', () => {
  const shape = shapeOf(batchOf([{ name: 1, names: 2, nam: 3, 'a long name with more bytes': 4 }]));
  const fitting = [{ nam: 3, names: 2, name: 1, 'a long name with more bytes': 4 }];
  const others = [{ name: 1, names: 2, nam: 3, 'a long name with more bytex': 4 }];
  assert.equal(unfitIn(shape, batchOf([...fitting, ...others])), [1]);
});

test('long batches and long items are read in pieces', () => {
  const shape = shapeOf(batchOf([{ id: 1, text: 'x' }]));
  const items = Array.from({ length: 3000 }, (_, id) => ({ id, text: 'y'.repeat(id % 700) }));
  items[2999] = { id: 2999, text: 'z'.repeat(300_000) };
  const bad = [17, 999, 2998];
  const batch = batchOf(items.map((item, index) => (bad.includes(index) ? { ...item, more: 1 } : item)));
  // The item that is longer than the memory is always left to the comparison.
  assert.equal(unfitIn(shape, batch), [...bad, 2999]);
  assert.equal(differing(shape, batch), bad);
});

test('a shape with many members needs more memory', () => {
  const item = Object.fromEntries(Array.from({ length: 900 }, (_, n) => [`member number ${n} with a long name`, n]));
  const wide = { ...item, deep: item };
  const shape = shapeOf(batchOf([wide]));
  assert.equal(unfitIn(shape, batchOf([wide, { ...wide, deep: { ...item, other: 1 } }, wide])), [1]);
});

test('formats are the same in bytes and in texts', () => {
  const texts = [
    ...['2026-02-28', '2026-13-01', '2026-00-10', '2026-01-00', '2026-01-32', '2026-1-01', '026-01-011', '2026/01/01'],
    ...['2026-02-28T00:00:00Z', '2026-02-28t24:00:00z', '2026-02-28T23:60:00Z', '2026-02-28T23:59:60Z'],
    ...['2026-02-28T23:59:61Z', '2026-02-28T10:00:00', '2026-02-28T10:00:00.Z', '2026-02-28T10:00:00.1Z'],
    ...['2026-02-28T10:00:00.123456789+14:00', '2026-02-28T10:00:00-24:00', '2026-02-28T10:00:00+01:60'],
    ...['2026-02-28 10:00:00Z', '2026-02-28T10:00:00Zx', '2026-02-28T10:00:00+0100', '', 'x', '2026-02-28T10:00:00.'],
    ...['6f9619ff-8b86-d011-b42d-00c04fc964ff', '6F9619FF-8B86-D011-B42D-00C04FC964FF'],
    ...[
      '6f9619ff-8b86-d011-b42d-00c04fc964fg',
      '6f9619ff-8b86-d011-b42d-00c04fc964f',
      '6f9619ff08b86-d011-b42d-00c04fc9ff',
    ],
    ...[
      '6f9619ff-8b86-d011-b42d-00c04fc964ff0',
      '@f9619ff-8b86-d011-b42d-00c04fc964ff',
      '6f9619ff-8b86-d011-b42d-00c04fc964`f',
    ],
  ];
  for (const format of formatNames) {
    const shape: ValueShape = { ...anything, types: new Set(['string']), format };
    const expected = texts.flatMap((text, index) => (formatOf(text) === format ? [] : [index]));
    assert.equal(unfitIn(shape, batchOf(texts)), expected, format);
  }
});

/** Values that are often nearly the same. */
const scalar = fc.oneof(
  fc.constantFrom('a', 'b', 'ab', 'é', '"', '2026-01-01', '2026-01-01T00:00:00Z', 'x\n\\y', ''),
  fc.constantFrom(0, 1, -1, 1.5, 1e21, true, false, null),
);
const value = fc.letrec((tie) => ({
  value: fc.oneof({ depthSize: 'small' }, scalar, tie('list'), tie('object')),
  list: fc.array(tie('value'), { maxLength: 3 }),
  object: fc.dictionary(fc.constantFrom('a', 'b', 'c', 'a"', 'é', 'long name of a member'), tie('value'), {
    maxKeys: 4,
  }),
})).value;

test('the checker and the comparison agree on random items', () => {
  const property = fc.property(
    fc.array(value, { minLength: 1, maxLength: 6 }),
    fc.array(value, { maxLength: 12 }),
    (known, given) => {
      const shape = shapeOf(batchOf(known));
      const batch = batchOf([...known, ...given]);
      assert.equal(unfitIn(shape, batch), differing(shape, batch));
    },
  );
  fc.assert(property, { numRuns: 2000 });
});

test.run();
