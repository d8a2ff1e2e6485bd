import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { createBatch } from '../../../src/core/model/batch.js';

test('takes the slab over as it is, a part of a larger buffer too', () => {
  const bytes = new TextEncoder().encode('xx{"a":"č\\n"}\n[1]\nxx').subarray(2, -2);
  const offsets = Uint32Array.of(0, 13, 17);
  const batch = createBatch('job', 'users', bytes, offsets, 2);
  assert.is(batch.bytes, bytes);
  assert.is(batch.offsets, offsets);
  assert.equal([batch.job, batch.dataType, batch.count], ['job', 'users', 2]);
  assert.equal(batch.values(), [{ a: 'č\n' }, [1]]);
});

test('keeps a byte-order mark that belongs to a text, and a line separator', () => {
  const bytes = new TextEncoder().encode('"\ufeff\u2028"\n');
  assert.equal(createBatch('job', 'users', bytes, Uint32Array.of(0, bytes.length), 1).values(), ['\ufeff\u2028']);
});

test('parses anew for everyone who asks', () => {
  const bytes = new TextEncoder().encode('{}\n');
  const batch = createBatch('job', 'users', bytes, Uint32Array.of(0, 3), 1);
  assert.is.not(batch.values()[0], batch.values()[0]);
  assert.is.not(batch.exact()[0], batch.exact()[0]);
});

test.run();
