/**
 * A limit of beginnings: pictures, fairness, and for random arrivals that no window holds more than its rate, and
 * little less under load.
 */
import fc from 'fast-check';
import { defer, EMPTY, NEVER, of, tap, throwError } from 'rxjs';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { limited, type Rate } from '../../operators/index.js';
import { startClock, type VirtualClock } from '../support/virtual-clock.js';
import { marbles } from './marbles.js';
import { earliest, excess, rates } from './windows.js';

const seed = Number(process.env.FC_SEED ?? Math.floor(Math.random() * 2 ** 31));
console.log(`seed ${seed} (set FC_SEED to repeat)`);

interface Entrant {
  readonly source: string;
  /** When it is subscribed to, and unsubscribed from. */
  readonly at?: string;
  readonly key?: string;
  readonly result: string;
  /** Subscriptions of the source. */
  readonly begins: string | string[];
}

const two: readonly Rate[] = [{ most: 2, ms: 5 }];
const cases: Readonly<Record<string, readonly [rates: readonly Rate[], entrants: readonly Entrant[]]>> = {
  'draws the picture of its docstring': [
    two,
    [
      { source: '-a|', result: '-a|', begins: '^-!' },
      { source: '-b|', result: '-b|', begins: '^-!' },
      { source: '-c|', result: '------c|', begins: '-----^-!' },
      { source: '-d|', at: '-^', key: 'l', result: '------d|', begins: '-----^-!' },
    ],
  ],
  'lets all through without a rate': [
    [],
    [
      { source: '-a|', result: '-a|', begins: '^-!' },
      { source: '|', result: '|', begins: '(^!)' },
    ],
  ],
  'counts what is empty, never ends or fails as what emits': [
    [{ most: 1, ms: 2 }],
    [
      { source: '|', result: '|', begins: '(^!)' },
      { source: '-', result: '-', begins: '--^' },
      { source: '-#', result: '-----#', begins: '----^!' },
      { source: 'a|', result: '------a|', begins: '------^!' },
    ],
  ],
  'slides: each is forgotten when it is old enough, not all of them together': [
    two,
    [
      { source: 'a|', result: 'a|', begins: '^!' },
      { source: 'b|', at: '---^', result: '---b|', begins: '---^!' },
      { source: 'c|', at: '---^', result: '-----c|', begins: '-----^!' },
      { source: 'd|', at: '---^', result: '--------d|', begins: '--------^!' },
    ],
  ],
  'keeps the rates all at once': [
    [
      { most: 1, ms: 2 },
      { most: 2, ms: 9 },
    ],
    [
      { source: 'a|', result: 'a|', begins: '^!' },
      { source: 'b|', result: '--b|', begins: '--^!' },
      { source: 'c|', result: '---------c|', begins: '---------^!' },
      { source: 'd|', result: '-----------d|', begins: '-----------^!' },
    ],
  ],
  'takes who unsubscribes while waiting out of the line, nothing used up': [
    [{ most: 1, ms: 5 }],
    [
      { source: 'a|', result: 'a|', begins: '^!' },
      { source: 'b|', at: '^-!', result: '--', begins: [] },
      { source: 'c|', at: '-^', result: '-----c|', begins: '-----^!' },
    ],
  ],
  'passes an unsubscription on': [[], [{ source: '-a-----', at: '^--!', result: '-a-', begins: '^--!' }]],
  'lets keys take turns, and the sources of each in their order': [
    [{ most: 1, ms: 1 }],
    [
      { source: 'a|', result: 'a|', begins: '^!' },
      { source: 'b|', result: '-b|', begins: '-^!' },
      { source: 'c|', result: '---c|', begins: '---^!' },
      { source: 'd|', result: '-----d|', begins: '-----^!' },
      { source: 'e|', key: 'l', result: '--e|', begins: '--^!' },
      { source: 'f|', key: 'l', result: '----f|', begins: '----^!' },
    ],
  ],
};

for (const [name, [rates, entrants]] of Object.entries(cases)) {
  test(
    name,
    marbles(({ cold, expectObservable, expectSubscriptions }) => {
      const limit = limited<string>(rates);
      for (const { source, at, key = 'k', result, begins } of entrants) {
        const itself = cold(source);
        expectObservable(itself.pipe(limit(key)), at).toBe(result);
        expectSubscriptions(itself.subscriptions).toBe(begins);
      }
    }),
  );
}

test(
  'an error while subscribing to a source, or creating it, goes to its own subscriber',
  marbles(({ expectObservable }) => {
    const limit = limited<string>([{ most: 1, ms: 2 }]);
    const thrower = defer(() => {
      throw 'no';
    });
    expectObservable(limit('k')(thrower)).toBe('#', undefined, 'no');
    expectObservable(limit('k')(throwError(() => 'gone'))).toBe('--#', undefined, 'gone');
    expectObservable(limit('k')(of('a'))).toBe('----(a|)');
  }),
);

/** Says at each letter what may begin until when. */
type Allowances = Readonly<Record<string, readonly [left: number, until: number]>>;

const allowances: readonly (readonly [
  what: string,
  said: string,
  of: Allowances,
  begins: Readonly<Record<string, string>>,
])[] = [
  [
    'so many and no more may begin until then',
    'a',
    { a: [1, 5] },
    { '-^': '-^', '--^': '-----^', '---^': '-----^', '------^': '------^' },
  ],
  [
    'what was said last counts: it may be more',
    'a--b',
    { a: [0, 9], b: [1, 9] },
    { '-^': '---^', '--^': '---------^' },
  ],
  ['it may be less', 'a--b', { a: [9, 9], b: [0, 7] }, { '-^': '-^', '----^': '-------^' }],
  ['what has passed is of no effect', '---a', { a: [0, 2] }, { '----^': '----^' }],
];

for (const [what, said, of, begins] of allowances) {
  test(
    `limits from outside: ${what}`,
    marbles(({ cold, expectObservable, expectSubscriptions }) => {
      const limit = limited<string>([]);
      const saying = cold(said).pipe(tap((letter) => limit.allow(...(of[letter] ?? [0, 0]))));
      expectObservable(saying).toBe(said);
      for (const [at, begun] of Object.entries(begins)) {
        const source = cold('-');
        expectObservable(source.pipe(limit('k')), at).toBe('-');
        expectSubscriptions(source.subscriptions).toBe(begun);
      }
    }),
  );
}

test('returns for how long nothing can begin', () =>
  withClock(async (clock) => {
    const limit = limited<string>([{ most: 1, ms: 50 }]);
    const now = Date.now();
    (await limit.acquire('k')).begin();
    assert.equal([limit.held(), limit.wait()], [0, 50]);
    limit.allow(1, now + 90);
    assert.is(limit.held(), 0);
    limit.allow(0, now + 90);
    clock.pass(30);
    assert.equal([limit.held(), limit.wait()], [60, 60]);
    clock.pass(60);
    assert.equal([limit.held(), limit.wait()], [0, 0]);
  }));

async function withClock(work: (clock: VirtualClock) => Promise<void>): Promise<void> {
  const clock = startClock();
  try {
    await work(clock);
  } finally {
    clock.stop();
  }
}

test('waiting in a promise: aborting leaves the line at once, with the reason of the signal', () =>
  withClock(async (clock) => {
    const limit = limited<string>([{ most: 1, ms: 10 }]);
    (await limit.acquire('k')).begin();
    const leaving = new AbortController();
    const gone = limit.acquire('k', leaving.signal).catch((reason: unknown) => reason);
    const next = limit.acquire('k');
    leaving.abort('away');
    assert.is(await gone, 'away');
    assert.is(await limit.acquire('k', AbortSignal.abort('before')).catch((reason: unknown) => reason), 'before');
    clock.pass(10);
    await next;
  }));

test('no timer runs when nothing waits', () =>
  withClock(async () => {
    const limit = limited<string>([{ most: 1, ms: 10 }]);
    const left = new Set<unknown>();
    const [set, clear] = [globalThis.setInterval, globalThis.clearInterval];
    const counting = (...given: Parameters<typeof set>) => {
      const timer = set(...given);
      left.add(timer);
      return timer;
    };
    const uncounting = (timer: Parameters<typeof clear>[0]) => {
      left.delete(timer);
      clear(timer);
    };
    Object.assign(globalThis, { setInterval: counting, clearInterval: uncounting });
    try {
      const both = [limit('k')(NEVER).subscribe(), limit('k')(NEVER).subscribe(), limit('l')(NEVER).subscribe()];
      assert.is(left.size, 1);
      for (const each of both) each.unsubscribe();
      assert.is(left.size, 0);
    } finally {
      Object.assign(globalThis, { setInterval: set, clearInterval: clear });
    }
  }));

test('takes no stack: ten thousand begin at once', () => {
  const limit = limited<number>([]);
  let begun = 0;
  const next = (): void => {
    begun += 1;
    if (begun < 10_000) limit(begun)(EMPTY).subscribe({ complete: next });
  };
  limit(0)(EMPTY).subscribe({ complete: next });
  assert.is(begun, 10_000);
});

test('a key with a hundred in line delays another by one', () =>
  withClock(async (clock) => {
    const limit = limited<string>([{ most: 1, ms: 10 }]);
    const begun: string[] = [];
    const enter = (key: string) => void limit(key)(of(key)).subscribe((each) => void begun.push(each));
    for (let n = 0; n < 100; n += 1) enter('greedy');
    for (let n = 0; n < 3; n += 1) enter('modest');
    clock.pass(70);
    assert.equal(begun, ['greedy', 'greedy', 'modest', 'greedy', 'modest', 'greedy', 'modest', 'greedy']);
  }));

interface Arrival {
  readonly gap: number;
  readonly key: string;
}

const arrivals = fc.array(
  fc.record({ gap: fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 60 })), key: fc.constantFrom('a', 'b', 'c') }),
  { minLength: 1, maxLength: 80 },
);

/** When each began, in order. */
function beginnings(given: readonly Rate[], coming: readonly Arrival[]): readonly number[] {
  const clock = startClock();
  const begun: number[] = [];
  try {
    const limit = limited<string>(given);
    for (const { gap, key } of coming) {
      clock.pass(gap);
      limit(key)(EMPTY).subscribe({ complete: () => void begun.push(Date.now()) });
    }
    for (let turn = 0; begun.length < coming.length && turn < 1000; turn += 1) clock.pass(400);
  } finally {
    clock.stop();
  }
  return begun;
}

test('for random rates and arrivals no window exceeds its rate, and all are served', () => {
  fc.assert(
    fc.property(rates, arrivals, (given, coming) => {
      const begun = beginnings(given, coming);
      assert.is(begun.length, coming.length);
      for (const each of given) assert.is(excess(begun, each), undefined);
    }),
    { seed, numRuns: 300 },
  );
});

test('under load the rate is used up: all begin as early as they may', () => {
  fc.assert(
    fc.property(rates, fc.integer({ min: 1, max: 80 }), (given, count) => {
      const begun = beginnings(
        given,
        Array.from({ length: count }, (_, at) => ({ gap: 0, key: String(at % 5) })),
      );
      assert.equal(begun, earliest(given, count, begun[0] ?? 0));
    }),
    { seed, numRuns: 200 },
  );
});

test.run();
