import { getEventListeners } from 'node:events';
import { EMPTY, NEVER, Observable, of, Subject } from 'rxjs';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { batchOf } from '../../sinks/batch.js';
import type { SinkFunction } from '../../sinks/contract.js';
import { fromFunction } from '../../sinks/from-function.js';
import { calm, rejection, turns } from './lib.js';

const batch = batchOf('users', [{ id: 1 }]);

const returns: readonly [what: string, take: SinkFunction][] = [
  ['nothing', () => {}],
  ['an empty observable', () => EMPTY],
  ['an observable of values', () => of(1, 2)],
  ['a promise', async () => 'done'],
  ['a list', () => [1, 2]],
  [
    'an async generator',
    async function* () {
      yield 1;
    },
  ],
];

for (const [what, take] of returns) {
  test(`goes on after ${what}`, async () => {
    const sink = fromFunction(take);
    await sink.write(batch, calm);
    assert.equal(sink.summary?.(), [{ dataType: 'users', name: 'function', items: 1, bytes: 9 }]);
  });
}

test('hands over the batch and the signal', async () => {
  const calls: unknown[] = [];
  await fromFunction((...args) => void calls.push(args)).write(batch, calm);
  assert.equal(calls, [[batch, calm]]);
});

test('settles when the observable has completed, not when it emits', async () => {
  const work = new Subject<number>();
  let settled = false;
  const writing = Promise.resolve(fromFunction(() => work).write(batch, calm)).then(() => {
    settled = true;
  });
  work.next(1);
  await turns();
  assert.is(settled, false);
  work.complete();
  await writing;
});

test('unsubscribes when the signal aborts, and rejects', async () => {
  let unsubscribed = false;
  const work = new Observable<never>(() => () => {
    unsubscribed = true;
  });
  const controller = new AbortController();
  const writing = fromFunction(() => work).write(batch, controller.signal);
  controller.abort();
  await rejection(writing, 'ERR_ABORTED');
  assert.is(unsubscribed, true);
});

test('is not called once the signal has aborted or the sink has ended', async () => {
  let calls = 0;
  const sink = fromFunction(() => {
    calls += 1;
  });
  await rejection(sink.write(batch, AbortSignal.abort()), 'ERR_ABORTED');
  await sink.close();
  await rejection(sink.write(batch, calm), 'ERR_SINK', /is closed/);
  assert.is(calls, 0);
});

test('passes on what the function throws or its observable fails with, and does not count the batch', async () => {
  const fault = new Error('queue is gone');
  const takes: readonly SinkFunction[] = [
    () => {
      throw fault;
    },
    () => Promise.reject(fault),
  ];
  for (const take of takes) {
    const sink = fromFunction(take);
    const thrown = await Promise.resolve(sink.write(batch, calm)).catch((caught: unknown) => caught);
    assert.is(thrown, fault);
    assert.equal(sink.summary?.(), []);
  }
});

test('leaves no listener on the signal', async () => {
  const { signal } = new AbortController();
  const sink = fromFunction(() => of(1));
  for (let n = 0; n < 3; n++) await sink.write(batch, signal);
  assert.is(getEventListeners(signal, 'abort').length, 0);
  fromFunction(() => NEVER).write(batch, signal);
  assert.is(getEventListeners(signal, 'abort').length, 1, 'the count works');
});

test.run();
