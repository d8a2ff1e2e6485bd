/** What clients take from the environment: a credential is secret from the moment it is read. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { createAddressSecrets } from '../../../sinks/addresses/address-secrets.js';
import { credentialOf, settingOf } from '../../../sinks/addresses/environment.js';

const env = { PLACE: 'here', KEY: 'hush-hush', EMPTY: '' };

test('a variable that is empty, missing or a member of every object is none', () => {
  assert.equal(
    ['PLACE', 'EMPTY', 'NONE', 'toString'].map((name) => settingOf(env, name)),
    ['here', undefined, undefined, undefined],
  );
});

test('a credential is a secret, a setting is none', () => {
  const address = createAddressSecrets();
  settingOf(env, 'PLACE');
  assert.is(credentialOf(env, 'KEY', address), 'hush-hush');
  assert.is(credentialOf(env, 'NONE', address), undefined);
  assert.equal(address.secrets, ['hush-hush']);
});

test.run();
