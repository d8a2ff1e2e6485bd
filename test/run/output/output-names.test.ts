import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Sink } from '../../../sinks/contract.js';
import { memory } from '../../../sinks/memory.js';
import { createBatch } from '../../../src/core/model/batch.js';
import { createOutputNames } from '../../../src/run/output/output-names.js';

const bytes = Buffer.from('{"id":1}\n');
const batch = createBatch(
  { job: 'job', dataType: 'users', run: 'r', walk: '0', page: 0 },
  { bytes, offsets: Uint32Array.of(0, bytes.length), count: 1 },
  0,
);
const { signal } = new AbortController();

const names = [
  ['dataType', 'shop', 'users'],
  ['bucket.dataType', 'shop', 'shop.users'],
  ['bucket.dataType', undefined, 'users'],
] as const;

for (const [naming, bucket, name] of names) {
  test(`${naming} with ${bucket === undefined ? 'no bucket' : `the bucket ${bucket}`} is ${name}`, () => {
    assert.is(createOutputNames(naming).nameOf('users', bucket), name);
  });
}

test('no two pairs get one name, and each pair keeps its own', () => {
  const { nameOf } = createOutputNames('bucket.dataType');
  const all = () => [nameOf('b.c', 'a'), nameOf('c', 'a.b'), nameOf('a.b.c', undefined)];
  assert.equal(all(), ['a.b.c', 'a.b.c#2', 'a.b.c#3']);
  assert.equal(all(), ['a.b.c', 'a.b.c#2', 'a.b.c#3']);
});

test('a sink within a bucket gets the names, and rolls back by them', async () => {
  const calls: string[] = [];
  const sink: Sink = {
    open: (dataType, job) => void calls.push(`open ${dataType} ${job}`),
    write: ({ dataType, job, count }) => void calls.push(`write ${dataType} ${job} ${count}`),
    commit: ({ dataType, job }) => void calls.push(`commit ${dataType} ${job}`),
    rollback: (dataType) => void calls.push(`rollback ${dataType}`),
    durable: async () => void calls.push('durable'),
    close: () => void calls.push('close'),
    abort: (reason) => void calls.push(`abort ${reason}`),
  };
  const within = createOutputNames('bucket.dataType').within(sink, 'shop');
  await within.open?.('users', 'job');
  await within.write(batch, signal);
  await within.commit?.({ ...batch, bytes: 9, lane: '0' }, signal);
  await within.rollback?.('users');
  await within.durable?.();
  await within.close();
  await within.abort('why');
  const expected = ['open shop.users job', 'write shop.users job 1', 'commit shop.users job'];
  assert.equal(calls, [...expected, 'rollback shop.users', 'durable', 'close', 'abort why']);
});

test('a sink with transactions is one within a bucket too, with its longest keep', async () => {
  const held = new Map([['0', 'keep']]);
  const sink: Sink = {
    ...{ recovery: 'transaction', keepBytes: 80, positions: () => held },
    ...{ write() {}, resume() {}, commit() {}, rollback() {}, close() {}, abort() {} },
  };
  const within = createOutputNames('bucket.dataType').within(sink, 'shop');
  assert.equal([within.recovery, within.keepBytes, await within.positions?.()], ['transaction', 80, held]);
});

test('a sink that cannot take back cannot within a bucket either', () => {
  const sink: Sink = { write: () => {}, close: () => {}, abort: () => {} };
  const within = createOutputNames('bucket.dataType').within(sink, 'shop');
  assert.equal([within.commit, within.rollback, within.durable], [undefined, undefined, undefined]);
});

test('by data types alone the sink is the given one', () => {
  const sink = memory();
  assert.is(createOutputNames('dataType').within(sink, 'shop'), sink);
});

test('outputs are reported under the data types of their jobs', () => {
  const { nameOf, withDataTypes } = createOutputNames('bucket.dataType');
  const output = { dataType: nameOf('users', 'shop'), name: 'shop.users.ndjson', items: 1, bytes: 9 };
  assert.equal(withDataTypes([output, { ...output, dataType: 'other' }]), [
    { ...output, dataType: 'users' },
    { ...output, dataType: 'other' },
  ]);
});

test.run();
