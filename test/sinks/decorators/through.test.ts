import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { PageEnd, Sink } from '../../../sinks/contract.js';
import {
  batchOf,
  checkSink,
  filterItems,
  mapItems,
  memory,
  nullSink,
  stdout,
  tapBatches,
  through,
} from '../../../sinks/index.js';
import { type Batch, createBatch } from '../../../src/core/model/batch.js';
import { deferred } from '../../run/consume/pages.js';
import { calm, pageEnd, rejection, turns } from '../lib.js';

const users = batchOf('users', [{ id: 1 }, { id: 2 }, { id: 3 }]);
const isOdd = filterItems<{ id: number }>(({ id }) => id % 2 === 1);

test('applies transforms in the order given, and counts what came of them', async () => {
  const to = memory();
  const sink = through(
    to,
    isOdd,
    mapItems(({ id }) => ({ id: id * 10 })),
  );
  await sink.open?.('users', 'users');
  await sink.write(users, calm);
  assert.equal(to.items(), [{ id: 10 }, { id: 30 }]);
  assert.equal(sink.summary?.(), [
    { dataType: 'users', name: 'memory', items: 2, bytes: '{"id":10}\n{"id":30}\n'.length },
  ]);
});

test('a batch without items is not written', async () => {
  const calls: number[] = [];
  const sink = through(
    ({ count }) => void calls.push(count),
    filterItems<{ id: number }>(({ id }) => id > 2),
  );
  await sink.write(users, calm);
  await sink.write(batchOf('users', [{ id: 1 }]), calm);
  assert.equal(calls, [1]);
});

test('the next batch waits for the transform and for the sink', async () => {
  const [transformed, taken] = [deferred(), deferred()];
  const sink = through(
    () => taken.promise,
    tapBatches(() => transformed.promise),
  );
  let settled = false;
  const writing = Promise.resolve(sink.write(users, calm)).then(() => {
    settled = true;
  });
  await turns();
  transformed.resolve();
  await turns();
  assert.is(settled, false);
  taken.resolve();
  await writing;
});

test('an interrupted write does not wait for a transform', async () => {
  const controller = new AbortController();
  const received: AbortSignal[] = [];
  const stuck = tapBatches((_, signal) => {
    received.push(signal);
    return new Promise(() => {});
  });
  const writing = through(memory(), stuck).write(users, controller.signal);
  controller.abort();
  await rejection(writing, 'ERR_ABORTED');
  assert.equal(received, [controller.signal]);
});

test('what a transform throws is what the write rejects with', async () => {
  const fault = new Error('no');
  const failing = () => {
    throw fault;
  };
  const thrown = await Promise.resolve(through(memory(), failing).write(users, calm)).catch(
    (caught: unknown) => caught,
  );
  assert.is(thrown, fault);
});

test('a transform may not move items to another data type or job', async () => {
  const moved = (batch: Batch) => createBatch({ ...batch, dataType: 'others' }, batch, 0);
  await rejection(through(memory(), moved).write(users, calm), 'ERR_SINK', /"users".*"others"/);
});

test('has the abilities of its sink, and no others', () => {
  const all = ['name', 'recovery', 'commit', 'rollback', 'open', 'resume', 'positions', 'durable', 'summary'] as const;
  const abilities = (sink: object) => all.filter((name) => name in sink);
  for (const sink of [memory(), nullSink(), stdout(), { write() {}, close() {}, abort() {} }]) {
    assert.equal(abilities(through(sink, isOdd)), abilities(sink));
  }
});

test('offsets and the counts of a commit are those of the items that the sink gets', async () => {
  const got: unknown[] = [];
  const to: Sink = {
    ...memory(),
    write: ({ offset, count }) => void got.push([offset, count]),
    commit: ({ count, bytes }, signal) => void got.push([count, bytes, signal]),
  };
  const sink = through(
    to,
    filterItems((id) => Number(id) % 2 === 1),
  );
  const page = async (...batches: readonly (readonly number[])[]) => {
    let offset = 0;
    for (const ids of batches) {
      await sink.write(batchOf('users', ids, { offset }), calm);
      offset += ids.length;
    }
  };
  await page([1, 2], [4], [3, 5]);
  await page([1, 2], [3]); // broke off, and came again
  await sink.commit?.(pageEnd('users'), calm);
  await page([2], [4]);
  await sink.commit?.(pageEnd('users'), calm);
  assert.equal(got, [
    [0, 1],
    [1, 2],
    [0, 1],
    [1, 1],
    [2, 4, calm],
    [0, 0, calm],
  ]);
});

test('keeps the rules of its sink', async () => {
  const made: ReturnType<typeof memory>[] = [];
  const make = () => {
    const to = memory();
    made.push(to);
    return through(
      to,
      filterItems(() => true),
      tapBatches(() => {}),
    );
  };
  const read = async (dataType: string) =>
    made
      .flatMap(({ batches }) => batches)
      .filter((batch) => batch.dataType === dataType)
      .flatMap(({ bytes }) => Buffer.from(bytes).toString().split('\n').slice(0, -1));
  const checks = await checkSink(make, read);
  assert.equal(
    checks.filter(({ outcome }) => outcome === 'fail'),
    [],
  );
});

test('passes on the secrets, the check and the window of its sink', async () => {
  let checks = 0;
  let window: number | undefined;
  const sink = through({
    ...memory(),
    secrets: ['word'],
    check: async () => {
      checks += 1;
    },
    get window() {
      return window;
    },
  });
  assert.equal([sink.secrets, sink.window], [['word'], undefined]);
  await sink.check?.();
  assert.is(checks, 1);
});

test('prepare and commit of a page have the counts that the sink received, also if that is none', async () => {
  const calls: unknown[] = [];
  const counts = (name: string) => (page: PageEnd) => void calls.push([name, page.count, page.bytes]);
  const to: Sink = { write() {}, prepare: counts('prepare'), commit: counts('commit'), close() {}, abort() {} };
  const sink = through(to, isOdd);
  const end = pageEnd('users', { count: 3, bytes: users.bytes.length });
  await sink.prepare?.(end, calm);
  await sink.commit?.(end, calm);
  await sink.write(users, calm);
  await sink.prepare?.(end, calm);
  await sink.commit?.(end, calm);
  const bytes = '{"id":1}\n{"id":3}\n'.length;
  assert.equal(calls, [
    ['prepare', 0, 0],
    ['commit', 0, 0],
    ['prepare', 2, bytes],
    ['commit', 2, bytes],
  ]);
});

test.run();
