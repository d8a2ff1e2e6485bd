/** What jobs remember from one shared run to the next, with a real PostgreSQL. */
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { test as run } from 'uvu';
import * as assert from 'uvu/assert';
import { thisProcess } from '../../src/checkpoint/store/holder.js';
import { commandHere, ownCommand } from '../blackbox/command.js';
import { json, startApi } from '../loopback/api.js';
import { postgresMissing } from '../support/servers.js';
import { testWhere } from '../where.js';
import { type Lent, withPostgres } from './postgres-lib.js';

const test = testWhere(postgresMissing);

interface World extends Lent {
  /** The days of the orders that the API has, from 1. */
  readonly days: number[];
  /** The days that requests have asked for, since the last call. */
  asked(): readonly string[];
  /** Runs a command, and fails unless it ends with exit code 0. */
  call(...words: readonly string[]): Promise<string>;
  /** Submits a run with the state `orders`, and does it. */
  runAs(name: string, ...more: readonly string[]): ReturnType<typeof commandHere>;
  /** The values in the state, by job. */
  values(): Promise<readonly string[]>;
}

/** Orders of a day, and notes of each order that are as new. */
const inWorld = (use: (world: World) => Promise<void>) => () =>
  withPostgres(async (lent) => {
    const days = [1, 2];
    let asked: string[] = [];
    const api = await startApi(async ({ target }) => {
      const { pathname, searchParams } = new URL(target, 'http://h');
      const since = searchParams.get('since') ?? '';
      asked.push(`${pathname} ${since}`);
      const [, order] = /^\/orders\/(\d+)\/notes/.exec(pathname) ?? [];
      const items = days.map((day) => ({ id: day, at: `2026-01-${String(day).padStart(2, '0')}` }));
      return json(items.filter(({ id, at }) => at >= since && (order === undefined || id === Number(order))));
    });
    const incremental = { path: 'at', param: 'since', initial: '2026-01-01' };
    const children = [
      { endpoint: 'orders/{order}/notes', dataType: 'notes', placeholders: { order: 'id' }, incremental },
    ];
    const stdin = JSON.stringify({
      api: { baseUrl: `${api.origin}/` },
      config: {
        jobs: [
          { endpoint: 'orders', incremental, children },
          { endpoint: 'returns', incremental },
        ],
      },
    });
    const state = lent.uri('?schema=rxtract&state=orders');
    const world: World = {
      ...lent,
      days,
      asked() {
        const before = asked.sort();
        asked = [];
        return before;
      },
      async call(...words) {
        const { exit, stdout, stderr } = await commandHere(words);
        assert.is(exit, 0, stderr);
        return stdout;
      },
      runAs: (name, ...more) =>
        commandHere(
          [
            'run',
            '-',
            '--to',
            lent.uri('?mode=append'),
            '--on',
            lent.uri(),
            '--state',
            'orders',
            '--name',
            name,
            ...more,
          ],
          { stdin },
        ),
      async values() {
        const found = JSON.parse(await world.call('state', 'show', state, '--json'));
        return found.map(
          ({ job, parent, value }: Record<string, unknown>) =>
            `${[job, ...(Array.isArray(parent) ? parent : [])].join(' ')} ${value}`,
        );
      },
    };
    try {
      await use(world);
    } finally {
      await api.close();
    }
  });

async function mustSucceed(ended: ReturnType<typeof commandHere>): Promise<string> {
  const { exit, stderr } = await ended;
  assert.is(exit, 0, stderr);
  return stderr;
}

const notesOf = (order: number, since = '2026-01-01') => `/orders/${order}/notes ${since}`;

test(
  'the second run asks for what is new, and each item arrives once',
  inWorld(async ({ runAs, asked, days, values, read, call, uri }) => {
    await mustSucceed(runAs('one'));
    assert.equal(asked(), ['/orders 2026-01-01', notesOf(1), notesOf(2), '/returns 2026-01-01']);
    const first = ['orders "2026-01-02"', 'notes 1 "2026-01-01"', 'notes 2 "2026-01-02"', 'returns "2026-01-02"'];
    assert.equal([...(await values())].sort(), [...first].sort());
    days.push(3);
    await mustSucceed(runAs('two', '--workers', '3'));
    assert.equal(asked(), ['/orders 2026-01-02', notesOf(3), '/returns 2026-01-02']);
    const ids = async (table: string) => (await read(table)).map((item) => JSON.parse(item).id).sort();
    assert.equal(await Promise.all(['orders', 'notes', 'returns'].map(ids)), [
      [1, 2, 3],
      [1, 2, 3],
      [1, 2, 3],
    ]);
    // As on one machine: a range leaves what is remembered, and everything again replaces it.
    await mustSucceed(runAs('range', '--since', '2026-01-02', '--until', '2026-01-03'));
    assert.equal(asked()[0], '/orders 2026-01-02');
    const after = await values();
    assert.ok(after.includes('orders "2026-01-03"'));
    days.splice(0, 3, 1);
    await mustSucceed(runAs('full', '--full'));
    assert.ok((await values()).includes('orders "2026-01-01"'));
    const state = uri('?schema=rxtract&state=orders');
    await call('state', 'set', state, 'returns', '2026-01-05');
    await call('state', 'reset', state, 'orders');
    asked();
    await mustSucceed(runAs('changed'));
    assert.equal(asked(), ['/orders 2026-01-01', notesOf(1), '/returns 2026-01-05']);
    await call('sweep', uri(), '--older', '0');
    assert.ok((await values()).includes('returns "2026-01-05"'), 'runs are removed, and no state');
  }),
);

test(
  'a worker that is killed before the run is published leaves the old values, and the next one moves them',
  inWorld(async (world) => {
    const { runAs, asked, days, values, uri, sql, read } = world;
    await mustSucceed(runAs('one'));
    const before = await values();
    days.push(3);
    asked();
    await mustSucceed(runAs('two', '--detach'));
    // The last task waits: what it would publish is read, and nothing is published.
    await sql(`UPDATE rxtract.tasks SET not_before = now() + interval '1 hour' WHERE run = 'two' AND task = 'publish'`);
    const killed = ownCommand(['worker', uri(), '--lease', '1s'], {
      onStart(signal) {
        const left = `SELECT FROM rxtract.tasks WHERE run = 'two' AND task <> 'publish' AND state <> 'done'`;
        const kill = async () => {
          while ((await sql(left)).length > 0) await sleep(50);
          signal('SIGKILL');
        };
        void kill();
      },
    });
    assert.is((await killed).exit, null);
    assert.equal(await values(), before);
    assert.match((await runAs('three')).stderr, 'the run "two" has the state "orders", and has not ended');
    assert.equal(asked(), ['/orders 2026-01-02', notesOf(3), '/returns 2026-01-02']);
    await sql(`UPDATE rxtract.tasks SET not_before = NULL`);
    await mustSucceed(runAs('two'));
    assert.equal(asked(), []);
    assert.ok((await values()).includes('orders "2026-01-03"'));
    assert.is((await read('orders')).length, 3);
  }),
);

test(
  'a run that was cancelled leaves the values, and is not taken up again after a later one',
  inWorld(async ({ runAs, values, uri, call, asked }) => {
    await mustSucceed(runAs('one', '--detach'));
    await call('cancel', uri(), 'one');
    assert.equal(await values(), []);
    await mustSucceed(runAs('two'));
    assert.ok((await values()).includes('orders "2026-01-02"'));
    const { exit, stderr } = await commandHere(['retry', uri(), 'one']);
    assert.is(exit, 1);
    assert.match(stderr, 'the state of the run "one" has changed since it was submitted');
    asked();
    const other = await runAs('two');
    assert.match(other.stderr, 'there is a run "two" already, and it is done');
  }),
);

test(
  'a state that a process uses is not given to a run, and one that a killed process has left is',
  inWorld(async ({ runAs, sql, values }) => {
    await mustSucceed(runAs('one'));
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
    const hold = async (pid: number) => {
      const holder = JSON.stringify({ ...(await thisProcess()), pid, start: '', boot });
      await sql(`UPDATE rxtract.rxtract_states SET holder = '${holder}'`);
    };
    await hold(process.pid);
    assert.match((await runAs('two')).stderr, 'another run is using it');
    await hold(2 ** 30);
    await mustSucceed(runAs('two'));
    assert.ok((await values()).includes('orders "2026-01-02"'));
  }),
);

run.run();
