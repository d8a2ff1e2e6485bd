import type { FileHandle } from 'node:fs/promises';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { createTail } from '../../../sinks/files/append-file.js';

/** A file that records the calls. Each failure given happens once, in this order. */
function telling(...refusals: readonly string[]) {
  const log: string[] = [];
  const left = [...refusals];
  const done = (what: string) => {
    if (left[0] === what.split(' ')[0]) throw new Error(`no ${left.shift()}`);
    log.push(what);
  };
  const handle = {
    async write(_: Uint8Array, __: number, length: number, position: number) {
      done(`write ${position}`);
      return { bytesWritten: length };
    },
    writeNow(_: Uint8Array, __: number, length: number, position: number) {
      done(`write ${position} at once`);
      return length;
    },
    truncate: async (length: number) => done(`truncate ${length}`),
    sync: async () => done('sync'),
  };
  return { log, handle: handle as unknown as FileHandle }; // it is asked for nothing else
}

const three = Buffer.from('abc');
const refusalOf = (work: Promise<unknown>) =>
  work.then(
    () => 'done',
    ({ message }) => message,
  );

test('writes behind all that counts', async () => {
  const { log, handle } = telling();
  const tail = createTail(handle, 7);
  await tail.write(three);
  await tail.write(three);
  assert.equal(log, ['write 7', 'write 10']);
});

test('writes small pieces at once, and leaves others to an asynchronous write', async () => {
  const { log, handle } = telling();
  const tail = createTail(handle, 7);
  assert.is(tail.writeNow(three), true);
  assert.is(tail.writeNow(Buffer.alloc(100_000)), false);
  await tail.cut();
  await tail.write(three);
  assert.equal(log, ['write 7 at once', 'write 10']);
  assert.is(tail.length(), 13);
});

test('cuts off what a failed write at once has left', async () => {
  const { log, handle } = telling('write');
  const tail = createTail(handle, 7);
  assert.throws(() => tail.writeNow(three), 'no write');
  assert.is(tail.writeNow(Buffer.alloc(100_000)), false);
  await tail.cut();
  assert.equal(log, ['truncate 7']);
});

test('nothing is cut where nothing lies behind what counts', async () => {
  const { log, handle } = telling();
  const tail = createTail(handle, 7);
  await tail.cut();
  await tail.cut(7);
  assert.equal(log, []);
});

test('what a failed write has left is cut off, once', async () => {
  const { log, handle } = telling('write');
  const tail = createTail(handle, 7);
  assert.is(await refusalOf(tail.write(three)), 'no write');
  await tail.cut();
  await tail.cut();
  await tail.write(three);
  assert.equal(log, ['truncate 7', 'write 7']);
});

test('what could not be cut off is still to be', async () => {
  const { log, handle } = telling('write', 'truncate');
  const tail = createTail(handle, 7);
  assert.is(await refusalOf(tail.write(three)), 'no write');
  assert.is(await refusalOf(tail.cut()), 'no truncate');
  await tail.cut();
  assert.equal(log, ['truncate 7']);
});

test('saves what has changed since, and again what could not be saved', async () => {
  const { log, handle } = telling('sync');
  const tail = createTail(handle, 0);
  assert.is(await refusalOf(tail.save()), 'no sync');
  await tail.save();
  await tail.save();
  await tail.write(three);
  await tail.save();
  await tail.cut(0);
  await tail.save();
  assert.equal(log, ['sync', 'write 0', 'sync', 'truncate 0', 'sync']);
});

test.run();
