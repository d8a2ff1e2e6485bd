import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { batchOf } from '../../sinks/batch.js';
import { ExactNumber } from '../../src/core/json/exact.js';

test('writes compact lines and where each begins', () => {
  const { job, dataType, bytes, offsets, count } = batchOf(
    'users',
    [{ a: 1, b: [null] }, 'č', 12345678901234567890n],
    'job',
  );
  assert.equal([job, dataType, count], ['job', 'users', 3]);
  assert.is(Buffer.from(bytes).toString(), '{"a":1,"b":[null]}\n"č"\n12345678901234567890\n');
  assert.equal([...offsets], [0, 19, 24, 45]);
});

test('gives values, and exact ones with every digit', () => {
  const batch = batchOf('n', [{ id: 12345678901234567890n }, 1]);
  assert.equal(batch.values(), [{ id: 12345678901234567000 }, 1]);
  assert.equal(batch.exact(), [new Map([['id', new ExactNumber('12345678901234567890')]]), new ExactNumber('1')]);
});

test('holds nothing when there are no items', () => {
  const batch = batchOf('n', []);
  assert.equal([batch.count, batch.bytes.length, [...batch.offsets]], [0, 0, [0]]);
  assert.equal([batch.values(), batch.exact()], [[], []]);
});

test('refuses a value that cannot be written as JSON', () => {
  assert.throws(() => batchOf('n', [() => 1]), /cannot be written as JSON/);
});

test.run();
