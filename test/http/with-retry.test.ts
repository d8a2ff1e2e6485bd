/** Attempts in virtual time: how many, how long between them, and what is never retried. */
import { EmptyError } from 'rxjs';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { ErrorCode } from '../../src/core/errors/error-codes.js';
import { ExtractError, type Where } from '../../src/core/errors/errors.js';
import type { Notice } from '../../src/core/model/notice.js';
import { defaultRetry } from '../../src/core/model/retry.js';
import { type AttemptInfo, withRetry } from '../../src/http/with-retry.js';
import { inOrder, marbles } from '../operators/marbles.js';

const failure = (where: Where = { status: 503 }, code: ErrorCode = 'ERR_STATUS') =>
  new ExtractError(code, 'GET x failed with status 503', where);
const place = { job: 'users', page: 3 };
const policy = (maxRetries = 10, notices: Notice[] = []) => ({
  retry: { ...defaultRetry, maxRetries },
  notify: (notice: Notice) => void notices.push(notice),
});
const final = (error: ExtractError) => error.at({ ...place, final: true });

test(
  'counts the attempts of a success',
  marbles(({ cold, expectObservable, expectSubscriptions }) => {
    const first = cold('--#', undefined, failure());
    const second = cold('--#', undefined, failure());
    const third = cold('--(a|)');
    const attempts = inOrder(first, second, third);
    const tried = withRetry(policy(), place, () => attempts);
    expectObservable(tried).toBe('-- 1s -- 2s --(r|)', { r: { value: 'a', attempts: 3 } });
    expectSubscriptions(first.subscriptions).toBe('^-!');
    expectSubscriptions(second.subscriptions).toBe('-- 1s ^-!');
    expectSubscriptions(third.subscriptions).toBe('-- 1s -- 2s ^-!');
  }),
);

test(
  'passes each attempt its number, and whether it is the last',
  marbles(({ cold, expectObservable, flush }) => {
    const seen: AttemptInfo[] = [];
    const tried = withRetry(policy(2), place, (attempts) => {
      seen.push(attempts);
      return cold('#', undefined, failure());
    });
    expectObservable(tried).toBe('1s 2s #', undefined, final(failure()));
    flush();
    assert.equal(seen, [
      { number: 0, last: false },
      { number: 1, last: false },
      { number: 2, last: true },
    ]);
  }),
);

test(
  'waits as long as the response requires',
  marbles(({ cold, expectObservable }) => {
    const attempts = inOrder(
      cold('#', undefined, failure({ status: 429, retryAfter: '7' })),
      cold('#', undefined, failure({ status: 429, retryAfter: 'soon' })),
      cold('(a|)'),
    );
    const tried = withRetry(policy(), place, () => attempts);
    expectObservable(tried).toBe('7s 2s (r|)', { r: { value: 'a', attempts: 3 } });
  }),
);

test(
  'counts failures of both kinds together, each subscription for itself',
  marbles(({ cold, expectObservable }) => {
    const [status, transport] = [failure(), failure({ transport: 56 }, 'ERR_TRANSPORT')];
    const attempts = () =>
      inOrder(cold('#', undefined, status), cold('#', undefined, transport), cold('#', undefined, status));
    const sources = [attempts(), attempts()];
    for (const source of sources) {
      expectObservable(withRetry(policy(2), place, () => source)).toBe('1s 2s #', undefined, final(failure()));
    }
  }),
);

const once: readonly [what: string, thrown: unknown, error: ExtractError][] = [
  ['a status that is not listed', failure({ status: 404 }), final(failure({ status: 404 }))],
  ['a transport failure that is not listed', failure({ transport: 60 }), final(failure({ transport: 60 }))],
  ['a login that had its attempts', failure({ status: 503, final: true }), final(failure())],
  ['a fault in the body', failure({ offset: 7 }, 'ERR_JSON'), final(failure({ offset: 7 }, 'ERR_JSON'))],
  [
    'what is no error of ours',
    new EmptyError(),
    new ExtractError('ERR_INTERNAL', 'no elements in sequence', { ...place, final: true, cause: new EmptyError() }),
  ],
];

for (const [what, thrown, error] of once) {
  test(
    `does not retry after ${what}`,
    marbles(({ cold, expectObservable }) => {
      expectObservable(withRetry(policy(), place, () => cold('-#', undefined, thrown))).toBe('-#', undefined, error);
    }),
  );
}

const unsent = failure({ transport: 7, unsent: true }, 'ERR_TRANSPORT');
for (const [what, thrown, result] of [
  ['a status', failure(), '-#'],
  ['a connection that broke', failure({ transport: 56 }, 'ERR_TRANSPORT'), '-#'],
  ['a connection that was never made', unsent, '- 1s -#'],
] as const) {
  test(
    `a request that may be sent only once: ${what} ${result === '-#' ? 'ends it' : 'is retried'}`,
    marbles(({ cold, expectObservable, flush }) => {
      const lasts: boolean[] = [];
      const source = inOrder(cold('-#', undefined, thrown), cold('-#', undefined, failure({ status: 404 })));
      const once = { ...policy(), isOnce: true };
      const tried = withRetry(once, place, ({ last }) => {
        lasts.push(last);
        return source;
      });
      const error = final(result === '-#' ? thrown : failure({ status: 404 }));
      expectObservable(tried).toBe(result, undefined, error);
      flush();
      assert.ok(
        lasts.every((last) => last),
        'an answer is always the last word',
      );
    }),
  );
}

test(
  'reports what it waits for, how long, and the number of the attempt',
  marbles(({ cold, expectObservable, flush }) => {
    const notices: Notice[] = [];
    const attempts = inOrder(cold('#', undefined, failure()), cold('(a|)'));
    expectObservable(withRetry(policy(4, notices), place, () => attempts)).toBe('1s (r|)', {
      r: { value: 'a', attempts: 2 },
    });
    flush();
    const message = 'GET x failed with status 503; retrying in 1 s (1 of 4, as `api.retryConfig.maxRetries` allows)';
    assert.equal(notices, [{ level: 'info', code: 'retry', message, ...place }]);
  }),
);

test(
  'reports which header states the delay',
  marbles(({ cold, expectObservable, flush }) => {
    const notices: Notice[] = [];
    const attempts = inOrder(cold('#', undefined, failure({ status: 503, retryAfter: '7' })), cold('(a|)'));
    expectObservable(withRetry(policy(4, notices), place, () => attempts)).toBe('7s (r|)', {
      r: { value: 'a', attempts: 2 },
    });
    flush();
    assert.match(notices[0]?.message ?? '', 'retrying in 7 s, according to Retry-After (1 of 4, as');
  }),
);

test(
  'reports the time of the next attempt, if it is not soon',
  marbles(({ cold, expectObservable, flush }) => {
    const notices: Notice[] = [];
    const attempts = inOrder(cold('#', undefined, failure({ status: 503, retryAfter: '3600' })), cold('(a|)'));
    expectObservable(withRetry(policy(4, notices), place, () => attempts)).toBe('3600s (r|)', {
      r: { value: 'a', attempts: 2 },
    });
    flush();
    assert.match(notices[0]?.message ?? '', 'retrying in 3600 s, at 1970-01-01T01:00:00Z, according to Retry-After');
  }),
);

test(
  'waits for as long as may be waited, and no longer',
  marbles(({ cold, expectObservable }) => {
    const attempts = inOrder(cold('#', undefined, failure({ status: 429, retryAfter: '86400' })), cold('(a|)'));
    expectObservable(withRetry(policy(), place, () => attempts)).toBe('86400s (r|)', {
      r: { value: 'a', attempts: 2 },
    });
  }),
);

test(
  'fails at once if the response requires a longer wait than allowed, with a message',
  marbles(({ cold, expectObservable }) => {
    const asking = failure({ status: 429, retryAfter: '86401' });
    const message =
      'GET x failed with status 503; it asks for a wait of 86401 s, more than the 86400 s that `api.retryConfig.maxDelay` allows';
    const remedy = 'Run again after that time, or raise `api.retryConfig.maxDelay` so that the run waits.';
    const error = new ExtractError('ERR_STATUS', message, { ...place, ...asking.where, remedy, final: true });
    expectObservable(withRetry(policy(), place, () => cold('-#', undefined, asking))).toBe('-#', undefined, error);
  }),
);

test(
  'with full jitter the wait is random',
  marbles(({ cold, expectObservable }) => {
    const chances = [0.5, 0.25];
    const { retry, notify } = policy();
    const jittering = { retry: { ...retry, jitter: 'full' as const }, notify, random: () => chances.shift() ?? 0 };
    const attempts = inOrder(cold('#', undefined, failure()), cold('#', undefined, failure()), cold('(a|)'));
    expectObservable(withRetry(jittering, place, () => attempts)).toBe('500ms 500ms (r|)', {
      r: { value: 'a', attempts: 3 },
    });
  }),
);

test(
  'leaving ends a wait',
  marbles(({ cold, expectObservable, expectSubscriptions }) => {
    const first = cold('#', undefined, failure());
    expectObservable(
      withRetry(policy(), place, () => first),
      '^ 500ms !',
    ).toBe('-');
    expectSubscriptions(first.subscriptions).toBe('(^!)');
  }),
);

test.run();
