import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { fromPlain } from '../../src/core/json/exact.js';
import { isEmpty, parseInteger } from '../../src/pagination/values.js';

for (const value of [null, '', false, [], {}]) {
  test(`${JSON.stringify(value)} is empty`, () => assert.is(isEmpty(fromPlain(value)), true));
}

test('an absent value is empty', () => assert.is(isEmpty(undefined), true));

for (const value of [0, '0', 0.0, ' ', true, 'false', [null], { a: null }]) {
  test(`${JSON.stringify(value)} is a value`, () => assert.is(isEmpty(fromPlain(value)), false));
}

const cases: readonly (readonly [text: string, integer: bigint | undefined])[] = [
  ['0', 0n],
  ['-0', 0n],
  ['17', 17n],
  ['+17', 17n],
  ['-17', -17n],
  [' 17\n', 17n],
  ['9223372036854775807123', 9223372036854775807123n],
  ['9007199254740993.9', 9007199254740993n],
  ['-1.9', -1n],
  ['0.9', 0n],
  ['.5', 0n],
  ['5.', 5n],
  ['1e3', 1000n],
  ['1.9e1', 19n],
  ['1.95E+1', 19n],
  ['195e-1', 19n],
  ['1e-3', 0n],
  ['1e1000', undefined],
  ['1e99999', undefined],
  ['', undefined],
  [' ', undefined],
  ['.', undefined],
  ['-', undefined],
  ['e5', undefined],
  ['0x10', undefined],
  ['1 2', undefined],
  ['12a', undefined],
  ['1,5', undefined],
];

for (const [text, integer] of cases) {
  test(`${JSON.stringify(text)} is ${integer ?? 'no number'}`, () => assert.is(parseInteger(text), integer));
}

test('as many digits as there are', () => {
  const digits = '7'.repeat(5000);
  assert.is(parseInteger(digits), BigInt(digits));
});

test.run();
