/** Parts of batches and batches joined: each part has its items, its own offsets, and its place in the page. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { batchOf } from '../../sinks/batch.js';
import { cut, follows, joined, partOf, partsWithout } from '../../sinks/batch-parts.js';
import { createTally } from '../../sinks/counts.js';
import type { Batch } from '../../src/core/model/batch.js';

const batch = batchOf('users', ['a', 'bb', 'ccc', 'dddd'], { offset: 10 });

const shown = (parts: readonly Batch[]) => parts.map((part) => [part.offset, ...part.exact()]);

test('a part is a view with offsets of its own; the whole is the batch itself', () => {
  const part = partOf(batch, 1, 3);
  assert.equal(shown([part]), [[11, 'bb', 'ccc']]);
  assert.equal([...part.offsets], [0, 5, 11]);
  assert.is(part.bytes.buffer, batch.bytes.buffer);
  assert.is(partOf(batch, 0, 4), batch);
});

test('the parts between items that are left out', () => {
  assert.equal(shown(partsWithout(batch, [])), [[10, 'a', 'bb', 'ccc', 'dddd']]);
  assert.equal(shown(partsWithout(batch, [0, 3])), [[11, 'bb', 'ccc']]);
  assert.equal(shown(partsWithout(batch, [1, 2])), [
    [10, 'a'],
    [13, 'dddd'],
  ]);
  assert.equal(partsWithout(batch, [0, 1, 2, 3]), []);
});

test('parts that follow one another are joined to the same batch', () => {
  const [first, second, third] = [partOf(batch, 0, 1), partOf(batch, 1, 3), partOf(batch, 3, 4)];
  assert.ok(follows(second, first));
  assert.not(follows(third, first));
  const whole = joined(first, [second, third]);
  assert.equal([...whole.offsets], [...batch.offsets]);
  assert.equal(Buffer.from(whole.bytes), Buffer.from(batch.bytes));
  assert.is(whole.offset, 10);
  assert.is(joined(first, []), first);
});

test('groups end at a number of items or of bytes, and continue the group that waits', () => {
  const groups = (waiting: Parameters<typeof cut>[1], mostItems: number, mostBytes: number) =>
    cut(batch, waiting, { mostItems, mostBytes }).map(({ batch: part, isFirst }) => [isFirst, ...part.exact()]);
  assert.equal(groups(undefined, 3, 1000), [
    [false, 'a', 'bb', 'ccc'],
    [true, 'dddd'],
  ]);
  assert.equal(groups({ count: 3, bytes: 9 }, 3, 1000), [
    [true, 'a', 'bb', 'ccc'],
    [true, 'dddd'],
  ]);
  // The items have 4, 5, 6 and 7 bytes.
  assert.equal(groups({ count: 1, bytes: 2 }, 10, 11), [
    [false, 'a', 'bb'],
    [true, 'ccc'],
    [true, 'dddd'],
  ]);
  assert.equal(groups(undefined, 10, 1), [
    [false, 'a'],
    [true, 'bb'],
    [true, 'ccc'],
    [true, 'dddd'],
  ]);
});

test('items that were left out count neither as items nor in bytes', () => {
  const tally = createTally();
  tally.add(batch);
  tally.add(batch, [0, 3]);
  assert.equal(tally.at('users'), { items: 6, bytes: 22 + 11 });
});

test.run();
