import { crc32 } from 'node:zlib';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { batchOf } from '../../../sinks/batch.js';
import { createFileCheckpoints } from '../../../sinks/files/file-checkpoints.js';

const users = batchOf('users', [{ id: 1 }, { id: 2 }]);
const more = batchOf('users', [{ id: 3 }]);

test('counts and sums what was added, by data type', () => {
  const checkpoints = createFileCheckpoints();
  checkpoints.sum();
  checkpoints.add(users);
  checkpoints.add(more);
  const bytes = Buffer.concat([users.bytes, more.bytes]);
  assert.equal(checkpoints.at('users'), { items: 3, bytes: bytes.length, crc: crc32(bytes) });
  assert.equal(checkpoints.at('orders'), { items: 0, bytes: 0, crc: 0 });
});

test('nothing is summed before somebody may ask for it', () => {
  const checkpoints = createFileCheckpoints();
  checkpoints.add(users);
  assert.equal(checkpoints.at('users'), { items: 2, bytes: users.bytes.length, crc: 0 });
});

test('goes on from where it is set back to', () => {
  const checkpoints = createFileCheckpoints();
  checkpoints.sum();
  checkpoints.add(users);
  const before = checkpoints.at('users');
  checkpoints.add(more);
  const after = checkpoints.at('users');
  checkpoints.reset('users', before);
  assert.equal(checkpoints.at('users'), before);
  checkpoints.add(more);
  assert.equal(checkpoints.at('users'), after);
});

test('the summary has counts alone, of all that were announced', () => {
  const checkpoints = createFileCheckpoints();
  checkpoints.open('empty');
  checkpoints.reset('users', { items: 2, bytes: 18, crc: 7 });
  assert.equal(
    checkpoints.summary((dataType) => `${dataType}.x`),
    [
      { dataType: 'empty', name: 'empty.x', items: 0, bytes: 0 },
      { dataType: 'users', name: 'users.x', items: 2, bytes: 18 },
    ],
  );
});

test.run();
