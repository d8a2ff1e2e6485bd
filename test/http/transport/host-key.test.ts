import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { createHostKey } from '../../../src/http/transport/host-key.js';

function hostKey(hostFingerprint?: string) {
  const messages: string[] = [];
  const source = { host: 'bastion', port: 22, path: 'parameters.sshProxy' };
  const key = createHostKey(
    { ...source, ...(hostFingerprint === undefined ? {} : { hostFingerprint }) },
    ({ level, code, message }) => messages.push(`${level} ${code}: ${message}`),
  );
  return { key, messages };
}

test('the configured key is accepted in silence', () => {
  const { key, messages } = hostKey('SHA256:a');
  assert.ok(key.accepts('SHA256:a'));
  assert.is(key.refused(), undefined);
  assert.equal(messages, []);
});

test('any other is rejected', () => {
  const { key } = hostKey('SHA256:a');
  assert.not(key.accepts('SHA256:b'));
  assert.is(key.refused()?.code, 'ERR_TUNNEL');
  assert.is(
    key.refused()?.message,
    'the SSH server bastion:22 has the host key SHA256:b, not the key in parameters.sshProxy.hostFingerprint',
  );
});

test('without one the first key is reported once, and must not change', () => {
  const { key, messages } = hostKey();
  assert.ok(key.accepts('SHA256:a'));
  assert.ok(key.accepts('SHA256:a'));
  assert.equal(messages, [
    'info tunnel-host-key: the SSH server bastion:22 is not verified; set { "hostFingerprint": "SHA256:a" } in parameters.sshProxy to verify it',
  ]);
  assert.not(key.accepts('SHA256:b'));
  assert.match(key.refused()?.message ?? '', 'has the host key SHA256:b, not the key of the earlier connection');
  assert.ok(key.accepts('SHA256:a'));
  assert.is(key.refused(), undefined);
});

test.run();
