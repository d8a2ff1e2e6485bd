import { mock } from 'node:test';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { batchOf } from '../../../sinks/batch.js';
import { type BatchBounds, batchBy } from '../../../sinks/decorators/batch-by.js';
import { memory } from '../../../sinks/memory.js';
import { messageIds } from '../../../sinks/messages/message-id.js';
import type { Batch } from '../../../src/core/model/batch.js';
import { calm, pageEnd, rejection, turns } from '../lib.js';

const items = (from: number, count: number) => Array.from({ length: count }, (_, n) => ({ n: from + n }));

/** The batches of a page, of these sizes. */
function page(sizes: readonly number[], number = 0): readonly Batch[] {
  let offset = 0;
  return sizes.map((count) => {
    const batch = batchOf('users', items(offset, count), { page: number, offset });
    offset += count;
    return batch;
  });
}

/** The batches that the sink got of pages of these sizes. */
async function regrouped(bounds: BatchBounds, ...pages: readonly (readonly number[])[]): Promise<readonly Batch[]> {
  const inner = memory();
  const sink = batchBy(inner, bounds);
  for (const [number, sizes] of pages.entries()) {
    for (const batch of page(sizes, number)) await sink.write(batch, calm);
    await sink.commit?.(pageEnd('users', { page: number }), calm);
  }
  await sink.close();
  return inner.batches;
}

const cases: readonly (readonly [BatchBounds, readonly number[], readonly number[]])[] = [
  [{ count: 4 }, [10], [4, 4, 2]],
  [{ count: 4 }, [1, 1, 1, 1, 1, 1, 1, 1, 1, 1], [4, 4, 2]],
  [{ count: 4 }, [3, 7], [4, 4, 2]],
  [{ count: 100 }, [3, 7], [10]],
  [{ bytes: 24 }, [10], [3, 3, 3, 1]],
  [{ bytes: 1 }, [2, 1], [1, 1, 1]],
  [{ count: 2, bytes: 1000 }, [3], [2, 1]],
];

for (const [bounds, given, expected] of cases) {
  test(`${JSON.stringify(bounds)} makes ${expected} of ${given}`, async () => {
    const made = await regrouped(bounds, given);
    assert.equal(
      made.map(({ count }) => count),
      expected,
    );
    const ids = page(given).flatMap((batch) => messageIds(batch));
    assert.equal(
      made.flatMap((batch) => messageIds(batch)),
      ids,
      'the ids stay',
    );
  });
}

test('a batch never has items of two pages', async () => {
  const made = await regrouped({ count: 4 }, [3], [5]);
  assert.equal(
    made.map((batch) => [batch.page, batch.offset, batch.count]),
    [
      [0, 0, 3],
      [1, 0, 4],
      [1, 4, 1],
    ],
  );
});

test('items wait for so many ms at most', async () => {
  mock.timers.enable({ apis: ['setTimeout'] });
  try {
    const inner = memory();
    const sink = batchBy(inner, { count: 4, ms: 500 });
    await sink.write(page([2])[0] as Batch, calm);
    mock.timers.tick(499);
    await turns();
    assert.is(inner.batches.length, 0);
    mock.timers.tick(1);
    await turns();
    assert.equal(
      inner.batches.map(({ count }) => count),
      [2],
    );
    await sink.write(batchOf('users', items(2, 1), { offset: 2 }), calm);
    await sink.commit?.(pageEnd('users'), calm);
    assert.is(inner.batches.length, 2);
    mock.timers.tick(10_000);
    await sink.close();
    assert.is(inner.batches.length, 2);
  } finally {
    mock.timers.reset();
  }
});

test('a failure after so many ms ends the run at once', async () => {
  mock.timers.enable({ apis: ['setTimeout'] });
  try {
    const reports: string[] = [];
    const sink = batchBy(
      () => {
        throw new Error('full');
      },
      { count: 4, ms: 500 },
    );
    await sink.open?.('users', 'users', { onFailure: (thrown) => void reports.push(String(thrown)) });
    await sink.write(page([2])[0] as Batch, calm);
    mock.timers.tick(500);
    await turns();
    assert.equal(reports, ['Error: full']);
    assert.match(String(await Promise.resolve(sink.commit?.(pageEnd('users'), calm)).catch(String)), /full/);
  } finally {
    mock.timers.reset();
  }
});

test('a rollback drops what waits', async () => {
  const inner = memory();
  const sink = batchBy(inner, { count: 4 });
  await sink.write(page([6])[0] as Batch, calm);
  await sink.rollback?.('users');
  await sink.write(page([1])[0] as Batch, calm);
  await sink.commit?.(pageEnd('users'), calm);
  assert.equal(inner.items('users'), [{ n: 0 }]);
});

test('what waits is sent before everything is said to be on the disk', async () => {
  const seen: string[] = [];
  const durable = async () => void seen.push('durable');
  const inner = memory();
  const sink = batchBy({ ...inner, write: () => void seen.push('write'), durable }, { count: 4 });
  await sink.write(page([1])[0] as Batch, calm);
  await sink.durable?.();
  assert.equal(seen, ['write', 'durable']);
});

const faults: readonly (readonly [BatchBounds, RegExp])[] = [
  [{}, /needs count, bytes or both/],
  [{ ms: 5 }, /needs count, bytes or both/],
  [{ count: 0 }, /^batchBy: count: expected a whole number/],
  [{ count: 1, ms: 0.5 }, /^batchBy: ms:/],
];

for (const [bounds, message] of faults) {
  test(`refuses ${JSON.stringify(bounds)}`, () =>
    rejection(() => batchBy(memory(), bounds), 'ERR_USAGE', message).then());
}

test.run();
