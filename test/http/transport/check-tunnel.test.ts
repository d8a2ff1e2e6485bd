import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Notice } from '../../../src/core/model/notice.js';
import { checkTunnel } from '../../../src/http/transport/check-tunnel.js';
import { loadSsh2 } from '../../../src/http/transport/ssh2.js';
import { createTunnel } from '../../../src/http/transport/tunnel.js';
import { rejection } from '../../sinks/lib.js';

const proxy = { host: 'bastion.test', port: 22, user: 'me', privateKey: 'no key', path: 'sshProxy' };
const silent = { notify: () => {} };

test('a key that cannot be read is a fault', async () => {
  await rejection(() => checkTunnel(createTunnel(proxy, silent), () => {}), 'ERR_CONFIG', /^sshProxy\.#privateKey: /);
});

test('a library that is not installed is a warning with the command that installs it', async () => {
  const notices: Notice[] = [];
  const tunnel = createTunnel(proxy, { ...silent, load: () => loadSsh2('ssh2-of-another-name') });
  await checkTunnel(tunnel, (notice) => notices.push(notice));
  const message = 'sshProxy needs the package ssh2, which is not installed: npm install ssh2';
  assert.equal(notices, [{ level: 'warning', code: 'missing-package', message }]);
});

test('any other failure to load it stays one', async () => {
  const load = () => Promise.reject(new Error('broken'));
  const thrown: unknown = await checkTunnel(createTunnel(proxy, { ...silent, load }), () => {}).then(
    () => undefined,
    (error: unknown) => error,
  );
  assert.is(String(thrown), 'Error: broken');
});

test('without a tunnel there is no notice', async () => {
  await checkTunnel(undefined, () => assert.unreachable());
});

test.run();
