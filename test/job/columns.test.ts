import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { emptyObject, fromPlain, isObject, stringifyExact } from '../../src/core/json/exact.js';
import { columnsOf } from '../../src/job/columns.js';
import type { PlaceholderBindings } from '../../src/job/instances.js';

const instance = (...values: readonly (readonly [path: string, value: unknown])[]): PlaceholderBindings =>
  new Map(values.map(([path, value], index) => [`${index}`, { path, value: fromPlain(value), text: 'text' }]));

const userData = (value: object) => {
  const made = fromPlain(value);
  return isObject(made) ? made : emptyObject;
};

const cases = [
  [{}, [['id', 1]], '{"parent_id":1}'],
  [{}, [['user-info.id', 'x']], '{"parent_user-info.id":"x"}'],
  [{}, [['parent_id', 1]], '{"parent_id":1}'],
  [{}, [['parentId', 1]], '{"parent_parentId":1}'],
  [{}, [['.', true]], '{"parent_.":true}'],
  [
    {},
    [
      ['id', 1],
      ['order', null],
      ['id', 2],
    ],
    '{"parent_id":2,"parent_order":null}',
  ],
  [{ b: 'x', a: 'y' }, [['id', 1]], '{"b":"x","a":"y","parent_id":1}'],
  [{ parent_id: 'own', a: 'y' }, [['id', 1]], '{"parent_id":1,"a":"y"}'],
  [{ a: 'y' }, [], '{"a":"y"}'],
] as const;

for (const [data, values, expected] of cases) {
  test(`${JSON.stringify(data)} and ${JSON.stringify(values)} make ${expected}`, () => {
    assert.is(stringifyExact(columnsOf(userData(data), instance(...values))), expected);
  });
}

test.run();
