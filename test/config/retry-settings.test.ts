import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { retryFields } from '../../src/config/retry-settings.js';
import { ExactNumber } from '../../src/core/json/exact.js';
import { configOf, documentOf, problemsOf } from './fakes.js';

const defaults = {
  maxRetries: 10,
  retryHeader: 'Retry-After',
  codes: [500, 502, 503, 504, 408, 420, 429],
  transportCodes: [28, 6, 7, 35, 52, 56, 18],
  maxDelay: 86_400_000,
  jitter: 'none',
};

const cases = [
  [undefined, {}],
  [{}, {}],
  [{ maxRetries: 0 }, { maxRetries: 0 }],
  [{ maxRetries: '3' }, { maxRetries: 3 }],
  [{ maxDelay: 60 }, { maxDelay: 60_000 }],
  [{ maxDelay: '60' }, { maxDelay: 60_000 }],
  [{ jitter: 'full' }, { jitter: 'full' }],
  [{ jitter: true }, { jitter: 'full' }],
  [{ jitter: 'none' }, {}],
  [{ jitter: false }, {}],
  [{ methods: ['get', 'FORM', 'POST'] }, { methods: new Set(['GET', 'POST']) }],
  [{ methods: [] }, { methods: new Set() }],
  [{ http: { retryHeader: 'X-Wait' } }, { retryHeader: 'X-Wait' }],
  [{ http: { codes: [202] } }, { codes: [202] }],
  [{ http: { codes: [] } }, { codes: [] }],
  [{ curl: { codes: [7, 18] } }, { transportCodes: [7, 18] }],
  [{ headerName: 'X-Wait' }, { retryHeader: 'X-Wait' }],
  [{ headerName: 'X-Wait', http: { codes: [202] } }, { retryHeader: 'X-Wait' }],
  [{ httpCodes: [404], http: { codes: [202], retryHeader: 'X-Wait' } }, { codes: [404] }],
  [{ curlCodes: [1], curl: { codes: [2] } }, { transportCodes: [1] }],
] as const;

for (const [retryConfig, changes] of cases) {
  test(`${JSON.stringify(retryConfig)} changes ${JSON.stringify(changes)}`, () => {
    const { codes, transportCodes, ...rest } = configOf({ api: { retryConfig } }).retry;
    const untilFirstAnswer = 'maxRetries' in changes ? {} : { longestAbsence: 10_000 };
    assert.equal(
      { ...rest, codes: [...codes], transportCodes: [...transportCodes] },
      { ...defaults, ...untilFirstAnswer, ...changes },
    );
  });
}

test('reports every problem', () => {
  const retryConfig = {
    maxRetries: -1,
    maxDelay: 0,
    jitter: 'half',
    methods: ['GOT'],
    http: { codes: [500, '5xx'] },
    curl: 28,
    httpCodes: 500,
  };
  assert.equal(problemsOf(documentOf({ api: { retryConfig } })), [
    'api.retryConfig.maxRetries: expected a whole number from 0 up, found a negative number',
    'api.retryConfig.maxDelay: expected a whole number from 1 up, found a number',
    'api.retryConfig.jitter: expected "full", "none", true or false, found a string',
    'api.retryConfig.methods[0]: expected "GET", "POST", "FORM", "PUT", "PATCH", "DELETE" or "HEAD", found "GOT"; did you mean "GET"?',
    'api.retryConfig.http.codes[1]: expected a whole number, or a string of digits, found a string',
    'api.retryConfig.curl: expected an object, found a number',
    'api.retryConfig.httpCodes: expected a list of whole numbers, found a number',
  ]);
});

test('an integer that is too large is rejected with the largest', () => {
  for (const maxDelay of [2 ** 53, new ExactNumber('9'.repeat(30)), '9'.repeat(400)]) {
    assert.equal(problemsOf(documentOf({ api: { retryConfig: { maxDelay } } })), [
      'api.retryConfig.maxDelay: expected a whole number from 1 up, at most 9007199254740991, found a number',
    ]);
  }
  const codes = [new ExactNumber(`-${'9'.repeat(30)}`)];
  assert.equal(problemsOf(documentOf({ api: { retryConfig: { http: { codes } } } })), [
    'api.retryConfig.http.codes[0]: expected a whole number, at least -9007199254740991, found a negative number',
  ]);
});

test('the described default of the retries is the one that is used', () => {
  assert.is(retryFields.maxRetries.default, defaults.maxRetries);
});

test.run();
