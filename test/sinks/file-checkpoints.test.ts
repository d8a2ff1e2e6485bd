import { crc32 } from 'node:zlib';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { batchOf } from '../../sinks/batch.js';
import { createStandings } from '../../sinks/file-checkpoints.js';

const users = batchOf('users', [{ id: 1 }, { id: 2 }]);
const more = batchOf('users', [{ id: 3 }]);

test('counts and sums what was added, by data type', () => {
  const standings = createStandings();
  standings.sum();
  standings.add(users);
  standings.add(more);
  const bytes = Buffer.concat([users.bytes, more.bytes]);
  assert.equal(standings.at('users'), { items: 3, bytes: bytes.length, crc: crc32(bytes) });
  assert.equal(standings.at('orders'), { items: 0, bytes: 0, crc: 0 });
});

test('nothing is summed before somebody may ask for it', () => {
  const standings = createStandings();
  standings.add(users);
  assert.equal(standings.at('users'), { items: 2, bytes: users.bytes.length, crc: 0 });
});

test('goes on from where it is set back to', () => {
  const standings = createStandings();
  standings.sum();
  standings.add(users);
  const before = standings.at('users');
  standings.add(more);
  const after = standings.at('users');
  standings.reset('users', before);
  assert.equal(standings.at('users'), before);
  standings.add(more);
  assert.equal(standings.at('users'), after);
});

test('the summary has counts alone, of all that were announced', () => {
  const standings = createStandings();
  standings.open('empty');
  standings.reset('users', { items: 2, bytes: 18, crc: 7 });
  assert.equal(
    standings.summary((dataType) => `${dataType}.x`),
    [
      { dataType: 'empty', name: 'empty.x', items: 0, bytes: 0 },
      { dataType: 'users', name: 'users.x', items: 2, bytes: 18 },
    ],
  );
});

test.run();
