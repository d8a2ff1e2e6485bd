import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { type Expires, isEachRequest, readExpiry } from '../../src/auth/expiry.js';
import { ExtractError } from '../../src/core/errors/errors.js';
import { fromPlain } from '../../src/core/json/exact.js';

const now = Date.parse('2024-02-29T10:30:00Z');
const seconds = now / 1000;
const at = { response: 'auth.until', relative: false };
const lasting = { ...at, relative: true };
const never = Number.POSITIVE_INFINITY;
const find = (expires: Expires | undefined, until?: unknown) =>
  readExpiry(expires, fromPlain({ auth: { until } }), now);

interface Case {
  readonly rule: string;
  readonly expires: Expires | undefined;
  readonly until?: unknown;
  /** ms from now. */
  readonly after: number;
  /** The code of the notice. */
  readonly warned?: string;
}

const cases: readonly Case[] = [
  { rule: 'without `expires` never', expires: undefined, after: never },
  { rule: '0 is at once', expires: 0, after: 0 },
  { rule: 'N seconds, without a margin', expires: 3600, after: 3_600_000 },
  { rule: 'negative is past, with a notice', expires: -1, after: -1000, warned: 'expired-at-login' },
  { rule: 'more than 24.8 days', expires: 10_000_000, after: 10_000_000_000 },
  { rule: 'an absent value is never, with a notice', expires: at, after: never, warned: 'missing-expiry' },
  { rule: 'null is never', expires: at, until: null, after: never },
  {
    rule: 'an absent number of seconds is never, with a notice',
    expires: lasting,
    after: never,
    warned: 'missing-expiry',
  },
  { rule: 'a date-time, less 30 s', expires: at, until: '2024-02-29 11:30:00', after: 3_570_000 },
  { rule: 'a short life, less a tenth', expires: at, until: '2024-02-29T10:31:40Z', after: 90_000 },
  { rule: 'a timestamp', expires: at, until: seconds + 3600, after: 3_570_000 },
  { rule: 'a timestamp as text', expires: at, until: `${seconds + 3600}`, after: 3_570_000 },
  { rule: 'a timestamp with a fraction', expires: at, until: `${seconds + 3600}.5`, after: 3_570_500 },
  { rule: 'a timestamp behind an @', expires: at, until: `@${seconds + 3600}`, after: 3_570_000 },
  { rule: 'a timestamp in ms', expires: at, until: now + 3_600_000, after: 3_570_000 },
  { rule: 'a timestamp in ms as text', expires: at, until: ` ${now + 3_600_000} `, after: 3_570_000 },
  { rule: '1e11 is in ms, hence past', expires: at, until: 1e11, after: 1e11 - now, warned: 'expired-at-login' },
  {
    rule: 'less than 1e11 is in seconds',
    expires: at,
    until: 99_999_999_999,
    after: 99_999_999_999_000 - now - 30_000,
  },
  { rule: 'a relative form of PHP (083)', expires: at, until: '-0 second', after: 0 },
  {
    rule: 'a past date, with a notice',
    expires: at,
    until: '2000-01-01',
    after: Date.parse('2000-01-01') - now,
    warned: 'expired-at-login',
  },
  {
    rule: 'a past timestamp, with a notice',
    expires: at,
    until: seconds - 1,
    after: -1000,
    warned: 'expired-at-login',
  },
  { rule: 'seconds from now', expires: lasting, until: 3600, after: 3_570_000 },
  { rule: 'seconds from now as text', expires: lasting, until: '3600', after: 3_570_000 },
  { rule: 'seconds from now with a fraction', expires: lasting, until: 10.5, after: 9450 },
  { rule: 'no seconds from now (084)', expires: lasting, until: 0, after: 0 },
  {
    rule: 'fewer than no seconds, with a notice',
    expires: lasting,
    until: -5,
    after: -5000,
    warned: 'expired-at-login',
  },
];

for (const { rule, expires, until, after, warned } of cases) {
  test(`expiry: ${rule}`, () => {
    const found = find(expires, until);
    assert.is(found.at, now + after);
    assert.is(found.notice?.code, warned);
  });
}

test('the path may be a member whose name has dots', () => {
  assert.is(readExpiry(at, fromPlain({ 'auth.until': seconds }), now).at, now);
});

const refused = [
  [at, 'soon-hidden'],
  [at, '2024-05-01 or hidden'],
  [at, ''],
  [at, true],
  [at, false],
  [at, ['2024-05-01']],
  [at, { date: '2024-05-01' }],
  [lasting, '1 hour'],
  [lasting, '2024-05-01'],
  [lasting, 'hidden'],
] as const;

for (const [expires, until] of refused) {
  test(`${JSON.stringify(until)} is refused${expires === lasting ? ' as seconds' : ''}, by its path and not its value`, () => {
    assert.throws(
      () => find(expires, until),
      (error: unknown) =>
        error instanceof ExtractError &&
        error.code === 'ERR_LOGIN' &&
        error.message.includes('"auth.until"') &&
        !/hidden|hour|2024/.test(error.message),
    );
  });
}

test('the notice shows neither the value nor the time', () => {
  assert.not.match(find(at, '2001-02-03').notice?.message ?? '', /\d/);
});

test('only 0 means every request', () => {
  assert.equal([0, 1, -1, undefined, at].map(isEachRequest), [true, false, false, false, false]);
});

test('an absent expiry names its path and the nearest one', () => {
  const { notice } = readExpiry(
    { response: 'auth.expire', relative: false },
    fromPlain({ auth: { expires: 60 } }),
    now,
  );
  assert.is(notice?.code, 'missing-expiry');
  assert.match(
    notice?.message ?? '',
    'no "auth.expire" (`expires.response`): the login is not renewed; did you mean "auth.expires"?',
  );
});

test.run();
