import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { freeName, md5, safeName } from '../../../src/core/tables/safe-names.js';

const names: readonly (readonly [text: string, name: string])[] = [
  ['users', 'users'],
  ['v1/users/{id}.json?x=1', 'v1_users_id_json_x_1'],
  ['a--b__c  d-', 'a--b_c_d-'],
  ['dir/{1:user-id}/x', 'dir_1_user-id_x'],
  ['a'.repeat(65), 'c743a45e0d2e6a95cb859adae0248435'],
  [
    '[].data.modules.#DistributionGroups.outputs.groupCharacteristics.persistent',
    'DistributionGroups_outputs_groupCharacteristics_persistent',
  ],
];

for (const [text, name] of names) test(`"${text}" is named "${name}"`, () => assert.is(safeName(text), name));

test('a name of which nothing is left is its MD5', () => assert.is(safeName('é'), md5('__')));

test('a name that is in use gets a number', () => {
  assert.is(freeName('a', new Set(['a', 'a_u0'])), 'a_u1');
  assert.is(freeName('a', new Set(['b'])), 'a');
});

test.run();
