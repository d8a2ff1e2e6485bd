/** Values at paths into a JSON body. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { stringifyExact } from '../../../src/core/json/exact.js';
import { parseExact } from '../../../src/core/json/exact-parse.js';
import { blockedAt, placeAt } from '../../../src/core/url/body-path.js';
import { objectOf, thrownBy } from '../../pagination/walk.js';

const put = (json: string, path: readonly string[]): string =>
  stringifyExact(placeAt(objectOf(new Map([['at', parseExact(json)]])), { path: ['at', ...path], value: 'X' }));

const placed: readonly (readonly [json: string, path: string, result: string])[] = [
  ['{"a":1,"b":9007199254740993124}', 'a', '{"a":"X","b":9007199254740993124}'],
  ['{"b":1}', 'a', '{"b":1,"a":"X"}'],
  ['{}', 'a.b', '{"a":{"b":"X"}}'],
  ['null', 'a', '{"a":"X"}'],
  ['[]', 'a', '{"a":"X"}'],
  ['[]', '0.a', '{"0":{"a":"X"}}'],
  ['[{"a":1},{"a":2}]', '1.a', '[{"a":1},{"a":"X"}]'],
  ['[1]', '1', '[1,"X"]'],
  ['{"a":{"deep":1}}', 'a', '{"a":"X"}'],
  ['{"__proto__":{"b":1}}', '__proto__.a', '{"__proto__":{"b":1,"a":"X"}}'],
];

for (const [json, path, result] of placed) {
  test(`in ${json} the path ${path} leads to ${result}`, () => {
    assert.is(put(json, path.split('.')), `{"at":${result}}`);
  });
}

const inTheWay: readonly (readonly [json: string, path: string, at: string])[] = [
  ['5', 'a', 'at'],
  ['"x"', 'a.b', 'at'],
  ['false', 'a', 'at'],
  ['{"a":"x"}', 'a.b', 'at.a'],
  ['[1]', 'a', 'at'],
  ['[1]', '2', 'at'],
  ['[1]', '0.a', 'at.0'],
];

for (const [json, path, at] of inTheWay) {
  test(`in ${json} the path ${path} cannot go through ${at}`, () => {
    const params = objectOf(new Map([['at', parseExact(json)]]));
    assert.is(blockedAt(params, ['at', ...path.split('.')])?.join('.'), at);
    const error = thrownBy(() => put(json, path.split('.')));
    assert.is(error.code, 'ERR_REQUEST');
  });
}

test('the original is unchanged', () => {
  const before = objectOf({ a: { b: 1 } });
  placeAt(before, { path: ['a', 'b'], value: 'X' });
  assert.is(stringifyExact(before), '{"a":{"b":1}}');
});

test.run();
