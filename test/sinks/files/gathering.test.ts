/** Small batches are gathered to one write: how many, how long, and what becomes of them. On disks that wait. */
import { mock } from 'node:test';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { batchOf } from '../../../sinks/batch.js';
import type { Sink } from '../../../sinks/contract.js';
import { ndjson } from '../../../sinks/files/ndjson.js';
import type { Batch } from '../../../src/core/model/batch.js';
import { diskFull, heldDisk } from '../disk.js';
import { calm, filesIn, inFolder, pageEnd, rejection, turns } from '../lib.js';

const [first, second, third] = [1, 2, 3].map((id) => batchOf('users', [{ id }])) as [Batch, Batch, Batch];
const large = batchOf('users', ['x'.repeat(64 * 1024)]);
const half = batchOf('users', ['y'.repeat(40 * 1024)]);
const textOf = (...batches: readonly Batch[]) => batches.map(({ bytes }) => Buffer.from(bytes).toString()).join('');

const commit = (sink: Sink) => sink.commit?.(pageEnd('users'), calm);

/** A sink whose first batch has landed: the others may be gathered. */
async function begun(dir: string) {
  const disk = heldDisk();
  const sink = ndjson(dir, { openFile: disk.openFile });
  await sink.write(first, calm);
  (await disk.next()).land();
  await sink.durable?.();
  return { disk, sink };
}

/** Runs a test whose timers wait until `pass` lets so many ms go by. */
const withClock = (run: (dir: string, pass: (ms: number) => void) => Promise<void>) =>
  inFolder(async (dir) => {
    mock.timers.enable({ apis: ['setTimeout'] });
    try {
      await run(dir, (ms) => mock.timers.tick(ms));
    } finally {
      mock.timers.reset();
    }
  });

test(
  'gathers after the first batch, without waiting, and writes when there are 64 KiB',
  withClock(async (dir) => {
    const { disk, sink } = await begun(dir);
    for (const batch of [second, third, half]) {
      assert.is(commit(sink), undefined);
      assert.is(sink.write(batch, calm), undefined);
    }
    await turns();
    assert.is(disk.held.length, 0);
    assert.is(sink.summary?.()[0]?.items, 1, 'what was gathered does not count yet');
    assert.is(sink.write(half, calm), undefined);
    const writing = await disk.next();
    assert.is(writing.text, textOf(second, third, half));
    writing.land();
    (await disk.next()).land();
    await sink.durable?.();
    assert.is(sink.summary?.()[0]?.items, 5);
    await sink.close();
    assert.equal(filesIn(dir), { 'users.ndjson': textOf(first, second, third, half, half) });
  }),
);

test(
  'a large batch is written at once, after what was gathered',
  withClock(async (dir) => {
    const { disk, sink } = await begun(dir);
    sink.write(second, calm);
    sink.write(large, calm);
    const small = await disk.next();
    assert.is(small.text, textOf(second));
    small.land();
    const rest = await disk.next();
    assert.is(rest.text, textOf(large));
    rest.land();
    await sink.close();
    assert.equal(filesIn(dir), { 'users.ndjson': textOf(first, second, large) });
  }),
);

test(
  'nothing waits longer than a second',
  withClock(async (dir, pass) => {
    const { disk, sink } = await begun(dir);
    sink.write(second, calm);
    pass(999);
    await turns();
    assert.is(disk.held.length, 0);
    pass(1);
    (await disk.next()).land();
    await sink.durable?.();
    assert.equal(filesIn(dir), { 'users.ndjson.partial': textOf(first, second) });
    sink.write(third, calm);
    const closing = sink.close();
    (await disk.next()).land();
    await closing;
    pass(10_000);
  }),
);

test(
  'a second that is over while another call waits changes nothing',
  withClock(async (dir, pass) => {
    const { disk, sink } = await begun(dir);
    sink.write(second, calm);
    const saving = sink.durable?.();
    pass(1000);
    (await disk.next()).land();
    await saving;
    await sink.close();
    assert.is(disk.held.length, 0);
    assert.equal(filesIn(dir), { 'users.ndjson': textOf(first, second) });
  }),
);

for (const name of ['durable', 'close', 'abort'] as const) {
  test(
    `${name} writes what was gathered`,
    withClock(async (dir) => {
      const { disk, sink } = await begun(dir);
      sink.write(second, calm);
      const work = name === 'abort' ? sink.abort(new Error('so')) : sink[name]?.();
      (await disk.next()).land();
      await work;
      assert.equal(Object.values(filesIn(dir)), [textOf(first, second)]);
      assert.is(sink.summary?.()[0]?.items, 2);
      await sink.abort(new Error('so'));
    }),
  );
}

test(
  'takes back what was gathered, without the disk',
  withClock(async (dir) => {
    const { disk, sink } = await begun(dir);
    sink.write(second, calm);
    commit(sink);
    sink.write(third, calm);
    await sink.rollback?.('users');
    assert.is(disk.held.length, 0);
    sink.write(half, calm);
    const closing = sink.close();
    (await disk.next()).land();
    await closing;
    assert.equal(filesIn(dir), { 'users.ndjson': textOf(first, second, half) });
    assert.is(sink.summary?.()[0]?.items, 3);
  }),
);

test(
  'takes back to what was gathered at the commit, and has all the same what has landed since',
  withClock(async (dir) => {
    const { disk, sink } = await begun(dir);
    sink.write(second, calm);
    commit(sink);
    sink.write(large, calm);
    (await disk.next()).land();
    (await disk.next()).land();
    sink.write(third, calm);
    await sink.rollback?.('users');
    assert.equal(filesIn(dir), { 'users.ndjson.partial': textOf(first, second) });
    await sink.rollback?.('users');
    await sink.close();
    assert.equal(filesIn(dir), { 'users.ndjson': textOf(first, second) });
    assert.is(sink.summary?.()[0]?.items, 2);
  }),
);

test(
  'a failed write of what was gathered is reported at once, and stays where a commit comes after the loss',
  withClock(async (dir) => {
    const { disk, sink } = await begun(dir);
    const failures: unknown[] = [];
    await sink.open?.('users', 'job', { onFailure: (thrown) => failures.push(thrown) });
    commit(sink);
    sink.write(second, calm);
    commit(sink);
    sink.write(large, calm);
    (await disk.next()).fail(diskFull);
    await turns();
    assert.is(failures.length, 1);
    await rejection(async () => sink.write(third, calm), 'ERR_SINK', /ENOSPC/);
    await rejection(sink.rollback?.('users'), 'ERR_SINK', /ENOSPC/);
    await rejection(async () => sink.write(third, calm), 'ERR_SINK', /ENOSPC/);
    await rejection(sink.close(), 'ERR_SINK', /ENOSPC/);
    assert.equal(filesIn(dir), { 'users.ndjson.partial': textOf(first) });
  }),
);

test(
  'with a state each batch is written: its checkpoint may be asked for',
  withClock(async (dir) => {
    const disk = heldDisk();
    const sink = ndjson(dir, { openFile: disk.openFile });
    await sink.resume?.({ run: 'a-run', epoch: 1, isStored: true, phase: 'writing', checkpoints: new Map() });
    for (const batch of [first, second]) {
      await sink.write(batch, calm);
      const writing = await disk.next();
      assert.is(writing.text, textOf(batch));
      writing.land();
    }
    await sink.close();
    assert.equal(filesIn(dir), { 'users.ndjson': textOf(first, second) });
  }),
);

test.run();
