/** States at real servers: the rules of a store, connections that break, and runs that are killed and resumed. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test as run } from 'uvu';
import * as assert from 'uvu/assert';
import { memory } from '../../sinks/index.js';
import { stateAt, stateServerAt } from '../../src/checkpoint/store/state-address.js';
import { run as extractAll } from '../../src/run/extract.js';
import { ownCommand } from '../blackbox/command.js';
import { opened, storeRules } from '../checkpoint/store/store-kit.js';
import { items, json, startApi } from '../loopback/api.js';
import { numbered, pagesApi, pagesConfiguration } from '../run/pages-api.js';
import { inFolder, rejection } from '../sinks/lib.js';
import { startLateProxy } from '../support/late-proxy.js';
import { postgresMissing, s3Missing, startS3 } from '../support/servers.js';
import { testWhere } from '../where.js';
import { withPostgres } from './postgres-lib.js';

const test = testWhere(postgresMissing);

const at = (uri: (options?: string) => string, options = '') => uri(`?state=orders${options}`);

test('a state in PostgreSQL keeps every rule', () =>
  withPostgres(async ({ uri, sql }) => {
    for (const [name, rule] of Object.entries(storeRules)) {
      await rule(stateServerAt(`${uri()}?state=${encodeURIComponent(name.slice(0, 20))}`, { env: {} }));
    }
    const [found] = await sql('SELECT count(DISTINCT state)::int AS states FROM rxtract_state_records');
    assert.ok(Number(found?.states) > 3, 'each has records of its own');
  }));

test('a schema of its own is created, or must be there', () =>
  withPostgres(async ({ uri, sql }) => {
    const server = (options: string) => stateServerAt(at(uri, options), { env: {} });
    const message = /there is no table "s".rxtract_state_parts, and create=false/;
    await rejection(opened(server('&schema=s&create=false')), 'ERR_STATE', message);
    await (await opened(server('&schema=s'))).close();
    await (await opened(server('&schema=s&create=false'))).close();
    assert.equal(await sql('SELECT name, epoch, holder FROM s.rxtract_states'), [
      { name: 'orders', epoch: '2', holder: null },
    ]);
  }));

test('a write whose answer is lost counts once', () =>
  withPostgres(async ({ server }) => {
    const proxy = await startLateProxy(server.port);
    const address = `postgres://rx@127.0.0.1:${proxy.port}/postgres?state=orders`;
    const store = await opened(stateServerAt(address, { env: {} }));
    await store.replace(['begin']);
    for (const [text, write] of [
      ['INSERT INTO', () => store.append(['1', '2'])],
      ['DELETE FROM', () => store.replace(['anew'])],
      ['INSERT INTO', () => store.append(['3'])],
    ] as const) {
      proxy.hold(text);
      await write();
    }
    await store.close();
    assert.equal((await opened(stateServerAt(address, { env: {} }))).records, ['anew', '3']);
    await proxy.close();
  }));

test('a server that is not there is an error at once, and shows no password', () =>
  withPostgres(async ({ server }) => {
    await server.kill();
    const store = stateAt(`postgres://rx:open-sesame@127.0.0.1:${server.port}/postgres?state=a`, { env: {} });
    const error = await rejection(store.open(), 'ERR_STATE', /cannot connect to .*connection refused/);
    assert.not.match(`${error.message} ${error.where.remedy}`, /open-sesame|--to/);
  }));

testWhere(s3Missing)('a state in an object store keeps every rule, through restarts of the store too', async () => {
  const server = await startS3();
  const env = { AWS_ACCESS_KEY_ID: 'KEY', AWS_SECRET_ACCESS_KEY: 'SECRET' };
  const options = `?endpoint=http://127.0.0.1:${server.port}`;
  try {
    for (const [number, rule] of Object.values(storeRules).entries()) {
      await rule(stateServerAt(`s3://lake/states/${number}${options}`, { env }));
    }
    const connect = stateServerAt(`s3://lake/states/more${options}`, { env });
    const store = await opened(connect);
    await store.replace(['begin']);
    for (const text of ['1', '2', '3']) {
      await server.kill();
      const [appended] = await Promise.allSettled([store.append([text]), server.start()]);
      assert.is(appended.status, 'fulfilled');
    }
    await store.close();
    assert.equal((await opened(connect)).records, ['begin', '1', '2', '3']);
  } finally {
    await server.close();
  }
});

/** Six pages of ten users. */
async function withApi(use: (api: Awaited<ReturnType<typeof startApi>>, config: string) => Promise<void>) {
  const api = await startApi(({ target }) => {
    const page = Number(/page=(\d+)/.exec(target)?.[1] ?? 1);
    return json(page > 6 ? [] : items(page * 10, 10));
  });
  const config = JSON.stringify({
    api: { baseUrl: `${api.origin}/`, pagination: { method: 'pagenum', limit: 10 } },
    config: { jobs: [{ endpoint: 'users' }] },
  });
  try {
    await use(api, config);
  } finally {
    await api.close();
  }
}

test('a run that is killed is resumed from PostgreSQL, and another run on its state is refused meanwhile', () =>
  withPostgres(({ uri }) =>
    withApi((api, config) =>
      inFolder(async (dir) => {
        const words = ['run', '-', '--to', `ndjson:${dir}`, '--state', at(uri), '--resume', '--log', 'json'];
        let refused: Awaited<ReturnType<typeof ownCommand>> | undefined;
        const killed = await ownCommand(words, {
          stdin: config,
          onStart: (signal, printed) => {
            void printed('"page":2').then(async () => {
              signal('SIGSTOP');
              refused = await ownCommand(words, { stdin: config });
              signal('SIGKILL');
            });
          },
        });
        assert.is(killed.exit, null);
        assert.is(refused?.exit, 1);
        assert.match(refused?.stderr ?? '', /ERR_STATE.*another run is using it: process \d+ on/);
        const sent = api.requests.length;
        const resumed = await ownCommand(words, { stdin: config });
        assert.is(resumed.exit, 0, resumed.stderr);
        assert.match(resumed.stderr, '"code":"resumed"');
        assert.ok(api.requests.length - sent < 6, 'pages are not requested again');
        const lines = readFileSync(join(dir, 'users.ndjson'), 'utf8').split('\n').slice(0, -1);
        assert.equal([lines.length, new Set(lines).size], [60, 60]);
        const shown = await ownCommand(['state', 'show', at(uri), '--json']);
        assert.equal([shown.exit, shown.stdout], [0, '[]\n']);
        const other = await ownCommand(['state', 'show', uri('?state=other')]);
        assert.match(other.stderr, /there is no state "postgres:/);
      })(),
    ),
  ));

test('what is known of pages is in PostgreSQL too: the second run gets none that has not changed', () =>
  withPostgres(async ({ uri }) => {
    const api = await pagesApi(numbered(() => [[{ id: 1 }, { id: 2 }], [{ id: 3 }]]));
    try {
      const pull = async () => {
        const sink = memory();
        await extractAll(pagesConfiguration(api.origin), { to: sink, store: stateAt(at(uri), { env: {} }) });
        return sink.items().length;
      };
      assert.equal([await pull(), await pull(), await pull()], [3, 0, 0]);
    } finally {
      await api.close();
    }
  }));

/** A run with other items says how they differ, the next one nothing. */
async function findsDrift(uri: string, env: Readonly<Record<string, string>> = {}): Promise<void> {
  let answer: readonly object[] = items(0, 20);
  const api = await startApi(() => json([...answer]));
  try {
    const configuration = { api: { baseUrl: `${api.origin}/` }, config: { jobs: [{ endpoint: 'users' }] } };
    const pull = async () => {
      const { shapeChanges = [] } = await extractAll(configuration, { to: memory(), store: stateAt(uri, { env }) });
      return shapeChanges.flatMap(({ changes }) => changes);
    };
    assert.equal(await pull(), []);
    answer = [{ id: 'x' }];
    assert.equal(await pull(), ['"id" is string, and was integer']);
    assert.equal(await pull(), []);
  } finally {
    await api.close();
  }
}

test('shapes are in PostgreSQL too: a run says how items differ from those of earlier runs', () =>
  withPostgres(({ uri }) => findsDrift(at(uri))));

testWhere(s3Missing)('shapes are in an object store too', async () => {
  const server = await startS3();
  try {
    const env = { AWS_ACCESS_KEY_ID: 'KEY', AWS_SECRET_ACCESS_KEY: 'SECRET' };
    await findsDrift(`s3://lake/states/shapes?endpoint=http://127.0.0.1:${server.port}`, env);
  } finally {
    await server.close();
  }
});

run.run();
