import {
  asyncScheduler,
  concatMap,
  defer,
  EMPTY,
  finalize,
  forkJoin,
  lastValueFrom,
  merge,
  NEVER,
  type Observable,
  of,
  range,
  Subject,
  Subscription,
  scheduled,
  take,
  throwError,
  timer,
} from 'rxjs';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { inTurn, inTurnBy } from '../../operators/index.js';
import { heapAfterCollection, marbles } from './marbles.js';

interface Entrant {
  readonly source: string;
  /** When it is subscribed to, and unsubscribed from. */
  readonly at: string;
  readonly result: string;
  /** Subscriptions of the source. */
  readonly turn: string | readonly string[];
}

const cases: Readonly<Record<string, readonly Entrant[]>> = {
  'lets a lone source through as it is': [{ source: '-a-b-|', at: '^', result: '-a-b-|', turn: '^----!' }],
  'lets an empty source through': [
    { source: '|', at: '^', result: '|', turn: '(^!)' },
    { source: '-b|', at: '^', result: '-b|', turn: '^-!' },
  ],
  'subscribes in order of subscription, one at a time': [
    { source: '--a--|', at: '^', result: '--a--|', turn: '^----!' },
    { source: '-b-|', at: '-^', result: '------b-|', turn: '-----^--!' },
    { source: '-c|', at: '--^', result: '---------c|', turn: '--------^-!' },
  ],
  'passes the turn on after an error, which only its own subscriber receives': [
    { source: '--#', at: '^', result: '--#', turn: '^-!' },
    { source: '-b|', at: '^', result: '---b|', turn: '--^-!' },
  ],
  'passes the turn on after an unsubscription': [
    { source: '-a-----|', at: '^--!', result: '-a--', turn: '^--!' },
    { source: '-b|', at: '^', result: '----b|', turn: '---^-!' },
  ],
  'takes who unsubscribes while waiting out of the line': [
    { source: '-----|', at: '^', result: '-----|', turn: '^----!' },
    { source: '-b|', at: '-^-!', result: '----', turn: [] },
    { source: '-c|', at: '--^', result: '------c|', turn: '-----^-!' },
  ],
  'waits for ever behind a source that never ends': [
    { source: '-a-', at: '^', result: '-a-', turn: '^' },
    { source: '-b|', at: '^', result: '-', turn: [] },
  ],
};

/** With two turns at a time. */
const ofTwo: typeof cases = {
  'two at a time: lets one through as it is': [{ source: '-a-b-|', at: '^', result: '-a-b-|', turn: '^----!' }],
  'two at a time: the third waits for the first of two to end, the fourth for the next': [
    { source: '-----a|', at: '^', result: '-----a|', turn: '^-----!' },
    { source: '--b|', at: '^', result: '--b|', turn: '^--!' },
    { source: '-c|', at: '^', result: '----c|', turn: '---^-!' },
    { source: '-d|', at: '^', result: '------d|', turn: '-----^-!' },
  ],
  'two at a time: an empty source passes its turn on at once': [
    { source: '----a|', at: '^', result: '----a|', turn: '^----!' },
    { source: '|', at: '^', result: '|', turn: '(^!)' },
    { source: '-c|', at: '^', result: '-c|', turn: '^-!' },
  ],
  'two at a time: one that never ends leaves the other turn to all who come': [
    { source: '-', at: '^', result: '-', turn: '^' },
    { source: '-b|', at: '^', result: '-b|', turn: '^-!' },
    { source: '-c|', at: '^', result: '---c|', turn: '--^-!' },
  ],
  'two at a time: an error is its own, and passes the turn on': [
    { source: '-----|', at: '^', result: '-----|', turn: '^----!' },
    { source: '-#', at: '^', result: '-#', turn: '^!' },
    { source: '-c|', at: '^', result: '--c|', turn: '-^-!' },
  ],
  'two at a time: who leaves early passes the turn on, or the place in the line': [
    { source: '-----|', at: '^', result: '-----|', turn: '^----!' },
    { source: '-----|', at: '^-!', result: '--', turn: '^-!' },
    { source: '-c|', at: '^!', result: '-', turn: [] },
    { source: '-d|', at: '^', result: '---d|', turn: '--^-!' },
  ],
};

for (const [rule, entrants] of [...Object.entries(cases), ...Object.entries(ofTwo)]) {
  test(
    rule,
    marbles(({ cold, expectObservable, expectSubscriptions }) => {
      const turn = rule in ofTwo ? inTurn(2) : inTurn();
      for (const { source, at, result, turn: held } of entrants) {
        const each = cold(source);
        expectObservable(each.pipe(turn), at).toBe(result);
        expectSubscriptions(each.subscriptions).toBe([held].flat());
      }
    }),
  );
}

test(
  'passes the turn on after a throw',
  marbles(({ cold, expectObservable }) => {
    const turn = inTurn();
    const throwing = defer((): Observable<string> => {
      throw 'thrown';
    });
    expectObservable(throwing.pipe(turn)).toBe('#', undefined, 'thrown');
    expectObservable(cold('-b|').pipe(turn)).toBe('-b|');
  }),
);

test(
  'goes to the end of the queue with each subscription',
  marbles(({ cold, expectObservable }) => {
    const turn = inTurn();
    const source = cold('-a|').pipe(turn);
    expectObservable(source).toBe('-a|');
    expectObservable(source).toBe('---a|');
  }),
);

for (const [ending, end] of Object.entries<(gate: Subject<void>, subscription: Subscription) => void>({
  completed: (gate) => gate.complete(),
  failed: (gate) => gate.error('reason'),
  'been unsubscribed from': (_, subscription) => subscription.unsubscribe(),
})) {
  test(`starts the next when all inside the last is torn down, it having ${ending}`, () => {
    const log: string[] = [];
    const turn = inTurn();
    const open = new Subject<void>();
    const gate = new Subject<void>();
    const inner = gate.pipe(finalize(() => log.push('inner torn down')));
    const holder = NEVER.pipe(turn).subscribe();
    const source = open.pipe(
      take(1),
      concatMap(() => inner),
    );
    const subscription = source.pipe(turn).subscribe({ error: () => log.push('error') });
    defer(() => of(log.push('next')))
      .pipe(turn)
      .subscribe();

    holder.unsubscribe();
    open.next();
    assert.equal(log, []);
    end(gate, subscription);
    assert.equal(
      log.filter((line) => line !== 'error'),
      ['inner torn down', 'next'],
    );
  });
}

test('does not run away with a synchronous source of which little is wanted', async () => {
  const turn = inTurn();
  const holder = NEVER.pipe(turn).subscribe();
  const wanted = lastValueFrom(range(0, Number.MAX_SAFE_INTEGER).pipe(turn, take(3)));
  holder.unsubscribe();
  assert.is(await wanted, 2);
});

test('needs no stack for 10,000 who wait and end at once, one by one', () => {
  const turn = inTurn();
  const order: number[] = [];
  const holder = NEVER.pipe(turn).subscribe();
  for (let index = 0; index < 10_000; index += 1) {
    const source = index % 2 === 0 ? of(index) : throwError(() => index);
    source.pipe(turn).subscribe({ next: (value) => order.push(value), error: (value) => order.push(value) });
  }
  assert.is(order.length, 0);
  holder.unsubscribe();
  assert.equal(order, [...Array(10_000).keys()]);
});

test('needs no stack for 10,000 who leave the line', () => {
  const turn = inTurn();
  const waiting = new Subscription();
  const holder = NEVER.pipe(turn).subscribe();
  for (let index = 0; index < 10_000; index += 1) waiting.add(of(index).pipe(turn).subscribe());
  waiting.unsubscribe();
  const reached: string[] = [];
  of('last')
    .pipe(turn)
    .subscribe((value) => reached.push(value));
  assert.equal(reached, []);
  holder.unsubscribe();
  assert.equal(reached, ['last']);
});

test('keeps nothing of subscribers that left, however long the turn is held', () => {
  const turn = inTurn();
  const holder = NEVER.pipe(turn).subscribe();
  const comeAndGo = (times: number) => {
    for (let index = 0; index < times; index += 1) EMPTY.pipe(turn).subscribe().unsubscribe();
  };
  comeAndGo(1_000);
  const before = heapAfterCollection();
  comeAndGo(50_000);
  const grown = heapAfterCollection() - before;
  holder.unsubscribe();
  assert.ok(grown < 2 ** 19, `the heap grew by ${grown} bytes`);
});

/** Promise reactions that are due have run when this settles. */
const settled = () => new Promise((resolve) => setImmediate(resolve));

test('asynchronous code and observables share one queue', async () => {
  const turn = inTurn();
  const log: string[] = [];
  const release = await turn.acquire();
  const observed = lastValueFrom(defer(() => of(log.push('observable'))).pipe(turn));
  const second = turn.acquire().then((leave) => {
    log.push('asynchronous');
    leave();
  });
  await settled();
  assert.equal(log, []);
  release();
  await Promise.all([observed, second]);
  assert.equal(log, ['observable', 'asynchronous']);
});

test('a turn is taken at once if it is free, and otherwise not waited for', async () => {
  for (const turn of [inTurn(), inTurnBy<string>()('k')]) {
    const release = turn.take();
    assert.type(release, 'function');
    assert.is(turn.take(), undefined);
    let reached = false;
    const next = turn.acquire().then((leave) => {
      reached = true;
      return leave;
    });
    assert.is(turn.take(), undefined);
    await settled();
    assert.is(reached, false);
    release?.();
    (await next)();
    assert.type(turn.take(), 'function', 'those that were not free are in no queue');
  }
});

test('releases the turn once, however often it is called', async () => {
  const turn = inTurn();
  const first = await turn.acquire();
  first();
  const second = await turn.acquire();
  first();
  let reached = false;
  const third = turn.acquire().then((leave) => {
    reached = true;
    leave();
  });
  await settled();
  assert.is(reached, false);
  second();
  await third;
});

test('an abort while waiting leaves the queue, with the reason', async () => {
  const turn = inTurn();
  const release = await turn.acquire();
  const controller = new AbortController();
  const gone = turn.acquire(controller.signal).catch((reason) => reason);
  const next = turn.acquire();
  controller.abort('interrupted');
  assert.is(await gone, 'interrupted');
  release();
  (await next)();
});

test('rejects an aborted signal at once, and keeps the turn free', async () => {
  const turn = inTurn();
  assert.is(await turn.acquire(AbortSignal.abort('before')).catch((reason) => reason), 'before');
  (await turn.acquire())();
});

test('a turn that was given is not affected when its signal aborts', async () => {
  const turn = inTurn();
  const controller = new AbortController();
  const release = await turn.acquire(controller.signal);
  let reached = false;
  const next = turn.acquire().then((leave) => {
    reached = true;
    leave();
  });
  controller.abort();
  await settled();
  assert.is(reached, false);
  release();
  await next;
});

test(
  'lets sources of one key take turns and those of others run beside them',
  marbles(({ cold, expectObservable, expectSubscriptions }) => {
    const turn = inTurnBy<string>();
    const second = cold('-y-|');
    expectObservable(cold('--x--|').pipe(turn('k'))).toBe('--x--|');
    expectObservable(second.pipe(turn('k'))).toBe('        ------y-|');
    expectObservable(cold('-z-|').pipe(turn('l'))).toBe('   -z-|');
    expectSubscriptions(second.subscriptions).toBe('        -----^--!');
  }),
);

test(
  'looks the key up when subscribed to, so that a turn can be kept',
  marbles(({ cold, expectObservable }) => {
    const turn = inTurnBy<string>();
    const kept = turn('k');
    expectObservable(cold('a|').pipe(kept)).toBe('a|');
    expectObservable(cold('--b|').pipe(kept), '--^').toBe('----b|');
    expectObservable(cold('c|').pipe(turn('k')), '---^').toBe('-----c|');
  }),
);

test('gives asynchronous code as many turns at once as the limit', async () => {
  const turn = inTurn(2);
  const [first, second] = [await turn.acquire(), await turn.acquire()];
  let reached = 0;
  const waiting = [turn.acquire(), turn.acquire()].map((turned) =>
    turned.then((leave) => {
      reached += 1;
      return leave;
    }),
  );
  await settled();
  assert.is(reached, 0);
  first();
  first();
  await settled();
  assert.is(reached, 1, 'left twice, passed on once');
  second();
  for (const leave of await Promise.all(waiting)) leave();
  assert.is(reached, 2);
});

test('has an acquire for each key', async () => {
  const turn = inTurnBy<number>();
  const release = await turn(1).acquire();
  (await turn(2).acquire())();
  const next = turn(1).acquire();
  release();
  (await next)();
});

test('keeps a key in use when one who has left long ago releases it again', async () => {
  const turn = inTurnBy<string>();
  const early = await turn('k').acquire();
  early();
  const holding = await turn('k').acquire();
  early();
  let reached = false;
  const next = turn('k')
    .acquire()
    .then((leave) => {
      reached = true;
      leave();
    });
  await settled();
  assert.is(reached, false);
  holding();
  await next;
});

/** The maps to which one of the keys is added while the work lasts. */
async function mapsGiven(isKey: (key: unknown) => boolean, work: () => Promise<void>) {
  const maps = new Set<ReadonlyMap<unknown, unknown>>();
  const { set } = Map.prototype;
  Map.prototype.set = function (key, value) {
    if (isKey(key)) maps.add(this);
    return set.call(this, key, value);
  };
  try {
    await work();
  } finally {
    Map.prototype.set = set;
  }
  return [...maps];
}

test('forgets an unused key', async () => {
  const turn = inTurnBy<object>();
  const keys = new WeakSet<object>();
  const refs: WeakRef<object>[] = [];
  const use = async () => {
    for (let index = 0; index < 100; index += 1) {
      const key = { index };
      keys.add(key);
      refs.push(new WeakRef(key));
      const holder = NEVER.pipe(turn(key)).subscribe();
      const waiting = turn(key).acquire();
      of(index).pipe(turn(key)).subscribe().unsubscribe();
      holder.unsubscribe();
      (await waiting)();
      of(index).pipe(turn(key)).subscribe();
    }
  };
  const maps = await mapsGiven((key) => typeof key === 'object' && key !== null && keys.has(key), use);
  assert.equal(
    maps.map(({ size }) => size),
    [0],
    'the one map that knows keys has none left',
  );

  // Nor does anything else keep them: a leak would hold them all. How soon the collector comes to the last few is its
  // own affair.
  await settled();
  heapAfterCollection();
  assert.ok(refs.filter((ref) => ref.deref() !== undefined).length < 10);
  assert.type(turn, 'function');
});

test(
  'never has two of one key under way in a crowd',
  marbles(({ flush }) => {
    const turn = inTurnBy<number>();
    const underWay = new Map<number, number>();
    const add = (key: number, by: number) => underWay.set(key, (underWay.get(key) ?? 0) + by);
    let most = 0;
    let done = 0;
    const source = (key: number) =>
      defer(() => {
        most = Math.max(most, add(key, 1).get(key) ?? 0);
        return merge(timer(1), scheduled([1], asyncScheduler));
      }).pipe(finalize(() => add(key, -1)));
    const crowd = [...Array(60).keys()].map((index) => source(index % 3).pipe(turn(index % 3)));
    forkJoin(crowd).subscribe(() => {
      done += 1;
    });
    flush();
    assert.equal([most, done], [1, 1]);
  }),
);

test.run();
