/** The credential stream in virtual time: who waits for which login. */
import { concatMap, defer, merge, NEVER, type Observable, of, timer } from 'rxjs';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { createCredentials } from '../src/credentials.js';
import type { Credentials, Login } from '../src/types.js';
import { inOrder, marbles } from './operators/marbles.js';

const login = (expiresAt: number): Credentials => ({ headers: new Map(), query: new Map(), expiresAt });

const authentication = (renewal: Login['renewal'], obtain: Observable<Credentials>) => ({
  login: { renewal, obtain: () => obtain },
});

test(
  'asks at once, with empty credentials, where nobody logs in',
  marbles(({ cold, expectObservable }) => {
    const { spend } = createCredentials({}, () => NEVER);
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
  'shares one login among requests that wait, and those that come before it expires',
  marbles(({ cold, expectObservable, expectSubscriptions }) => {
    const first = cold('--(a|)', { a: login(10) });
    const second = cold('--(b|)', { b: login(99) });
    const { spend } = createCredentials(authentication('on expiry', inOrder(first, second)), () => NEVER);
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
    const { spend } = createCredentials(authentication('each request', inOrder(...logins)), () => NEVER);
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
    const { spend } = createCredentials(authentication('each request', obtain), () => NEVER);
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
    const { spend } = createCredentials(authentication('once', obtain), () => NEVER);
    const request = () => defer(() => of('done'));
    expectObservable(spend(request)).toBe('--#');
    expectObservable(spend(request)).toBe('--#');
    expectObservable(timer(5).pipe(concatMap(() => spend(request)))).toBe('------(d|)', { d: 'done' });
  }),
);

test.run();
