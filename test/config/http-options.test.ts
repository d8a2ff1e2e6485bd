import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { configOf, documentOf, type Parts, problemsOf, warningsOf } from './fakes.js';

const http = (members: object): Parts => ({ api: { http: members } });
const required = (names: unknown, headers: object): Parts => ({
  api: { http: { requiredHeaders: names } },
  config: { http: { headers } },
});

const missing = (name: string, hint = '') =>
  `config.http.headers.${name}: required by api.http.requiredHeaders: expected a value${hint}`;

const problems: readonly (readonly [what: string, parts: Parts, problems: readonly string[]])[] = [
  ['a required header that is there', required(['X-A'], { 'X-A': 'a' }), []],
  ['a required header that is an expression', required(['X-A'], { 'X-A': { function: 'concat', args: ['a'] } }), []],
  ['nothing required', required([], {}), []],
  ['nothing required, by null', required(null, {}), []],
  ['required headers that are not there', required(['X-A', 'X-B'], {}), [missing('X-A'), missing('X-B')]],
  ['a required header of api.http', { api: { http: { requiredHeaders: ['A'], headers: { A: '1' } } } }, [missing('A')]],
  ['a required header that is empty', required(['X-A'], { 'X-A': '' }), [missing('X-A')]],
  ['a required header that is null', required(['X-A'], { 'X-A': null }), [missing('X-A')]],
  [
    'a required header in another case',
    required(['X-Key'], { 'x-key': 'a' }),
    [missing('X-Key', '; "x-key" exists there: did you mean "X-Key"?')],
  ],
  [
    'a required header that is no text',
    required([5], {}),
    ['api.http.requiredHeaders[0]: expected a non-empty string, found a number'],
  ],
  [
    'ignored errors that are no list',
    http({ ignoreErrors: 404 }),
    ['api.http.ignoreErrors: expected a list of statuses, found a number'],
  ],
  [
    'an ignored error that is no number',
    http({ ignoreErrors: [404, 'not found'] }),
    ['api.http.ignoreErrors[1]: expected a whole number from 0 up, or a string of digits, found a string'],
  ],
  ['ignored errors in both spellings', http({ ignoreErrors: [404, '503', 0] }), []],
];

for (const [what, parts, expected] of problems) {
  test(`${what}: ${expected.length === 0 ? 'is accepted' : 'is a problem'}`, () => {
    assert.equal(problemsOf(documentOf(parts)), expected);
  });
}

test('missing required headers and other problems are reported at once', () => {
  const both = required(['X-A'], {});
  const parts = { ...both, api: { ...both.api, baseUrl: 'no address' } };
  assert.equal(
    problemsOf(documentOf(parts)).map((line) => line.split(':')[0]),
    ['api.baseUrl', 'config.http.headers.X-A'],
  );
});

test('each iteration needs the required headers, reported at its own place', () => {
  const document = new Map([
    ...documentOf(required(['X-A'], { 'X-A': 'a' })),
    ['iterations', [new Map(), new Map([['http', new Map([['headers', new Map()]])]])]],
  ]);
  assert.equal(problemsOf(document), [
    'iterations[1].http.headers.X-A: required by api.http.requiredHeaders: expected a value',
  ]);
});

const timeouts = ['connectTimeout', 'headersTimeout', 'idleTimeout', 'requestTimeout'] as const;

const taken: readonly (readonly [value: unknown, ms: number])[] = [
  [5, 5000],
  [0.25, 250],
  ['30', 30_000],
  ['1.5', 1500],
  ['2e1', 20_000],
  [0.0001, 1],
  [2_147_483, 2_147_483_000],
  ['2147483', 2_147_483_000],
];

for (const [value, ms] of taken) {
  test(`a timeout of ${JSON.stringify(value)} seconds is ${ms} ms`, () => {
    const written = Object.fromEntries(timeouts.map((key) => [key, value]));
    const read = configOf(http(written)).http;
    assert.equal(
      timeouts.map((key) => read[key]),
      [ms, ms, ms, ms],
    );
  });
}

for (const value of [2_147_484, 2_147_483.1, '2147484', '1e9', 1e300]) {
  test(`a timeout of ${JSON.stringify(value)} seconds, which no timer holds, is a problem that names the largest`, () => {
    const written = Object.fromEntries(timeouts.map((key) => [key, value]));
    assert.equal(
      problemsOf(documentOf(http(written))),
      timeouts.map((key) => `api.http.${key}: too long: expected at most 2147483 seconds (24.8 days)`),
    );
  });
}

const notTaken: readonly (readonly [value: unknown, found: string])[] = [
  [0, ''],
  ['0', ', found a string'],
  [-3, ''],
  ['soon', ', found a string'],
  ['', ', found an empty string'],
  [true, ', found true or false'],
  [[5], ', found a list'],
];

for (const key of timeouts) {
  for (const [value, found] of notTaken) {
    test(`a ${key} of ${JSON.stringify(value)} is a warning, and the default stays`, () => {
      const parts = http({ [key]: value });
      assert.is(configOf(parts).http[key], undefined);
      assert.equal(warningsOf(documentOf(parts)), [
        `api.http.${key}: expected a number of seconds above 0${found}; not used, the default applies`,
      ]);
    });
  }
}

test('a time-out of null is absent', () => {
  assert.equal(warningsOf(documentOf(http({ connectTimeout: null, requestTimeout: null }))), []);
});

test.run();
