/** The addresses that connections get: those that the rules allow, at each look-up. */
import { createServer } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { createSecrets } from '../../../src/core/secrets/secrets.js';
import { createPrivateHosts } from '../../../src/core/url/private-hosts.js';
import type { AddressRules } from '../../../src/http/transport/connect.js';
import { createLookup } from '../../../src/http/transport/lookup.js';
import { failure } from '../../support/failure.js';
import { withNames } from '../../support/names.js';
import { createSender } from '../sender.js';

const rules = createPrivateHosts(['https://api.example']);
const resolved = (host: string, options: { readonly all?: boolean }) =>
  new Promise<unknown>((resolve, reject) => {
    createLookup(rules)(host, options, (error, found) => (error === null ? resolve(found) : reject(error)));
  });

test('private addresses of a host that is not named are left out', () =>
  withNames({ 'mixed.example': [['10.0.0.1', '8.8.8.8', '::1', '2a00::1']] }, async () => {
    assert.equal(await resolved('mixed.example', { all: true }), [
      { address: '8.8.8.8', family: 4 },
      { address: '2a00::1', family: 6 },
    ]);
    assert.is(await resolved('mixed.example', {}), '8.8.8.8');
  }));

test('a host that is named keeps all of its addresses', () =>
  withNames({ 'api.example': [['10.0.0.1', '8.8.8.8']] }, async () => {
    assert.is(await resolved('api.example', {}), '10.0.0.1');
  }));

test('an error of the look-up stays what it is', () =>
  withNames({}, async () => {
    for (const options of [{}, { all: true }]) {
      const thrown = await resolved('nowhere.example', options).catch((error: unknown) => error);
      assert.match(String(thrown), 'no nowhere.example');
    }
  }));

/** 127.0.0.2 is private here, and 127.0.0.1 is not: a test has no public address to connect to. */
const second: AddressRules = { allowsAddress: (_, address) => address !== '127.0.0.2', reached: () => undefined };

interface Server {
  readonly port: number;
  /** The connections, one for each request. */
  readonly sockets: readonly Socket[];
}

async function withServer(host: string, work: (server: Server) => Promise<void>): Promise<void> {
  const sockets: Socket[] = [];
  const server = createServer((request, response) => {
    sockets.push(request.socket);
    response.end('ok');
  });
  await new Promise<void>((resolve) => server.listen(0, host, resolve));
  const { port } = server.address() as AddressInfo; // not a pipe
  try {
    await work({ port, sockets });
  } finally {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
}

function senderBy(privateHosts: AddressRules) {
  const origins = { trusts: () => false, warn: () => undefined };
  const { send, close } = createSender({ origins, privateHosts, secrets: createSecrets(), userAgent: 'rxtract/0' });
  const get = async (url: string) => {
    const request = { method: 'GET', url, headers: new Map<string, readonly string[]>() };
    return (await send(request, (each) => each, new AbortController().signal)).start();
  };
  return { get, close };
}

test('no connection is made to a private address, and the error names it', () =>
  withServer('0.0.0.0', async ({ port, sockets }) => {
    const { get, close } = senderBy(second);
    const url = `http://evil.example:${port}/x?token=1`;
    await withNames({ 'evil.example': [['127.0.0.2']] }, async () => {
      const error = await failure(get(url));
      assert.is(error.code, 'ERR_PRIVATE_HOST');
      assert.match(
        error.message,
        /^GET http:\/\/evil\.example:\d+\/x\?\S+: the host has a private address \(127\.0\.0\.2\), and the configuration does not name it$/,
      );
      assert.equal([error.where.transport, error.where.unsent, sockets.length], [undefined, undefined, 0]);
    });
    await close();
  }));

test('a host with both kinds of addresses is reached at its public one', () =>
  withServer('0.0.0.0', async ({ port, sockets }) => {
    const { get, close } = senderBy(second);
    await withNames({ 'evil.example': [['127.0.0.2', '127.0.0.1']] }, async () => {
      assert.is(await get(`http://evil.example:${port}/`), 'ok');
      assert.is(sockets[0]?.localAddress, '127.0.0.1');
    });
    await close();
  }));

test('a connection that is used again leads to the address that it was judged by', () =>
  withServer('0.0.0.0', async ({ port, sockets }) => {
    const { get, close } = senderBy(second);
    const url = `http://evil.example:${port}/`;
    await withNames({ 'evil.example': [['127.0.0.1'], ['127.0.0.2']] }, async (asked) => {
      assert.equal([await get(url), await get(url)], ['ok', 'ok']);
      assert.is(sockets[0], sockets[1]);
      assert.equal([sockets[1]?.localAddress, asked.length], ['127.0.0.1', 1]);
      await close(); // The next request connects anew, and the name leads elsewhere by now.
      assert.is((await failure(get(url))).code, 'ERR_PRIVATE_HOST');
      assert.equal([asked.length, sockets.length], [2, 2]);
    });
    await close();
  }));

test('a host that is reached is reported with the address of its connection', () =>
  withServer('127.0.0.1', async ({ port }) => {
    const reached: string[] = [];
    const { get, close } = senderBy({
      allowsAddress: () => true,
      reached: (host, address) => reached.push(`${host} at ${address}`),
    });
    await withNames({ 'api.example': [['127.0.0.1']] }, () => get(`http://api.example:${port}/`));
    await close();
    assert.equal(reached, ['api.example at 127.0.0.1']);
  }));

test('TLS connections are judged too', async () => {
  const origins = { trusts: () => true, warn: () => undefined };
  const options = { origins, privateHosts: second, secrets: createSecrets(), userAgent: 'rxtract/0' };
  const { send, close } = createSender(options);
  const request = { method: 'GET', url: 'https://evil.example:1/', headers: new Map() };
  await withNames({ 'evil.example': [['127.0.0.2']] }, async () => {
    const error = await failure(send(request, (each) => each, new AbortController().signal));
    assert.is(error.code, 'ERR_PRIVATE_HOST');
  });
  await close();
});

test.run();
