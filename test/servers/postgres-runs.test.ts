/** Several runs at one PostgreSQL: tables that two of them create at once, and processes that wait for another one. */
import { test as run } from 'uvu';
import * as assert from 'uvu/assert';
import { batchOf } from '../../sinks/batch.js';
import { createPostgresSession } from '../../sinks/postgres/postgres-session.js';
import { sinkFromUri } from '../../sinks/registry.js';
import { run as runAll } from '../../src/run/extract.js';
import { memoryStore } from '../checkpoint/memory-store.js';
import { items, json, startApi } from '../loopback/api.js';
import { calm, earlierOf, pageEnd, rejection } from '../sinks/lib.js';
import { startLateProxy } from '../support/late-proxy.js';
import { connectReady, type PostgresReader, postgresMissing } from '../support/servers.js';
import { testWhere } from '../where.js';
import { begun } from './lib.js';
import { type Lent, put, withPostgres } from './postgres-lib.js';

const test = testWhere(postgresMissing);

/** Another client with an open transaction that has done this. */
async function other({ server }: Lent, text: string): Promise<PostgresReader> {
  const client = await connectReady(server.port);
  await client.query('BEGIN');
  await client.query(text);
  return client;
}

/** Waits until a statement of a sink waits for another transaction. */
async function untilOneWaits({ sql }: Lent): Promise<void> {
  const waiting = `SELECT FROM pg_stat_activity WHERE application_name = 'rxtract' AND wait_event_type = 'Lock'`;
  while ((await sql(waiting)).length === 0);
}

/** Does work that must wait for the client, lets that commit, and resolves to the work. */
async function after<T>(lent: Lent, client: PostgresReader, work: Promise<T>): Promise<T> {
  const [done] = await Promise.all([
    work,
    untilOneWaits(lent)
      .then(() => client.query('COMMIT'))
      .finally(() => client.end()),
  ]);
  return done;
}

const modes: readonly (readonly [options: string, columns: string])[] = [
  ['', 'item jsonb'],
  ['?mode=append', 'item jsonb'],
  ['?mode=append&log=true', 'item jsonb'],
  ['?columns=typed', ''],
  ['?columns=typed&mode=append&log=true', ''],
];

for (const [options, columns] of modes) {
  test(`a table that another run creates at the same time is not a refused item: ${options}`, () =>
    withPostgres(async (lent) => {
      const { uri, sql } = lent;
      const refused: unknown[] = [];
      const create = `CREATE TABLE t (${columns})`;
      const sink = await begun(uri(options));
      const creating = options.includes('log') ? await other(lent, create) : undefined;
      const opening = Promise.resolve(sink.open?.('t', 't', { onItemError: (item) => void refused.push(item) }));
      if (creating !== undefined) await after(lent, creating, opening);
      await opening;
      await put(sink, 't', 0, [{ id: 1 }]);
      if (creating === undefined) await after(lent, await other(lent, create), Promise.resolve(sink.close()));
      else await sink.close();
      assert.equal([refused, (await sql('SELECT FROM t')).length], [[], 1]);
    }));
}

test('a schema that another process creates at the same time is used', () =>
  withPostgres(async (lent) => {
    const creating = await other(lent, 'CREATE SCHEMA s');
    const sink = await after(lent, creating, begun(lent.uri('?schema=s')));
    await sink.open?.('t', 't');
    await sink.close();
    assert.is((await lent.sql('SELECT FROM s.t')).length, 0);
  }));

test('a column that another run adds or widens at the same time is looked at again', () =>
  withPostgres(async (lent) => {
    const { uri, sql } = lent;
    await sql('CREATE TABLE t (id bigint)');
    const sink = await begun(uri('?columns=typed&mode=append&log=true'));
    await sink.open?.('t', 't');
    await put(sink, 't', 0, [{ id: 1 }]);
    const adding = await other(lent, 'ALTER TABLE t ADD COLUMN name text');
    await after(lent, adding, put(sink, 't', 1, [{ id: 2, name: 'b' }]));
    const widening = await other(lent, `ALTER TABLE t ALTER COLUMN id TYPE text; INSERT INTO t VALUES ('x')`);
    await after(lent, widening, put(sink, 't', 2, [{ id: 2.5 }]));
    await sink.close();
    const rows = await sql('SELECT id, name FROM t ORDER BY id');
    assert.equal(
      rows.map(({ id, name }) => [id, name]),
      [
        ['1', null],
        ['2', 'b'],
        ['2.5', null],
        ['x', null],
      ],
    );
    assert.is(sink.summary?.()[0]?.changed, undefined);
  }));

test('a column whose transaction broke is added again', () =>
  withPostgres(async ({ server, sql }) => {
    const proxy = await startLateProxy(server.port);
    const sink = await begun(`postgres://rx@127.0.0.1:${proxy.port}/postgres?columns=typed`);
    await sink.open?.('t', 't');
    await put(sink, 't', 0, [{ a: 1 }]);
    proxy.hold('WITH mine');
    await put(sink, 't', 1, [{ b: 2 }]);
    await sink.close();
    assert.equal(await sql('SELECT a, b FROM t ORDER BY a'), [
      { a: '1', b: null },
      { a: null, b: '2' },
    ]);
    await proxy.close();
  }));

const rowOf = (name: string) => `SELECT FROM rxtract_runs WHERE run = '${name}' FOR SHARE`;

test('a start does not wait while another one waits for an older process of its run', () =>
  withPostgres(async (lent) => {
    const { uri } = lent;
    await begun(uri(), { run: 'held' });
    const storing = await other(lent, rowOf('held'));
    const resuming = begun(uri(), { run: 'held', epoch: 2 });
    await untilOneWaits(lent);
    const unrelated = await begun(uri(), { run: 'unrelated' });
    await unrelated.open?.('t', 't');
    await unrelated.close();
    const [sink] = await Promise.all([resuming, storing.query('COMMIT')]);
    await sink.close();
    await storing.end();
  }));

test('a start that has waited too long for an older process says so', () =>
  withPostgres(async (lent) => {
    const server = {
      host: '127.0.0.1',
      port: lent.server.port,
      user: 'rx',
      database: 'postgres',
      password: '',
      sslMode: 'disable',
    } as const;
    const session = createPostgresSession({
      ...{ server, schema: 'public', mayCreate: true, isTyped: false, identity: 'i', patienceMs: 100 },
    });
    await session.begin(earlierOf({ run: 'held' }));
    const publishing = await other(lent, rowOf('held'));
    const message = /^postgres: an older process of this run, or of one that it replaces, has been .* for 0.1 s$/;
    const error = await rejection(session.begin(earlierOf({ run: 'held', epoch: 2 })), 'ERR_SINK', message);
    assert.match(error.where.remedy ?? '', /^Wait until that process has ended/);
    await rejection(session.begin(earlierOf({ run: 'next', replaces: ['held'] })), 'ERR_SINK', message);
    await publishing.end();
    session.end();
  }));

test('tables that a suspended process has locked stay for a later start', () =>
  withPostgres(async (lent) => {
    const { uri, sql } = lent;
    const staged = () => sql(`SELECT FROM pg_tables WHERE tablename ~ '^rxtract_[0-9a-f]{16}_'`);
    const old = await begun(uri(), { run: 'old' });
    await old.open?.('t', 't');
    // Its transaction is open.
    await old.write(batchOf('t', ['x'.repeat(17 << 20)]), calm);
    await (await begun(uri(), { run: 'new', replaces: ['old'] })).abort(undefined);
    assert.is((await staged()).length, 1);
    await rejection(async () => old.commit?.(pageEnd('t', { keep: 'k' }), calm), 'ERR_RESUME', /another process/);
    await old.abort(undefined);
    await (await begun(uri(), { run: 'later' })).abort(undefined);
    assert.is((await staged()).length, 0);
  }));

test('a process that begins after the end of its run is refused for seven days, and rows of older runs are removed', () =>
  withPostgres(async ({ uri, sql, read }) => {
    const options = '?mode=append';
    const newer = await begun(uri(options), { run: 'done', epoch: 2 });
    await put(newer, 't', 0, [1]);
    await newer.close();
    await rejection(begun(uri(options), { run: 'done' }), 'ERR_RESUME', /another process has resumed this run/);
    await rejection(begun(uri(options), { run: 'done', epoch: 3 }), 'ERR_RESUME', /the run "done" has ended/);
    const again = await begun(uri(options), { run: 'done', epoch: 4, phase: 'publishing' });
    await again.open?.('t', 't');
    await again.close();
    await rejection(begun(uri(options), { run: 'done', epoch: 3 }), 'ERR_RESUME', /another process/);
    assert.equal(await read('t'), ['1']);

    const place = await begun(uri(options), { run: 'next', replaces: ['never-begun'] });
    await rejection(begun(uri(options), { run: 'never-begun' }), 'ERR_RESUME', /another process/);
    await place.close();
    await (await begun(uri(options), { run: 'stateless', isStored: false })).close();
    const runs = async () => (await sql('SELECT run FROM rxtract_runs ORDER BY 1')).map(({ run }) => run);
    assert.equal(await runs(), ['done', 'never-begun', 'next']);
    await sql(`UPDATE rxtract_runs SET ended = now() - interval '8 days' WHERE run <> 'next'`);
    await (await begun(uri(options), { run: 'stateless', isStored: false })).close();
    assert.equal(await runs(), ['next']);
  }));

test('a run whose process was suspended before its sink began stores nothing after another one has completed it', () =>
  withPostgres(async ({ uri, read }) => {
    const api = await startApi(({ target }) => {
      const page = Number(/page=(\d+)/.exec(target)?.[1] ?? 1);
      return json(page > 4 ? [] : items(page * 10, 10));
    });
    const configuration = {
      api: { baseUrl: `${api.origin}/`, pagination: { method: 'pagenum', limit: 10 } },
      config: { jobs: [{ endpoint: 'users' }] },
    } as const;
    const to = () => sinkFromUri(uri('?mode=append&log=true'));
    const store = memoryStore();
    const suspended = to();
    let wake = () => {};
    const awake = new Promise<void>((resolve) => {
      wake = resolve;
    });
    const isSuspended = new Promise<void>((resolve) => {
      const { resume } = suspended;
      suspended.resume = async (earlier) => {
        resolve();
        await awake;
        await resume?.(earlier);
      };
    });
    const late = rejection(runAll(configuration, { to: suspended, store }), 'ERR_RESUME', /another process/);
    await isSuspended;
    await runAll(configuration, { to: to(), store: memoryStore(store.held), resume: true });
    wake();
    await late;
    assert.is((await read('users')).length, 40);
    await api.close();
  }));

test('a process that another one has followed prepares no table', () =>
  withPostgres(async ({ uri, sql }) => {
    const old = await begun(uri('?mode=append&log=true'));
    await begun(uri('?mode=append&log=true'), { epoch: 2 });
    await rejection(async () => old.open?.('t', 't'), 'ERR_RESUME', /another process/);
    assert.equal(await sql(`SELECT FROM pg_tables WHERE tablename = 't'`), []);
  }));

run.run();
