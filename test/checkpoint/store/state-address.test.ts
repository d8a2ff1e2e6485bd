/** The address of a state: what is a folder, what a server, and what is wrong with it. */
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: variables in addresses are the subject.
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { isStateAddress, stateAt, stateServerAt } from '../../../src/checkpoint/store/state-address.js';
import { inFolder, rejection } from '../../sinks/lib.js';

const wrong: readonly (readonly [address: string, message: RegExp])[] = [
  ['postgres://host/db', /^postgres: needs the option state=/],
  ['postgres://host/db?state=a&mode=merge', /^postgres: unknown option "mode": expected .*state, create/],
  ['postgres://host/?state=a', /^postgres: expected the name of the database/],
  ['postgres://host/db?state=a&schema=', /the option "schema" needs a value/],
  [`postgres://host/db?state=a&schema=${'x'.repeat(64)}`, /cannot be the name of a schema: it has 64 bytes/],
  ['postgres://user:${NONE}@host/db?state=a', /^postgres: .*"NONE"/],
  ['s3://lake', /^s3: expected the state: what precedes the names of its objects/],
  ['s3://lake/a?format=csv', /^s3: unknown option "format"/],
  ['s3://lake/a/../b', /cannot be a prefix/],
  ['redis://:open-sesame@host/0', /a state is a folder, postgres:.* or s3:.*, found "redis:\/\/\*\*\*@host\/0"$/],
  ['postgre://host/db?state=a', /did you mean "postgres"\?/],
];

for (const [address, message] of wrong) {
  test(`a wrong address is an error before anything is opened: ${address}`, async () => {
    await rejection(() => stateAt(address, { env: {} }), 'ERR_USAGE', message);
  });
}

test('what has no scheme with slashes is a folder', () => {
  assert.equal(['st', './st', 'C:\\st', '/a/b', 'a:b', 's3://b/p', 'POSTGRES://h/d'].map(isStateAddress), [
    ...[false, false, false, false, false],
    ...[true, true],
  ]);
});

test(
  'a folder exists or does not, and is made by opening it',
  inFolder(async (dir) => {
    const store = stateAt(join(dir, 'st'));
    assert.is(await store.exists?.(), false);
    await (await store.open()).close();
    assert.is(await store.exists?.(), true);
  }),
);

test('passwords are hidden, and the shown address has none', () => {
  const hidden: string[] = [];
  const env = { SECRET: 'open-sesame', PGPASSWORD: 'other' };
  const context = { env, hide: (secret: string) => void hidden.push(secret) };
  const server = stateServerAt('postgres://rx:${SECRET}@host/db?state=a', context)();
  assert.is(server.name, 'postgres://***@host/db?state=a');
  assert.ok(server.secrets.includes('open-sesame') && hidden.includes('open-sesame'));
  stateServerAt('s3://KEY:${SECRET}@lake/a', context)();
  assert.is(stateServerAt('s3://KEY:${SECRET}@lake/a', context, 'tokens')().name, 's3://***@lake/a');
  stateServerAt('postgresql://host/db?state=a', context, 'tokens');
  assert.ok(hidden.includes('other'));
});

test.run();
