import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { batchOf } from '../../../sinks/batch.js';
import type { Sink } from '../../../sinks/contract.js';
import { ahead } from '../../../sinks/decorators/write-ahead.js';
import { memory } from '../../../sinks/memory.js';
import { calm, pageEnd, rejection, turns } from '../lib.js';

const batches = [1, 2, 3, 4].map((n) => batchOf('users', [{ n }], { offset: n - 1 }));

/** A sink whose writes wait until they are let go. */
function waiting() {
  const calls: string[] = [];
  const open: (() => void)[] = [];
  const inner = memory();
  const sink: Sink = {
    ...inner,
    async write(batch, signal) {
      calls.push(`write ${batch.offset}`);
      await new Promise<void>((resolve) => open.push(resolve));
      await inner.write(batch, signal);
    },
    commit: (page) => void calls.push(`commit ${page.page}`),
    rollback: (dataType) => void calls.push(`rollback ${dataType}`),
  };
  return { sink, calls, inner, letGo: () => open.shift()?.() };
}

/** Whether the work has settled by now. */
async function isDone(work: Promise<unknown>): Promise<boolean> {
  let done = false;
  work.then(
    () => {
      done = true;
    },
    () => {
      done = true;
    },
  );
  await turns();
  return done;
}

test('up to n batches are on their way before a write waits', async () => {
  const { sink, calls, letGo, inner } = waiting();
  const decorated = ahead(sink, 2);
  await decorated.write(batches[0] as never, calm);
  await decorated.write(batches[1] as never, calm);
  const third = decorated.write(batches[2] as never, calm) as Promise<void>;
  assert.not.ok(await isDone(third));
  assert.equal(calls, ['write 0']);
  letGo();
  assert.ok(await isDone(third));
  const commit = decorated.commit?.(pageEnd('users'), calm) as Promise<void>;
  assert.not.ok(await isDone(commit));
  letGo();
  await turns();
  letGo();
  await commit;
  assert.equal(calls, ['write 0', 'write 1', 'write 2', 'commit 0']);
  assert.equal(
    inner.batches.map(({ offset }) => offset),
    [0, 1, 2],
  );
});

test('a write that waits ends with its signal, and its batch is not sent', async () => {
  const { sink, calls, letGo } = waiting();
  const decorated = ahead(sink, 1);
  await decorated.write(batches[0] as never, calm);
  const controller = new AbortController();
  const second = decorated.write(batches[1] as never, controller.signal);
  controller.abort();
  await rejection(second, 'ERR_ABORTED');
  letGo();
  await turns();
  assert.equal(calls, ['write 0']);
});

/** Fails with its first batch. */
const failing = (calls: string[]): Sink => ({
  ...memory(),
  async write({ offset }) {
    calls.push(`write ${offset}`);
    if (offset === 0) throw new Error('full');
  },
  rollback: (dataType) => void calls.push(`rollback ${dataType}`),
});

test('a failure is reported at once, and fails every later call', async () => {
  const reports: unknown[] = [];
  const calls: string[] = [];
  const decorated = ahead(failing(calls), 3);
  await decorated.open?.('users', 'users', { onFailure: (thrown) => void reports.push(String(thrown)) });
  await decorated.write(batches[0] as never, calm);
  await decorated.write(batches[1] as never, calm);
  await turns();
  assert.equal([reports, calls], [['Error: full'], ['write 0']]);
  for (const call of [
    () => decorated.write(batches[2] as never, calm),
    () => decorated.write(batchOf('others', [1]), calm),
    () => decorated.commit?.(pageEnd('users'), calm),
    () => decorated.prepare?.(pageEnd('users'), calm),
    () => decorated.close(),
  ]) {
    assert.match(String(await Promise.resolve().then(call).catch(String)), /full|closed/);
  }
});

test('a rollback forgets the failure, and ends what is on its way', async () => {
  const calls: string[] = [];
  const decorated = ahead(failing(calls), 3);
  await decorated.write(batches[0] as never, calm);
  await turns();
  await decorated.rollback?.('users');
  await decorated.write(batches[1] as never, calm);
  await decorated.commit?.(pageEnd('users'), calm);
  assert.equal(calls, ['write 0', 'rollback users', 'write 1']);
  const { sink } = waiting();
  const stuck = ahead(sink, 1);
  await stuck.write(batches[0] as never, calm);
  await stuck.rollback?.('users');
});

test('an abort ends what is on its way', async () => {
  const { sink } = waiting();
  const decorated = ahead(sink, 1);
  await decorated.write(batches[0] as never, calm);
  await decorated.abort(undefined);
  await rejection(decorated.write(batches[1] as never, calm), 'ERR_SINK', /the ahead sink is closed/);
});

test('it takes a function, and refuses what is no number of batches', async () => {
  const seen: number[] = [];
  const decorated = ahead(async ({ count }) => void seen.push(count), 2);
  await decorated.write(batches[0] as never, calm);
  await decorated.close();
  assert.equal(seen, [1]);
  for (const most of [0, 1.5, Number.NaN])
    await rejection(() => ahead(memory(), most), 'ERR_USAGE', /^ahead: expected/);
});

test.run();
