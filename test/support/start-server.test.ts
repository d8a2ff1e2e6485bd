/** The start of test servers: one that fails says why, and one is up when all its ports are open. */
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { connect } from 'node:net';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { freePort, startServer } from './start-server.js';

/** A server that runs this code; `ports` are its ports. */
const running = (code: string, morePorts: readonly number[] = [], onFolder = (_: string) => {}) =>
  startServer({
    morePorts,
    command({ port, folder }) {
      onFolder(folder);
      return { file: process.execPath, args: ['-e', `const ports = ${JSON.stringify([port, ...morePorts])};${code}`] };
    },
  });

const listen = `const open = (at) => require('net').createServer().listen(ports[at], '127.0.0.1');`;

test('the error of a server that does not start has the end of its output, and its folder is removed', async () => {
  let folder = '';
  const code = `console.log('x'.repeat(9000)); console.error('the disk is full'); process.exitCode = 3;`;
  const thrown: unknown = await running(code, [], (path) => {
    folder = path;
  }).catch((error: unknown) => error);
  assert.instance(thrown, Error);
  const message = String(thrown);
  assert.match(message, /: ended with 3 before it accepted work\. Its last output:\nx+\nthe disk is full\n$/);
  assert.ok(message.length < 4300, `${message.length} characters`);
  assert.equal([folder === '', existsSync(folder)], [false, false]);
});

test('a server is up when its last port is open', async () => {
  const more = await freePort();
  const server = await running(`${listen} open(0).on('listening', () => setTimeout(open, 200, 1));`, [more]);
  try {
    const socket = connect(more, '127.0.0.1');
    await once(socket, 'connect');
    socket.destroy();
  } finally {
    await server.close();
  }
});

test('a server that ends while it gets ready fails at once', async () => {
  const thrown: unknown = await startServer({
    untilReady: () => new Promise(() => {}),
    command: ({ port }) => ({
      file: process.execPath,
      args: ['-e', `const ports = [${port}]; ${listen} open(0).on('connection', () => process.exit(4));`],
    }),
  }).catch((error: unknown) => error);
  assert.match(String(thrown), 'ended with 4 before it accepted work');
});

test('ports of one process differ, and a server starts again on its own', async () => {
  const server = await running(`${listen} open(0);`);
  const others = await Promise.all(Array.from({ length: 20 }, freePort));
  assert.is(new Set([...others, server.port]).size, 21);
  await server.kill();
  await server.start();
  await server.close();
  assert.not.ok(existsSync(server.folder));
});

test.run();
