/** How a tunnel is opened and given up: attempts, waits, keys. No server accepts a connection here. */
import { once } from 'node:events';
import { createServer, type Server } from 'node:net';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Notice } from '../../../src/core/model/notice.js';
import { loadSsh2 } from '../../../src/http/transport/ssh2.js';
import { createTunnel, type TunnelOptions } from '../../../src/http/transport/tunnel.js';
import { failure } from '../../support/failure.js';
import { startClock, type VirtualClock } from '../../support/virtual-clock.js';
import { makeKeys } from './keys.js';

interface Context {
  clock: VirtualClock;
  server: Server;
  port: number;
  connections: number;
}

const test = suite<Context>('attempts');
const never = new AbortController().signal;

test.before.each(async (context) => {
  context.clock = startClock();
  context.connections = 0;
  context.server = createServer((socket) => {
    context.connections += 1;
    socket.on('error', () => undefined);
    socket.destroy();
  });
  await once(context.server.listen(0, '127.0.0.1'), 'listening');
  const address = context.server.address();
  context.port = address !== null && typeof address === 'object' ? address.port : 0;
});

test.after.each(({ clock, server }) => {
  clock.stop();
  server.close();
});

/** A tunnel whose waits pass at once. */
function tunnelTo({ clock, port }: Context, options: Partial<TunnelOptions> & { readonly privateKey?: string } = {}) {
  const notices: Notice[] = [];
  const { privateKey = makeKeys().open, ...rest } = options;
  const notify = (notice: Notice) => {
    notices.push(notice);
    clock.passSoon(8_000);
  };
  const proxy = { host: '127.0.0.1', port, user: 'me', privateKey, path: 'sshProxy' };
  return { tunnel: createTunnel(proxy, { notify, ...rest }), notices };
}

test('a closed port is tried 5 times, with growing pauses, and then given up for good', async (context) => {
  context.server.close();
  await once(context.server, 'close');
  const { tunnel, notices } = tunnelTo(context);
  const error = await failure(tunnel.ready(never));
  assert.is(error.code, 'ERR_TUNNEL');
  assert.equal([error.where.transport, error.where.final], [7, true]);
  const reason = `the SSH tunnel through 127.0.0.1:${context.port}: the connection was refused`;
  assert.is(error.message, reason);
  assert.equal(
    notices.map(({ level, code, message }) => [level, code, message]),
    [1, 2, 4, 8].map((seconds, index) => [
      'info',
      'tunnel-retry',
      `${reason}; retrying in ${seconds} s (attempt ${index + 2} of 5)`,
    ]),
  );
});

test('so is a server that hangs up', async (context) => {
  const { tunnel } = tunnelTo(context);
  const error = await failure(tunnel.ready(never));
  assert.equal([error.code, error.where.transport, context.connections], ['ERR_TUNNEL', 7, 5]);
});

test('all who wait share the attempts', async (context) => {
  const { tunnel } = tunnelTo(context);
  const errors = await Promise.all([failure(tunnel.ready(never)), failure(tunnel.ready(never))]);
  assert.equal([...errors.map(({ code }) => code), context.connections], ['ERR_TUNNEL', 'ERR_TUNNEL', 5]);
});

test('if no request waits any more there is no other attempt', async (context) => {
  const controller = new AbortController();
  const { tunnel, notices } = tunnelTo(context, { notify: () => setImmediate(() => controller.abort()) });
  await tunnel.ready(controller.signal);
  context.clock.pass(60_000);
  const [ended] = await Promise.allSettled([tunnel.ready(controller.signal)]);
  assert.equal([ended?.status, context.connections, notices], ['rejected', 1, []]);
});

test('closing ends the attempts', async (context) => {
  const { tunnel } = tunnelTo(context, { notify: () => setImmediate(() => tunnel.close()) });
  await tunnel.ready(never);
  context.clock.pass(60_000);
  const error: NodeJS.ErrnoException = await tunnel.connect('localhost', 80, 1_000).then(
    () => new Error('connected'),
    (thrown) => thrown,
  );
  assert.equal([error.code, context.connections], ['TUNNEL_BROKEN', 1]);
});

test('an invalid key is rejected before any connection', async (context) => {
  const { tunnel, notices } = tunnelTo(context, { privateKey: 'no key' });
  const error = await failure(tunnel.ready(never));
  assert.equal([error.code, context.connections, notices], ['ERR_CONFIG', 0, []]);
  assert.not.match(error.message, 'no key');
});

test('without the library nothing is tried, and the message shows how to install it', async (context) => {
  const { tunnel, notices } = tunnelTo(context, { load: () => loadSsh2('ssh2-of-another-name') });
  const error = await failure(tunnel.ready(never));
  assert.equal([error.code, error.where.final, context.connections, notices], ['ERR_TUNNEL', true, 0, []]);
  assert.is(error.message, 'sshProxy needs the package ssh2, which is not installed: npm install ssh2');
  assert.is(error.where.remedy, 'Install it next to rxtract: `npm install ssh2`.');
});

test.run();
