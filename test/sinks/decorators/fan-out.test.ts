import { getEventListeners } from 'node:events';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { batchOf } from '../../../sinks/batch.js';
import type { Sink } from '../../../sinks/contract.js';
import { all } from '../../../sinks/decorators/fan-out.js';
import { nameFailures } from '../../../sinks/decorators/name-failures.js';
import { through } from '../../../sinks/decorators/through.js';
import { memory } from '../../../sinks/memory.js';
import { nullSink } from '../../../sinks/null.js';
import type { Exact } from '../../../src/core/json/exact.js';
import { calm, earlierOf, pageEnd, rejection, turns } from '../lib.js';

const batch = batchOf('users', [{ id: 1 }]);
const later = batchOf('users', [{ id: 2 }]);

/** A sink that notes its calls, with some of them replaced. */
function noting(name: string, calls: string[], replaced: Partial<Sink> = {}): Sink {
  return {
    open: (dataType, job) => void calls.push(`${name} open ${dataType} ${job}`),
    write: () => void calls.push(`${name} write`),
    close: () => void calls.push(`${name} close`),
    abort: (reason) => void calls.push(`${name} abort ${String(reason)}`),
    ...replaced,
  };
}

test('gives every batch to each sink', async () => {
  const [one, two] = [memory(), memory()];
  const sink = all([one, two]);
  const { signal } = new AbortController();
  await sink.write(batch, signal);
  await sink.close();
  assert.is(getEventListeners(signal, 'abort').length, 0);
  assert.is(one.batches[0], batch);
  assert.is(two.batches[0], batch);
});

test('is the sink itself when there is one, and no sink at all is an error', async () => {
  const one = memory();
  assert.is(all([one]), one);
  await rejection(() => all([]), 'ERR_USAGE');
});

test('waits for the slowest', async () => {
  let release = () => {};
  const slow = noting('slow', [], {
    write: () =>
      new Promise<void>((resolve) => {
        release = resolve;
      }),
  });
  let settled = false;
  const writing = Promise.resolve(all([memory(), slow]).write(batch, calm)).then(() => {
    settled = true;
  });
  await turns();
  assert.is(settled, false);
  release();
  await writing;
});

test('takes back in all of them', async () => {
  const [one, two] = [memory(), nullSink()];
  const sink = all([one, two]);
  await sink.write(batch, calm);
  await sink.commit?.(pageEnd('users'), calm);
  await sink.write(later, calm);
  await sink.rollback?.('users');
  assert.equal(one.items(), [{ id: 1 }]);
  assert.is(two.summary?.()[0]?.items, 1);
  assert.is(sink.summary?.().length, 2);
});

test('hands page and signal of a commit on to each', async () => {
  const received: unknown[] = [];
  const waiting = noting('waiting', [], {
    commit: (page, signal) => void received.push(page, signal),
  });
  const page = pageEnd('users');
  await all([waiting, waiting]).commit?.(page, calm);
  assert.equal(received, [page, calm, page, calm]);
});

test('cannot take back when one of them cannot', () => {
  const { rollback, durable } = all([memory(), noting('plain', [])]);
  assert.equal([rollback, durable], [undefined, undefined]);
});

test('calls methods on their own sink', async () => {
  class Counting {
    count = 0;
    write() {
      this.count += 1;
    }
    commit() {
      this.count += 1000;
    }
    rollback() {
      this.count = 0;
    }
    async durable() {
      this.count += 10;
    }
    close() {
      this.count += 100;
    }
    abort() {}
  }
  const own = new Counting();
  const sink = all([own, memory()]);
  await sink.write(batch, calm);
  await sink.commit?.(pageEnd('users'), calm);
  await sink.rollback?.('users');
  await sink.durable?.();
  await sink.close();
  assert.is(own.count, 110);
});

test('aborts the write of the others when one fails, and throws what failed first', async () => {
  const fault = new Error('disk full');
  let seen: unknown;
  const waiting = noting('waiting', [], {
    write: (_, signal) =>
      new Promise((_resolve, reject) => {
        signal.addEventListener('abort', () => {
          seen = signal.reason;
          reject(new Error('a consequence'));
        });
      }),
  });
  const failing = noting('failing', [], { write: () => Promise.reject(fault) });
  const thrown = await Promise.resolve(all([waiting, failing]).write(batch, calm)).catch((caught: unknown) => caught);
  assert.is(thrown, fault);
  assert.is(seen, fault);
});

test('passes the abort of the run on', async () => {
  const controller = new AbortController();
  const stuck = noting('stuck', [], {
    write: (_, signal) =>
      new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason))),
  });
  const writing = Promise.resolve(all([stuck, memory()]).write(batch, controller.signal));
  controller.abort('enough');
  assert.is(await writing.catch((caught: unknown) => caught), 'enough');
  await rejection(all([memory(), memory()]).write(batch, controller.signal), 'ERR_ABORTED');
});

test('opens and closes in order; those behind one that cannot close are aborted', async () => {
  const calls: string[] = [];
  const fault = new Error('full');
  const sink = all([
    noting('one', calls),
    noting('two', calls, { close: () => Promise.reject(fault) }),
    noting('three', calls),
  ]);
  await sink.open?.('users', 'job');
  const thrown = await Promise.resolve(sink.close()).catch((caught: unknown) => caught);
  assert.is(thrown, fault);
  assert.equal(calls, [
    'one open users job',
    'two open users job',
    'three open users job',
    'one close',
    'two abort Error: full',
    'three abort Error: full',
  ]);
});

test('aborts all, though one of them throws', async () => {
  const calls: string[] = [];
  const fault = new Error('x');
  const sink = all([
    noting('one', calls, {
      abort: () => {
        throw fault;
      },
    }),
    noting('two', calls),
  ]);
  const thrown = await Promise.resolve(sink.abort('why')).catch((caught: unknown) => caught);
  assert.is(thrown, fault);
  assert.equal(calls, ['two abort why']);
});

test('secrets that a sink finds later are there, also through decorators', () => {
  const found: string[] = [];
  const sink = through(
    nameFailures(
      all([
        { ...memory(), secrets: found },
        { ...memory(), secrets: ['known'] },
      ]),
    ),
  );
  assert.equal(sink.secrets, ['known']);
  found.push('later');
  assert.equal(sink.secrets, ['later', 'known']);
});

test('a checkpoint of other sinks is refused, and one without a part of a sink gives it none', async () => {
  const parts: unknown[] = [];
  const noted = (): Sink => ({ ...memory(), resume: ({ checkpoints }) => void parts.push([...checkpoints]) });
  const earlier = (all: Exact) => earlierOf({ checkpoints: new Map([['users', all]]) });
  const sink = all([noted(), noted()]);
  for (const other of ['a', [['a']], null]) {
    await rejection(() => sink.resume?.(earlier(other)), 'ERR_RESUME', /the run wrote to other sinks/);
  }
  assert.equal(parts, []);
  await sink.resume?.(earlier([['a'], null]));
  assert.equal(parts, [[['users', 'a']], []]);
});

test('sinks can be shared together if each of them can', async () => {
  const left: string[] = [];
  const shared = (name: string) => ({ ...memory(), leave: () => void left.push(name) });
  await all([shared('a'), shared('b')]).leave?.();
  assert.equal(left, ['a', 'b']);
  assert.is(all([shared('a'), memory()]).leave, undefined);
});

test.run();
