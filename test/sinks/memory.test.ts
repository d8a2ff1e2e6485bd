import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { batchOf } from '../../sinks/batch.js';
import { memory } from '../../sinks/memory.js';
import { calm, pageEnd } from './lib.js';

test('keeps batches in the order of arrival and gives the values of all or of one data type', async () => {
  const sink = memory();
  const batches = [batchOf('a', [{ n: 1 }, 2]), batchOf('b', ['x']), batchOf('a', [3])];
  for (const batch of batches) await sink.write(batch, calm);
  await sink.close();
  assert.equal(sink.batches, batches);
  assert.equal(sink.items(), [{ n: 1 }, 2, 'x', 3]);
  assert.equal(sink.items('a'), [{ n: 1 }, 2, 3]);
  assert.equal(sink.items('c'), []);
});

test('takes back the same batch written twice only from the commit on', async () => {
  const sink = memory();
  const batch = batchOf('a', [1]);
  await sink.write(batch, calm);
  await sink.commit?.(pageEnd('a'), calm);
  await sink.write(batch, calm);
  await sink.rollback?.('a');
  assert.equal(sink.items(), [1]);
});

test('a page without items is committed too: a rollback removes all that came later', async () => {
  const sink = memory();
  await sink.commit?.(pageEnd('a'), calm);
  await sink.write(batchOf('a', [1]), calm);
  await sink.write(batchOf('b', [2]), calm);
  await sink.rollback?.('a');
  assert.equal(sink.items(), [2]);
});

test.run();
