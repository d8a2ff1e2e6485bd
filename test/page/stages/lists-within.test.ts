import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { listsWithin } from '../../../src/page/stages/lists-within.js';

const cases: readonly (readonly [rule: string, text: string, paths: readonly string[]])[] = [
  ['a list in an object', '{"a": {"b": [1]}}', ['a.b']],
  ['a list in an object within', '{"a":{"b":{"c":[]}}}', ['a.b.c']],
  ['not one that is deeper', '{"a":{"b":{"c":{"d":[]}}}}', []],
  ['not one within a list', '{"a":{"b":[[1],{"c":[2]}]},"d":{"e":[]}}', ['a.b', 'd.e']],
  ['three of them at most', '{"a":{"b":[],"c":[],"d":[],"e":[]}}', ['a.b', 'a.c', 'a.d']],
  ['brackets in texts are none', String.raw`{"a":{"x":"\"[{","b":["]"],"c":"]}","d":[]}}`, ['a.b', 'a.d']],
  ['names with escapes', String.raw`{"a":{"\u0062":[]}}`, ['a.b']],
  ['names with a dot are passed by', '{"a.b":{"c":[]},"d":{"":[]}}', []],
  ['a beginning that ends in a list', '{"a":{"b":[{"c":1},{"c"', ['a.b']],
  ['a beginning that ends in a text', '{"a":{"b":1,"c":"[ {', []],
  ['a beginning that ends in a name', '{"a":{"b":1,"c[', []],
  ['a beginning that ends behind a backslash', '{"a":{"b":[],"c":"\\', ['a.b']],
];

for (const [rule, text, paths] of cases) {
  test(`finds lists: ${rule}`, () => assert.equal(listsWithin(text), paths));
}

test.run();
