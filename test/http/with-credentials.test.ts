/** The credential stream in virtual time: who waits for which login. */
import {
  asyncScheduler,
  concatMap,
  defer,
  from,
  lastValueFrom,
  merge,
  NEVER,
  type Observable,
  of,
  throwError,
  timer,
} from 'rxjs';
import type { RunHelpers } from 'rxjs/testing';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Credentials, Login } from '../../src/auth/types.js';
import { ExtractError } from '../../src/core/errors/errors.js';
import { createCredentials } from '../../src/http/with-credentials.js';
import { inOrder, marbles } from '../operators/marbles.js';

const login = (expiresAt: number): Credentials => ({ headers: new Map(), query: new Map(), expiresAt });

const authentication = (renewal: Login['renewal'], obtain: Observable<Credentials>) => ({
  login: { renewal, obtain: () => obtain },
});

test(
  'sends at once, with empty credentials, if there is no login',
  marbles(({ cold, expectObservable }) => {
    const { use: spend } = createCredentials({}, () => NEVER);
    const given: unknown[] = [];
    const request = (credentials: unknown) => {
      given.push(credentials);
      return cold('-a|');
    };
    expectObservable(spend(request)).toBe('-a|');
    assert.equal(given, [{ headers: new Map(), query: new Map(), expiresAt: Number.POSITIVE_INFINITY }]);
  }),
);

test(
  'shares one login among waiting requests, and those before its expiry',
  marbles(({ cold, expectObservable, expectSubscriptions }) => {
    const first = cold('--(a|)', { a: login(10) });
    const second = cold('--(b|)', { b: login(99) });
    const { use: spend } = createCredentials(authentication('on expiry', inOrder(first, second)), () => NEVER);
    const request = (credentials: Credentials) => of(credentials.expiresAt);
    const at = (frame: number) => timer(frame).pipe(concatMap(() => spend(request)));
    const values = { a: 10, b: 99 };
    expectObservable(merge(at(0), at(1))).toBe('--(aa|)', values);
    expectObservable(at(9)).toBe('---------(a|)', values);
    expectObservable(at(10)).toBe('------------(b|)', values);
    expectSubscriptions(first.subscriptions).toBe('^-!');
    expectSubscriptions(second.subscriptions).toBe('----------^-!');
  }),
);

test(
  'logs in before each request, login and request in one turn',
  marbles(({ cold, expectObservable, expectSubscriptions }) => {
    const logins = [cold('--(a|)', { a: login(1) }), cold('--(b|)', { b: login(2) })];
    const { use: spend } = createCredentials(authentication('each request', inOrder(...logins)), () => NEVER);
    const requests = [cold('---(x|)'), cold('---(y|)')];
    const [x, y] = requests.map((request) => spend(() => request));
    expectObservable(merge(x ?? NEVER, y ?? NEVER)).toBe('-----x----(y|)');
    expectSubscriptions(logins[0]?.subscriptions ?? []).toBe('^-!');
    expectSubscriptions(requests[0]?.subscriptions ?? []).toBe('--^--!');
    expectSubscriptions(logins[1]?.subscriptions ?? []).toBe('-----^-!');
    expectSubscriptions(requests[1]?.subscriptions ?? []).toBe('-------^--!');
  }),
);

test(
  'passes the turn on when a request has failed, or was left',
  marbles(({ cold, expectObservable }) => {
    const obtain = cold('-(a|)', { a: login(1) });
    const { use: spend } = createCredentials(authentication('each request', obtain), () => NEVER);
    expectObservable(spend(() => cold('-#'))).toBe('--#');
    expectObservable(
      spend(() => NEVER),
      '^---!',
    ).toBe('-----');
    expectObservable(spend(() => of('done'))).toBe('-----(d|)', { d: 'done' });
  }),
);

test(
  'fails all that wait for a login that fails, and tries again for the next',
  marbles(({ cold, expectObservable }) => {
    const obtain = inOrder(cold<Credentials>('--#'), cold('-(a|)', { a: login(99) }));
    const { use: spend } = createCredentials(authentication('once', obtain), () => NEVER);
    const request = () => defer(() => of('done'));
    expectObservable(spend(request)).toBe('--#');
    expectObservable(spend(request)).toBe('--#');
    expectObservable(timer(5).pipe(concatMap(() => spend(request)))).toBe('------(d|)', { d: 'done' });
  }),
);

/** An expiry that no test reaches; later values distinguish tokens. */
const far = 8e15;

/** A request that is refused with each token of the list, and answered with any other. */
const refusing =
  (...tokens: readonly number[]) =>
  ({ expiresAt }: Credentials) =>
    tokens.includes(expiresAt - far)
      ? throwError(() => new ExtractError('ERR_STATUS', 'refused', { refused: true, status: 401 }))
      : of(expiresAt - far);

/** A stream whose logins give the tokens 1, 2, and how many there were. */
function counted() {
  let logins = 0;
  const obtain = defer(() => {
    logins += 1;
    return from(Promise.resolve(login(far + logins)));
  });
  const { use: spend } = createCredentials(authentication('on expiry', obtain), () => NEVER);
  return { spend, logins: () => logins };
}

const outcomeOf = (asked: Observable<unknown>) => lastValueFrom(asked).catch((thrown: Error) => thrown.message);

test('logs in again for a token that was accepted and is rejected, and retries', async () => {
  const { spend, logins } = counted();
  assert.is(await outcomeOf(spend(refusing())), 1);
  assert.is(await outcomeOf(spend(refusing(1))), 2);
  assert.is(logins(), 2);
});

test('ten rejections of one token cause one login', async () => {
  const { spend, logins } = counted();
  await outcomeOf(spend(refusing()));
  const all = await Promise.all(Array.from({ length: 10 }, () => outcomeOf(spend(refusing(1)))));
  assert.equal(all, Array(10).fill(2));
  assert.is(logins(), 2);
});

test('ten rejections of one token at its first use count once', async () => {
  const { spend, logins } = counted();
  const all = await Promise.all(Array.from({ length: 10 }, () => outcomeOf(spend(refusing(1)))));
  assert.equal(all, Array(10).fill(2));
  assert.is(logins(), 2);
});

test('a token rejected at its first use, twice in a row, is the error', async () => {
  const { spend, logins } = counted();
  assert.is(await outcomeOf(spend(refusing(1, 2, 3, 4))), 'refused');
  assert.is(logins(), 2);
});

test('an accepted token in between ends the row of rejections', async () => {
  const { spend, logins } = counted();
  assert.is(await outcomeOf(spend(refusing(1))), 2);
  assert.is(await outcomeOf(spend(refusing(2, 3))), 4);
  assert.is(logins(), 4);
});

test('a request whose tokens are always rejected, while others succeed, is retried a few times only', async () => {
  const { spend, logins } = counted();
  const never = (held: Credentials) => spend(refusing()).pipe(concatMap(() => refusing(held.expiresAt - far)(held)));
  assert.is(await outcomeOf(spend(never)), 'refused');
  assert.is(logins(), 6);
});

test('any other failure is no rejection', async () => {
  const { spend, logins } = counted();
  const failing = () => throwError(() => new ExtractError('ERR_STATUS', 'gone', { status: 404 }));
  assert.is(await outcomeOf(spend(failing)), 'gone');
  assert.is(logins(), 1);
});

const refusal = () => new ExtractError('ERR_STATUS', 'who are you?', { status: 401, refused: true });

/** Credentials that expire after 2 frames, refused after 3. */
const late = ({ cold }: RunHelpers) => {
  let logins = 0;
  const login = defer(() => {
    logins += 1;
    return of({ headers: new Map(), query: new Map(), expiresAt: asyncScheduler.now() + 2 } satisfies Credentials);
  });
  const refused = cold('---#', undefined, refusal());
  return { ...createCredentials(authentication('on expiry', login), () => NEVER), refused, logins: () => logins };
};

test(
  'a token that had expired when it was rejected was not rejected at first use: the request is retried, any number of times',
  marbles((helpers) => {
    const { cold, expectObservable, flush } = helpers;
    const { use: spend, refused, logins } = late(helpers);
    const answers = [refused, refused, refused, refused, refused, refused, refused, cold('(x|)')];
    expectObservable(spend(() => answers.shift() ?? NEVER)).toBe('---------------------(x|)');
    flush();
    assert.is(logins(), 8);
  }),
);

test(
  'credentials with a shorter life than a request are not renewed without end',
  marbles((helpers) => {
    const { expectObservable, flush } = helpers;
    const { use: spend, refused, logins } = late(helpers);
    expectObservable(spend(() => refused)).toBe(`${'-'.repeat(63)}#`, undefined, refusal());
    flush();
    assert.is(logins(), 21);
  }),
);

/** Credentials that note when they are released. */
function noting(expiresAt: number, name: string, released: string[]): Credentials {
  return { ...login(expiresAt), release: () => void released.push(`${name} at ${asyncScheduler.now()}`) };
}

test(
  'releases credentials when others have replaced them and the last request with them is over',
  marbles(({ cold, flush }) => {
    const released: string[] = [];
    const [a, b, c] = [noting(10, 'a', released), noting(20, 'b', released), noting(99, 'c', released)];
    const { use: spend } = createCredentials(authentication('on expiry', inOrder(of(a), of(b), of(c))), () => NEVER);
    const take = (frame: number, marble: string) => timer(frame).pipe(concatMap(() => spend(() => cold(marble))));
    merge(take(0, '---------------------------(x|)'), take(5, '-(x|)'), take(11, '(x|)'), take(21, '(x|)')).subscribe();
    flush();
    assert.equal(released, ['b at 21', 'a at 27']);
  }),
);

test(
  'releases credentials of a failed request, and of one that was given up',
  marbles(({ cold, flush }) => {
    const released: string[] = [];
    const [a, b, c] = [noting(2, 'a', released), noting(4, 'b', released), noting(99, 'c', released)];
    const { use: spend } = createCredentials(authentication('on expiry', inOrder(of(a), of(b), of(c))), () => NEVER);
    spend(() => cold('-----#')).subscribe({ error: () => undefined });
    const left = timer(3)
      .pipe(concatMap(() => spend(() => NEVER)))
      .subscribe();
    timer(5)
      .pipe(concatMap(() => spend(() => of('x'))))
      .subscribe();
    timer(7).subscribe(() => left.unsubscribe());
    flush();
    assert.equal(released, ['a at 5', 'b at 7']);
  }),
);

test(
  'releases the credentials of each request with its own login at its end',
  marbles(({ cold, flush }) => {
    const released: string[] = [];
    const logins = inOrder(of(noting(0, 'a', released)), of(noting(0, 'b', released)));
    const { use: spend } = createCredentials(authentication('each request', logins), () => NEVER);
    merge(
      spend(() => cold('--(x|)')),
      spend(() => cold('---(x|)')),
    ).subscribe();
    flush();
    assert.equal(released, ['a at 2', 'b at 5']);
  }),
);

test.run();
