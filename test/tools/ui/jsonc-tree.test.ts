/** The tree of a text that is being written. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { placeOf, readJsonc, stepsOf } from '../../../src/tools/ui/jsonc-tree.js';

const at = (text: string, path: string) => {
  const { from, to } = placeOf(readJsonc(text), stepsOf(path));
  return text.slice(from, to);
};

test('a path leads to its value, and to the name of a container', () => {
  const text = '\uFEFF{ "a": { "b.c": [1, {"d": "x"}] }, /* "a": 2 */ "e": null, } // end';
  assert.is(at(text, 'a'), '"a"');
  assert.is(at(text, 'a["b.c"]'), '"b.c"');
  assert.is(at(text, 'a["b.c"][0]'), '1');
  assert.is(at(text, 'a["b.c"][1]'), '{');
  assert.is(at(text, 'a["b.c"][1].d'), '"x"');
  assert.is(at(text, 'e'), 'null');
});

test('a path that leads nowhere has the nearest place', () => {
  assert.is(at('{ "a": { "b": 1 } }', 'a.c.d'), '"a"');
  assert.is(at('{ "a": [1] }', 'a[4]'), '"a"');
  assert.is(at('{ "a": 1 }', ''), '{');
  assert.is(at('', 'a'), '');
});

test('a name without a value is marked', () => {
  for (const text of ['{ "a" }', '{ "a": }', '{ "a":', '{ "a"']) assert.is(at(text, 'a'), '"a"', text);
});

test('the latest of repeated members counts', () => {
  assert.is(at('{ "a": 1, "a": 2 }', 'a'), '2');
});

test('any text has a tree', () => {
  const texts = [
    '',
    '}',
    '[',
    '{]',
    '{ 1: 2 }',
    '"open',
    '{ "a": "open\n, "b": 1 }',
    '/* open',
    '[,,]',
    '{"a" "b": {}}',
    '/',
  ];
  for (const text of texts) assert.ok(readJsonc(text).text === text);
  assert.is(readJsonc(`${'['.repeat(5000)}1`).root?.kind, 'array');
  assert.equal(readJsonc('[1, /* a */ 2] // b').comments, [
    { from: 4, to: 11 },
    { from: 15, to: 19 },
  ]);
});

test.run();
