import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { fillFromEnv } from '../../src/config/env.js';
import { ExtractError } from '../../src/core/errors/errors.js';
import { stringifyExact } from '../../src/core/json/exact.js';
import { parseExact } from '../../src/core/json/exact-parse.js';
import type { Notice } from '../../src/core/model/notice.js';
import { extract } from '../../src/run/extract.js';
import { unchecked } from '../unchecked.js';

const env = { USER: 'joe', PASSWORD: 'hush "hush"', EMPTY: '', GONE: undefined };

const cases = [
  ['{"a": {"env": "USER"}}', '{"a":"joe"}', ['joe']],
  ['{"a": [1.0, {"b": {"env": "PASSWORD"}}]}', '{"a":[1.0,{"b":"hush \\"hush\\""}]}', ['hush "hush"']],
  ['{"#a": {"env": "USER"}, "b": {"env": "USER"}}', '{"#a":"joe","b":"joe"}', ['joe']],
  ['{"a": {"env": "EMPTY"}}', '{"a":""}', ['']],
  // No references, but values.
  ['{"a": {"env": "USER", "b": 1}}', '{"a":{"env":"USER","b":1}}', []],
  ['{"a": {"env": 5}, "env": null}', '{"a":{"env":5},"env":null}', []],
  ['{"a": {"env": {"env": "USER"}}}', '{"a":{"env":"joe"}}', ['joe']],
] as const;

for (const [written, filled, values] of cases) {
  test(`${written} becomes ${filled}`, () => {
    const found = fillFromEnv(parseExact(written), env);
    assert.is(stringifyExact(found.document), filled);
    assert.equal(found.values, values);
  });
}

test('an empty variable is a warning anywhere', () => {
  const { notices } = fillFromEnv(parseExact('{"#a": {"env": "EMPTY"}, "b": {"env": "USER"}}'), env);
  assert.equal(notices, [{ level: 'warning', code: 'empty-secret', message: '#a: the variable "EMPTY" is empty' }]);
});

const problemsOf = (written: string, variables: Parameters<typeof fillFromEnv>[1]) =>
  fillFromEnv(parseExact(written), variables).missing;

test('all missing variables are reported at once, each with its path and the nearest name', () => {
  const written = '{"api": {"#key": {"env": "PASWORD"}}, "config": {"jobs": [{"endpoint": {"env": "GONE"}}]}}';
  assert.equal(problemsOf(written, env), [
    {
      path: 'api.#key',
      message:
        'there is no variable "PASWORD" in the environment; did you mean "PASSWORD"? Otherwise: export PASWORD=...',
    },
    { path: 'config.jobs[0].endpoint', message: 'there is no variable "GONE" in the environment: export GONE=...' },
  ]);
});

/** All messages of `extract` about a configuration, a line each. */
function faultsOf(configuration: object, notices: Notice[] = []): readonly string[] {
  try {
    extract(unchecked(configuration), { env: { TOKEN: 'pagenumb' }, notify: (notice) => notices.push(notice) });
  } catch (thrown) {
    if (!(thrown instanceof ExtractError)) throw thrown;
    return thrown.problems.map(({ path, message }) => `${path}: ${message}`);
  }
  return [];
}

const gone = { env: 'GONE' };
const isGone = 'there is no variable "GONE" in the environment: export GONE=...';

test('with missing variables all other problems are reported, but none that their values could change', () => {
  const api = {
    baseUrl: gone,
    authentication: { type: 'login', loginRequest: { endpoint: gone, method: 'GTE' }, format: gone },
    pagination: { method: 'pagenum', limit: gone, firstPage: 'one', limitStop: { count: gone } },
  };
  const config = {
    '#key': gone,
    jobs: [{ endpoint: gone, params: { key: { attr: '#key' }, k: { attr: '#kye' } } }, { params: {} }],
  };
  const notices: Notice[] = [];
  assert.equal(faultsOf({ api, config }, notices), [
    `api.baseUrl: ${isGone}`,
    `api.authentication.loginRequest.endpoint: ${isGone}`,
    `api.authentication.format: ${isGone}`,
    `api.pagination.limit: ${isGone}`,
    `api.pagination.limitStop.count: ${isGone}`,
    `config.#key: ${isGone}`,
    `config.jobs[0].endpoint: ${isGone}`,
    'api.authentication.loginRequest.method: expected "GET", "POST", "FORM", "PUT", "PATCH", "DELETE" or "HEAD", found "GTE"; did you mean "GET"?',
    'api.pagination.firstPage: expected a whole number, or a string of digits, found a string',
    'config.jobs[0].params.k.attr: there is no such key in `config`; did you mean "#key"?',
    'config.jobs[1].endpoint: required: expected a string',
  ]);
  assert.equal(notices, []);
});

test('a method, a key, a function or a whole section that is missing hides none of the faults elsewhere', () => {
  const parts = { method: gone, limit: 'x', pageParm: 'p' };
  const call = { X: { function: gone, args: [{ attr: gone }] } };
  const faults = faultsOf({ api: { baseUrl: 1, http: { headers: call }, pagination: parts }, config: { jobs: gone } });
  assert.equal(
    faults.map((fault) => fault.replace(/: .*/, '')),
    [
      'api.http.headers.X.function',
      'api.http.headers.X.args[0].attr',
      'api.pagination.method',
      'config.jobs',
      'api.baseUrl',
      'api.pagination.limit',
    ],
  );
});

test('a name from the environment is masked in messages', () => {
  const pagination = { method: { env: 'TOKEN' } };
  const [fault = ''] = faultsOf({
    api: { baseUrl: 'http://a.example/', pagination },
    config: { jobs: [{ endpoint: '' }] },
  });
  assert.match(fault, /^api\.pagination\.method: .*, found "\*\*\*"; did you mean "pagenum"\?$/);
});

test('a missing environment is reported', () => {
  assert.equal(problemsOf('{"a": {"env": "USER"}}', {}), [
    {
      path: 'a',
      message:
        'there is no variable "USER": no environment was given; in code it is the option `env`, as `env: process.env`',
    },
  ]);
});

test('names that every object has are no variables', () => {
  assert.is(problemsOf('{"a": {"env": "constructor"}}', env).length, 1);
});

test.run();
