/** An interrupt while the server of a sink is gone: the run ends at once, says why, and a resume lacks nothing. */
import { once } from 'node:events';
import { createServer } from 'node:net';
import { test as run } from 'uvu';
import * as assert from 'uvu/assert';
import { sinkFromUri } from '../../sinks/registry.js';
import { openCheckpoint } from '../../src/checkpoint/checkpoint.js';
import type { Notice } from '../../src/core/model/notice.js';
import { extract, run as runAll } from '../../src/run/extract.js';
import { memoryStore } from '../checkpoint/memory-store.js';
import { type Api, items, json, startApi } from '../loopback/api.js';
import { connectReady, postgresMissing, startPostgres, type TestServer } from '../support/servers.js';
import { testWhere } from '../where.js';

const test = testWhere(postgresMissing);

interface Lent {
  readonly api: Api;
  readonly server: TestServer;
  /** Called with the number of each requested page, before its response. */
  onPage: (page: number) => Promise<void>;
}

async function withServers(work: (lent: Lent) => Promise<void>): Promise<void> {
  const server = await startPostgres();
  const api = await startApi(async ({ target }) => {
    const page = Number(/page=(\d+)/.exec(target)?.[1] ?? 1);
    await lent.onPage(page);
    return json(page > 5 ? [] : items(page * 10, 2));
  });
  const lent: Lent = { api, server, onPage: async () => {} };
  try {
    await work(lent);
  } finally {
    await Promise.all([api.close(), server.close()]);
  }
}

interface Refusal {
  /** How many connections were tried. */
  count: number;
  readonly end: () => void;
}

/** Takes the port, and ends every connection. Resolves once so many were tried. */
async function refusing(port: number, attempts: number): Promise<Refusal> {
  const all = createServer((socket) => void socket.destroy()).listen(port, '127.0.0.1');
  const refusal: Refusal = { count: 0, end: () => void all.close() };
  await once(all, 'listening');
  while (refusal.count < attempts) {
    await once(all, 'connection');
    refusal.count += 1;
  }
  all.on('connection', () => {
    refusal.count += 1;
  });
  return refusal;
}

test('the run ends without waiting for the server, and names its failure', () =>
  withServers(async (lent) => {
    const { api, server } = lent;
    const configuration = {
      api: { baseUrl: `${api.origin}/`, pagination: { method: 'pagenum', limit: 2 } },
      config: { jobs: [{ endpoint: 'users' }] },
    } as const;
    const to = () => sinkFromUri(`postgres://rx@127.0.0.1:${server.port}/postgres`);
    const store = memoryStore();
    const notices: Notice[] = [];
    const checkpoint = await openCheckpoint(store, {});
    const { receipts, closed, stop } = extract(configuration, {
      ...{ to: to(), checkpoint },
      notify: (notice) => void notices.push(notice),
    });
    const isTried = new Promise<Refusal>((resolve, reject) => {
      lent.onPage = async (page) => {
        if (page !== 3) return;
        await server.kill();
        refusing(server.port, 3).then(resolve, reject);
        void stop();
      };
    });
    const subscription = receipts.subscribe({ error: () => {} });
    const refusal = await isTried;
    subscription.unsubscribe();
    await closed;
    refusal.end();
    assert.ok(refusal.count <= 4, `${refusal.count} connections were tried`);
    const [notice] = notices.filter(({ code }) => code === 'page-not-stored');
    assert.match(
      notice?.message ?? '',
      /^the page in flight was not stored: postgres: cannot connect to postgres:\/\/127/,
    );
    assert.is(notice?.job, 'users');
    // The page before it may be in its commit, or not: the next one is fetched meanwhile.
    assert.ok(notice?.page === 1 || notice?.page === 2, `page ${notice?.page} was not stored`);

    lent.onPage = async () => {};
    await server.start();
    await runAll(configuration, { to: to(), store: memoryStore(store.held), resume: true });
    const client = await connectReady(server.port);
    const { rows } = await client.query(`SELECT item ->> 'id' AS id FROM users ORDER BY 1`);
    await client.end();
    assert.equal(
      rows.map(({ id }) => id),
      [10, 11, 20, 21, 30, 31, 40, 41, 50, 51].map(String),
    );
  }));

run.run();
