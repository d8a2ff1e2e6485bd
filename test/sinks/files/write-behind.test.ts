/**
 * Writes that end later than their call: what waits for the write in progress, and which call reports its failure.
 * Through the ndjson sink, on disks that wait.
 */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { batchOf } from '../../../sinks/batch.js';
import type { Sink } from '../../../sinks/contract.js';
import { ndjson } from '../../../sinks/files/ndjson.js';
import type { Batch } from '../../../src/core/model/batch.js';
import type { Receipt } from '../../../src/core/model/page.js';
import { run } from '../../../src/run/extract.js';
import { configOf, json, onNetwork, pagenum } from '../../support/mock-network.js';
import { diskFull, heldDisk } from '../disk.js';
import { calm, filesIn, inFolder, pageEnd, rejection, turns } from '../lib.js';

const first = batchOf('users', [{ id: 1 }, { id: 2 }]);
/** Smaller batches are gathered: test/sinks/files/gathering.test.ts. */
const large = 'x'.repeat(64 * 1024);
const second = batchOf('users', [{ id: 3, large }]);
const third = batchOf('users', [{ id: 4, large }]);
const other = batchOf('orders', [{ id: 5 }]);
const textOf = ({ bytes }: Batch) => Buffer.from(bytes).toString();

/** Whether the work has settled, once all that is ready has run. */
async function settled(work: unknown): Promise<boolean> {
  let is = false;
  const done = () => {
    is = true;
  };
  Promise.resolve(work).then(done, done);
  await turns();
  return is;
}

const commit = (sink: Sink, dataType = 'users', signal = calm) => sink.commit?.(pageEnd(dataType), signal);

const stored = { run: 'r', epoch: 1, isStored: true, phase: 'writing', checkpoints: new Map() } as const;

/** A sink on a disk of its own, one batch written and committed. */
async function begun(dir: string) {
  const disk = heldDisk();
  const sink = ndjson(dir, { openFile: disk.openFile });
  await sink.resume?.(stored);
  await sink.write(first, calm);
  (await disk.next()).land();
  await commit(sink);
  return { disk, sink };
}

test(
  'settles when its bytes are being written, and the next when they have landed',
  inFolder(async (dir) => {
    const disk = heldDisk();
    const sink = ndjson(dir, { openFile: disk.openFile });
    await sink.write(first, calm);
    const writing = sink.write(second, calm);
    assert.is(await settled(writing), false);
    assert.equal(
      disk.held.map(({ text }) => text),
      [textOf(first)],
      'one write at a time',
    );
    assert.is(sink.summary?.()[0]?.items, 0, 'it counts when it has landed');
    (await disk.next()).land();
    await writing;
    assert.is(sink.summary?.()[0]?.items, 2);
    (await disk.next()).land();
    await sink.close();
    assert.equal(filesIn(dir), { 'users.ndjson': textOf(first) + textOf(second) });
  }),
);

test(
  'lets one data type write while another waits for the disk',
  inFolder(async (dir) => {
    const disk = heldDisk();
    const sink = ndjson(dir, { openFile: disk.openFile });
    await sink.resume?.(stored);
    await sink.write(first, calm);
    await sink.write(other, calm);
    const waiting = sink.write(second, calm);
    const [users, orders] = [await disk.next(), await disk.next()];
    orders.land();
    await commit(sink, 'orders');
    assert.is(await settled(waiting), false);
    users.land();
    await waiting;
    (await disk.next()).land();
    await sink.close();
    assert.equal(filesIn(dir), { 'orders.ndjson': textOf(other), 'users.ndjson': textOf(first) + textOf(second) });
  }),
);

/** Every call that may follow a write. */
const calls: Readonly<Record<string, (sink: Sink) => unknown>> = {
  write: (sink) => sink.write(third, calm),
  commit: (sink) => commit(sink),
  rollback: (sink) => sink.rollback?.('users'),
  durable: (sink) => sink.durable?.(),
  close: (sink) => sink.close(),
  abort: (sink) => sink.abort(new Error('so')),
};

for (const [name, call] of Object.entries(calls)) {
  test(
    `${name} waits for the write under way`,
    inFolder(async (dir) => {
      const { disk, sink } = await begun(dir);
      await sink.write(second, calm);
      const work = call(sink);
      assert.is(await settled(work), false);
      (await disk.next()).land();
      await work;
      await Promise.all([sink.abort(new Error('so')), disk.held.length > 0 && disk.next().then(({ land }) => land())]);
    }),
  );

  test(
    `${name} reports that the write under way has failed, and only whole batches stay`,
    inFolder(async (dir) => {
      const { disk, sink } = await begun(dir);
      await sink.write(second, calm);
      const work = call(sink);
      (await disk.next()).land(3);
      (await disk.next()).fail(diskFull);
      const error = await rejection(work, 'ERR_SINK', /^cannot write ".*users\.ndjson\.partial": .*ENOSPC/);
      assert.is(error.cause, diskFull);
      if (name !== 'abort') await sink.abort(error);
      assert.equal(filesIn(dir), { 'users.ndjson.partial': textOf(first) });
      assert.equal(
        sink.summary?.().map(({ items, bytes }) => [items, bytes]),
        [[first.count, first.bytes.length]],
      );
      assert.is(disk.held.length, 0);
    }),
  );
}

test(
  'takes nothing, and publishes nothing, after a failed write, however often it was called',
  inFolder(async (dir) => {
    const { disk, sink } = await begun(dir);
    await sink.write(other, calm);
    (await disk.next()).land();
    await sink.write(second, calm);
    (await disk.next()).fail(diskFull);
    const cannotWrite = /^cannot write ".*users\.ndjson\.partial": .*ENOSPC/;
    for (const name of ['write', 'commit', 'durable', 'write']) {
      await rejection(calls[name]?.(sink), 'ERR_SINK', cannotWrite);
    }
    await rejection(sink.close(), 'ERR_SINK', cannotWrite);
    assert.equal(filesIn(dir), { 'orders.ndjson.partial': textOf(other), 'users.ndjson.partial': textOf(first) });
  }),
);

test(
  'goes on where it was taken back to before the failed write',
  inFolder(async (dir) => {
    const { disk, sink } = await begun(dir);
    await sink.write(second, calm);
    (await disk.next()).land(3);
    (await disk.next()).fail(diskFull);
    await rejection(sink.write(third, calm), 'ERR_SINK');
    await sink.rollback?.('users');
    await sink.write(third, calm);
    (await disk.next()).land();
    await sink.close();
    assert.equal(filesIn(dir), { 'users.ndjson': textOf(first) + textOf(third) });
  }),
);

test(
  'takes back a batch that is being written, once the system has done with it',
  inFolder(async (dir) => {
    const { disk, sink } = await begun(dir);
    await sink.write(second, calm);
    const back = sink.rollback?.('users');
    assert.is(await settled(back), false);
    (await disk.next()).land();
    await back;
    assert.equal(filesIn(dir), { 'users.ndjson.partial': textOf(first) });
    assert.is(sink.summary?.()[0]?.items, first.count);
    await sink.abort(new Error('so'));
  }),
);

test(
  'ends what waits for a stuck write at once when its signal aborts, and keeps the batch that was taken',
  inFolder(async (dir) => {
    const { disk, sink } = await begun(dir);
    await sink.write(second, calm);
    const waits = [
      (signal: AbortSignal) => commit(sink, 'users', signal),
      (signal: AbortSignal) => sink.write(third, signal),
    ];
    for (const wait of waits) {
      const controller = new AbortController();
      const waiting = wait(controller.signal);
      assert.is(await settled(waiting), false);
      controller.abort(new Error('enough'));
      await rejection(waiting, 'ERR_ABORTED');
    }
    const ending = sink.abort(new Error('enough'));
    assert.is(await settled(ending), false);
    (await disk.next()).land();
    await ending;
    assert.is(disk.held.length, 0, 'an interrupted write has not begun');
    assert.equal(filesIn(dir), { 'users.ndjson.partial': textOf(first) + textOf(second) });
  }),
);

test(
  'ends a write at once that stands behind another call when its signal aborts',
  inFolder(async (dir) => {
    const { disk, sink } = await begun(dir);
    await sink.write(second, calm);
    const saving = sink.durable?.();
    assert.is(await settled(saving), false);
    const controller = new AbortController();
    const waiting = sink.write(third, controller.signal);
    await turns();
    controller.abort(new Error('enough'));
    await rejection(waiting, 'ERR_ABORTED');
    assert.is(await settled(saving), false);
    (await disk.next()).land();
    await saving;
    assert.is(disk.held.length, 0);
    await sink.abort(new Error('enough'));
  }),
);

test(
  'keeps a failure for the next call, however late it comes',
  inFolder(async (dir) => {
    const unhandled: unknown[] = [];
    const hear = (reason: unknown) => unhandled.push(reason);
    process.on('unhandledRejection', hear);
    try {
      const { disk, sink } = await begun(dir);
      await sink.write(second, calm);
      (await disk.next()).fail(diskFull);
      await turns();
      await rejection(sink.abort(new Error('so')), 'ERR_SINK', /ENOSPC/);
      await turns();
    } finally {
      process.off('unhandledRejection', hear);
    }
    assert.equal(unhandled, []);
    assert.equal(filesIn(dir), { 'users.ndjson.partial': textOf(first) });
  }),
);

const twoPages = { 'GET /users?limit=2&page=1': json([1, 2]), 'GET /users?limit=2&page=2': json([large]) };

/** The page that could not be written -> what is left in the file. */
const failing = [
  [1, ''],
  [2, '1\n2\n'],
] as const;

for (const [failed, left] of failing) {
  test(
    `a run fails whose page ${failed} of 2 could not be written, and publishes nothing`,
    inFolder((dir) =>
      onNetwork(twoPages, async ({ dispatcher }) => {
        const disk = heldDisk();
        const receipts: Receipt[] = [];
        const running = run(configOf([{ endpoint: 'users' }], pagenum(2)), {
          to: ndjson(dir, { openFile: disk.openFile }),
          dispatcher,
          onReceipt: (receipt) => receipts.push(receipt),
        });
        for (let page = 1; page < failed; page += 1) (await disk.next()).land();
        const { fail } = await disk.next();
        while (receipts.length < failed) await turns(1);
        fail(diskFull);
        await rejection(running, 'ERR_SINK', /^cannot write ".*users\.ndjson\.partial": .*ENOSPC/);
        assert.is(receipts.length, failed);
        assert.equal(filesIn(dir), { 'users.ndjson.partial': left });
      })(),
    ),
  );
}

test.run();
