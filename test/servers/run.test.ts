/** The command with real servers: routes to two of them, masked passwords, and `validate --connect`. */
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: variables in addresses are the subject.
import { createClient } from '@redis/client';
import { test as run } from 'uvu';
import * as assert from 'uvu/assert';
import { commandHere } from '../blackbox/command.js';
import { type Api, items, json, startApi } from '../loopback/api.js';
import { inFolder } from '../sinks/lib.js';
import { natsMissing, redisMissing, startNats, startRedis, type TestServer } from '../support/servers.js';
import { testWhere } from '../where.js';

const test = testWhere(redisMissing ?? natsMissing);
const password = 'open-sesame';

interface Lent {
  readonly api: Api;
  readonly document: string;
  readonly redis: TestServer;
  readonly nats: TestServer;
}

/** Lends an API with three pages of users and orders, a Redis that requires a password, and NATS. */
async function withServers(work: (lent: Lent) => Promise<void>): Promise<void> {
  const api = await startApi(({ target }) => {
    const page = Number(/page=(\d)/.exec(target)?.[1] ?? 1);
    return json(page > 3 ? [] : items(page * 10, 2));
  });
  const [redis, nats] = await Promise.all([startRedis(['--requirepass', password]), startNats()]);
  const document = JSON.stringify({
    api: { baseUrl: `${api.origin}/`, pagination: { method: 'pagenum', limit: 2 } },
    config: { jobs: [{ endpoint: 'users' }, { endpoint: 'orders' }] },
  });
  try {
    await work({ api, document, redis, nats });
  } finally {
    await Promise.all([api.close(), redis.close(), nats.close()]);
  }
}

async function lengthOf({ port }: TestServer, key: string): Promise<number> {
  const client = createClient({ socket: { host: '127.0.0.1', port }, password });
  await client.connect();
  try {
    return await client.xLen(key);
  } finally {
    client.destroy();
  }
}

for (const address of [`:\${SECRET}@`, `:${password}@`]) {
  test(`each data type goes to its server, and no message shows the password of ${address}`, () =>
    withServers(({ document, redis, nats }) =>
      inFolder(async (state) => {
        const to = [
          ...['--to', `users=redis://${address}127.0.0.1:${redis.port}/0?stream={dataType}`],
          ...['--to', `orders=nats://127.0.0.1:${nats.port}/orders?stream=S&transactions=true`],
        ];
        const words = ['run', '-', ...to, '--state', `${state}/s`, '--log', 'json'];
        const { exit, stderr } = await commandHere(words, { stdin: document, env: { SECRET: password } });
        assert.is(exit, 0, stderr);
        assert.not.match(stderr, password);
        assert.is(stderr.includes('password-in-arguments'), !address.includes('$'));
        const summary = JSON.parse(stderr.trim().split('\n').at(-1) ?? '');
        assert.equal(
          summary.sinks.map(({ guarantee }: { guarantee: string }) => guarantee),
          ['exactly once', 'exactly once'],
        );
        assert.match(summary.sinks[0].name, `redis://***@127.0.0.1:${redis.port}/0`);
        assert.is(await lengthOf(redis, 'users'), 6);
        assert.is(await lengthOf(redis, 'orders'), 0);
      })(),
    ));
}

test('a server that is not there is an error before the first request', () =>
  withServers(async ({ api, document, redis }) => {
    await redis.kill();
    const to = `redis://:${'${SECRET}'}@127.0.0.1:${redis.port}/0?stream=users`;
    for (const command of [['run'], ['validate', '--connect']]) {
      const words = [...command.slice(0, 1), '-', ...command.slice(1), '--to', to];
      const { exit, stderr } = await commandHere(words, { stdin: document, env: { SECRET: password } });
      assert.equal([exit, api.requests.length], [1, 0]);
      assert.match(stderr, `redis: cannot connect to redis://127.0.0.1:${redis.port}: connection refused`);
      assert.match(stderr, 'Check host, port, user and password of --to');
    }
  }));

test('validate connects to a server that is there', () =>
  withServers(async ({ document, redis, nats }) => {
    const to = ['--to', `users=redis://:${password}@127.0.0.1:${redis.port}/0?stream=users`];
    const words = ['validate', '-', ...to, '--to', `nats://127.0.0.1:${nats.port}/x?stream=S`, '--connect'];
    const { exit, stderr } = await commandHere(words, { stdin: document });
    assert.is(exit, 0, stderr);
    assert.match(stderr, `the destinations accept connections: redis://***@127.0.0.1:${redis.port}`);
    assert.not.match(stderr, password);
  }));

run.run();
