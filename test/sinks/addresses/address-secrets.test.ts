/** The secrets of an address and of its sink: what is hidden later, keys, and texts that are cut. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { createAddressSecrets, sinkFrom } from '../../../sinks/addresses/address-secrets.js';
import { nullSink } from '../../../sinks/null.js';
import { makeCertificates, opensslMissing } from '../../loopback/certificates.js';
import { testWhere } from '../../where.js';
import { rejection } from '../lib.js';

test('each form of a secret is known once, and reported at once', () => {
  const hidden: string[] = [];
  const { secrets, hide } = createAddressSecrets((secret) => hidden.push(secret));
  for (const secret of ['a/b', '', 'a/b', 'plain']) hide(secret);
  assert.equal(secrets, ['a/b', 'a%2Fb', 'plain']);
  assert.equal(hidden, secrets);
});

testWhere(opensslMissing)('of a private key each line is secret', () => {
  const { key } = makeCertificates().server;
  const { secrets, hide } = createAddressSecrets();
  hide(key);
  const lines = key.trim().split('\n').slice(1, -1);
  assert.ok(lines.length > 1);
  assert.equal(secrets, [key, ...lines]);
});

test('a text is cut where no secret is in two parts', async () => {
  const { hide, excerpt } = createAddressSecrets();
  assert.is(await excerpt('the  word\nhush-hush', 10), 'the word h...');
  hide('hush-hush');
  assert.is(await excerpt('the  word\nhush-hush', 13), 'the word ***');
  assert.is(await excerpt(`${'x'.repeat(10)} hush-hush`, 12), `${'x'.repeat(10)} *...`);
});

test('a sink has the secrets of its address, also those that are found later; errors of `check` have none', async () => {
  const address = createAddressSecrets();
  const check = async () => {
    address.hide('found-later');
    throw new Error('you sent found-later');
  };
  const sink = sinkFrom(address, () => ({ ...nullSink(), check }));
  assert.equal(sink.secrets, []);
  await rejection(() => sink.check?.(), 'ERR_SINK', /^you sent \*\*\*$/);
  assert.equal(sink.secrets, ['found-later']);
  assert.is(sinkFrom(address, () => nullSink()).check, undefined);
});

test.run();
