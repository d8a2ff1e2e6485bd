import {
  concatMap,
  count,
  defer,
  EMPTY,
  finalize,
  from,
  lastValueFrom,
  type Observable,
  of,
  queueScheduler,
  range,
  tap,
} from 'rxjs';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { fromAbortable, scroll } from '../../operators/index.js';
import { heapAfterCollection, marbles } from './marbles.js';

interface Receipt {
  readonly id: string;
  readonly next?: string;
}

const receipts: Record<string, Receipt> = {
  A: { id: 'A', next: 'b' },
  B: { id: 'B', next: 'c' },
  C: { id: 'C' },
  X: { id: 'X', next: 'y' },
  Y: { id: 'Y' },
};

interface Case {
  readonly rule: string;
  readonly requests: string;
  readonly visits: Readonly<Record<string, string>>;
  readonly result: string;
  readonly unsubscribe?: string;
  /** Subscriptions by request; requests left out must not be visited. */
  readonly visited: Readonly<Record<string, string>>;
}

const cases: readonly Case[] = [
  { rule: 'waits for a source that never speaks', requests: '-', visits: {}, result: '-', visited: {} },
  { rule: 'completes with an empty source', requests: '|', visits: {}, result: '|', visited: {} },
  { rule: 'passes on an error of the source', requests: '--#', visits: {}, result: '--#', visited: {} },
  {
    rule: 'ends after one visit whose receipt names nothing',
    requests: 'c|',
    visits: { c: '--(C|)' },
    result: '  --(C|)',
    visited: { c: '^-!' },
  },
  {
    rule: 'visits what a receipt names when the visit has completed',
    requests: 'a---|',
    visits: { a: '--(A|)', b: '---(B|)', c: '-(C|)' },
    result: '  --A--B(C|)',
    visited: { a: '^-!', b: '--^--!', c: '-----^!' },
  },
  {
    rule: 'waits for a visit that goes on after its receipt',
    requests: 'a|',
    visits: { a: '-A--|', b: '-B--|', c: '-C--|' },
    result: '  ----A---B---(C|)',
    visited: { a: '^---!', b: '----^---!', c: '--------^---!' },
  },
  {
    rule: 'completes after the source when that is open longer',
    requests: 'c------|',
    visits: { c: '-(C|)' },
    result: '  -C-----|',
    visited: { c: '^!' },
  },
  {
    rule: 'ends a walk whose visit completes without a receipt',
    requests: 'a|',
    visits: { a: '-(A|)', b: '--|' },
    result: '  -A-|',
    visited: { a: '^!', b: '-^-!' },
  },
  {
    rule: 'starts the second request when the walk of the first has ended',
    requests: 'ax|',
    visits: { a: '--(A|)', b: '--(B|)', c: '--(C|)', x: '-(X|)', y: '-(Y|)' },
    result: '  --A-B-CX(Y|)',
    visited: { a: '^-!', b: '--^-!', c: '----^-!', x: '------^!', y: '-------^!' },
  },
  {
    rule: 'stays with a visit that never ends',
    requests: 'a|',
    visits: { a: '-(A|)', b: '-' },
    result: '  -A',
    visited: { a: '^!', b: '-^' },
  },
  {
    rule: 'ends with the error of a visit, what was emitted standing',
    requests: 'ax|',
    visits: { a: '-(A|)', b: '--#' },
    result: '  -A-#',
    visited: { a: '^!', b: '-^-!' },
  },
  {
    rule: 'drops the receipt of a visit that fails after it',
    requests: 'a|',
    visits: { a: '-A-#' },
    result: '  ---#',
    visited: { a: '^--!' },
  },
  {
    rule: 'unsubscribes from the visit under way when the source fails',
    requests: 'a---#',
    visits: { a: '-(A|)', b: '-------(B|)' },
    result: '  -A--#',
    visited: { a: '^!', b: '-^--!' },
  },
  {
    rule: 'unsubscribes from the visit under way on unsubscription',
    requests: 'a|',
    visits: { a: '-(A|)', b: '-------(B|)' },
    unsubscribe: '---!',
    result: '  -A--',
    visited: { a: '^!', b: '-^-!' },
  },
];

for (const { rule, requests, visits, result, unsubscribe, visited } of cases) {
  test(
    rule,
    marbles(({ cold, expectObservable, expectSubscriptions }) => {
      const sources = new Map(Object.entries(visits).map(([request, line]) => [request, cold(line, receipts)]));
      const visit = (request: string): Observable<Receipt> => sources.get(request) ?? EMPTY;

      expectObservable(cold(requests).pipe(scroll(visit)), unsubscribe).toBe(result, receipts);
      for (const [request, source] of sources) expectSubscriptions(source.subscriptions).toBe(visited[request] ?? []);
    }),
  );
}

test(
  'turns a throw of the first visit into an error',
  marbles(({ cold, expectObservable }) => {
    const visit = (): Observable<Receipt> => {
      throw 'thrown';
    };
    expectObservable(cold('-a|').pipe(scroll(visit))).toBe('-#', undefined, 'thrown');
  }),
);

test(
  'turns a throw of a later visit into an error',
  marbles(({ cold, expectObservable }) => {
    const visit = (request: string): Observable<Receipt> => {
      if (request === 'b') throw 'thrown';
      return cold('--(A|)', receipts);
    };
    expectObservable(cold('a|').pipe(scroll(visit))).toBe('--(A#)', receipts, 'thrown');
  }),
);

interface Numbered {
  readonly next?: number;
}
const upTo = (last: number, request: number): Numbered => (request < last ? { next: request + 1 } : {});
const visitsOf = (walk: Observable<Numbered>): Promise<number> => lastValueFrom(walk.pipe(count()));

test('tears a visit down before the next one begins', async () => {
  const log: string[] = [];
  const visit = (request: number) =>
    defer(() => {
      log.push(`begin ${request}`);
      return fromAbortable(async () => upTo(2, request));
    }).pipe(finalize(() => log.push(`end ${request}`)));

  await visitsOf(of(0).pipe(scroll(visit)));

  assert.equal(log, ['begin 0', 'end 0', 'begin 1', 'end 1', 'begin 2', 'end 2']);
});

test('never has more than one visit in progress, however slow its consumer', async () => {
  const tick = () => new Promise((resolve) => setImmediate(resolve));
  let underWay = 0;
  let most = 0;
  let fetched = 0;
  let taken = 0;
  let furthestAhead = 0;
  const take = async () => {
    for (let wait = 0; wait < 5; wait += 1) await tick();
    taken += 1;
  };
  const fetchAndTake = async (request: number) => {
    fetched += 1;
    furthestAhead = Math.max(furthestAhead, fetched - taken);
    await take();
    return upTo(request < 100 ? 39 : 139, request);
  };
  const visit = (request: number) =>
    defer(() => {
      underWay += 1;
      most = Math.max(most, underWay);
      return fromAbortable(() => fetchAndTake(request));
    }).pipe(
      finalize(() => {
        underWay -= 1;
      }),
    );

  assert.is(await visitsOf(of(0, 100).pipe(scroll(visit))), 80);
  assert.is(most, 1);
  assert.is(furthestAhead, 1);
});

test('takes 10,000 synchronous visits off the stack', async () => {
  assert.is(await visitsOf(of(0).pipe(scroll((request: number) => of(upTo(9_999, request))))), 10_000);
});

test('takes synchronous visits off the stack after an asynchronous one', async () => {
  const visit = (request: number): Observable<Numbered> =>
    request === 0 ? fromAbortable(async () => upTo(10_000, request)) : of(upTo(10_000, request));
  assert.is(await visitsOf(of(0).pipe(scroll(visit))), 10_001);
});

test('takes 10,000 requests that wait', async () => {
  assert.is(await visitsOf(range(0, 10_000).pipe(scroll(() => of<Numbered>({})))), 10_000);
});

test('walks inside a visit of another walk', async () => {
  const child = () =>
    of(0).pipe(
      scroll((request: number) => of(upTo(9, request))),
      count(),
    );
  const visit = (request: number) => child().pipe(concatMap((children) => of({ ...upTo(9, request), children })));
  const seen: number[] = [];
  await visitsOf(
    of(0).pipe(
      scroll(visit),
      tap(({ children }) => seen.push(children)),
    ),
  );
  assert.equal(seen, Array(10).fill(10));
});

test('walks when subscribed to from the queue scheduler', async () => {
  const visits = await new Promise<number>((resolve) => {
    queueScheduler.schedule(() => {
      visitsOf(of(0).pipe(scroll((request: number) => of(upTo(99, request))))).then(resolve);
    });
  });
  assert.is(visits, 100);
});

test('keeps nothing of 50,000 visits', async () => {
  const heap: number[] = [];
  const visit = (request: number) =>
    fromAbortable(async () => {
      if (request === 1_000 || request === 49_999) heap.push(heapAfterCollection());
      return upTo(49_999, request);
    });

  assert.is(await visitsOf(from([0]).pipe(scroll(visit))), 50_000);
  const [early = 0, late = 0] = heap;
  assert.ok(late - early < 2 ** 20, `the heap grew by ${late - early} bytes`);
});

test.run();
