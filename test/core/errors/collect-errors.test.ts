import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { collectAll, mapCollecting } from '../../../src/core/errors/collect-errors.js';
import type { ErrorCode } from '../../../src/core/errors/error-codes.js';
import { ExtractError, type Problem } from '../../../src/core/errors/errors.js';
import { extract } from '../../../src/run/extract.js';
import { unchecked } from '../../unchecked.js';

const fails = (code: ErrorCode, message: string, path?: string) => () => {
  throw new ExtractError(
    code,
    path === undefined ? message : `${path}: ${message}`,
    path === undefined ? {} : { path },
  );
};

function thrownBy(work: () => unknown): ExtractError {
  try {
    work();
  } catch (thrown) {
    if (thrown instanceof ExtractError) return thrown;
    throw thrown;
  }
  throw new TypeError('nothing was thrown');
}

test('without failures returns all results, in order', () => {
  assert.equal(
    collectAll(
      () => 1,
      () => 'a',
    ),
    [1, 'a'],
  );
  assert.equal(
    mapCollecting([1, 2, 3], (each) => each * 2),
    [2, 4, 6],
  );
});

test('one fault is thrown as it is', () => {
  const error = thrownBy(() => collectAll(() => 1, fails('ERR_FUNCTION', 'no', 'a.b')));
  assert.equal([error.code, error.message, error.problems], ['ERR_FUNCTION', 'a.b: no', []]);
});

const several: readonly (readonly [string, readonly (() => never)[], ErrorCode, readonly Problem[]])[] = [
  [
    'faults of functions stay such',
    [fails('ERR_FUNCTION', 'no', 'a.b'), fails('ERR_FUNCTION', 'never')],
    'ERR_FUNCTION',
    [
      { path: 'a.b', message: 'no' },
      { path: '', message: 'never' },
    ],
  ],
  [
    'with one of the configuration all are its own',
    [fails('ERR_FUNCTION', 'no', 'a'), fails('ERR_CONFIG', 'never')],
    'ERR_CONFIG',
    [
      { path: 'a', message: 'no' },
      { path: '', message: 'never' },
    ],
  ],
  [
    'what was gathered before is gathered once more',
    [
      () => collectAll(fails('ERR_FUNCTION', 'x', 'a'), fails('ERR_FUNCTION', 'y', 'b'))[0],
      fails('ERR_FUNCTION', 'z', 'c'),
    ],
    'ERR_FUNCTION',
    [
      { path: 'a', message: 'x' },
      { path: 'b', message: 'y' },
      { path: 'c', message: 'z' },
    ],
  ],
];

for (const [name, works, code, problems] of several) {
  test(`several are one error: ${name}`, () => {
    const error = thrownBy(() => collectAll(...works));
    assert.equal([error.code, error.problems], [code, problems]);
    assert.is(
      error.message,
      problems.map(({ path, message }) => (path === '' ? message : `${path}: ${message}`)).join('\n'),
    );
  });
}

test('the same problem of several functions is reported once', () => {
  const same = fails('ERR_FUNCTION', 'no', 'a');
  assert.equal(thrownBy(() => collectAll(same, same)).problems, []);
});

test('any other error ends the work at once', () => {
  let isReached = false;
  const error = thrownBy(() =>
    collectAll(fails('ERR_FUNCTION', 'no'), fails('ERR_USAGE', 'stop'), () => {
      isReached = true;
    }),
  );
  assert.equal([error.code, isReached], ['ERR_USAGE', false]);
});

test('all problems of evaluation before the first request are reported at once', () => {
  const bad = { function: 'date', args: ['Y', 'yesterday'] };
  const configuration = {
    api: {
      baseUrl: { attr: 'base' },
      http: { headers: { A: bad, B: bad } },
      authentication: { type: 'bearer', token: { attr: 'token' } },
    },
    config: {
      base: 'no address',
      token: '',
      http: { headers: { C: bad } },
      jobs: [
        { endpoint: 'a', params: { x: bad, y: bad }, userData: { u: bad } },
        {
          endpoint: 'b',
          params: { z: 1 },
          children: [{ endpoint: '{i}', placeholders: { i: 'i' }, params: { w: bad } }],
        },
      ],
    },
  };
  assert.equal(
    thrownBy(() => extract(unchecked(configuration))).problems.map(({ path }) => path),
    [
      'api.authentication.token',
      'config.jobs[0].userData.u',
      'config.jobs[0].params.x',
      'config.jobs[0].params.y',
      'config.jobs[1].children[0].params.w',
      'api.baseUrl',
      'api.http.headers.A',
      'api.http.headers.B',
      'config.http.headers.C',
    ],
  );
});

test.run();
