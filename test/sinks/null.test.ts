import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { batchOf } from '../../sinks/batch.js';
import { nullSink } from '../../sinks/null.js';
import { calm, pageEnd } from './lib.js';

test('counts what it drops, and uncounts what is taken back', async () => {
  const sink = nullSink();
  sink.open?.('empty', 'job');
  await sink.write(batchOf('users', [1, 2]), calm);
  await sink.commit?.(pageEnd('users'), calm);
  await sink.write(batchOf('users', [3]), calm);
  await sink.rollback?.('users');
  await sink.close();
  assert.equal(sink.summary?.(), [
    { dataType: 'empty', name: 'dropped', items: 0, bytes: 0 },
    { dataType: 'users', name: 'dropped', items: 2, bytes: 4 },
  ]);
});

test.run();
