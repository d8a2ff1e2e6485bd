/** Differences between lists of items. */
import * as fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { type Exact, fromPlain } from '../../../src/core/json/exact.js';
import { parseExact } from '../../../src/core/json/exact-parse.js';
import { compareItems, compareValues } from '../../../src/tools/test/compare-items.js';
import { itemProblems, memberLines } from '../../../src/tools/test/show-differences.js';

const list = (text: string): readonly Exact[] =>
  text.split(' ').flatMap((each) => (each === '' ? [] : [parseExact(each)]));

const shown = (expected: string, found: string): readonly string[] => {
  const [one, other] = [list(expected), list(found)];
  const problems = itemProblems('f', compareItems(one, other), { expected: one.length, found: other.length });
  return problems.flatMap(({ title, lines }) => [title, ...lines]);
};

const rows: readonly [what: string, expected: string, found: string, lines: readonly string[]][] = [
  ['equal lists', '1 2', '1 2', []],
  ['members in another order', '{"a":1,"b":{"c":2,"d":3}}', '{"b":{"d":3,"c":2},"a":1}', []],
  ['other digits of the same number', '1', '1.0', ['f: item 1 differs', '- 1', '+ 1.0']],
  ['an item is missing', '1 2 3', '1 3', ['f: item 2 is missing', '- 2', 'f: 3 items expected, 2 items found']],
  [
    'an item more',
    '1 3',
    '1 2 3',
    ['f: item 2 of the run is not expected', '+ 2', 'f: 2 items expected, 3 items found'],
  ],
  [
    'a member that changed, one that is gone, and one that came',
    '{"a":1,"b":[1,2],"x":{"y":"z"}}',
    '{"a":2,"b":[1],"n":null,"x":{"y":"w"}}',
    ['f: item 1 differs', '- a: 1', '+ a: 2', '- b[1]: 2', '- x.y: "z"', '+ x.y: "w"', '+ n: null'],
  ],
  ['the order', '1 2 3', '3 1 2', ['f: the same items in another order; the first: item 3 is at 1']],
  ['another type', '{"a":1}', '{"a":{"b":1}}', ['f: item 1 differs', '- a: 1', '+ a: {"b":1}']],
  ['lists of two lengths, with null', '[1,null]', '[1]', ['f: item 1 differs', '- [1]: null']],
  ['members without a value', '{"a":null}', '{}', ['f: item 1 differs', '- a: null']],
  ['nothing found', '1', '', ['f: item 1 is missing', '- 1', 'f: 1 item expected, 0 items found']],
  [
    'a change beside an item that is equal',
    '1 2 3 4',
    '1 9 3',
    ['f: item 2 differs', '- 2', '+ 9', 'f: item 4 is missing', '- 4', 'f: 4 items expected, 3 items found'],
  ],
];

for (const [what, expected, found, lines] of rows) test(what, () => assert.equal(shown(expected, found), lines));

test('of many differences the first are shown', () => {
  const lines = shown('1 2 3 4 5 6 7 8', '11 12 13 14 15 16 17 18');
  assert.is(lines.filter((line) => line.includes('differs')).length, 5);
  assert.is(lines.at(-1), 'f: 3 more differences');
  const members = Object.fromEntries(Array.from({ length: 10 }, (_, index) => [`m${index}`, index]));
  assert.is(memberLines(compareValues(fromPlain(members), fromPlain({}))).at(-1), '... and 2 more members');
});

test('lists that are too long to align are compared by place', () => {
  const many = (from: number) => Array.from({ length: 2100 }, (_, index) => fromPlain(index + from));
  const found = compareItems(many(0), [...many(5000), fromPlain(1)]);
  assert.is(found.length, 2101);
  assert.equal(found.at(-1), { kind: 'more', at: 2101, item: fromPlain(1) });
  assert.equal(compareItems([...many(5000), fromPlain(1)], many(0)).at(-1)?.kind, 'missing');
});

test('differences are none for equal lists, and account for every item', () => {
  const items = fc.array(fc.integer({ min: 0, max: 4 }), { maxLength: 12 });
  fc.assert(
    fc.property(items, items, (one, other) => {
      const found = compareItems(
        one.map((each) => fromPlain(each)),
        other.map((each) => fromPlain(each)),
      );
      if (JSON.stringify(one) === JSON.stringify(other)) return found.length === 0;
      if (found[0]?.kind === 'order') return true;
      const count = (kind: string) => found.filter((each) => each.kind === kind).length;
      return found.length > 0 && count('more') - count('missing') === other.length - one.length;
    }),
    { seed: 16 },
  );
});

test('long texts are equal only if all of their characters are', () => {
  const item = (end: string) => fromPlain({ text: `${'x'.repeat(1000)}${end}` });
  assert.equal(compareItems([item('a'), item('b')], [item('a'), item('b')]), []);
  assert.equal(
    compareItems([item('a')], [item('b')]).map(({ kind }) => kind),
    ['changed'],
  );
  assert.equal(
    compareItems([item('a'), item('b')], [item('b'), item('a')]).map(({ kind }) => kind),
    ['order'],
  );
});

test.run();
