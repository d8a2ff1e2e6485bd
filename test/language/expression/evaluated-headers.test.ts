import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { ExtractError } from '../../../src/core/errors/errors.js';
import { fromPlain } from '../../../src/core/json/exact.js';
import { headersFrom } from '../../../src/language/expression/evaluated-headers.js';

const lines = (value: unknown) => headersFrom(new Map([['X-A', fromPlain(value)]]), 'api.http.headers').get('X-A');

const cases = [
  ['text', ['text']],
  [5, ['5']],
  [true, ['1']],
  [false, ['']],
  [null, ['']],
  [
    ['a', 1, null],
    ['a', '1', ''],
  ],
  [[], []],
  ['  token\n', ['token']],
  ['a\tb', ['a\tb']],
  ['caf\u00e9', ['caf\u00e9']],
] as const;

for (const [value, expected] of cases) {
  test(`${JSON.stringify(value)} becomes ${JSON.stringify(expected)}`, () => assert.equal(lines(value), expected));
}

const faults = [
  [{ a: 'hidden' }, 'api.http.headers.X-A: a header is a string, found an object'],
  [['b', { a: 'hidden' }], 'api.http.headers.X-A.1: a header is a string, found an object'],
  [[['hidden']], 'api.http.headers.X-A.0: a header is a string, found a list'],
  ['hidden\r\nX-B: 1', 'api.http.headers.X-A: the value contains a character that is not allowed in a header'],
  ['hidden\u0000', 'api.http.headers.X-A: the value contains a character that is not allowed in a header'],
  ['hidden\u4e2d', 'api.http.headers.X-A: the value contains a character that is not allowed in a header'],
] as const;

for (const [value, message] of faults) {
  test(`${JSON.stringify(value)} is refused by its path`, () => {
    assert.throws(
      () => lines(value),
      (error: unknown) => error instanceof ExtractError && error.code === 'ERR_FUNCTION' && error.message === message,
    );
  });
}

test.run();
