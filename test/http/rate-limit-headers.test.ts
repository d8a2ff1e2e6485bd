/** The remaining requests by the headers of a response, in all the forms of APIs, and implausible values. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { rateLimitHint } from '../../src/http/rate-limit-headers.js';

const now = Date.UTC(2026, 2, 3, 4, 5, 6);
const second = now / 1000;
const date = (ms: number) => new Date(ms).toUTCString();

type Headers = Readonly<Record<string, string | string[]>>;

const x = (remaining: string, reset: string, more: Headers = {}): Headers => ({
  'x-ratelimit-remaining': remaining,
  'x-ratelimit-reset': reset,
  ...more,
});

const said: readonly (readonly [what: string, headers: Headers, left: number, inMs: number])[] = [
  ['the structured form', { ratelimit: '"default";r=0;t=30' }, 0, 30_000],
  ['the structured form with blanks and more parameters', { ratelimit: '"default"; q=100; r=7 ; t=5' }, 7, 5000],
  ['a name that is a token', { ratelimit: 'burst;r=3;t=1' }, 3, 1000],
  ['a comma and a semicolon in a name', { ratelimit: '"a,b;r=0;t=9";r=2;t=4' }, 2, 4000],
  ['of several policies the one with the least', { ratelimit: '"day";r=500;t=900, "second";r=0;t=1' }, 0, 1000],
  ['of equal ones the later', { ratelimit: '"day";r=0;t=900, "second";r=0;t=1' }, 0, 900_000],
  ['policies in lines of their own', { ratelimit: ['"day";r=5;t=900', '"second";r=1;t=2'] }, 1, 2000],
  ['the form of the earlier drafts', { ratelimit: 'limit=100, remaining=0, reset=50' }, 0, 50_000],
  ['headers of their own', { 'ratelimit-remaining': '0', 'ratelimit-reset': '12' }, 0, 12_000],
  ['seconds left', x('0', '60'), 0, 60_000],
  ['an epoch second', x('0', String(second + 60)), 0, 60_000],
  ['an epoch second with a fraction', x('4', `${second + 60}.5`), 4, 60_500],
  ['an epoch millisecond', x('0', String(now + 1500)), 0, 1500],
  ['a name with another hyphen', { 'x-rate-limit-remaining': '0', 'x-rate-limit-reset': '9' }, 0, 9000],
  ['the time after, before the time at', x('0', String(second + 60), { 'x-ratelimit-reset-after': '1.25' }), 0, 1250],
  ['white space around', x(' 0 ', ' 60 '), 0, 60_000],
  ['several kinds alike, the later', { ...x('1', '60'), ratelimit: '"default";r=1;t=10' }, 1, 60_000],
  ['several kinds, the one with the least', { ...x('3', '60'), ratelimit: '"default";r=1;t=10' }, 1, 10_000],
  [
    'an epoch by a clock that is an hour ahead',
    x('0', String(second + 3630), { date: date(now + 3_600_000) }),
    0,
    30_000,
  ],
  [
    'an epoch by a clock that is an hour behind',
    x('0', String(second - 3570), { date: date(now - 3_600_000) }),
    0,
    30_000,
  ],
  ['an epoch by a clock that is nearly right', x('0', String(second + 30), { date: date(now - 3000) }), 0, 30_000],
  ['seconds left, whatever the clock', x('0', '30', { date: date(now - 3_600_000) }), 0, 30_000],
];

for (const [what, headers, left, inMs] of said) {
  test(`understands ${what}`, () => {
    assert.equal(rateLimitHint(headers, now), { left, until: now + inMs });
  });
}

const nonsense: readonly (readonly [what: string, headers: Headers])[] = [
  ['nothing', {}],
  ['what remains without a time', { 'x-ratelimit-remaining': '0' }],
  ['a time without what remains', { 'x-ratelimit-reset': '30' }],
  ['a policy without a time', { ratelimit: '"default";r=0' }],
  ['a policy alone', { 'ratelimit-policy': '"default";q=100;w=60' }],
  ['a number of lines', { 'x-ratelimit-remaining': ['0', '5'], 'x-ratelimit-reset': '30' }],
  ['a list in a line', x('0, 12', '30, 60')],
  ['less than nothing', x('-1', '30')],
  ['a fraction of a request', x('0.5', '30')],
  ['words', x('none', 'soon')],
  ['a date in words', x('0', '2026-03-03T04:06:06Z')],
  ['an empty text', x('', '')],
  ['a negative time', x('0', '-30')],
  ['a time that has passed', x('0', String(second - 1))],
  ['now', x('0', '0')],
  ['digits without end', x('0', '9'.repeat(40))],
];

for (const [what, headers] of nonsense) {
  test(`ignores ${what}`, () => {
    assert.is(rateLimitHint(headers, now), undefined);
  });
}

test.run();
