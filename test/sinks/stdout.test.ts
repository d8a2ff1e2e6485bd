import { spawn } from 'node:child_process';
import { getEventListeners, once } from 'node:events';
import { Writable } from 'node:stream';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { batchOf } from '../../sinks/batch.js';
import { isClosedPipe } from '../../sinks/errors.js';
import { stdout } from '../../sinks/stdout.js';
import { ExtractError } from '../../src/core/errors/errors.js';
import { systemError } from './disk.js';
import { calm, rejection, turns } from './lib.js';

type Next = (thrown?: Error | null) => void;

/** A stream that records what it gets and passes it on only when the test says so. */
function slowStream() {
  const seen: string[] = [];
  const waiting: Next[] = [];
  const stream = new Writable({
    highWaterMark: 1,
    write(chunk: Buffer, _, next) {
      seen.push(chunk.toString());
      waiting.push(next);
    },
  });
  return { stream, seen, pass: (thrown?: Error) => waiting.shift()?.(thrown) };
}

const brokenPipe = () => Object.assign(new Error('write EPIPE'), { code: 'EPIPE', errno: -32 });
const batch = batchOf('users', [{ id: 1 }, { id: 2 }]);

test('writes all data types as they come, whole batches', async () => {
  const seen: string[] = [];
  const sink = stdout(new Writable({ write: (chunk: Buffer, _, next) => next(void seen.push(chunk.toString())) }));
  await sink.open?.('empty', 'job');
  await sink.write(batch, calm);
  await sink.write(batchOf('orders', ['č']), calm);
  await sink.close();
  assert.equal(seen, ['{"id":1}\n{"id":2}\n', '"č"\n']);
  assert.equal(sink.summary?.(), [
    { dataType: 'empty', name: 'standard output', items: 0, bytes: 0 },
    { dataType: 'users', name: 'standard output', items: 2, bytes: 18 },
    { dataType: 'orders', name: 'standard output', items: 1, bytes: 5 },
  ]);
});

test('waits for its reader', async () => {
  const { stream, seen, pass } = slowStream();
  const sink = stdout(stream);
  let settled = false;
  const writing = Promise.resolve(sink.write(batch, calm)).then(() => {
    settled = true;
  });
  await turns();
  assert.equal([seen.length, settled], [1, false]);
  pass();
  await writing;
  assert.is(settled, true);
});

test('distinguishes a reader that has gone from other failures', async () => {
  const { stream, pass } = slowStream();
  const sink = stdout(stream);
  const writing = sink.write(batch, calm);
  pass(brokenPipe());
  const error = await rejection(writing, 'ERR_SINK', /^cannot write to standard output: broken pipe \(EPIPE\)$/);
  assert.is(isClosedPipe(error), true);
  await turns();
  assert.is(await rejection(sink.write(batch, calm), 'ERR_SINK'), error, 'every later write says the same');
  await sink.abort(error);
  for (const other of [new Error('EPIPE'), brokenPipe(), undefined, 'EPIPE']) assert.is(isClosedPipe(other), false);
});

test('writes nothing more after a failure, though the stream would', async () => {
  const seen: unknown[] = [];
  const stream = new Writable({
    autoDestroy: false,
    write: (chunk, _, next) => next(seen.push(chunk) === 1 ? new Error('full') : null),
  });
  const sink = stdout(stream);
  const error = await rejection(sink.write(batch, calm), 'ERR_SINK', /^cannot write to standard output: full$/);
  assert.is(await rejection(sink.write(batch, calm), 'ERR_SINK'), error);
  assert.is(seen.length, 1);
});

test('ends when the stream is closed under a write', async () => {
  const { stream } = slowStream();
  const sink = stdout(stream);
  const writing = sink.write(batch, calm);
  stream.destroy();
  await rejection(writing, 'ERR_SINK', /it was closed/);
});

test('survives a reader that leaves after the last write', async () => {
  const { stream } = slowStream();
  const sink = stdout(stream);
  await sink.close();
  stream.destroy(brokenPipe());
  await turns();
});

test('ends a write to a stuck reader when the signal aborts', async () => {
  const { stream } = slowStream();
  const controller = new AbortController();
  const reason = new ExtractError('ERR_ABORTED', 'stopped by the test');
  const writing = stdout(stream).write(batch, controller.signal);
  controller.abort(reason);
  assert.is(await rejection(writing, 'ERR_ABORTED'), reason, 'a reason of our own is passed on as it is');
  assert.is(getEventListeners(controller.signal, 'abort').length, 0);
});

test('does not say that it could take back', () => {
  const { commit, rollback } = stdout(new Writable());
  assert.equal([commit, rollback], [undefined, undefined]);
});

test('notices that the reader of a real pipe has gone', async () => {
  const script = `
    import { batchOf, isClosedPipe, stdout } from './sinks/index.ts';
    const sink = stdout();
    const batch = batchOf('n', Array.from({ length: 9999 }, (_, n) => n));
    try {
      for (;;) await sink.write(batch, new AbortController().signal);
    } catch (thrown) {
      await sink.abort(thrown);
      process.exitCode = isClosedPipe(thrown) ? 7 : 8;
    }`;
  const child = spawn(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [chunk] = await once(child.stdout, 'data');
  child.stdout.destroy();
  assert.ok(String(chunk).startsWith('0\n1\n2\n'));
  const [code] = await once(child, 'exit');
  assert.is(code, 7);
});

test('reports a stream that breaks while no write waits, and only then', async () => {
  const reported: unknown[] = [];
  const opening = { onFailure: (thrown: unknown) => void reported.push(thrown) };
  const idle = new Writable({ write: (_chunk, _encoding, next) => next() });
  const sink = stdout(idle);
  await sink.open?.('users', 'job', opening);
  await sink.write(batchOf('users', [1]), calm);
  idle.destroy(systemError('EPIPE', -32));
  await turns();
  const [first] = reported;
  await rejection(() => Promise.reject(first), 'ERR_SINK', /^cannot write to standard output: .*EPIPE/);
  assert.is(isClosedPipe(first), true);

  reported.length = 0;
  const busy = stdout(new Writable({ write: (_chunk, _encoding, next) => next(systemError('EPIPE', -32)) }));
  await busy.open?.('users', 'job', opening);
  await rejection(busy.write(batchOf('users', [1]), calm), 'ERR_SINK', /EPIPE/);
  assert.equal(reported, [], 'the write has said so');
});

test.run();
