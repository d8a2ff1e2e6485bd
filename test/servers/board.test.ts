/** Boards in a real PostgreSQL: the rules of a board, answers that are lost, and processes that start together. */
import { test as run } from 'uvu';
import * as assert from 'uvu/assert';
import { type Board, mostDeaths, type RunSpec } from '../../src/checkpoint/board/board.js';
import { boardAt, sharingAt } from '../../src/checkpoint/board/board-address.js';
import { takeTask } from '../../src/checkpoint/board/postgres-take.js';
import { format } from '../../src/checkpoint/records.js';
import { version } from '../../src/core/util/version.js';
import { boardRules } from '../checkpoint/board/board-kit.js';
import { rejection } from '../sinks/lib.js';
import { startLateProxy } from '../support/late-proxy.js';
import { connectReady, postgresMissing } from '../support/servers.js';
import { testWhere } from '../where.js';
import { type Lent, withPostgres } from './postgres-lib.js';

const test = testWhere(postgresMissing);

/** Boards that are ended when the work is over. */
async function withBoards<T>(address: string, work: (connect: () => Board) => Promise<T>): Promise<T> {
  const boards: Board[] = [];
  try {
    return await work(() => {
      const board = boardAt(address, { env: {} });
      boards.push(board);
      return board;
    });
  } finally {
    for (const board of boards) board.end();
  }
}

const spec: RunSpec = {
  name: 'orders',
  begin: { type: 'begin', format, version, run: 'abc', epoch: 0, sinks: [], startedAt: 5, marks: {} },
  jobs: [{ job: 0 }],
  block: 2,
  work: '{}',
};

/** The record of a page with three rows. */
const pageOfThree = JSON.stringify({
  type: 'page',
  job: 0,
  at: [],
  begun: 1,
  page: 0,
  took: { job: 0, requests: 1, retries: 0, count: 3, bytes: 9, delivered: true },
  rows: { part: 'p', count: 3, lengths: [4], crc: 1 },
  blocks: [2],
});

const lapse = async ({ sql }: Lent) => {
  await sql(`UPDATE rxtract.tasks SET until = now() - interval '1 ms' WHERE state = 'leased'`);
};

const pass = async ({ sql }: Lent, ms: number) => {
  await sql(`UPDATE rxtract.tasks SET not_before = not_before - interval '${ms} ms' WHERE state = 'ready'`);
};

test('a board in PostgreSQL keeps every rule', () =>
  withPostgres(async (lent) => {
    for (const rule of Object.values(boardRules)) {
      await withBoards(lent.uri(), (connect) =>
        rule({ connect, lapse: () => lapse(lent), pass: (ms) => pass(lent, ms) }),
      );
      await lent.sql('DROP SCHEMA rxtract CASCADE');
    }
  }));

test('a write whose answer is lost counts once', () =>
  withPostgres(async ({ server, sql }) => {
    const proxy = await startLateProxy(server.port);
    try {
      await withBoards(`postgres://rx@127.0.0.1:${proxy.port}/postgres`, async (connect) => {
        const board = connect();
        await board.take('worker');
        proxy.hold('INSERT INTO rxtract.runs');
        await board.submit(spec);
        const lease = await board.take('worker');
        assert.ok(lease);
        const store = await board.open(lease, spec).open();
        const [begun = ''] = store.records;
        for (const write of [
          () => store.replace([begun]),
          () => store.append([pageOfThree]),
          () => store.sync([JSON.stringify({ type: 'done' })]),
        ]) {
          proxy.hold('WITH mine AS (UPDATE');
          await write();
          await proxy.release();
        }
        await store.close();
      });
      const records = await sql(
        `SELECT record::json ->> 'type' AS type FROM rxtract.records WHERE task = 'J0' ORDER BY number`,
      );
      assert.equal(records, [{ type: 'begin' }, { type: 'page' }, { type: 'done' }]);
      const tasks = await sql('SELECT task, state FROM rxtract.tasks WHERE depth >= 0 ORDER BY number');
      const made = ['J0-P0-C0-R0', 'J0-P0-C0-R2'].map((task) => ({ task, state: 'ready' }));
      assert.equal(tasks, [{ task: 'J0', state: 'done' }, ...made]);
    } finally {
      await proxy.close();
    }
  }));

test('a record is written with all that follows from it, or nothing is', () =>
  withPostgres(({ uri, sql }) =>
    withBoards(uri(), async (connect) => {
      const board = connect();
      await board.submit(spec);
      await sql(`CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
        IF NEW.task = 'J0-P0-C0-R2' THEN RAISE 'refused'; END IF; RETURN NEW; END $$`);
      const lease = await board.take('worker');
      assert.ok(lease);
      const store = await board.open(lease, spec).open();
      const before = await sql('SELECT task, state, generation FROM rxtract.tasks');
      for (const table of ['tasks', 'records']) {
        await sql(`CREATE TRIGGER refuse BEFORE INSERT ON rxtract.${table} FOR EACH ROW EXECUTE FUNCTION refuse()`);
        const texts = [pageOfThree, JSON.stringify({ type: 'done' })];
        await rejection(store.replace(texts), 'ERR_STATE', /refused/);
        await rejection(store.append(texts), 'ERR_STATE', /refused/);
        await sql(`DROP TRIGGER refuse ON rxtract.${table}`);
      }
      assert.equal(await sql('SELECT task, state, generation FROM rxtract.tasks'), before);
      assert.equal(await sql(`SELECT count(*)::int AS count FROM rxtract.records WHERE task = 'J0'`), [{ count: 1 }]);
      await store.close();
    }),
  ));

test('processes that start together create the tables once', () =>
  withPostgres(({ uri }) =>
    withBoards(uri(), async (connect) => {
      const boards = Array.from({ length: 12 }, connect);
      assert.equal(new Set(await Promise.all(boards.map((board) => board.take('worker')))), new Set([undefined]));
    }),
  ));

test('a board of an earlier version gets what it lacks', () =>
  withPostgres(({ uri, sql }) =>
    withBoards(uri(), async (connect) => {
      await connect().submit(spec);
      await sql('DROP TABLE rxtract.swept, rxtract.rxtract_states, rxtract.rxtract_state_parts');
      await sql('ALTER TABLE rxtract.runs DROP COLUMN state, DROP COLUMN state_generation');
      await sql('ALTER TABLE rxtract.tasks DROP COLUMN publishing, DROP COLUMN taken');
      const board = connect();
      assert.is((await board.take('worker'))?.task, 'J0');
      assert.is((await board.state('orders')).generation, 0);
      assert.is(await board.cancel('orders'), true);
    }),
  ));

test('a process that stops within a statement is waited for by no other task', () =>
  withPostgres(async ({ uri, server }) =>
    withBoards(uri(), async (connect) => {
      const board = connect();
      await board.submit({
        ...spec,
        jobs: [{ job: 0 }, { job: 1 }],
      });
      const client = await connectReady(server.port);
      try {
        await client.query('BEGIN');
        await client.query(`SELECT FROM rxtract.tasks WHERE task = 'J0' FOR UPDATE`);
        assert.is((await board.take('worker'))?.task, 'J1');
        assert.is(await board.take('worker'), undefined);
        await client.query('COMMIT');
        assert.is((await board.take('worker'))?.task, 'J0');
      } finally {
        await client.end();
      }
    }),
  ));

test('a task that is taken while its run is cancelled is written to no more, and the run can be removed', () =>
  withPostgres((lent) =>
    withBoards(lent.uri(), async (connect) => {
      const [board, other] = [connect(), connect()];
      await board.submit(spec);
      await lent.sql(`CREATE FUNCTION wait() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
        PERFORM pg_advisory_xact_lock(1); RETURN NEW; END $$`);
      await lent.sql(`CREATE TRIGGER wait BEFORE UPDATE ON rxtract.tasks FOR EACH ROW
        WHEN (NEW.state = 'leased' AND OLD.state = 'ready') EXECUTE FUNCTION wait()`);
      const client = await connectReady(lent.server.port);
      try {
        await client.query('SELECT pg_advisory_lock(1)');
        const taking = board.take('worker');
        const waits = 'SELECT FROM pg_locks WHERE NOT granted';
        while ((await client.query(waits)).rows.length === 0);
        assert.is(await other.cancel('orders'), true);
        await client.query('SELECT pg_advisory_unlock(1)');
        const lease = await taking;
        assert.ok(lease);
        const store = await board.open(lease, spec).open();
        await rejection(store.append([pageOfThree]), 'ERR_STATE', /another run took over/);
        await store.close();
        assert.is(await board.beat(lease), false);
        assert.equal(await other.sweep(0), []);
        await lapse(lent);
        assert.equal(await other.sweep(0), ['orders']);
      } finally {
        await client.end();
      }
    }),
  ));

/** The blocks that the statement touches. */
async function blocksOf({ server }: Lent, text: string, values: readonly unknown[]): Promise<number> {
  const client = await connectReady(server.port);
  try {
    await client.query('BEGIN');
    const { rows } = await client.query(`EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) ${text}`, [...values]);
    await client.query('ROLLBACK');
    const [{ Plan: plan }] = Object(rows[0])['QUERY PLAN'];
    return plan['Shared Hit Blocks'] + plan['Shared Read Blocks'];
  } finally {
    await client.end();
  }
}

test('what it costs to take a task does not grow with tasks that are done, leased, or of other runs and versions', () =>
  withPostgres((lent) =>
    withBoards(lent.uri(), async (connect) => {
      const board = connect();
      const { sql } = lent;
      await board.submit(spec);
      const taking = () =>
        blocksOf(lent, takeTask, ['worker', 1000, `${version} ${format}`, mostDeaths, 'processes ended']);
      await sql('ANALYZE rxtract.tasks');
      const few = await taking();
      await board.submit({ ...spec, name: 'cancelled' });
      await board.submit({ ...spec, name: 'of another version', begin: { ...spec.begin, version: '0' } });
      await board.submit({ ...spec, name: 'ended' });
      await board.cancel('cancelled');
      await sql(`UPDATE rxtract.runs SET ended = now() WHERE name = 'ended'`);
      for (const [name, state, until] of [
        ['orders', 'done', `NULL`],
        ['orders', 'leased', `now() + interval '1 h'`],
        ['orders', 'ready', 'NULL'],
        ['cancelled', 'ready', 'NULL'],
        ['of another version', 'ready', 'NULL'],
        ['ended', 'failed', 'NULL'],
      ]) {
        const count = state === 'leased' ? 200 : 20_000;
        await sql(`INSERT INTO rxtract.tasks (run, task, depth, state, until)
          SELECT '${name}', '${state} ' || n, 1, '${state}', ${until} FROM generate_series(1, ${count}) AS n`);
      }
      await sql(`INSERT INTO rxtract.tasks (run, task, depth, not_before)
        SELECT 'orders', 'waits ' || n, 2, now() + interval '1 h' FROM generate_series(1, 20000) AS n`);
      await sql('ANALYZE rxtract.tasks');
      const many = await taking();
      assert.ok(many <= few + 60, `${few} blocks, then ${many}`);
    }),
  ));

test('a run that is published has ended, and is looked at no more', () =>
  withPostgres(({ uri, sql }) =>
    withBoards(uri(), async (connect) => {
      const board = connect();
      const only = { ...spec, jobs: [] };
      await board.submit(only);
      const lease = await board.take('worker');
      assert.ok(lease);
      const store = await board.open(lease, only).open();
      assert.equal(await sql('SELECT ended FROM rxtract.runs'), [{ ended: null }]);
      await store.sync([JSON.stringify({ type: 'done' })]);
      await store.close();
      const [row] = await sql('SELECT ended FROM rxtract.runs');
      assert.ok(row?.ended instanceof Date);
    }),
  ));

test('sweep removes counts and logins that are not needed, and no refresh token', () =>
  withPostgres(({ uri, sql }) =>
    withBoards(uri(), async (connect) => {
      const board = connect();
      const sharing = sharingAt(uri(), { env: {} });
      await sharing.prepare();
      for (const [key, ms] of [
        ['short', 1],
        ['long', 86_400_000],
      ] as const) {
        const slot = await sharing.limiter({ key, rates: [{ most: 5, ms }] }).pass({}, new AbortController().signal);
        slot.begin();
      }
      await sharing.end();
      await sql(`INSERT INTO rxtract.rates (key, seen, refused_until) SELECT 'refused', 1000, 9e15`);
      await sql(`INSERT INTO rxtract.logins (key, expires, written, holder, until, refused_until) VALUES
        ('expired', now(), now() - interval '1 h', NULL, NULL, NULL),
        ('valid', now() + interval '1 h', now() - interval '1 h', NULL, NULL, NULL),
        ('new', NULL, now() + interval '1 h', NULL, NULL, NULL), ('endless', NULL, now() - interval '1 h', NULL, NULL, NULL),
        ('held', NULL, NULL, 'h', now() + interval '1 h', NULL), ('died', NULL, NULL, 'h', now() - interval '1 h', NULL),
        ('refused', NULL, NULL, NULL, NULL, now() + interval '1 h'), ('token t', NULL, now() - interval '1 h', NULL, NULL, NULL)`);
      const keys = async () => {
        const text = `SELECT key FROM rxtract.rates UNION ALL SELECT key FROM rxtract.logins`;
        return (await sql(text)).map(({ key }) => String(key)).sort();
      };
      const before = await keys();
      await board.sweep(0, 'orders');
      assert.equal(await keys(), before);
      await sql(`UPDATE rxtract.rates SET shift = shift + 10000 WHERE key = 'short'`); // 10 s have passed
      await board.sweep(0);
      assert.equal(await keys(), ['held', 'long', 'new', 'refused', 'refused', 'token t', 'valid']);
    }),
  ));

test('a server that is not there is an error at once, and shows no password', () =>
  withPostgres(async ({ server }) => {
    await server.kill();
    await withBoards(`postgres://rx:open-sesame@127.0.0.1:${server.port}/postgres`, async (connect) => {
      const error = await rejection(connect().take('worker'), 'ERR_STATE', /cannot connect to .*connection refused/);
      assert.not.match(error.message, /open-sesame/);
    });
  }));

run.run();
