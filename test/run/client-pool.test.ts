/** Clients of iterations: made when their turn comes, and few of them at a time. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { createClientPool, mostIdle } from '../../src/run/client-pool.js';
import { extract, run } from '../../src/run/extract.js';

/** A maker of clients that counts them. */
function counting() {
  const made: number[] = [];
  const closed: number[] = [];
  let most = 0;
  const make = (iteration: number) => {
    made.push(iteration);
    most = Math.max(most, made.length - closed.length);
    return { iteration, credentials: { end() {} }, close: async () => void closed.push(iteration) };
  };
  return { make, made, closed, most: () => most };
}

test('10,000 iterations one after the other never have more clients than are kept, and one', () => {
  const { make, made, most } = counting();
  const pool = createClientPool(make);
  for (let iteration = 0; iteration < 10_000; iteration += 1) pool.lease(iteration).release();
  assert.is(made.length, 10_000);
  assert.is(most(), mostIdle + 1);
});

test('a client in use is neither closed nor created again, however many others there are', () => {
  const { make, made, closed } = counting();
  const pool = createClientPool(make);
  const held = pool.lease(0);
  for (let iteration = 1; iteration <= 3 * mostIdle; iteration += 1) pool.lease(iteration).release();
  assert.is(pool.lease(0).client, held.client);
  assert.is(made.filter((each) => each === 0).length, 1);
  assert.not(closed.includes(0));
});

test('the client that was used longest ago is closed first; releasing twice is releasing once', () => {
  const { make, closed } = counting();
  const pool = createClientPool(make);
  for (let iteration = 0; iteration < mostIdle; iteration += 1) pool.lease(iteration).release();
  const again = pool.lease(0);
  again.release();
  again.release();
  pool.lease(mostIdle).release();
  assert.equal(closed, [1]);
});

test('a client that was made before is kept while there is room, and close ends all', async () => {
  const { make, made, closed } = counting();
  const pool = createClientPool(make);
  for (let iteration = 0; iteration < 100; iteration += 1) pool.offer(iteration, make(iteration));
  made.length = 0;
  pool.lease(mostIdle - 1).release();
  assert.equal(made, []);
  pool.lease(mostIdle).release();
  assert.equal(made, [mostIdle]);
  closed.length = 0;
  await pool.close();
  assert.is(closed.length, mostIdle);
});

/** A server that counts its connections. */
async function countingServer() {
  let open = 0;
  let most = 0;
  let requests = 0;
  const server = createServer((_, response) => {
    requests += 1;
    response.setHeader('content-type', 'application/json').end('[]');
  });
  server.keepAliveTimeout = 60_000;
  server.on('connection', (socket) => {
    open += 1;
    most = Math.max(most, open);
    socket.on('close', () => {
      open -= 1;
    });
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const close = async () => {
    server.closeAllConnections();
    await once(server.close(), 'close');
  };
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    seen: () => ({ most, requests }),
    close,
  };
}

const numbered = (count: number) => Array.from({ length: count }, (_, n) => ({ n: String(n) }));

test('a run of many iterations has few connections open at a time', async () => {
  const { url, seen, close } = await countingServer();
  try {
    const jobs = [{ endpoint: 'users', params: { n: { attr: 'n' } } }];
    await run({ api: { baseUrl: url }, config: { jobs }, iterations: numbered(300) });
    assert.is(seen().requests, 300);
    assert.ok(seen().most <= mostIdle + 4, `${seen().most} connections at a time`); // some are still closing
  } finally {
    await close();
  }
});

test('the last of 2,000 iterations is checked before the first request', () => {
  const iterations = numbered(2_000).map(({ n }) => ({ base: n === '1999' ? 'nowhere' : `https://${n}.example/` }));
  const configuration = { api: { baseUrl: { attr: 'base' } }, config: { jobs: [{ endpoint: 'users' }] }, iterations };
  assert.throws(() => extract(configuration), /api\.baseUrl: the expression gives no http or https URL/);
});

test.run();
