/** Texts that are JSON become values, at the paths that are named only; others stay as they are. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { ExtractError } from '../../../src/core/errors/errors.js';
import { parseTexts } from '../../../src/page/stages/parse-texts.js';
import { slabOf, stageOf } from '../lib.js';

const parsed = (item: unknown, ...paths: (string | string[])[]): unknown => {
  const { write, written } = stageOf(parseTexts(paths));
  write(slabOf(item));
  return JSON.parse(written.join(''));
};

const rows: readonly (readonly [string, unknown, readonly (string | string[])[], unknown])[] = [
  ['an object', { a: '{"b":[1]}', c: '{"d":1}' }, ['a'], { a: { b: [1] }, c: '{"d":1}' }],
  [
    'a number, a text, true and null',
    { a: '1.0', b: '"x"', c: 'true', d: 'null' },
    ['a', 'b', 'c', 'd'],
    { a: 1, b: 'x', c: true, d: null },
  ],
  ['a text without a character', { a: '', b: ' ' }, ['a', 'b'], { a: null, b: null }],
  ['a text within an object', { o: { a: '[1]' } }, ['o.a'], { o: { a: [1] } }],
  ['a text within what was parsed', { o: '{"a":"[1]","b":"[2]"}' }, ['o', 'o.a'], { o: { a: [1], b: '[2]' } }],
  ['each element of a list', { l: ['1', '[2]', 3] }, ['l'], { l: [1, [2], 3] }],
  ['a member of each element', { l: [{ a: '1' }, { b: '2' }, []] }, ['l.a'], { l: [{ a: 1 }, { b: '2' }, []] }],
  ['a name with a dot, and one with a quote', { 'a.b': '1', 'c"': '2' }, [['a.b'], 'c"'], { 'a.b': 1, 'c"': 2 }],
  ['no such member, and other values', { a: 1, b: null, c: {} }, ['a', 'b', 'c', 'd', 'a.e'], { a: 1, b: null, c: {} }],
  ['an item that is no object', '[1]', ['a'], '[1]'],
];

for (const [what, item, paths, expected] of rows) {
  test(`parses ${what}`, () => {
    assert.equal(parsed(item, ...paths), expected);
  });
}

test('digits stay, and white space between values goes', () => {
  const { write, written, report } = stageOf(parseTexts(['a']));
  const slab = slabOf({ a: '{ "n" : 12345678901234567890.10 ,\n\t"s":" a \\" b " }', b: 1 }, { a: '\ufeff[1]' });
  write(slab);
  assert.is(written.join(''), '{"a":{"n":12345678901234567890.10,"s":" a \\" b "},"b":1}\n{"a":[1]}\n');
  assert.is(report(2, slab.bytes.length).bytes, written.join('').length);
});

test('an invalid text is an error with path and item, counted over the page', () => {
  const { write, rollback } = stageOf(parseTexts(['a', 'b.c']));
  const failing = (item: unknown) => {
    try {
      write(slabOf({ a: '1' }, item));
    } catch (thrown) {
      return thrown instanceof ExtractError ? `${thrown.code} ${thrown.message}` : String(thrown);
    }
    return 'no error';
  };
  write(slabOf({ a: '1' }, { a: '2' }));
  assert.match(failing({ a: '{"x":' }), /^ERR_JSON the text at "a" is not JSON: .*, in item 3 of the page \(from 0\)/);
  rollback();
  assert.match(failing({ b: { c: 'x' } }), /^ERR_JSON the text at "b\.c" is not JSON: .*, in item 1 of the page/);
  rollback();
  assert.match(failing({ a: `${'['.repeat(600)}${']'.repeat(600)}` }), /^ERR_DEPTH the text at "a" .*deeper than 512/);
});

test('without paths there is no stage', () => {
  assert.is(parseTexts([]), undefined);
});

test.run();
