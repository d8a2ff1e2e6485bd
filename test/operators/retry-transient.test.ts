import { lastValueFrom, Observable, throwError } from 'rxjs';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { retryTransient } from '../../operators/index.js';
import { inOrder, marbles } from './marbles.js';

interface Case {
  readonly rule: string;
  /** What the source does, subscription by subscription. */
  readonly tries: readonly string[];
  /** The wait after each failed try; none: give up. */
  readonly waits: readonly number[];
  readonly result: string;
  readonly unsubscribe?: string;
  readonly subscribed: readonly string[];
}

const cases: readonly Case[] = [
  { rule: 'waits for a source that never speaks', tries: ['-'], waits: [], result: '-', subscribed: ['^'] },
  { rule: 'lets an empty source through', tries: ['|'], waits: [], result: '|', subscribed: ['(^!)'] },
  { rule: 'lets one value through', tries: ['-a|'], waits: [], result: '-a|', subscribed: ['^-!'] },
  { rule: 'lets many values through', tries: ['-a-b-|'], waits: [], result: '-a-b-|', subscribed: ['^----!'] },
  { rule: 'gives up at once with the error', tries: ['-#'], waits: [], result: '-#', subscribed: ['^!'] },
  {
    rule: 'waits as long as decided and subscribes again',
    tries: ['--#', '-a|'],
    waits: [3],
    result: '------a|',
    subscribed: ['^-!', '-----^-!'],
  },
  {
    rule: 'subscribes again at once after a wait of 0',
    tries: ['--#', '-a|'],
    waits: [0],
    result: '---a|',
    subscribed: ['^-!', '--^-!'],
  },
  {
    rule: 'takes a negative wait for 0',
    tries: ['--#', '-a|'],
    waits: [-5],
    result: '---a|',
    subscribed: ['^-!', '--^-!'],
  },
  {
    rule: 'takes what is no number for 0',
    tries: ['--#', '-a|'],
    waits: [Number.NaN],
    result: '---a|',
    subscribed: ['^-!', '--^-!'],
  },
  {
    rule: 'keeps what a failed try has emitted, and its count of retries',
    tries: ['a#', 'b#', 'c#'],
    waits: [2, 4],
    result: 'a--b----c#',
    subscribed: ['^!', '---^!', '--------^!'],
  },
  {
    rule: 'leaves a try on unsubscription',
    tries: ['-#', '-----a|'],
    waits: [2],
    unsubscribe: '-----!',
    result: '------',
    subscribed: ['^!', '---^-!'],
  },
  {
    rule: 'leaves a wait on unsubscription',
    tries: ['-#', '-a|'],
    waits: [9],
    unsubscribe: '-----!',
    result: '------',
    subscribed: ['^!'],
  },
];

for (const { rule, tries, waits, result, unsubscribe, subscribed } of cases) {
  test(
    rule,
    marbles(({ cold, expectObservable, expectSubscriptions }) => {
      const sources = tries.map((line) => cold(line));
      const decide = (_: unknown, attempt: number) => waits[attempt - 1];
      expectObservable(inOrder(...sources).pipe(retryTransient(decide)), unsubscribe).toBe(result);
      sources.forEach(({ subscriptions }, index) => {
        expectSubscriptions(subscriptions).toBe(subscribed[index] ?? []);
      });
    }),
  );
}

test(
  'passes the error, the attempt and the wait, before it waits',
  marbles(({ cold, expectObservable, flush }) => {
    const calls: unknown[] = [];
    const failing = [1, 2, 3].map((code) => cold('-#', undefined, code));
    const decide = (error: unknown, attempt: number) => {
      calls.push(['decide', error, attempt]);
      return error === 3 ? undefined : attempt - 1;
    };
    const onWait = (...wait: unknown[]) => calls.push(['wait', ...wait]);
    expectObservable(inOrder(...failing).pipe(retryTransient(decide, onWait))).toBe('----#', undefined, 3);
    flush();
    assert.equal(calls, [
      ['decide', 1, 1],
      ['wait', 1, 1, 0],
      ['decide', 2, 2],
      ['wait', 2, 2, 1],
      ['decide', 3, 3],
    ]);
  }),
);

test(
  'counts anew for each subscription',
  marbles(({ cold, expectObservable }) => {
    const source = cold('-#').pipe(retryTransient((_, attempt) => (attempt > 1 ? undefined : 1)));
    expectObservable(source).toBe('---#');
    expectObservable(source, '-----^').toBe('--------#');
  }),
);

const throwing = () => {
  throw 'thrown';
};

test(
  'ends with the throw of decide',
  marbles(({ cold, expectObservable, expectSubscriptions }) => {
    const source = cold('-#');
    expectObservable(source.pipe(retryTransient(throwing))).toBe('-#', undefined, 'thrown');
    expectSubscriptions(source.subscriptions).toBe('^!');
  }),
);

test(
  'ends with the throw of onWait',
  marbles(({ cold, expectObservable, expectSubscriptions }) => {
    const source = cold('-#');
    expectObservable(source.pipe(retryTransient(() => 1, throwing))).toBe('-#', undefined, 'thrown');
    expectSubscriptions(source.subscriptions).toBe('^!');
  }),
);

test(
  'waits longer than a timer of the platform can',
  marbles(({ cold, expectObservable }) => {
    const days = 24 * 60 * 60 * 1000;
    const wait = 80 * days;
    expectObservable(inOrder(cold('#'), cold('a|')).pipe(retryTransient(() => wait))).toBe(`${wait}ms a|`);
  }),
);

test('sets no timer beyond its limit, and none for a wait of 0', () => {
  const asked: unknown[] = [];
  const setInterval = globalThis.setInterval;
  const recording = (work: () => void, ms?: number) => {
    asked.push(ms);
    return setInterval(work, ms);
  };
  globalThis.setInterval = Object.assign(recording, setInterval);
  try {
    for (const wait of [0, 2 ** 31 - 1, 2 ** 31, Number.POSITIVE_INFINITY]) {
      throwError(() => 'reason')
        .pipe(retryTransient(() => wait))
        .subscribe()
        .unsubscribe();
    }
  } finally {
    globalThis.setInterval = setInterval;
  }
  assert.equal(asked, [2 ** 31 - 1, 2 ** 31 - 1, 2 ** 31 - 1]);
});

test('needs no stack for 10,000 retries at once', async () => {
  let tries = 0;
  const source = new Observable<number>((subscriber) => {
    tries += 1;
    if (tries <= 10_000) subscriber.error(tries);
    subscriber.next(tries);
    subscriber.complete();
  });
  assert.is(await lastValueFrom(source.pipe(retryTransient(() => 0))), 10_001);
});

test.run();
