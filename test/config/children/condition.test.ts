import fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { compilePattern } from '../../../src/config/children/condition.js';

const cases = [
  ['abc', 'abc', true],
  ['abc', 'ABC', false],
  ['abc', 'abcd', false],
  ['%', '', true],
  ['%', 'anything', true],
  ['a%', 'a', true],
  ['a%', 'ba', false],
  ['%a', 'ba', true],
  ['%a', 'ab', false],
  ['%b%', 'abc', true],
  ['a%c', 'abc', true],
  ['a%a', 'a', false],
  ['a%%a', 'aa', true],
  ['%aa%aa%', 'aaa', false],
  ['%aa%aa%', 'aaaa', true],
  ['', '', true],
  ['', 'a', false],
  ['a%c', 'a\nc', false],
  ['a%c', 'a\rc', true],
  ['a\n%c', 'a\nbc', true],
  ['a%\nc', 'ab\nc', true],
  ['abc', 'abc\n', false],
  ['a.c', 'abc', false],
  ['a.*', 'a.*', true],
  ['(a+)+$', '(a+)+$', true],
  ['[x]%\\d', '[x]_\\d', true],
  ['%é😀', 'xé😀', true],
] as const;

for (const [pattern, text, matches] of cases) {
  test(`${JSON.stringify(pattern)} ${matches ? 'matches' : 'does not match'} ${JSON.stringify(text)}`, () =>
    assert.is(compilePattern(pattern)(text), matches));
}

/** By dynamic programming, a character at a time. */
function matchesSlowly(pattern: string, text: string): boolean {
  let ends = new Set([0]);
  for (const character of pattern.split('')) {
    const next = new Set<number>();
    for (const end of ends) {
      if (character !== '%') {
        if (text[end] === character) next.add(end + 1);
        continue;
      }
      next.add(end);
      for (let at = end; at < text.length && text[at] !== '\n'; at++) next.add(at + 1);
    }
    ends = next;
  }
  return ends.has(text.length);
}

test('agrees with a matcher that tries every run', () => {
  const pieces = (...of: readonly string[]) =>
    fc.array(fc.constantFrom(...of), { maxLength: 9 }).map((all) => all.join(''));
  fc.assert(
    fc.property(pieces('a', 'b', '\n', '%'), pieces('a', 'b', '\n'), (pattern, text) => {
      assert.is(compilePattern(pattern)(text), matchesSlowly(pattern, text));
    }),
    { numRuns: 3000 },
  );
});

test('matching takes time by the length of the text, with any number of %', () => {
  const matches = compilePattern(`${'a%'.repeat(2000)}b`);
  assert.not(matches('a'.repeat(200_000))); // a matcher that goes back would never end
  assert.ok(matches(`${'a'.repeat(200_000)}b`));
});

test.run();
