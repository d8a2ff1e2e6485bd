/** Small batches are written at once: what the calls of the ndjson sink return, and which call reports a failure. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { batchOf } from '../../../sinks/batch.js';
import type { Sink } from '../../../sinks/contract.js';
import { ndjson } from '../../../sinks/files/ndjson.js';
import { diskFull, type WriteNow, withWriteNow } from '../disk.js';
import { calm, filesIn, inFolder, pageEnd, rejection, turns } from '../lib.js';

const [first, second, third] = [1, 2, 3].map((id) => batchOf('users', [{ id }]));
if (first === undefined || second === undefined || third === undefined) throw new Error('no batches');
const large = batchOf('users', ['x'.repeat(100_000)]);
const textOf = (...batches: readonly { readonly bytes: Uint8Array }[]) =>
  batches.map(({ bytes }) => Buffer.from(bytes).toString()).join('');

const commit = (sink: Sink) => sink.commit?.(pageEnd('users'), calm);
const stored = { run: 'r', epoch: 1, isStored: true, phase: 'writing', checkpoints: new Map() } as const;

/** Writes a part of the piece at the given count, and fails at its rest. */
function failingAt(failing: number) {
  let pieces = 0;
  let isTorn = false;
  const make =
    (real: WriteNow): WriteNow =>
    (bytes, offset, length, position) => {
      if (isTorn) {
        isTorn = false;
        throw diskFull;
      }
      pieces += 1;
      isTorn = pieces === failing;
      return real(bytes, offset, isTorn ? 3 : length, position);
    };
  return withWriteNow(make);
}

/** A sink with a state, whose first page has been committed, and the failures that it has reported. */
async function begun(dir: string, openFile = withWriteNow((real) => real)) {
  const failures: unknown[] = [];
  const sink = ndjson(dir, { openFile });
  await sink.resume?.(stored);
  await sink.open?.('users', 'users', { onFailure: (error) => failures.push(error) });
  await sink.write(first ?? large, calm);
  commit(sink);
  return { sink, failures };
}

test(
  'write and commit return no promise, and the commit has all bytes',
  inFolder(async (dir) => {
    const { sink } = await begun(dir);
    assert.is(sink.write(second, calm), undefined);
    const checkpoint = commit(sink);
    assert.not.instance(checkpoint, Promise);
    assert.match(JSON.stringify([...(checkpoint as Map<string, unknown>)]), /\["items",\{"text":"2"\}\]/);
    assert.equal(filesIn(dir), { 'users.ndjson.partial': textOf(first, second) });
    await sink.close();
    assert.equal(filesIn(dir), { 'users.ndjson': textOf(first, second) });
  }),
);

test(
  'a large batch is written asynchronously, and what follows waits for it',
  inFolder(async (dir) => {
    const { sink } = await begun(dir);
    assert.is(sink.write(large, calm), undefined);
    const waiting = sink.write(second, calm);
    assert.instance(waiting, Promise);
    await waiting;
    await commit(sink);
    assert.equal(filesIn(dir), { 'users.ndjson.partial': textOf(first, large, second) });
    await sink.abort(new Error('so'));
  }),
);

test(
  'a failure is reported after the write has returned, and fails the next call; only whole batches stay',
  inFolder(async (dir) => {
    const { sink, failures } = await begun(dir, failingAt(2));
    assert.is(sink.write(second, calm), undefined);
    assert.equal(failures, [], 'not within the call');
    await turns();
    assert.is(failures.length, 1);
    const cannotWrite = /^cannot write ".*users\.ndjson\.partial": .*ENOSPC/;
    const error = await rejection(async () => commit(sink), 'ERR_SINK', cannotWrite);
    assert.is(error, failures[0]);
    await rejection(async () => sink.write(third, calm), 'ERR_SINK', cannotWrite);
    await rejection(async () => sink.close(), 'ERR_SINK', cannotWrite);
    assert.equal(filesIn(dir), { 'users.ndjson.partial': textOf(first) });
  }),
);

test(
  'after a rollback to before the failure it continues there',
  inFolder(async (dir) => {
    const { sink } = await begun(dir, failingAt(2));
    await sink.write(second, calm);
    await rejection(async () => sink.write(third, calm), 'ERR_SINK');
    await sink.rollback?.('users');
    await sink.write(third, calm);
    await commit(sink);
    await sink.close();
    assert.equal(filesIn(dir), { 'users.ndjson': textOf(first, third) });
  }),
);

test(
  'collected batches are written at once too, the large one after them asynchronously',
  inFolder(async (dir) => {
    const sink = ndjson(dir, { openFile: withWriteNow((real) => real) });
    await sink.write(first, calm);
    for (const batch of [second, third]) await sink.write(batch, calm);
    assert.equal(filesIn(dir), { 'users.ndjson.partial': textOf(first) });
    assert.is(sink.write(large, calm), undefined);
    assert.is(filesIn(dir)['users.ndjson.partial']?.startsWith(textOf(first, second, third)), true);
    assert.is(sink.summary?.()[0]?.items, 3);
    await sink.close();
    assert.equal(filesIn(dir), { 'users.ndjson': textOf(first, second, third, large) });
  }),
);

test.run();
