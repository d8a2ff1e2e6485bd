import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { emptyObject, isObject, stringifyExact } from '../../../src/core/json/exact.js';
import { parseExact } from '../../../src/core/json/exact-parse.js';
import { createStructure } from '../../../src/core/tables/structure.js';
import { structureState, structuresIn } from '../../../src/core/tables/structure-state.js';
import { planTables } from '../../../src/core/tables/table-plan.js';

const stateOf = (text: string) => {
  const state = parseExact(text);
  return isObject(state) ? state : emptyObject;
};

/** The columns of the items after those of the state. */
function columnsAfter(state: string, item: string): readonly string[] {
  const structure = createStructure('users', structuresIn(stateOf(state)).get('users'));
  structure.grow(parseExact(item));
  return planTables('users', structure.root).columns.map(({ name }) => name);
}

const written = (...items: readonly string[]): string => {
  const structure = createStructure('users');
  for (const item of items) structure.grow(parseExact(item));
  return stringifyExact(structureState(new Map([['users', structure.root]])));
};

test('a structure is read as it was written: kinds, names and order', () => {
  const state = written('{"o":{"k":1},"l":[{"a":1}],"e":[],"n":null}', '{"a b":1,"a.b":2}');
  const structures = structuresIn(stateOf(state));
  assert.is(stringifyExact(structureState(structures)), state);
  assert.equal(columnsAfter(state, '{"fresh":1}'), ['o_k', 'l', 'e', 'n', 'a_b', 'a_b_u0', 'fresh']);
});

test('a new name that clashes with a known one gets another', () => {
  assert.equal(columnsAfter(written('{"a b":1}'), '{"a.b":2}'), ['a_b', 'a_b_u0']);
});

test('a kind that an earlier run has seen is compared with new items', () => {
  assert.throws(() => columnsAfter(written('{"a":{"b":1}}'), '{"a":"x"}'), /"a" of "users" is a single value/);
  assert.equal(columnsAfter(written('{"a":["x"]}'), '{"a":"y"}'), ['a']);
});

for (const state of [
  '{}',
  '{"json_parser.struct":[],"json_parser.structVersion":3}',
  '{"json_parser.struct":{"data":[]},"json_parser.structVersion":3}',
  '{"json_parser.struct":{"data":{"_users":{"[]":{"_old":{"nodeType":"scalar"}}}}},"json_parser.structVersion":2}',
  '{"json_parser.struct":{"data":{"users":1,"_users":1}},"json_parser.structVersion":3}',
]) {
  test(`nothing is known from ${state}`, () => assert.equal(columnsAfter(state, '{"id":1}'), ['id']));
}

test('no structure is written as an empty list', () => {
  assert.match(stringifyExact(structureState(new Map())), '"data":[],"parent_aliases":[]');
});

test.run();
