import { getEventListeners } from 'node:events';
import { lastValueFrom, type Observable, take } from 'rxjs';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { fromAbortable } from '../../operators/index.js';

/** A promise in the test's hands, and all signals it was started with. */
function controlled<T>() {
  const signals: AbortSignal[] = [];
  let settle: { resolve(value: T): void; reject(reason: unknown): void } | undefined;
  const promise = new Promise<T>((resolve, reject) => {
    settle = { resolve, reject };
  });
  const start = (signal: AbortSignal) => {
    signals.push(signal);
    return promise;
  };
  return {
    signals,
    start,
    resolve: (value: T) => settle?.resolve(value),
    reject: (reason: unknown) => settle?.reject(reason),
  };
}

function record<T>(source: Observable<T>) {
  const received: unknown[] = [];
  const subscription = source.subscribe({
    next: (value) => received.push(value),
    error: (error) => received.push(['error', error]),
    complete: () => received.push('complete'),
  });
  return { received, subscription };
}

/** All promise reactions that are due have run when this settles. */
const settled = () => new Promise((resolve) => setImmediate(resolve));

test('starts nothing before the subscription, and anew for each', async () => {
  const { signals, start, resolve } = controlled<number>();
  const source = fromAbortable(start);
  assert.is(signals.length, 0);
  resolve(1);
  assert.equal(await Promise.all([lastValueFrom(source), lastValueFrom(source)]), [1, 1]);
  assert.is(signals.length, 2);
  assert.is.not(signals[0], signals[1]);
});

test('starts in the subscription itself', () => {
  const { signals, start } = controlled<number>();
  const { subscription } = record(fromAbortable(start));
  assert.is(signals.length, 1);
  subscription.unsubscribe();
});

test('emits the value and completes, the signal untouched', async () => {
  const { signals, start, resolve } = controlled<number>();
  const { received, subscription } = record(fromAbortable(start));
  resolve(7);
  await settled();
  subscription.unsubscribe();
  assert.equal(received, [7, 'complete']);
  assert.is(signals[0]?.aborted, false);
});

test('leaves the signal alone when the receiver unsubscribes on the value', async () => {
  const { signals, start, resolve } = controlled<number>();
  const { received } = record(fromAbortable(start).pipe(take(1)));
  resolve(7);
  await settled();
  assert.equal(received, [7, 'complete']);
  assert.is(signals[0]?.aborted, false);
});

test('never speaks while the promise is pending', async () => {
  const { received, subscription } = record(fromAbortable(controlled<number>().start));
  await settled();
  assert.equal(received, []);
  subscription.unsubscribe();
});

test('passes a rejection on as it is', async () => {
  const { signals, start, reject } = controlled<number>();
  const { received } = record(fromAbortable(start));
  reject('reason');
  await settled();
  assert.equal(received, [['error', 'reason']]);
  assert.is(signals[0]?.aborted, false);
});

test('turns a synchronous throw into an error', async () => {
  const start = (): Promise<number> => {
    throw 'thrown';
  };
  const { received } = record(fromAbortable(start));
  await settled();
  assert.equal(received, [['error', 'thrown']]);
});

test('aborts the signal on unsubscription', () => {
  const { signals, start } = controlled<number>();
  const { subscription } = record(fromAbortable(start));
  assert.is(signals[0]?.aborted, false);
  subscription.unsubscribe();
  assert.is(signals[0]?.aborted, true);
  assert.is(signals[0]?.reason.name, 'AbortError');
});

test('ignores the outcome of the promise after unsubscription', async () => {
  const unhandled: unknown[] = [];
  const listen = (reason: unknown) => unhandled.push(reason);
  process.on('unhandledRejection', listen);
  try {
    const failing = controlled<number>();
    const resolving = controlled<number>();
    const first = record(fromAbortable(failing.start));
    const second = record(fromAbortable(resolving.start));
    first.subscription.unsubscribe();
    second.subscription.unsubscribe();
    failing.reject('late');
    resolving.resolve(1);
    await settled();
    assert.equal([first.received, second.received, unhandled], [[], [], []]);
  } finally {
    process.off('unhandledRejection', listen);
  }
});

test('hands the reason of an outer signal on, and lets the promise decide', async () => {
  const outer = new AbortController();
  const { signals, start, reject } = controlled<number>();
  const { received } = record(fromAbortable(start, outer.signal));
  outer.abort('interrupted');
  assert.is(signals[0]?.reason, 'interrupted');
  assert.equal(received, []);
  reject(signals[0]?.reason);
  await settled();
  assert.equal(received, [['error', 'interrupted']]);
});

test('starts nothing when the outer signal is aborted already', () => {
  const { signals, start } = controlled<number>();
  const { received } = record(fromAbortable(start, AbortSignal.abort('before')));
  assert.equal(received, [['error', 'before']]);
  assert.is(signals.length, 0);
});

test('leaves no listener on the outer signal', async () => {
  const outer = new AbortController();
  const listening = () => getEventListeners(outer.signal, 'abort').length;
  const value = controlled<number>();
  const error = controlled<number>();
  record(fromAbortable(value.start, outer.signal));
  record(fromAbortable(error.start, outer.signal));
  const { subscription } = record(fromAbortable(controlled<number>().start, outer.signal));
  assert.is(listening(), 3);
  record(
    fromAbortable((): Promise<number> => {
      throw 'thrown';
    }, outer.signal),
  );
  value.resolve(1);
  error.reject('reason');
  subscription.unsubscribe();
  await settled();
  assert.is(listening(), 0);
});

test.run();
