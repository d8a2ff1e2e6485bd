import { type Observable, of, Subject, take, throwError } from 'rxjs';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { pull } from '../../operators/index.js';
import { heapAfterCollection } from './marbles.js';

/** A source that records calls; `gives` may be promises. */
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
  const received: unknown[] = [];
  const subscription = from.subscribe({
    next: (value) => received.push(value),
    error: (error) => received.push(['error', error]),
    complete: () => received.push('complete'),
  });
  return { received, subscription };
}

const settled = () => new Promise((resolve) => setImmediate(resolve));

test('requests nothing before a subscription, and starts a new iteration each time', async () => {
  const { calls, iterable } = source(1, 2);
  const result = pull(iterable, (value) => of(value, -value));
  assert.equal(calls, []);
  for (let time = 0; time < 2; time++) {
    const { received } = record(result);
    await settled();
    assert.equal(received, [1, -1, 2, -2, 'complete']);
  }
  assert.equal(calls.join(' '), 'begin next next next begin next next next', 'an iterator that ended is not left');
});

test('requests the next value when the projected observable has completed, not when it emits', async () => {
  const { calls, iterable } = source('a', 'b');
  const work = new Subject<string>();
  const { received } = record(pull(iterable, () => work));
  await settled();
  work.next('x');
  await settled();
  assert.equal(calls, ['begin', 'next']);
  assert.equal(received, ['x']);
  work.complete();
  await settled();
  assert.equal(calls, ['begin', 'next', 'next', 'next'], 'the other projections were complete');
  assert.equal(received, ['x', 'complete']);
});

test('accepts promises, lists and empty sources', async () => {
  const { received } = record(
    pull(source(1, 2, 3).iterable, (n) => (n === 1 ? Promise.resolve('one') : n === 2 ? [] : 'xy')),
  );
  await settled();
  assert.equal(received, ['one', 'x', 'y', 'complete']);
});

test('completes with an empty source', async () => {
  const { received } = record(pull(source<number>().iterable, of));
  await settled();
  assert.equal(received, ['complete']);
});

test('leaves the iterator at once when it is unsubscribed from, even while a value is requested', async () => {
  const { calls, iterable } = source(new Promise<number>(() => {}));
  const { received, subscription } = record(pull(iterable, (value) => of(value)));
  await settled();
  subscription.unsubscribe();
  assert.equal(calls, ['begin', 'next', 'return']);
  await settled();
  assert.equal(received, []);
});

test('unsubscribes from the projected observable, and requests no more', async () => {
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

test('stops in the middle of a list when it is unsubscribed from', async () => {
  const { calls, iterable } = source([1, 2, 3], [4]);
  const { received } = record(pull(iterable, (list) => list).pipe(take(2)));
  await settled();
  assert.equal(received, [1, 2, 'complete']);
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
    const { received } = record(pull(iterable, project));
    await settled();
    assert.equal(received, [['error', fault]]);
    assert.equal(calls, ['begin', 'next', 'return']);
  });
}

test('passes on the error of the source, which has ended by that', async () => {
  const { calls, iterable } = source<number>(1, Promise.reject(fault));
  const { received } = record(pull(iterable, (value) => of(value)));
  await settled();
  assert.equal(received, [1, ['error', fault]]);
  assert.equal(calls, ['begin', 'next', 'next']);
});

test('ignores errors of an iterator that is being left', async () => {
  const iterable: AsyncIterable<number> = {
    [Symbol.asyncIterator]: () => ({ next: () => new Promise(() => {}), return: () => Promise.reject(fault) }),
  };
  const { received, subscription } = record(pull(iterable, (value) => of(value)));
  subscription.unsubscribe();
  await settled();
  assert.equal(received, []);
});

/** Work that ends on demand. */
function works() {
  const begun = new Map<number, Subject<string>>();
  const project = (value: number) => {
    const work = new Subject<string>();
    begun.set(value, work);
    return work;
  };
  const end = (value: number) => {
    begun.get(value)?.next(`end of ${value}`);
    begun.get(value)?.complete();
  };
  return { begun, project, end };
}

test('three at a time: requests three, and another when one has completed, whichever it is', async () => {
  const { calls, iterable } = source(1, 2, 3, 4, 5);
  const { begun, project, end } = works();
  const { received } = record(pull(iterable, project, 3));
  await settled();
  assert.equal([...begun.keys()], [1, 2, 3]);
  assert.equal(calls.join(' '), 'begin next next next');
  end(2);
  await settled();
  assert.equal([...begun.keys()], [1, 2, 3, 4]);
  for (const value of [4, 1, 3]) end(value);
  await settled();
  end(5);
  await settled();
  assert.equal(received, ['end of 2', 'end of 4', 'end of 1', 'end of 3', 'end of 5', 'complete']);
  assert.not(calls.includes('return'));
});

test('three at a time: completes when the last of them has, with fewer values and with none', async () => {
  for (const values of [[], [1], [1, 2]]) {
    const { calls, iterable } = source(...values);
    const { project, end } = works();
    const { received } = record(pull(iterable, project, 3));
    await settled();
    assert.is(received.includes('complete'), values.length === 0);
    values.forEach(end);
    await settled();
    assert.is(received.at(-1), 'complete');
    assert.not(calls.includes('return'));
  }
});

test('three at a time: a source without a second value holds nothing up', async () => {
  const { iterable } = source(1, new Promise<number>(() => {}));
  const { received } = record(pull(iterable, (value) => of(value), 3));
  await settled();
  assert.equal(received, [1]);
});

test('three at a time: an error of one unsubscribes from the others and leaves the iterator once', async () => {
  const { calls, iterable } = source(1, 2, 3, 4);
  const { begun, project } = works();
  const { received } = record(pull(iterable, project, 3));
  await settled();
  begun.get(2)?.error(fault);
  await settled();
  assert.equal(received, [['error', fault]]);
  assert.equal(
    [...begun.values()].map(({ observed }) => observed),
    [false, false, false],
  );
  assert.equal(calls.join(' '), 'begin next next next return');
});

test('three at a time: an error of the source ends the others', async () => {
  const { calls, iterable } = source<number>(1, 2, Promise.reject(fault));
  const { begun, project } = works();
  const { received } = record(pull(iterable, project, 3));
  await settled();
  assert.equal(received, [['error', fault]]);
  assert.ok([...begun.values()].every(({ observed }) => !observed));
  assert.not(calls.includes('return'), 'it has ended by that');
});

test('three at a time: who leaves early leaves all of them, and the iterator once', async () => {
  const { calls, iterable } = source(1, 2, 3, 4);
  const { begun, project } = works();
  const { received, subscription } = record(pull(iterable, project, 3));
  await settled();
  subscription.unsubscribe();
  await settled();
  assert.equal(received, []);
  assert.equal(
    [...begun.values()].map(({ observed }) => observed),
    [false, false, false],
  );
  assert.equal(calls.join(' '), 'begin next next next return');
});

test('needs neither stack nor memory for 50,000 values', async () => {
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
