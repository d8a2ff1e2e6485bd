import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { createRow } from '../../../src/config/children/row.js';
import { type Exact, stringifyExact } from '../../../src/core/json/exact.js';
import { parseExact } from '../../../src/core/json/exact-parse.js';

const row = createRow(
  parseExact(
    '{"id": 12345678901234567890, "none": null, "list": ["a", null], "user": {"name": "x", "": "empty"}, "a.b": 1}',
  ),
);

const show = (value: Exact | undefined) => (value === undefined ? 'nothing' : stringifyExact(value));

const found = [
  ['id', '12345678901234567890'],
  ['none', 'null'],
  ['list', '["a",null]'],
  ['list.0', '"a"'],
  ['user.name', '"x"'],
  ['user.', '"empty"'],
] as const;

for (const [path, json] of found) {
  test(`finds ${json} at ${path}`, () => assert.is(show(row.at(path)), json));
}

for (const path of ['ID', 'none.x', 'list.1', 'list.2', 'list.x', 'id.x', 'a.b', '']) {
  test(`finds nothing at "${path}"`, () => assert.is(row.at(path), undefined));
}

for (const json of ['"x"', 'null', '7', '[1,null]', '{"a":1}']) {
  test(`the path . is the row itself: ${json}`, () => {
    assert.is(show(createRow(parseExact(json)).at('.')), json);
  });
}

const near = [
  ['ID', 'id'],
  ['user.nam', 'user.name'],
  ['usr.name', 'user.name'],
  ['list.5', undefined],
  ['id.x', undefined],
  ['strange', undefined],
  ['id', undefined],
] as const;

for (const [path, meant] of near) {
  test(`${path} may mean ${meant ?? 'nothing that is there'}`, () => assert.is(row.nearest(path), meant));
}

test.run();
