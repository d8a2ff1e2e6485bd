import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { createBatch, sizeOf, startOf } from '../../../src/core/model/batch.js';

const place = { job: 'job', dataType: 'users', run: 'r', walk: '3/7.0.14.2', page: 5 };

test('uses the slab without copying, also as a part of a larger buffer', () => {
  const bytes = new TextEncoder().encode('xx{"a":"č\\n"}\n[1]\nxx').subarray(2, -2);
  const offsets = Uint32Array.of(0, 13, 17);
  const batch = createBatch(place, { bytes, offsets, count: 2 }, 3);
  assert.is(batch.bytes, bytes);
  assert.is(batch.offsets, offsets);
  const { job, dataType, run, walk, page, offset, count } = batch;
  assert.equal([job, dataType, run, walk, page, offset, count], ['job', 'users', 'r', '3/7.0.14.2', 5, 3, 2]);
  assert.equal(batch.values(), [{ a: 'č\n' }, [1]]);
});

test('keeps a byte-order mark that belongs to a text, and a line separator', () => {
  const bytes = new TextEncoder().encode('"\ufeff\u2028"\n');
  assert.equal(createBatch(place, { bytes, offsets: Uint32Array.of(0, bytes.length), count: 1 }, 0).values(), [
    '\ufeff\u2028',
  ]);
});

test('parses anew on each call', () => {
  const bytes = new TextEncoder().encode('{}\n');
  const batch = createBatch(place, { bytes, offsets: Uint32Array.of(0, 3), count: 1 }, 0);
  assert.is.not(batch.values()[0], batch.values()[0]);
  assert.is.not(batch.exact()[0], batch.exact()[0]);
});

test('says where an item begins and how large it is, with its newline', () => {
  const items = { bytes: new TextEncoder().encode('{"a":1}\n[1]\n'), offsets: Uint32Array.of(0, 8, 12) };
  assert.equal([startOf(items, 0), startOf(items, 1), startOf(items, 2)], [0, 8, 12]);
  assert.equal([sizeOf(items, 0), sizeOf(items, 1)], [8, 4]);
  assert.equal([startOf(items, 3), sizeOf(items, 2)], [12, 0], 'nothing follows the last item');
});

test.run();
