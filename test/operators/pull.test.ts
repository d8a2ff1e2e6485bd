import { type Observable, of, Subject, take, throwError } from 'rxjs';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { pull } from '../../operators/index.js';
import { heapAfterCollection } from './marbles.js';

/** A source that tells what it is asked; `gives` may be promises. */
function source<T>(...gives: readonly (T | Promise<T>)[]) {
  const calls: string[] = [];
  const iterable: AsyncIterable<T> = {
    [Symbol.asyncIterator]() {
      let at = 0;
      calls.push('begin');
      return {
        async next() {
          calls.push('next');
          if (at === gives.length) return { done: true, value: undefined };
          at += 1;
          return { done: false, value: await (gives[at - 1] as T) }; // within the list
        },
        async return() {
          calls.push('return');
          return { done: true, value: undefined };
        },
      };
    },
  };
  return { calls, iterable };
}

function record<T>(from: Observable<T>) {
  const heard: unknown[] = [];
  const subscription = from.subscribe({
    next: (value) => heard.push(value),
    error: (error) => heard.push(['error', error]),
    complete: () => heard.push('complete'),
  });
  return { heard, subscription };
}

const settled = () => new Promise((resolve) => setImmediate(resolve));

test('asks for nothing before it is subscribed to, and begins anew each time', async () => {
  const { calls, iterable } = source(1, 2);
  const result = pull(iterable, (value) => of(value, -value));
  assert.equal(calls, []);
  for (let time = 0; time < 2; time++) {
    const { heard } = record(result);
    await settled();
    assert.equal(heard, [1, -1, 2, -2, 'complete']);
  }
  assert.equal(calls.join(' '), 'begin next next next begin next next next', 'an iterator that ended is not left');
});

test('asks for the next value when the projected observable has completed, not when it emits', async () => {
  const { calls, iterable } = source('a', 'b');
  const work = new Subject<string>();
  const { heard } = record(pull(iterable, () => work));
  await settled();
  work.next('x');
  await settled();
  assert.equal(calls, ['begin', 'next']);
  assert.equal(heard, ['x']);
  work.complete();
  await settled();
  assert.equal(calls, ['begin', 'next', 'next', 'next'], 'the other projections were complete');
  assert.equal(heard, ['x', 'complete']);
});

test('takes promises, lists and nothing', async () => {
  const { heard } = record(
    pull(source(1, 2, 3).iterable, (n) => (n === 1 ? Promise.resolve('one') : n === 2 ? [] : 'xy')),
  );
  await settled();
  assert.equal(heard, ['one', 'x', 'y', 'complete']);
});

test('completes with an empty source', async () => {
  const { heard } = record(pull(source<number>().iterable, of));
  await settled();
  assert.equal(heard, ['complete']);
});

test('leaves the iterator at once when it is unsubscribed from, also while a value is asked for', async () => {
  const { calls, iterable } = source(new Promise<number>(() => {}));
  const { heard, subscription } = record(pull(iterable, (value) => of(value)));
  await settled();
  subscription.unsubscribe();
  assert.equal(calls, ['begin', 'next', 'return']);
  await settled();
  assert.equal(heard, []);
});

test('unsubscribes from what was projected, and asks no more', async () => {
  const { calls, iterable } = source(1, 2);
  const work = new Subject<number>();
  const { subscription } = record(pull(iterable, () => work));
  await settled();
  assert.is(work.observed, true);
  subscription.unsubscribe();
  assert.is(work.observed, false);
  await settled();
  assert.equal(calls, ['begin', 'next', 'return']);
});

test('stops in the middle of a list that nobody wants to its end', async () => {
  const { calls, iterable } = source([1, 2, 3], [4]);
  const { heard } = record(pull(iterable, (list) => list).pipe(take(2)));
  await settled();
  assert.equal(heard, [1, 2, 'complete']);
  assert.equal(calls, ['begin', 'next', 'return']);
});

const fault = new Error('no');
const failures: readonly [what: string, project: (value: number) => Observable<never>][] = [
  ['a projection that fails', () => throwError(() => fault)],
  [
    'a projection that throws',
    () => {
      throw fault;
    },
  ],
];

for (const [what, project] of failures) {
  test(`passes on the error of ${what} and leaves the iterator`, async () => {
    const { calls, iterable } = source(1, 2);
    const { heard } = record(pull(iterable, project));
    await settled();
    assert.equal(heard, [['error', fault]]);
    assert.equal(calls, ['begin', 'next', 'return']);
  });
}

test('passes on the error of the source, which has ended by that', async () => {
  const { calls, iterable } = source<number>(1, Promise.reject(fault));
  const { heard } = record(pull(iterable, (value) => of(value)));
  await settled();
  assert.equal(heard, [1, ['error', fault]]);
  assert.equal(calls, ['begin', 'next', 'next']);
});

test('hears nothing of an iterator that cannot be left in peace', async () => {
  const iterable: AsyncIterable<number> = {
    [Symbol.asyncIterator]: () => ({ next: () => new Promise(() => {}), return: () => Promise.reject(fault) }),
  };
  const { heard, subscription } = record(pull(iterable, (value) => of(value)));
  subscription.unsubscribe();
  await settled();
  assert.equal(heard, []);
});

test('takes neither stack nor memory for 50,000 values', async () => {
  async function* numbers() {
    for (let n = 0; n < 50_000; n++) yield n;
  }
  let count = 0;
  const before = heapAfterCollection();
  await pull(numbers(), (n) => [n]).forEach(() => {
    count += 1;
  });
  assert.is(count, 50_000);
  const grown = heapAfterCollection() - before;
  assert.ok(grown < 2_000_000, `${grown} bytes`);
});

test.run();
