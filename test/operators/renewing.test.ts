import {
  asyncScheduler,
  defer,
  EMPTY,
  EmptyError,
  lastValueFrom,
  NEVER,
  Observable,
  of,
  Subject,
  Subscription,
  take,
  timer,
} from 'rxjs';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { renewing } from '../../operators/index.js';
import { inOrder, marbles } from './marbles.js';

interface Token {
  readonly id: string;
  readonly expiresAt: number;
}

const token = (id: string, expiresAt: number): Token => ({ id, expiresAt });
const forever = { a: token('a', Infinity), b: token('b', Infinity), c: token('c', Infinity) };

test(
  'obtains nothing before demand',
  marbles(({ cold, expectSubscriptions, flush }) => {
    const obtain = cold('(a|)', forever);
    renewing(obtain);
    flush();
    expectSubscriptions(obtain.subscriptions).toBe([]);
  }),
);

test(
  'obtains once and returns the held value from then on',
  marbles(({ cold, expectObservable, expectSubscriptions }) => {
    const obtain = cold('---(a|)', forever);
    const { value } = renewing(obtain);
    expectObservable(value).toBe('        ---(a|)', forever);
    expectObservable(value, '----^').toBe('----(a|)', forever);
    expectObservable(value, '9s ^').toBe(' 9s (a|)', forever);
    expectSubscriptions(obtain.subscriptions).toBe('^--!');
  }),
);

test(
  'obtains anew at the very moment of expiry, and not before',
  marbles(({ cold, expectObservable, expectSubscriptions }) => {
    const tokens = { a: token('a', 9), b: token('b', Infinity) };
    const first = cold('---(a|)', tokens);
    const second = cold('--(b|)', tokens);
    const { value } = renewing(inOrder(first, second));
    expectObservable(value).toBe('             ---(a|)', tokens);
    expectObservable(value, '--------^').toBe('--------(a|)', tokens);
    expectObservable(value, '---------^').toBe('-----------(b|)', tokens);
    expectSubscriptions(first.subscriptions).toBe('^--!');
    expectSubscriptions(second.subscriptions).toBe('---------^-!');
  }),
);

test(
  'does nothing when a value expires without demand',
  marbles(({ cold, expectObservable, expectSubscriptions }) => {
    const obtain = cold('(a|)', { a: token('a', 5) });
    expectObservable(renewing(obtain).value).toBe('(a|)', { a: token('a', 5) });
    expectObservable(timer(1_000_000)).toBe('1000s (0|)', { 0: 0 });
    expectSubscriptions(obtain.subscriptions).toBe('(^!)');
  }),
);

test(
  'lets all who ask during a flight wait for it',
  marbles(({ cold, expectObservable, expectSubscriptions }) => {
    const obtain = cold('-----(a|)', forever);
    const { value } = renewing(obtain);
    expectObservable(value).toBe('      -----(a|)', forever);
    expectObservable(value, '-^').toBe('-----(a|)', forever);
    expectObservable(value, '---^').toBe('-----(a|)', forever);
    expectSubscriptions(obtain.subscriptions).toBe('^----!');
  }),
);

test('lets all who ask during a flight wait for it, also when the clock is set back', () => {
  const { now } = asyncScheduler;
  const received: string[] = [];
  const landing = new Subject<Token>();
  const { value } = renewing(inOrder(of(token('a', 10)), landing));
  try {
    for (const time of [9, 11, 8]) {
      asyncScheduler.now = () => time;
      value.subscribe(({ id }) => received.push(id));
    }
    assert.equal(received, ['a']);
    landing.next(token('b', 20));
    assert.equal(received, ['a', 'b', 'b']);
  } finally {
    asyncScheduler.now = now;
  }
});

test(
  'serves those that waited with a value that is expired at once, and nothing after them',
  marbles(({ cold, expectObservable, expectSubscriptions }) => {
    const tokens = { a: token('a', -1), b: token('b', 0) };
    const first = cold('---(a|)', tokens);
    const second = cold('---(b|)', tokens);
    const { value } = renewing(inOrder(first, second));
    expectObservable(value).toBe('     ---(a|)', tokens);
    expectObservable(value, '--^').toBe('---(a|)', tokens);
    expectObservable(value, '----^').toBe('-------(b|)', tokens);
    expectSubscriptions(first.subscriptions).toBe('^--!');
    expectSubscriptions(second.subscriptions).toBe('----^--!');
  }),
);

test(
  'passes an error to all that wait and tries again for the next',
  marbles(({ cold, expectObservable, expectSubscriptions }) => {
    const first = cold<Token>('---#');
    const second = cold('-(b|)', forever);
    const { value } = renewing(inOrder<Token>(first, second));
    expectObservable(value).toBe('      ---#');
    expectObservable(value, '-^').toBe('---#');
    expectObservable(value, '-----^').toBe('------(b|)', forever);
    expectSubscriptions(first.subscriptions).toBe('^--!');
    expectSubscriptions(second.subscriptions).toBe('-----^!');
  }),
);

test(
  'keeps nothing of a throw',
  marbles(({ cold, expectObservable }) => {
    let asked = 0;
    const obtain = defer(() => {
      asked += 1;
      if (asked === 1) throw 'thrown';
      return cold('-(b|)', forever);
    });
    const { value } = renewing(obtain);
    expectObservable(value).toBe('     #', undefined, 'thrown');
    expectObservable(value, '--^').toBe('---(b|)', forever);
  }),
);

test('fails with an EmptyError when nothing is obtained', async () => {
  const error = await lastValueFrom(renewing<Token>(EMPTY).value).catch((thrown) => thrown);
  assert.instance(error, EmptyError);
});

test(
  'waits for a flight that never lands',
  marbles(({ expectObservable }) => {
    expectObservable(renewing<Token>(NEVER).value).toBe('-');
  }),
);

test(
  'takes the first value and unsubscribes',
  marbles(({ cold, expectObservable, expectSubscriptions }) => {
    const obtain = cold('--a--b--', forever);
    const { value } = renewing(obtain);
    expectObservable(value).toBe('--(a|)', forever);
    expectSubscriptions(obtain.subscriptions).toBe('^-!');
  }),
);

test(
  'flies on for the others when one who waits leaves',
  marbles(({ cold, expectObservable, expectSubscriptions }) => {
    const obtain = cold('-----(a|)', forever);
    const { value } = renewing(obtain);
    expectObservable(value, '^-!').toBe('---', forever);
    expectObservable(value, '-^').toBe('-----(a|)', forever);
    expectSubscriptions(obtain.subscriptions).toBe('^----!');
  }),
);

test(
  'aborts the flight when all have left, and starts anew for the next',
  marbles(({ cold, expectObservable, expectSubscriptions }) => {
    const first = cold('-----(a|)', forever);
    const second = cold('-----(b|)', forever);
    const { value } = renewing(inOrder(first, second));
    expectObservable(value, '^-!').toBe('---', forever);
    expectObservable(value, '-^--!').toBe('---', forever);
    expectObservable(value, '------^').toBe('-----------(b|)', forever);
    expectSubscriptions(first.subscriptions).toBe('^---!');
    expectSubscriptions(second.subscriptions).toBe('------^----!');
  }),
);

test(
  'renews a rejected value once, for all that were rejected with it',
  marbles(({ cold, expectObservable, expectSubscriptions }) => {
    const first = cold('(a|)', forever);
    const second = cold('--(b|)', forever);
    const { value, invalidate } = renewing(inOrder(first, second));
    expectObservable(value).toBe('(a|)', forever);
    for (const refusedAt of [3, 3, 4, 8]) timer(refusedAt).subscribe(() => invalidate(forever.a));
    expectObservable(value, '---^').toBe(' -----(b|)', forever);
    expectObservable(value, '----^').toBe('-----(b|)', forever);
    expectObservable(value, '---------^').toBe('---------(b|)', forever);
    expectSubscriptions(first.subscriptions).toBe('(^!)');
    expectSubscriptions(second.subscriptions).toBe('---^-!');
  }),
);

test(
  'does not take an equal value for the same',
  marbles(({ cold, expectObservable }) => {
    const { value, invalidate } = renewing(inOrder(cold('(a|)', forever)));
    expectObservable(value).toBe('(a|)', forever);
    timer(1).subscribe(() => invalidate({ ...forever.a }));
    expectObservable(value, '--^').toBe('--(a|)', forever);
  }),
);

test('starts a new flight for a subscriber that reacts to an expired value', () => {
  const received: string[] = [];
  const { value } = renewing(inOrder(of(token('a', -1)), of(token('b', -1))));
  value.subscribe(({ id }) => {
    received.push(id);
    if (id === 'a') value.subscribe((again) => received.push(again.id));
  });
  assert.equal(received, ['a', 'b']);
});

test(
  'keeps single flight when the landing of one starts the next',
  marbles(({ cold, expectObservable, expectSubscriptions }) => {
    const tokens = { a: token('a', -1), b: token('b', Infinity) };
    const first = cold('--(a|)', tokens);
    const second = cold('----(b|)', tokens);
    const { value } = renewing(inOrder(first, second));
    value.pipe(take(1)).subscribe(() => value.subscribe());
    expectObservable(value.pipe(take(1))).toBe('--(a|)', tokens);
    expectObservable(value, '---^').toBe('------(b|)', tokens);
    expectSubscriptions(second.subscriptions).toBe('--^---!');
  }),
);

test(
  'keeps single flight when who waits tries again on the error',
  marbles(({ cold, expectObservable, expectSubscriptions }) => {
    const second = cold('--(b|)', forever);
    const { value } = renewing(inOrder(cold<Token>('--#'), second));
    for (let waiter = 0; waiter < 3; waiter += 1) value.subscribe({ error: () => value.subscribe() });
    expectObservable(value, '---^').toBe('----(b|)', forever);
    expectSubscriptions(second.subscriptions).toBe('--^-!');
  }),
);

test('keeps single flight when the abort of one starts the next', () => {
  const flights: string[] = [];
  const obtain = new Observable<Token>(() => {
    flights.push('begin');
    return () => {
      flights.push('abort');
      if (flights.length === 2) subscriptions.add(value.subscribe());
    };
  });
  const { value } = renewing(obtain);
  const subscriptions = new Subscription();

  value.subscribe().unsubscribe();
  subscriptions.add(value.subscribe());
  assert.equal(flights, ['begin', 'abort', 'begin']);
  subscriptions.unsubscribe();
  assert.equal(flights, ['begin', 'abort', 'begin', 'abort']);
});

test.run();
