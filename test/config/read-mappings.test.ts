import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { headerOf, keyOf, type TableMapping, tablesOf } from '../../src/core/tables/mapping.js';
import { configOf, documentOf, problemsOf } from './fakes.js';

function tablesOfUsers(users: object): readonly TableMapping[] {
  const table = configOf({ config: { mappings: { users } } }).tables.mappings.get('users');
  return table === undefined ? [] : tablesOf(table);
}

/** Columns of each table, those of its key in brackets. */
const shown = (users: object) =>
  tablesOfUsers(users).map((table) => `${table.name}: ${headerOf(table).join(' ')} [${keyOf(table).join(' ')}]`);

const id = { mapping: { destination: 'id', primaryKey: true } };
const list = { type: 'table', destination: 'tag', tableMapping: { '.': 'tag' } };

const mappings: readonly (readonly [rule: string, users: object, tables: readonly string[]])[] = [
  ['a text is a column', { name: 'full' }, ['users: full []']],
  [
    'a member that a job adds is a column too',
    { id, parent_id: { type: 'user', mapping: { destination: 'owner', primaryKey: true } } },
    ['users: id owner [id owner]'],
  ],
  ['a row without a key has a link to its list', { tags: list }, ['users: tag []', 'tag: tag users_pk []']],
  ['a row with a key needs no link', { id, tags: list }, ['users: id [id]', 'tag: tag users_pk []']],
  [
    'the reference can have another name, and be part of the key',
    { id, tags: { ...list, parentKey: { destination: 'user_id', primaryKey: true } } },
    ['users: id [id]', 'tag: tag user_id [user_id]'],
  ],
  [
    'a reference that is part of the key of a list makes a key for the lists in it',
    {
      id,
      tags: {
        type: 'table',
        destination: 'tag',
        parentKey: { primaryKey: true },
        tableMapping: { name: 'name', words: { type: 'table', destination: 'word', tableMapping: { '.': 'word' } } },
      },
    },
    ['users: id [id]', 'tag: name users_pk [users_pk]', 'word: word tag_pk []'],
  ],
  [
    'a list can do without a reference, and its row without a link',
    { tags: { ...list, parentKey: { disable: true } }, name: 'name' },
    ['users: name []', 'tag: tag []'],
  ],
  [
    'rows of a list can be rows of the enclosing table',
    { id, children: { type: 'table', destination: 'users', parentKey: { disable: true } } },
    ['users: id [id]'],
  ],
];

for (const [rule, users, tables] of mappings) test(rule, () => assert.equal(shown(users), tables));

for (const primaryKey of ['true', '1', 1, true]) {
  test(`a primary key may be written ${JSON.stringify(primaryKey)}`, () => {
    const [table = ''] = shown({ id: { mapping: { destination: 'id', primaryKey } }, tags: list });
    assert.is(table, 'users: id [id]');
  });
}

test('a definition that is no object is a problem at its key', () => {
  const [problem = '', ...others] = problemsOf(documentOf({ config: { mappings: { users: { id, tags: 5 } } } }));
  assert.equal(others, []);
  assert.match(problem, /^config\.mappings\.users\.tags: expected/);
});

test.run();
