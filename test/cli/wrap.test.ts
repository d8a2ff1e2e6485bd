import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { wrap } from '../../src/cli/wrap.js';

const words = (count: number) => Array.from({ length: count }, () => 'four').join(' ');

test('a text that fits stays one line', () => {
  assert.equal(wrap('a b', '- ', '  '), ['- a b']);
  assert.equal(wrap('', '- ', '  '), ['- ']);
});

test('breaks before the word that would go beyond 100 columns', () => {
  assert.equal(wrap(words(20), '', ''), [words(20)]);
  assert.equal(wrap(words(20), '> ', '    '), [`> ${words(19)}`, '    four']);
});

test('a word that is too long stands alone', () => {
  const long = 'x'.repeat(120);
  assert.equal(wrap(`a ${long} b`, '', '  '), ['a', `  ${long}`, '  b']);
});

test.run();
