/** Whether and when a request is tried again. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { defaultRetry, type RetryConfig } from '../../src/core/model/retry.js';
import { retryDelay as delayAt, type FailedAttempt } from '../../src/http/retry-policy.js';

const now = Date.UTC(2015, 9, 21, 7, 28, 0);
const nowSeconds = now / 1000;
const retryDelay = (failure: FailedAttempt, attempt: number, config: RetryConfig, at: number, chance = 0.5) =>
  delayAt(failure, attempt, config, { now: at, random: () => chance });
const withHeader = (value: string | string[]): FailedAttempt => ({ status: 503, headers: { 'retry-after': value } });

test('waits 1, 2, 4, ... seconds, 1023 in all, and gives up after the last retry', () => {
  const delays = Array.from(
    { length: 10 },
    (_, index) => retryDelay({ status: 500 }, index + 1, defaultRetry, now) ?? 0,
  );
  assert.equal(delays.slice(0, 4), [1000, 2000, 4000, 8000]);
  assert.is(
    delays.reduce((sum, delay) => sum + delay, 0),
    1_023_000,
  );
  assert.is(retryDelay({ status: 500 }, 11, defaultRetry, now), undefined);
});

for (const status of [500, 502, 503, 504, 408, 420, 429]) {
  test(`retries ${status} by default`, () => assert.is(retryDelay({ status }, 1, defaultRetry, now), 1000));
}

for (const status of [200, 202, 301, 400, 401, 403, 404, 501]) {
  test(`does not retry ${status} by default`, () => assert.is(retryDelay({ status }, 1, defaultRetry, now), undefined));
}

for (const transportCode of [28, 6, 7, 35, 52, 56, 18]) {
  test(`retries transport failure ${transportCode} by default`, () =>
    assert.is(retryDelay({ transportCode }, 1, defaultRetry, now), 1000));
}

for (const transportCode of [undefined, 8, 60, 61]) {
  test(`does not retry transport failure ${transportCode} by default`, () =>
    assert.is(retryDelay({ transportCode }, 1, defaultRetry, now), undefined));
}

test('retries any status that is listed, those of success too', () => {
  const config: RetryConfig = { ...defaultRetry, codes: new Set([202]) };
  assert.is(retryDelay({ status: 202 }, 1, config, now), 1000);
  assert.is(retryDelay({ status: 500 }, 1, config, now), undefined);
});

test('never retries when retries are 0', () => {
  assert.is(retryDelay({ status: 500 }, 1, { ...defaultRetry, maxRetries: 0 }, now), undefined);
});

const delays: readonly (readonly [value: string | string[], milliseconds: number, why: string])[] = [
  ['5', 5000, 'a small number counts seconds'],
  ['5.9', 5000, 'only the whole part of a number counts'],
  [' 5 ', 5000, 'white space does not count'],
  ['0', 4000, 'a delay of 0 says nothing'],
  ['0.5', 4000, 'less than a second says nothing'],
  ['-5', 0, 'a negative number means at once'],
  [String(nowSeconds + 30), 30_000, 'a large number is an epoch second'],
  [String(nowSeconds - 30), 0, 'an epoch second that has passed means at once'],
  [String(nowSeconds), 4000, 'the present second says nothing'],
  [String(nowSeconds - 86_400), 0, 'yesterday is still an epoch second'],
  [String(nowSeconds - 86_401), (nowSeconds - 86_401) * 1000, 'before yesterday it counts seconds'],
  [String(now + 30_000), 30_000, 'a very large number is an epoch millisecond'],
  ['Wed, 21 Oct 2015 07:28:10 GMT', 10_000, 'a date'],
  ['Wed, 21 Oct 2015 09:28:10 +0200', 10_000, 'a date with an offset'],
  ['Wed, 21 Oct 2015 02:28:10 -0500', 10_000, 'a date with an offset to the west'],
  ['Wed, 21 Oct 2015 07:27:00 GMT', 0, 'a date that has passed means at once'],
  ['Wed, 21 Oct 2015 07:28:00 GMT', 4000, 'the date of now says nothing'],
  ['Wed, 21 Foo 2015 07:28:10 GMT', 4000, 'what is no date says nothing'],
  ['soon', 4000, 'a word says nothing'],
  ['', 4000, 'an empty header says nothing'],
  [['5', '6'], 4000, 'several lines say nothing'],
  [['5'], 5000, 'a single line in a list is a line'],
];

for (const [value, milliseconds, why] of delays) {
  test(`${why}: ${JSON.stringify(value)}`, () =>
    assert.is(retryDelay(withHeader(value), 3, defaultRetry, now), milliseconds));
}

test('a header in two spellings is ignored, as are several lines', () => {
  const failure = { status: 503, headers: { 'Retry-After': '5', 'retry-after': '6' } };
  assert.is(retryDelay(failure, 3, defaultRetry, now), 4000);
});

test('the header may have another name, in any case', () => {
  const config = { ...defaultRetry, retryHeader: 'X-Wait' };
  assert.is(retryDelay({ status: 503, headers: { 'x-wait': '7' } }, 1, config, now), 7000);
  assert.is(retryDelay({ status: 503, headers: { 'retry-after': '7' } }, 1, config, now), 1000);
});

test('the back-off grows up to the longest wait; a requested delay is unchanged', () => {
  const config = { ...defaultRetry, maxRetries: 50, maxDelay: 10_000 };
  const backOffs = [1, 4, 5, 40].map((attempt) => retryDelay({ status: 500 }, attempt, config, now));
  assert.equal(backOffs, [1000, 8000, 10_000, 10_000]);
  assert.is(retryDelay(withHeader('11'), 1, config, now), 11_000);
  assert.is(retryDelay({ status: 500 }, 40, { ...defaultRetry, maxRetries: 50 }, now), 86_400_000, 'a day by default');
});

test('with full jitter the back-off is random; a requested delay is unchanged', () => {
  const config: RetryConfig = { ...defaultRetry, jitter: 'full', maxDelay: 10_000 };
  const jittered = (attempt: number, chance: number) => retryDelay({ status: 500 }, attempt, config, now, chance);
  assert.equal([jittered(3, 0), jittered(3, 0.25), jittered(3, 0.9999)], [0, 1000, 4000]);
  assert.is(jittered(9, 0.5), 5000);
  assert.is(retryDelay(withHeader('7'), 3, config, now, 0), 7000);
});

test.run();
