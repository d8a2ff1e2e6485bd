/** A run that is submitted and worked at from code, at a real PostgreSQL. */
import { test as run } from 'uvu';
import * as assert from 'uvu/assert';
import { type Configuration, submitRun, type WorkerEvent, workAt } from '../../src/index.js';
import { json, startApi } from '../loopback/api.js';
import { rejection } from '../sinks/lib.js';
import { postgresMissing } from '../support/servers.js';
import { testWhere } from '../where.js';
import { type Lent, withPostgres } from './postgres-lib.js';

const test = testWhere(postgresMissing);

interface World {
  readonly lent: Lent;
  readonly configuration: Configuration;
  /** What the API says of notes. */
  status: number;
}

const inWorld = (use: (world: World) => Promise<void>) => () =>
  withPostgres(async (lent) => {
    const world = { lent, status: 200 };
    const api = await startApi(({ target }) =>
      target.includes('notes') ? json([{ id: target }], { status: world.status }) : json([{ id: 1 }, { id: 2 }]),
    );
    const children = [{ endpoint: 'users/{user}/notes', dataType: 'notes', placeholders: { user: 'id' } }];
    const jobs = [{ endpoint: 'users', dataType: 'users', children }];
    const configuration = { api: { baseUrl: `${api.origin}/`, retryConfig: { maxRetries: 0 } }, config: { jobs } };
    try {
      await use(Object.assign(world, { configuration }));
    } finally {
      await api.close();
    }
  });

test(
  'a run is submitted, done by a worker, and has the totals of all its tasks',
  inWorld(async ({ lent, configuration }) => {
    const [on, events] = [lent.uri(), [] as WorkerEvent[]];
    const worker = workAt(on, { onEvent: (event) => events.push(event) });
    const orders = await submitRun(configuration, { on, name: 'orders', block: 1, to: lent.uri('?columns=item') });
    try {
      const { state, tasks, errors, summary } = await orders.ended();
      assert.equal([state, tasks, errors], ['done', { ready: 0, leased: 0, done: 4, failed: 0 }, []]);
      assert.equal(
        summary?.jobs.map(({ dataType, requests, pages, items }) => [dataType, requests, pages, items]),
        [
          ['users', 1, 1, 2],
          ['notes', 2, 2, 2],
        ],
      );
      assert.equal(
        summary?.outputs.map(({ dataType, items }) => [dataType, items]),
        [
          ['users', 2],
          ['notes', 2],
        ],
      );
      const users = await lent.sql(`SELECT item ->> 'id' AS id FROM users ORDER BY 1`);
      assert.equal([users, (await lent.read('notes')).length], [[{ id: '1' }, { id: '2' }], 2]);
      const again = { on, name: 'orders', to: lent.uri('?columns=item') };
      await rejection(submitRun(configuration, again), 'ERR_USAGE', /there is a run "orders" already/);
    } finally {
      orders.close();
      await worker.stop();
      await worker.done;
    }
    assert.equal(new Set(events.map(({ type }) => type)), new Set(['taken', 'page', 'done']));
  }),
);

test(
  'a run that has failed says why, and goes on after a retry',
  inWorld(async (world) => {
    const { lent, configuration } = world;
    world.status = 404;
    const worker = workAt(lent.uri(), { slots: 1 });
    const orders = await submitRun(configuration, { on: lent.uri(), name: 'orders', to: lent.uri('?columns=item') });
    try {
      const failed = await orders.ended();
      assert.equal([failed.state, failed.tasks.failed, failed.summary], ['failed', 1, undefined]);
      assert.match(failed.errors[0]?.error ?? '', /^ERR_STATUS: /);
      world.status = 200;
      await orders.retry();
      assert.is((await orders.ended()).state, 'done');
      await rejection(orders.cancel(), 'ERR_USAGE', /the run "orders" is done: there is nothing to cancel/);
      await rejection(orders.retry(), 'ERR_USAGE', /the run "orders" is done: there is nothing to retry/);
    } finally {
      orders.close();
      await worker.stop();
    }
  }),
);

test(
  'a worker whose user or database is not there ends at once, with the reason',
  inWorld(async ({ lent, configuration }) => {
    const wrong = [
      [lent.uri().replace(/postgres$/, 'nowhere'), /there is no such database/],
      [lent.uri().replace('rx@', 'stranger@'), /the server rejects the user or the password/],
    ] as const;
    for (const [on, reason] of wrong) {
      const worker = workAt(on);
      await rejection(worker.done, 'ERR_USAGE', reason);
      await rejection(worker.stop(), 'ERR_USAGE', reason);
      await rejection(submitRun(configuration, { on, name: 'a', to: 'null:', stateName: 's' }), 'ERR_USAGE', reason);
    }
  }),
);

test(
  'a wait ends by its signal, by a removed run, and not by a server that is away',
  inWorld(async ({ lent, configuration }) => {
    const orders = await submitRun(configuration, { on: lent.uri(), name: 'orders', to: lent.uri('?columns=item') });
    try {
      const interrupt = new AbortController();
      const waiting = orders.ended({ signal: interrupt.signal });
      interrupt.abort(new Error('enough'));
      await waiting.then(
        () => assert.unreachable(),
        (thrown) => assert.is(thrown.message, 'enough'),
      );
      await lent.server.kill();
      const ended = orders.ended();
      await lent.server.start();
      await orders.cancel();
      assert.is((await ended).state, 'cancelled');
      await lent.sql('DELETE FROM rxtract.runs');
      await rejection(orders.ended(), 'ERR_USAGE', /the run "orders" was removed/);
      await rejection(orders.cancel(), 'ERR_USAGE', /the run "orders" was removed/);
    } finally {
      orders.close();
    }
  }),
);

run.run();
