import stringWidth from 'string-width';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { breakAnywhere, cutEnd, cutMiddle, padEnd, padStart, widthOf } from '../../../src/tools/text/cells.js';
import { mulberry32 } from '../../support/mulberry32.js';

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

/** Letters of several scripts, marks, emoji of every form, and parts of them. */
const parts = [
  ...[
    'a',
    'Z',
    ' ',
    '~',
    '\u00a0',
    '\u00ad',
    'é',
    'ß',
    'ǅ',
    'Ж',
    'ω',
    'ئ',
    'ש',
    'क',
    'क्षि',
    'ทำ',
    'முறை',
    '\u17d2',
    '﷽',
  ],
  ...['顧', 'デ', 'ｱ', 'ﾞ', 'ー', '！', '한', '각', '\u1100', '𠮷', '、', '“', '…', '—', '№', '→', '█'],
  ...['\u0301', '\u20dd', '\u200b', '\u200d', '\ufe0f', '\ufe0e', '\u2060', '\t', '\u0007', '\ud83d'],
  ...['\u{1F600}', '👍🏽', '❤', '❤️', '©', '©️', '👩‍👩‍👧', '🏳️‍🌈', '🇨🇿', '1️⃣', '#\u20e3', '⌚', '☺️', '🧑🏿‍🚀'],
] as const;

test('the width is that of the package string-width, whatever a text is made of', () => {
  const seed = Date.now() % 2 ** 31;
  const random = mulberry32(seed);
  for (let count = 0; count < 20_000; count += 1) {
    const chosen = Array.from({ length: random() % 6 }, () => parts[random() % parts.length] ?? '');
    const text = chosen.join('');
    assert.is(widthOf(text), stringWidth(text), `${JSON.stringify(text)} (seed ${seed})`);
  }
});

test('a long text has the width of its parts', () => {
  const text = '👩‍👩‍👧e\u0301顧 '.repeat(500);
  assert.is(widthOf(text), 500 * 6);
  assert.is(cutEnd(text, 3001), text);
});

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

test('a cut never grows with characters that have no width', () => {
  for (const mark of ['\u0301', '\u200b', 'e\u0301\u0301\u0301\u0301\u0301\u0301\u0301\u0301']) {
    const text = mark.repeat(100_000);
    assert.ok(cutEnd(text, 10).length < 300, 'the end');
    assert.ok(cutMiddle(text, 10).length < 600, 'the middle');
  }
});

test('pieces are as wide as they may be, and together the text', () => {
  assert.equal(breakAnywhere('顧客データ', 5), ['顧客', 'デー', 'タ']);
  assert.equal(breakAnywhere('abcdef', 4), ['abcd', 'ef']);
  assert.equal(breakAnywhere('顧', 1), ['顧']);
  assert.equal(breakAnywhere('', 4), []);
});

test.run();
