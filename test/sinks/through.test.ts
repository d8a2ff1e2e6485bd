import { test } from 'uvu';
import * as assert from 'uvu/assert';
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
} from '../../sinks/index.js';
import { type Batch, createBatch } from '../../src/core/model/batch.js';
import { deferred } from '../run/consume/pages.js';
import { calm, rejection, turns } from './lib.js';

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
  const heard: AbortSignal[] = [];
  const stuck = tapBatches((_, signal) => {
    heard.push(signal);
    return new Promise(() => {});
  });
  const writing = through(memory(), stuck).write(users, controller.signal);
  controller.abort();
  await rejection(writing, 'ERR_ABORTED');
  assert.equal(heard, [controller.signal]);
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
  const all = ['mark', 'rollback', 'open', 'durable', 'summary'] as const;
  const abilities = (sink: object) => all.filter((name) => name in sink);
  for (const sink of [memory(), nullSink(), stdout(), { write() {}, close() {}, abort() {} }]) {
    assert.equal(abilities(through(sink, isOdd)), abilities(sink));
  }
});

test('hands on the signal of a mark', async () => {
  const heard: unknown[] = [];
  const mark = (dataType: string, signal?: AbortSignal) => {
    heard.push(signal);
    return { dataType, position: 0 };
  };
  await through({ ...memory(), mark }, isOdd).mark?.('users', calm);
  assert.equal(heard, [calm]);
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

test.run();
