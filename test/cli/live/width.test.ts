import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { cutEnd, cutMiddle, padEnd, padStart, widthOf } from '../../../src/cli/live/width.js';

const widths: readonly (readonly [text: string, width: number])[] = [
  ['users', 5],
  ['顧客', 4],
  ['👩‍👩‍👧', 2],
  ['🇨🇿', 2],
  ['e\u0301', 1],
  ['\u001b[33mretry\u001b[0m', 5],
  ['', 0],
];

for (const [text, width] of widths) {
  test(`${JSON.stringify(text)} is ${width} cells wide`, () => {
    assert.is(widthOf(text), width);
  });
}

const cuts: readonly (readonly [text: string, width: number, middle: string, end: string])[] = [
  ['customers', 9, 'customers', 'customers'],
  ['customers', 8, 'cust…ers', 'custome…'],
  ['customers', 7, 'cus…ers', 'custom…'],
  ['customers', 2, 'c…', 'c…'],
  ['customers', 1, '…', '…'],
  ['customers', 0, '', ''],
  ['顧客データ', 10, '顧客データ', '顧客データ'],
  ['顧客データ', 9, '顧客…ータ', '顧客デー…'],
  ['顧客データ', 8, '顧客…タ', '顧客デ…'],
  ['顧客データ', 2, '…', '…'],
  ['a👩‍👩‍👧b👩‍👩‍👧c', 5, 'a…👩‍👩‍👧c', 'a👩‍👩‍👧b…'],
  ['e\u0301e\u0301e\u0301', 2, 'e\u0301…', 'e\u0301…'],
];

for (const [text, width, middle, end] of cuts) {
  test(`${text} in ${width} cells is ${middle} or ${end}`, () => {
    assert.is(cutMiddle(text, width), middle);
    assert.is(cutEnd(text, width), end);
  });
}

test('padding counts cells', () => {
  assert.equal([padEnd('顧客', 6), padStart('顧客', 6)], ['顧客  ', '  顧客']);
  assert.equal([padEnd('users', 3), padStart('users', 3)], ['users', 'users']);
});

test.run();
