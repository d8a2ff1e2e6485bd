import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { fromPlain } from '../../src/core/json/exact.js';
import { isEmpty } from '../../src/pagination/is-empty.js';

for (const value of [null, '', false, [], {}]) {
  test(`${JSON.stringify(value)} is empty`, () => assert.is(isEmpty(fromPlain(value)), true));
}

test('what is absent is empty', () => assert.is(isEmpty(undefined), true));

for (const value of [0, '0', 0.0, ' ', true, 'false', [null], { a: null }]) {
  test(`${JSON.stringify(value)} is a value`, () => assert.is(isEmpty(fromPlain(value)), false));
}

test.run();
