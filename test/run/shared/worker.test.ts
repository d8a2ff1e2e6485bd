/** Workers at a board: tasks are done once, and left to others, whatever happens to a worker or the board. */
import { setImmediate as turn } from 'node:timers/promises';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { type Board, parkedMs } from '../../../src/checkpoint/board/board.js';
import type { Configuration } from '../../../src/config/configuration.js';
import { ExtractError } from '../../../src/core/errors/errors.js';
import { describeRun } from '../../../src/run/describe-run.js';
import { run } from '../../../src/run/extract.js';
import { startWorker, type WorkerEvent, type WorkerOptions } from '../../../src/run/shared/worker.js';
import { type MemoryBoard, memoryBoard } from '../../checkpoint/board/memory-board.js';
import { configurationOf, onServer, type Scene } from '../../checkpoint/scenes.js';
import { type Api, json } from '../../loopback/api.js';
import { rejection } from '../../sinks/lib.js';
import { type Destination, destination, transactionLog } from '../../sinks/transaction-log.js';

/** Pages of users, and notes of each. */
const scene: Scene = {
  what: 'users with notes',
  api: { pagination: { method: 'pagenum', limit: 2, limitParam: 'limit' } },
  jobs: [
    {
      endpoint: 'users',
      dataType: 'users',
      dataField: 'items',
      children: [{ endpoint: 'users/{user}', dataType: 'notes', dataField: 'items', placeholders: { user: 'id' } }],
    },
    { endpoint: 'teams', dataType: 'teams', dataField: 'items' },
  ],
  answer(url) {
    const page = Number(url.searchParams.get('page') ?? 1);
    const ids = Array.from({ length: 5 }, (_, index) => `${url.pathname}-${index}`);
    return json({ items: ids.slice(2 * page - 2, 2 * page).map((id) => ({ id: id.replaceAll('/', '') })) });
  },
};

interface World {
  readonly server: Api;
  readonly configuration: Configuration;
  readonly memory: MemoryBoard;
  readonly board: Board;
  readonly to: Destination;
  readonly events: WorkerEvent[];
  /** A worker; what is given replaces its options. */
  start(more?: Partial<WorkerOptions>): ReturnType<typeof startWorker>;
  submit(name?: string): Promise<void>;
  /** Settles when the run has this state. */
  reached(state: string, name?: string): Promise<void>;
  /** The items are those of one process. */
  mustBeWhole(): Promise<void>;
}

const member = (to: Destination) => transactionLog(to, {}, { leave() {} });

const inWorld = (use: (world: World) => Promise<void>) =>
  onServer(scene, async (server) => {
    const configuration = configurationOf(scene, server.origin);
    const [memory, to, events] = [memoryBoard(), destination(), [] as WorkerEvent[]];
    const board = memory.connect();
    const workers: ReturnType<typeof startWorker>[] = [];
    const options = {
      get to() {
        return member(to);
      },
    };
    try {
      await use({
        server,
        configuration,
        memory,
        board,
        to,
        events,
        start(more = {}) {
          const own: WorkerOptions = {
            board: memory.connect(),
            slots: 2,
            lease: 40,
            idleMs: [1, 4],
            resolve: () => ({ configuration, options }),
            report: (event) => events.push(event),
            ...more,
          };
          const worker = startWorker(own);
          workers.push(worker);
          return worker;
        },
        async submit(name = 'orders') {
          const start = await describeRun(configuration, { to: member(to) });
          await board.submit({ ...start, name, block: 1, work: '' });
        },
        async reached(state, name = 'orders') {
          while ((await board.status(name))?.state !== state) await turn();
        },
        async mustBeWhole() {
          const whole = destination();
          await run(configuration, { to: transactionLog(whole) });
          assert.equal([...to.items].sort(), [...whole.items].sort());
        },
      });
    } finally {
      await Promise.all(workers.map((worker) => worker.stop()));
    }
  });

const typesIn = (events: readonly WorkerEvent[]) => events.map(({ type }) => type).filter((type) => type !== 'page');
const tasksIn = (events: readonly WorkerEvent[], of: WorkerEvent['type']) =>
  events.flatMap((event) => (event.type === of && 'lease' in event ? [event.lease.task] : []));

test(
  'workers that start before the run do all its tasks, and publish it at last',
  inWorld(async ({ start, submit, reached, mustBeWhole, events, board }) => {
    const workers = [start(), start()];
    await turn();
    await submit();
    await reached('done');
    for (const worker of workers) await worker.stop();
    await mustBeWhole();
    const done = tasksIn(events, 'done');
    assert.equal([done.length, new Set(done).size, done.at(-1)], [8, 8, 'publish']);
    assert.equal(new Set(typesIn(events)), new Set(['taken', 'done']));
    assert.is(events.filter(({ type }) => type === 'page').length, 21);
    assert.equal((await board.status('orders'))?.errors, []);
  }),
);

test(
  'a worker has as many tasks at once as it has slots',
  inWorld(async ({ start, submit, reached, events }) => {
    await submit();
    start({ slots: 1 });
    await reached('done');
    let most = 0;
    let now = 0;
    for (const { type } of events) {
      if (type === 'taken') now += 1;
      if (type === 'done') now -= 1;
      most = Math.max(most, now);
    }
    assert.is(most, 1);
  }),
);

test(
  'a worker that stops gives its tasks back at a record, and another one continues there',
  inWorld(async ({ server, start, submit, reached, mustBeWhole, events, memory }) => {
    await submit();
    const before = server.requests.length;
    const first = start();
    while (!events.some(({ type }) => type === 'page')) await turn();
    await first.stop();
    await first.done;
    assert.equal(
      memory.tasks.filter(({ state }) => state === 'leased'),
      [],
    );
    const given = events.filter((event) => event.type === 'given-back');
    assert.ok(given.length > 0);
    for (const event of given) assert.is(event.type === 'given-back' && event.why, 'drained');
    start();
    await reached('done');
    const requests = server.requests.slice(before).map(({ target }) => target);
    assert.is(new Set(requests).size, requests.length, 'no request is sent twice');
    await mustBeWhole();
  }),
);

test(
  'a task that makes others faster than they are done is parked at a record, and continues later',
  inWorld(async ({ server, start, submit, reached, mustBeWhole, events, memory }) => {
    await submit();
    const before = server.requests.length;
    const worker = start({ slots: 1, mostReady: 2 });
    while (!events.some(({ type }) => type === 'given-back')) await turn();
    const given = events.filter((event) => event.type === 'given-back');
    assert.equal(
      given.map((event) => event.type === 'given-back' && [event.lease.task, event.why]),
      [['J0', 'parked']],
    );
    const waiting = memory.tasks.filter(({ task }) => /^J0-/.test(task)).length;
    assert.ok(waiting > 0 && waiting < 5, 'its last page is not read');
    while (memory.tasks.some(({ task, state }) => state !== 'done' && /^J0-|J1/.test(task))) await turn();
    assert.is(memory.tasks.find(({ task }) => task === 'J0')?.state, 'ready');
    memory.pass(parkedMs);
    await reached('done');
    await worker.stop();
    const requests = server.requests.slice(before).map(({ target }) => target);
    assert.is(new Set(requests).size, requests.length, 'no request is sent twice');
    await mustBeWhole();
  }),
);

test(
  'a task that fails is given back with its error, and is done later',
  inWorld(async ({ configuration, to, start, submit, reached, mustBeWhole, events, memory, board }) => {
    await submit();
    let faults = 3;
    const open = () => {
      if (faults === 0) return;
      faults -= 1;
      throw new ExtractError('ERR_SINK', 'the disk is full');
    };
    const options = {
      get to() {
        return transactionLog(to, {}, { leave() {}, open });
      },
    };
    start({ resolve: () => ({ configuration, options }) });
    const gone = () => events.filter((event) => event.type === 'given-back').length;
    for (let count = 1; count <= 3; count += 1) {
      while (gone() < count) await turn();
      memory.pass(500 * 2 ** 4);
    }
    await reached('done');
    const [first] = events.flatMap((event) => (event.type === 'given-back' ? [event.why] : []));
    assert.equal(first, { error: 'ERR_SINK: the disk is full', delay: 500 });
    assert.equal((await board.status('orders'))?.tasks.failed, 0);
    await mustBeWhole();
  }),
);

test(
  'an error that another attempt would get again is the only attempt',
  inWorld(async ({ start, submit, reached, events, configuration, to, memory }) => {
    await submit();
    let status = 503;
    const open = () => {
      throw new ExtractError('ERR_STATUS', `status ${status}`, { status });
    };
    const options = {
      get to() {
        return transactionLog(to, {}, { leave() {}, open });
      },
    };
    start({ resolve: () => ({ configuration, options }), slots: 1 });
    const whys = () => events.flatMap((event) => (event.type === 'given-back' ? [event.why] : []));
    while (whys().length < memory.tasks.length - 1) await turn();
    status = 404;
    memory.pass(500);
    await reached('failed');
    const error = (of: number) => ({ error: `ERR_STATUS: status ${of}`, delay: 500 });
    assert.equal(whys()[0], error(503));
    assert.equal(whys().at(-1), { ...error(404), isLasting: true });
    assert.is(whys().length, 2 * (memory.tasks.length - 1));
  }),
);

test(
  'a worker that the board refuses ends, after the tasks that it has',
  inWorld(async ({ memory, submit, events, configuration, to }) => {
    await submit();
    let isRefused = false;
    const inner = memory.connect();
    const take: Board['take'] = async (name) => {
      if (isRefused) throw new ExtractError('ERR_USAGE', 'wrong password');
      isRefused = true;
      return inner.take(name);
    };
    const worker = startWorker({
      board: { ...inner, take },
      slots: 2,
      lease: 40,
      resolve: () => ({ configuration, options: { to: member(to) } }),
      report: (event) => events.push(event),
    });
    await rejection(worker.done, 'ERR_USAGE', /wrong password/);
    assert.equal(typesIn(events).length, 2);
    assert.is(memory.tasks.filter(({ state }) => state === 'leased').length, 0);
  }),
);

test(
  'what a worker cannot do is left to others, and is no failure of the task',
  inWorld(async ({ start, submit, reached, mustBeWhole, events, memory }) => {
    await submit();
    let attempts = 0;
    const resolve = () => {
      attempts += 1;
      throw new ExtractError('ERR_USAGE', 'there is no key');
    };
    const unable = start({ resolve });
    while (tasksIn(events, 'given-back').length < 2) await turn();
    assert.ok(attempts > 0);
    const [given] = events.flatMap((event) => (event.type === 'given-back' ? [event.why] : []));
    assert.equal(given, { error: 'ERR_USAGE: there is no key', delay: 10_000, isOfWorker: true });
    await unable.stop();
    memory.pass(10_000);
    start();
    await reached('done');
    assert.ok(memory.tasks.every(({ fails }) => fails === 0));
    await mustBeWhole();
  }),
);

test(
  'a lease that is lost ends the task here, and the worker goes on with others',
  inWorld(async ({ start, submit, reached, mustBeWhole, events, memory }) => {
    await submit();
    start();
    let taken = 0;
    while (!events.some(({ type }) => type === 'lost')) {
      const leased = memory.tasks.find(({ state }) => state === 'leased');
      if (leased !== undefined && taken < 1) {
        memory.lapse(leased);
        const other = await memory.connect().take('other');
        if (other?.task === leased.task) taken += 1;
        if (other !== undefined) memory.lapse(other);
      }
      await turn();
    }
    memory.pass(1000);
    await reached('done');
    await mustBeWhole();
  }),
);

test(
  'a board that is away is asked again, and a task that cannot be given back is taken by another process later',
  inWorld(async ({ start, submit, reached, mustBeWhole, events, memory }) => {
    await submit();
    let isAway = true;
    const inner = memory.connect();
    const reachable = <Call extends (...all: never[]) => Promise<unknown>>(call: Call) =>
      ((...all: never[]) => (isAway ? Promise.reject(new ExtractError('ERR_STATE', 'away')) : call(...all))) as Call;
    const open: Board['open'] = (lease, spec) => ({
      async open() {
        const opened = await inner.open(lease, spec).open();
        return { ...opened, append: reachable(opened.append), sync: reachable(opened.sync) };
      },
    });
    const board = {
      find: reachable(inner.find),
      open,
      take: reachable(inner.take),
      beat: reachable(inner.beat),
      giveBack: reachable(inner.giveBack),
    };
    start({ board });
    while (!events.some(({ type }) => type === 'away')) await turn();
    isAway = false;
    while (!events.some(({ type }) => type === 'page')) await turn();
    isAway = true;
    while (!events.some(({ type }) => type === 'lost')) await turn();
    isAway = false;
    memory.pass(1000);
    await reached('done');
    assert.ok(typesIn(events).includes('back'));
    await mustBeWhole();
  }),
);

test(
  'a run that was removed can have a successor with its name',
  inWorld(async ({ start, submit, reached, events, board, to, mustBeWhole }) => {
    const worker = start();
    await submit();
    await reached('done');
    await board.sweep(0);
    to.items.splice(0);
    await submit();
    await reached('done');
    await worker.stop();
    assert.is(tasksIn(events, 'done').length, 16);
    await mustBeWhole();
  }),
);

test(
  'a run that is removed while a task is taken loses nothing else',
  inWorld(async ({ start, submit, events, memory }) => {
    await submit();
    const inner = memory.connect();
    const find: Board['find'] = async () => undefined;
    start({ board: { ...inner, find } });
    while (!events.some(({ type }) => type === 'given-back')) await turn();
    const [given] = events.flatMap((event) => (event.type === 'given-back' ? [event.why] : []));
    assert.equal(given, {
      error: 'ERR_STATE: there is no run "orders" any more',
      delay: 10_000,
      isOfWorker: true,
    });
  }),
);

test.run();
