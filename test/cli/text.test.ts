import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { table, wrap } from '../../src/cli/text.js';

test('columns have one width, those of numbers end together', () => {
  const rows = [
    ['job', 'items', 'stop'],
    ['a', '1,000', 'an empty page'],
    ['users', '7', 'failed'],
  ];
  assert.equal(table(rows, new Set([1])), [
    'job    items  stop',
    'a      1,000  an empty page',
    'users      7  failed',
  ]);
});

test('a character outside the first plane counts as one', () => {
  assert.equal(
    table(
      [
        ['\u{1F600}', 'x'],
        ['ab', 'x'],
      ],
      new Set(),
    ),
    ['\u{1F600}   x', 'ab  x'],
  );
});

test('no rows are no lines', () => assert.equal(table([], new Set()), []));

const words = (count: number) => Array.from({ length: count }, () => 'four').join(' ');

test('a text that fits stays one line', () => {
  assert.equal(wrap('a b', '- ', '  '), ['- a b']);
  assert.equal(wrap('', '- ', '  '), ['- ']);
});

test('breaks before the word that would go beyond 100 columns', () => {
  assert.equal(wrap(words(20), '', ''), [words(20)]);
  assert.equal(wrap(words(20), '> ', '    '), [`> ${words(19)}`, '    four']);
});

test('a longer word gets its own line', () => {
  const long = 'x'.repeat(120);
  assert.equal(wrap(`a ${long} b`, '', '  '), ['a', `  ${long}`, '  b']);
});

test('code stays in one line, an open backtick is a character', () => {
  assert.equal(wrap(`${words(19)} \`{ "a": 1 }\`, b`, '', ''), [words(19), '`{ "a": 1 }`, b']);
  assert.equal(wrap('a ` b', '', ''), ['a ` b']);
});

test.run();
