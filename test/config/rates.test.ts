import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { configOf, documentOf, problemsOf } from './fakes.js';

const document = (rateLimit: unknown) => ({ api: { http: { rateLimit } } });
const day = 86_400_000;

const taken: readonly (readonly [written: unknown, rates: readonly (readonly [most: number, ms: number])[]])[] = [
  ['10/s', [[10, 1000]]],
  ['100/15m', [[100, 15 * 60_000]]],
  ['60/min', [[60, 60_000]]],
  ['60/1m', [[60, 60_000]]],
  ['2000/h', [[2000, 3_600_000]]],
  ['5000/day', [[5000, day]]],
  ['1/30d', [[1, 30 * day]]],
  ['007/03s', [[7, 3000]]],
  [
    ['10/s', '5000/day'],
    [
      [10, 1000],
      [5000, day],
    ],
  ],
  [null, []],
  [[], []],
  ['', []],
];

for (const [written, rates] of taken) {
  test(`accepts ${JSON.stringify(written)}`, () => {
    const { rateLimit } = configOf(document(written)).http;
    assert.equal(
      rateLimit.map(({ most, ms }) => [most, ms]),
      rates,
    );
  });
}

const expected = 'a rate such as "10/s", "100/15m", "2000/h" or "5000/day"';
const bound = 'a rate of at most 9999999999 requests in at most 99999 time units';
const refused: readonly (readonly [written: unknown, problem: string])[] = [
  ['10', `api.http.rateLimit: expected ${expected}, found a string`],
  ['10/w', `api.http.rateLimit: expected ${expected}, found a string`],
  ['0/s', `api.http.rateLimit: expected ${expected}, found a string`],
  ['1/0s', `api.http.rateLimit: expected ${expected}, found a string`],
  ['1.5/s', `api.http.rateLimit: expected ${expected}, found a string`],
  ['10/1.5s', `api.http.rateLimit: expected ${expected}, found a string`],
  ['-1/s', `api.http.rateLimit: expected ${expected}, found a string`],
  ['10 / s', `api.http.rateLimit: expected ${expected}, found a string`],
  ['99999999999/s', `api.http.rateLimit: expected ${bound}, found a string`],
  [['10/s', '10/100000s'], `api.http.rateLimit[1]: expected ${bound}, found a string`],
  [10, `api.http.rateLimit: expected ${expected}, found a number`],
  [{ most: 10 }, `api.http.rateLimit: expected ${expected}, found an object`],
  [['10/s', '5/w'], `api.http.rateLimit[1]: expected ${expected}, found a string`],
  [[['10/s']], `api.http.rateLimit[0]: expected ${expected}, found a list`],
];

for (const [written, problem] of refused) {
  test(`rejects ${JSON.stringify(written)}`, () => {
    assert.equal(problemsOf(documentOf(document(written))), [problem]);
  });
}

test.run();
