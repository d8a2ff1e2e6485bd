/** The rules that each board must keep, each on a board of its own. */
import { setImmediate as turn } from 'node:timers/promises';
import * as assert from 'uvu/assert';
import {
  type Board,
  type Lease,
  mostDeaths,
  mostFailures,
  parkedMs,
  type RunSpec,
} from '../../../src/checkpoint/board/board.js';
import { type BeginRecord, format, type PageRecord, recordIn, textOf } from '../../../src/checkpoint/records.js';
import type { OpenStore } from '../../../src/checkpoint/store/store.js';
import { version } from '../../../src/core/util/version.js';
import { noMemory, type RunMemory } from '../../../src/incremental/run-memory.js';
import { rejection } from '../../sinks/lib.js';

/** A board and what a test does to it. */
export interface BoardUnderTest {
  /** A process at the board. */
  connect(): Board;
  /** All leases pass. */
  lapse(): Promise<void>;
  /** So many ms pass for tasks that wait. */
  pass(ms: number): Promise<void>;
}

const begin: BeginRecord = {
  type: 'begin',
  format,
  version,
  run: 'abc',
  epoch: 0,
  sinks: ['transaction'],
  startedAt: 5,
  marks: { 'config.jobs': 'a1' },
  values: { 'config.jobs': 'users' },
};

const specOf = (name: string, jobs: RunSpec['jobs'] = [{ job: 0 }]): RunSpec => ({
  name,
  begin: { ...begin, run: `run of ${name}` },
  jobs,
  block: 2,
  work: '{"text":"é"}',
});

const many = (count: number): RunSpec['jobs'] => Array.from({ length: count }, (_, job) => ({ job }));

/** The record of a page with three rows in a part, which are tasks of so many rows, for each child job. */
const pageWith = (part: string, blocks: readonly number[] = [2, 2], page = 0): PageRecord => ({
  type: 'page',
  job: 0,
  at: [],
  begun: 7,
  page,
  time: 8,
  print: 'a',
  took: { job: 0, requests: 1, retries: 0, count: 3, bytes: 9, delivered: true },
  rows: { part, count: 3, lengths: [4], crc: 1 },
  blocks,
});

/** A job remembers this value. */
const memoryOf = (value: string): RunMemory => ({
  ...noMemory,
  jobs: { users: { source: {}, filters: {}, values: { '': { value, recent: [], at: 1 } } } },
});

const done = textOf({ type: 'done', outputs: '[]' });

async function taken(board: Board): Promise<Lease> {
  const lease = await board.take('worker');
  assert.ok(lease, 'there is a task');
  return lease;
}

const opened = (board: Board, lease: Lease, spec: RunSpec): Promise<OpenStore> => board.open(lease, spec).open();

/** Ends a task after so many pages. */
async function end(board: Board, lease: Lease, spec: RunSpec, pages = 0): Promise<void> {
  const store = await opened(board, lease, spec);
  await store.replace(store.records);
  const { rows: _, ...without } = pageWith('p');
  for (let page = 0; page < pages; page += 1) await store.append([textOf({ ...without, page })]);
  await store.sync([done]);
  await store.close();
}

/** A run whose first task has stored rows in a part, and is done. */
async function withPart(board: Board) {
  const spec = specOf('a');
  await board.submit(spec);
  const store = await opened(board, await taken(board), spec);
  await store.replace([textOf(begin)]);
  const part = await store.createPart();
  await part.write(Buffer.from('1234'));
  await store.append([textOf(pageWith(part.name, [3]))]);
  await store.sync([done]);
  return { board, spec, store, part };
}

/** Each method that writes, with the store of a lease that is lost. */
const writes: Readonly<Record<string, (store: OpenStore) => Promise<unknown>>> = {
  replace: (store) => store.replace([textOf(begin)]),
  append: (store) => store.append([textOf({ type: 'job-done', job: 0 })]),
  'append of rows': (store) => store.append([textOf(pageWith('p'))]),
  sync: (store) => store.sync([textOf({ type: 'sync', count: 1 })]),
  'sync of the end': (store) => store.sync([done]),
  'write of a part': async (store) => (await store.createPart()).write(Buffer.from('x')),
};

async function mustBeRefused(store: OpenStore, board: Board, lease: Lease): Promise<void> {
  for (const [name, write] of Object.entries(writes)) {
    const error = await rejection(write(store), 'ERR_STATE', /took over/);
    assert.ok(error.message.includes(lease.task), name);
  }
  assert.is(await board.beat(lease), false, 'beat');
  assert.is(await board.giveBack(lease, 'drained'), false, 'giveBack');
  assert.is(await board.giveBack(lease, { error: 'old', delay: 0 }), false, 'giveBack');
}

type Rule = (test: BoardUnderTest) => Promise<void>;

export const boardRules: Readonly<Record<string, Rule>> = {
  async 'a run is submitted once, with a task for each top-level job, and one that publishes'({ connect }) {
    const board = connect();
    assert.is(await board.take('worker'), undefined);
    assert.is(await board.status('a'), undefined);
    assert.is(await board.find('a'), undefined);
    const spec = specOf('a', [{ job: 0 }, { job: 2 }]);
    await board.submit(spec);
    await rejection(
      connect().submit({ ...specOf('a'), begin: { ...begin, run: 'other' } }),
      'ERR_USAGE',
      /a run "a" already/,
    );
    assert.equal(await connect().find('a'), spec);
    const tasks = { ready: 3, leased: 0, done: 0, failed: 0 };
    const status = await board.status('a');
    assert.equal(status, {
      name: 'a',
      state: 'running',
      version,
      submittedAt: status?.submittedAt,
      tasks,
      workers: [],
      errors: [],
    });
    const [first, second] = [await taken(board), await taken(board)];
    assert.equal(
      [first, second],
      [
        { run: 'a', task: 'J0', epoch: 1 },
        { run: 'a', task: 'J2', epoch: 1 },
      ],
    );
    assert.is(await board.take('worker'), undefined);
    const { records } = await opened(board, second, spec);
    assert.equal(records.map(recordIn), [{ ...spec.begin, task: { name: 'J2', job: 2 } }]);
  },

  async 'epochs of a task are strictly monotone, also with many takers at once'({ connect, lapse }) {
    const spec = specOf('a', many(20));
    const boards = Array.from({ length: 8 }, () => connect());
    await boards[0]?.submit(spec);
    for (let round = 1; round <= 4; round += 1) {
      const takers = Array.from({ length: 64 }, async (_, index) => boards[index % 8]?.take(`worker ${index}`));
      const leases = (await Promise.all(takers)).filter((lease) => lease !== undefined);
      // Rows that are locked are skipped, not waited for.
      for (let rest = await boards[0]?.take('rest'); rest !== undefined; rest = await boards[0]?.take('rest')) {
        leases.push(rest);
      }
      assert.is(new Set(leases.map(({ task }) => task)).size, 20, 'all are taken');
      assert.equal(new Set(leases.map(({ epoch }) => epoch)), new Set([round]));
      assert.is(leases.length, 20, 'each has one lease');
      await lapse();
    }
  },

  async 'what is written is there for the next process, and what an old one writes is refused'({ connect, lapse }) {
    const [one, other] = [connect(), connect()];
    const spec = specOf('a');
    await one.submit(spec);
    const old = await taken(one);
    const store = await opened(one, old, spec);
    await store.replace([textOf(begin), '{"type":"sync"}']);
    await Promise.all([store.append(['{"type":"weakened"}']), store.sync(['{"type":"memory"}'])]);
    const part = await store.createPart();
    const piece = await part.write(Buffer.from('rows'));
    assert.is(await one.beat(old), true);
    await lapse();
    const next = await taken(other);
    assert.is(next.epoch, 2);
    const again = await opened(other, next, spec);
    assert.equal(
      again.records.slice(1),
      ['sync', 'weakened', 'memory'].map((type) => `{"type":"${type}"}`),
    );
    assert.is(Buffer.from(await (await again.openPart(part.name)).read(piece)).toString(), 'rows');
    await mustBeRefused(store, one, old);
    await again.append(['{"type":"rejected"}']);
    await again.sync([done]);
    await mustBeRefused(store, one, old);
    assert.equal((await one.status('a'))?.tasks, { ready: 1, leased: 0, done: 1, failed: 0 });
    assert.is(await other.beat(next), false, 'it is done');
    for (const each of [store, again]) await each.close();
  },

  async 'a lease that has passed is kept by a beat, if no other process has taken it'({ connect, lapse }) {
    const board = connect();
    const spec = specOf('a');
    await board.submit(spec);
    const lease = await taken(board);
    await lapse();
    assert.is(await board.beat(lease), true);
    assert.is(await connect().take('other'), undefined);
  },

  async 'a page with rows makes its tasks once: a block for each child, deeper ones first'({ connect, lapse }) {
    const board = connect();
    const spec = specOf('a');
    await board.submit(spec);
    const parent = await taken(board);
    const store = await opened(board, parent, spec);
    await store.replace([textOf(begin)]);
    const part = await store.createPart();
    await part.write(Buffer.from('1234'));
    await store.append([textOf(pageWith(part.name))]);
    const snapshot = { type: 'snapshot', count: 1, jobs: [[0, { ...pageWith(part.name), prints: '' }]], shares: [] };
    await store.replace([textOf(begin), JSON.stringify(snapshot)]);
    assert.is((await board.status('a'))?.tasks.ready, 5);
    const names: string[] = [];
    for (let index = 0; index < 4; index += 1) {
      const lease = await taken(board);
      names.push(lease.task);
      const child = await opened(board, lease, spec);
      const seed = JSON.parse(child.records[1] ?? '');
      assert.equal(JSON.parse(child.records[0] ?? '').task, { name: lease.task, job: 0 });
      assert.equal(seed.jobs[0][1].rows, pageWith(part.name).rows);
      assert.is(
        Buffer.from(await (await child.openPart(part.name)).read({ position: 0, length: 4 })).toString(),
        '1234',
      );
      await child.replace(child.records);
      await child.sync([done]);
      await child.removePart(part.name);
      await child.close();
    }
    assert.equal(names, ['J0-P0-C0-R0', 'J0-P0-C0-R2', 'J0-P0-C1-R0', 'J0-P0-C1-R2']);
    await lapse();
    const next = await opened(board, await taken(board), spec);
    assert.equal(await next.partNames(), [part.name], 'its journal may need the part');
    await next.sync([done]);
    await next.removePart(part.name);
    assert.equal(await next.partNames(), []);
    assert.equal((await board.status('a'))?.tasks, { ready: 1, leased: 0, done: 5, failed: 0 });
    for (const each of [store, next]) await each.close();
  },

  async 'a page that is recorded again makes no task again, however many rows its tasks would have'({ connect }) {
    const board = connect();
    const spec = specOf('a');
    await board.submit(spec);
    const store = await opened(board, await taken(board), spec);
    await store.replace([textOf(begin)]);
    await store.append([textOf(pageWith('p', [2]))]);
    await store.append([textOf(pageWith('p', [1])), textOf(pageWith('p', [1], 1))]);
    const names: string[] = [];
    for (let lease = await board.take('worker'); lease !== undefined; lease = await board.take('worker')) {
      names.push(lease.task);
    }
    assert.equal(names, ['J0-P0-C0-R0', 'J0-P0-C0-R2', 'J0-P1-C0-R0', 'J0-P1-C0-R1', 'J0-P1-C0-R2']);
    await store.close();
  },

  async 'a part stays until the last task with its rows is done'({ connect }) {
    const { board, spec, store, part } = await withPart(connect());
    await store.removePart(part.name);
    assert.equal(await store.partNames(), [part.name]);
    const child = await opened(board, await taken(board), spec);
    await child.removePart(part.name);
    assert.equal(await child.partNames(), [part.name]);
    await child.sync([done]);
    await child.removePart(part.name);
    assert.equal([...(await store.partNames())], []);
    for (const each of [store, child]) await each.close();
  },

  async 'of each run that has not ended, it is known where its tasks are'({ connect, lapse, pass }) {
    const board = connect();
    for (const name of ['b', 'c', 'a']) await board.submit(specOf(name, many(2)));
    const none = { ready: 3, waiting: 0, leased: 0, done: 0, failed: 0 };
    assert.equal(
      await board.openRuns(),
      ['a', 'b', 'c'].map((name) => ({ name, tasks: none })),
    );
    await board.cancel('c');
    const [first, second] = [await taken(board), await taken(board)];
    assert.equal([first.run, second.run], ['b', 'b']);
    await board.giveBack(second, 'parked');
    const longest = async () => (await board.openRuns())[1]?.longestLease ?? -1;
    assert.ok((await longest()) >= 0);
    assert.equal(
      (await board.openRuns()).map(({ name, tasks }) => ({ name, tasks })),
      [
        { name: 'a', tasks: none },
        { name: 'b', tasks: { ...none, ready: 1, waiting: 1, leased: 1 } },
      ],
    );
    await lapse();
    await pass(parkedMs);
    for (let lease = await board.take('worker'); lease !== undefined; lease = await board.take('worker')) {
      await end(board, lease, specOf(lease.run, many(2)));
    }
    assert.equal(await board.openRuns(), []);
  },

  async 'a run is published by one task, when all its others are done'({ connect, lapse }) {
    const board = connect();
    const spec = specOf('a', many(2));
    await board.submit(spec);
    const other = specOf('b', many(1));
    await board.submit(other);
    const [first, second, third] = [await taken(board), await taken(board), await taken(board)];
    assert.equal([first.task, second.task, third.run], ['J0', 'J1', 'b']);
    await end(board, first, spec, 2);
    await board.giveBack(second, 'drained');
    const again = await taken(board);
    assert.equal([again.task, await board.take('worker')], ['J1', undefined]);
    await end(board, again, spec, 3);
    const lease = await taken(board);
    assert.equal([lease, await board.take('worker')], [{ run: 'a', task: 'publish', epoch: 1 }, undefined]);
    const store = await opened(board, lease, spec);
    const [own, sum] = store.records.map(recordIn);
    assert.equal([own, store.records.length], [{ ...spec.begin, task: { name: 'publish' } }, 2]);
    assert.equal(sum?.type === 'snapshot' && sum.shares.map(([job, { items }]) => [job, items]), [[0, 15]]);
    await store.replace(store.records);
    await store.append([textOf({ type: 'publishing' })]);
    await board.cancel('b');
    await lapse();
    const next = await taken(board);
    assert.is(next.task, 'publish');
    const resumed = await opened(board, next, spec);
    assert.equal(resumed.records, [...store.records, '{"type":"publishing"}']);
    await mustBeRefused(store, board, lease);
    assert.is((await board.status('a'))?.state, 'running');
    await resumed.sync([done]);
    assert.is((await board.status('a'))?.state, 'done');
    for (const each of [store, resumed]) await each.close();
  },

  async 'what a run remembers moves when it is done, and the next run reads it'({ connect, lapse }) {
    const board = connect();
    const unknown = { name: 'st', generation: 0, remembered: noMemory };
    assert.equal(await board.state('st'), unknown);
    const spec = { ...specOf('a'), state: { name: 'st', generation: 0 } };
    await board.submit(spec);
    assert.equal(await board.find('a'), spec);
    assert.equal(await board.state('st'), { ...unknown, generation: 1, usedBy: 'a' });
    await rejection(connect().submit({ ...specOf('b'), state: spec.state }), 'ERR_STATE', /changes at this moment/);
    await rejection(connect().submit({ ...spec, begin: { ...begin, run: 'b' } }), 'ERR_USAGE', /a run "a" already/);
    await end(board, await taken(board), spec);
    const killed = await opened(board, await taken(board), spec);
    await killed.replace(killed.records);
    await killed.append([textOf({ type: 'publishing', remembered: memoryOf('5') })]);
    assert.equal((await board.state('st')).remembered, noMemory, 'it is not published');
    await killed.close();
    await lapse();
    const store = await opened(board, await taken(board), spec);
    await store.replace(store.records);
    await store.sync([done]);
    await store.close();
    assert.equal(await connect().state('st'), { name: 'st', generation: 2, remembered: memoryOf('5') });
    assert.is(await board.retry('a'), false, 'it is done');
    const next = { ...specOf('b'), state: { name: 'st', generation: 2 } };
    await board.submit(next);
    assert.is((await board.state('st')).usedBy, 'b');
    await end(board, await taken(board), next);
    const without = await opened(board, await taken(board), next);
    await without.append([textOf({ type: 'publishing' })]);
    await without.sync([done]);
    await without.close();
    assert.equal((await board.state('st')).remembered, memoryOf('5'), 'as before');
  },

  async 'a run whose state has changed since is not published, and not taken up again'({ connect }) {
    const board = connect();
    const spec = { ...specOf('a'), state: { name: 'st', generation: 0 } };
    await board.submit(spec);
    await end(board, await taken(board), spec);
    const store = await opened(board, await taken(board), spec);
    await store.replace(store.records);
    assert.is(await board.cancel('a'), true);
    assert.equal((await board.state('st')).usedBy, undefined, 'a run that was cancelled does not use it');
    assert.is(await board.retry('a'), true);
    const lease = await taken(board);
    const next = await opened(board, lease, spec);
    const later = { ...specOf('b'), state: { name: 'st', generation: (await board.state('st')).generation } };
    await board.submit(later);
    await next.replace(next.records);
    await rejection(
      next.append([textOf({ type: 'publishing', remembered: memoryOf('5') })]),
      'ERR_STATE',
      /has changed since/,
    );
    for (const each of [store, next]) await each.close();
    assert.is(await board.giveBack(lease, { error: 'changed', delay: 0 }), true);
    assert.is(await board.cancel('a'), true);
    assert.is(await board.retry('a'), false);
    assert.equal(await board.state('st'), { name: 'st', generation: 2, remembered: noMemory, usedBy: 'b' });
  },

  async 'a run that a process publishes cannot be cancelled, and one whose process is gone can'({ connect, lapse }) {
    const board = connect();
    const spec = specOf('a');
    await board.submit(spec);
    await end(board, await taken(board), spec);
    const store = await opened(board, await taken(board), spec);
    await store.replace(store.records);
    await store.append([textOf({ type: 'publishing' })]);
    assert.is(await board.cancel('a'), false);
    await lapse();
    assert.is(await board.cancel('a'), true);
    await rejection(store.sync([done]), 'ERR_STATE', /took over/);
    assert.is((await board.status('a'))?.state, 'cancelled');
    assert.is(await board.retry('a'), true);
    const again = await opened(board, await taken(board), spec);
    await again.sync([done]);
    for (const each of [store, again]) await each.close();
    assert.is(await board.cancel('a'), false);
    assert.is((await board.status('a'))?.state, 'done');
  },

  async 'a task that has failed keeps its run from being published'({ connect }) {
    const board = connect();
    const spec = specOf('a', many(2));
    await board.submit(spec);
    const [failing, other] = [await taken(board), await taken(board)];
    for (let lease: Lease | undefined = failing; lease !== undefined; lease = await board.take('worker')) {
      await board.giveBack(lease, { error: 'fault', delay: 0 });
    }
    assert.is((await board.status('a'))?.state, 'running');
    await end(board, other, spec);
    assert.is(await board.take('worker'), undefined);
    assert.equal((await board.status('a'))?.state, 'failed');
    assert.equal((await board.status('a'))?.tasks, { ready: 1, leased: 0, done: 1, failed: 1 });
    await board.retry('a');
    await end(board, await taken(board), spec);
    const last = await taken(board);
    assert.is(last.task, 'publish');
    for (let lease: Lease | undefined = last; lease !== undefined; lease = await board.take('worker')) {
      await board.giveBack(lease, { error: 'cannot publish', delay: 0 });
    }
    const status = await board.status('a');
    assert.equal([status?.state, status?.errors], ['failed', [{ task: 'publish', error: 'cannot publish' }]]);
  },

  async 'a part stays until all tasks below its rows are done'({ connect }) {
    const { board, spec, store, part } = await withPart(connect());
    const child = await opened(board, await taken(board), spec);
    await child.replace(child.records);
    const own = await child.createPart();
    await own.write(Buffer.from('5678'));
    await child.append([textOf({ ...pageWith(own.name, [3]), at: [[0, 0, 1, 0]] })]);
    await child.sync([done]);
    for (const name of await child.partNames()) await child.removePart(name);
    const lease = await taken(board);
    assert.is(lease.task, 'J0-P0-C0-R1.0-P0-C0-R0');
    const last = await opened(board, lease, spec);
    const names = [...(await last.partNames())].sort();
    assert.equal(names, [part.name, own.name].sort());
    for (const name of names) {
      await last.removePart(name);
      await (await last.openPart(name)).read({ position: 0, length: 4 });
    }
    await last.sync([done]);
    for (const name of names) {
      await last.removePart(name);
      await rejection((await last.openPart(name)).read({ position: 0, length: 4 }), 'ERR_STATE', /shorter/);
    }
    assert.equal((await board.status('a'))?.tasks, { ready: 1, leased: 0, done: 3, failed: 0 });
    for (const each of [store, child, last]) await each.close();
  },

  async 'a task that fails is taken again, until it has failed too often or `retry` is called'({ connect }) {
    const board = connect();
    await board.submit(specOf('a'));
    for (let attempt = 1; attempt <= mostFailures; attempt += 1) {
      assert.is(await board.giveBack(await taken(board), { error: `fault ${attempt}`, delay: 0 }), true);
    }
    assert.is(await board.take('worker'), undefined);
    const status = await board.status('a');
    assert.equal([status?.state, status?.errors], ['failed', [{ task: 'J0', error: `fault ${mostFailures}` }]]);
    assert.is(await board.retry('a'), true);
    assert.is(await board.retry('b'), false);
    assert.is(await board.giveBack(await taken(board), 'drained'), true);
    assert.is((await taken(board)).epoch, mostFailures + 2);
  },

  async 'a task that failed waits for its delay, which doubles'({ connect, pass }) {
    const board = connect();
    await board.submit(specOf('a'));
    const hour = 3_600_000;
    for (const hours of [1, 2, 4]) {
      await board.giveBack(await taken(board), { error: 'fault', delay: hour });
      await pass((hours - 1) * hour + hour / 2);
      assert.is(await board.take('worker'), undefined);
      await pass(hour / 2);
    }
    await board.giveBack(await taken(board), { error: 'fault', delay: hour });
    assert.is(await board.take('worker'), undefined);
    assert.is((await board.status('a'))?.state, 'running');
  },

  async 'a task with an error that stays has failed at once'({ connect }) {
    const board = connect();
    await board.submit(specOf('a'));
    assert.is(await board.giveBack(await taken(board), { error: 'no such page', delay: 0, isLasting: true }), true);
    assert.is(await board.take('worker'), undefined);
    assert.is((await board.status('a'))?.state, 'failed');
    await board.retry('a');
    assert.is((await taken(board)).epoch, 2);
  },

  async 'a task that a process cannot do has not failed, and waits for another one'({ connect, pass }) {
    const board = connect();
    await board.submit(specOf('a'));
    for (let attempt = 0; attempt < 2 * mostFailures; attempt += 1) {
      const lease = await taken(board);
      assert.is(await board.giveBack(lease, { error: 'no key', delay: 1000, isOfWorker: true }), true);
      assert.is(await board.take('worker'), undefined);
      await pass(1000);
    }
    const status = await board.status('a');
    assert.equal([status?.state, status?.errors], ['running', [{ task: 'J0', error: 'no key' }]]);
  },

  async 'failures and processes that ended count only since the last page of the task'({ connect, lapse }) {
    const board = connect();
    const spec = specOf('a', many(1));
    await board.submit(spec);
    const turn = async (at: number, page: number | undefined) => {
      const lease = await taken(board);
      const store = await opened(board, lease, spec);
      await store.replace([textOf(begin), textOf(pageWith('p', []))]);
      if (page !== undefined) await store.append([textOf(pageWith('p', [], page))]);
      await store.close();
      if (at % 2 === 0) await lapse();
      else await board.giveBack(lease, { error: 'fault', delay: 0 });
    };
    for (let at = 0; at < 2 * mostFailures + 2; at += 1) await turn(at, at);
    assert.is((await board.status('a'))?.tasks.failed, 0);
    for (let at = 1; at < mostFailures; at += 1) await turn(1, undefined);
    assert.is((await board.status('a'))?.tasks.failed, 1);
  },

  async 'a task that is parked waits for a while, and that is no attempt'({ connect, pass }) {
    const board = connect();
    await board.submit(specOf('a'));
    for (let round = 1; round <= mostFailures + 1; round += 1) {
      assert.is(await board.giveBack(await taken(board), 'parked'), true);
      assert.is(await board.take('worker'), undefined);
      await pass(parkedMs);
    }
    assert.is((await taken(board)).epoch, mostFailures + 2);
    assert.equal((await board.status('a'))?.errors, []);
  },

  async 'a process learns once that more tasks wait than it wants'({ connect }) {
    const board = connect();
    const spec = specOf('a');
    await board.submit(spec);
    const lease = await taken(board);
    let calls = 0;
    // The task that publishes waits too.
    const crowd = {
      most: 4,
      onCrowded() {
        calls += 1;
      },
    };
    const store = await board.open(lease, spec, crowd).open();
    await store.replace([textOf(begin)]);
    const write = async (...texts: readonly string[]) => {
      await store.append(texts);
      await store.partNames(); // after the question for them
      await turn();
    };
    await write(textOf(pageWith('p', [1])));
    assert.is(calls, 0);
    await write(textOf({ type: 'job-done', job: 0 }));
    assert.is(calls, 0);
    await write(textOf(pageWith('p', [3], 1)));
    assert.is(calls, 1);
    await write(textOf(pageWith('p', [3], 2)));
    assert.is(calls, 1);
    await store.close();
  },

  async 'a task that ends each process has failed'({ connect, lapse }) {
    const board = connect();
    await board.submit(specOf('a'));
    for (let death = 1; death <= mostDeaths; death += 1) {
      await taken(board);
      await lapse();
    }
    assert.is(await board.take('worker'), undefined);
    const status = await board.status('a');
    assert.equal([status?.state, status?.errors.length], ['failed', 1]);
  },

  async 'a cancelled run loses its leases, and goes on after `retry`'({ connect }) {
    const board = connect();
    const spec = specOf('a', many(2));
    await board.submit(spec);
    const lease = await taken(board);
    const store = await opened(board, lease, spec);
    await store.replace([textOf(begin)]);
    assert.is(await board.cancel('a'), true);
    assert.is(await board.cancel('b'), false);
    await mustBeRefused(store, board, lease);
    assert.is(await board.take('worker'), undefined);
    assert.is((await board.status('a'))?.state, 'cancelled');
    await board.retry('a');
    assert.equal([(await taken(board)).epoch, (await taken(board)).epoch].sort(), [1, 3]);
    await store.close();
  },

  async 'a run that is done is not cancelled'({ connect }) {
    const board = connect();
    const spec = specOf('a', many(1));
    await board.submit(spec);
    for (let lease = await board.take('worker'); lease !== undefined; lease = await board.take('worker')) {
      await end(board, lease, spec);
    }
    assert.is(await board.cancel('a'), false);
    assert.is((await board.status('a'))?.state, 'done');
    assert.equal(await board.sweep(0), ['a']);
  },

  async 'sweep removes old runs of which nothing is left, and no other'({ connect }) {
    const board = connect();
    for (const name of ['done', 'failed', 'running', 'cancelled']) await board.submit(specOf(name, many(1)));
    const leases = [await taken(board), await taken(board), await taken(board), await taken(board)];
    const [ended] = leases;
    assert.is(ended?.run, 'done');
    for (let lease = ended; lease?.run === 'done'; lease = await board.take('worker')) {
      await end(board, lease, specOf('done', many(1)));
    }
    await board.cancel('cancelled');
    const failing = leases.find((lease) => lease.run === 'failed');
    for (let lease = failing; lease !== undefined; lease = await board.take('worker')) {
      await board.giveBack(lease, { error: 'x', delay: 0 });
    }
    assert.equal(await board.sweep(3_600_000), []);
    assert.equal([...(await board.sweep(0))].sort(), ['cancelled', 'done', 'failed']);
    assert.is(await board.status('done'), undefined);
    assert.is((await board.status('running'))?.tasks.leased, 1);
  },

  async 'a process that has a task of a run that was removed is refused by a later run of the name'({ connect }) {
    const board = connect();
    const spec = specOf('a', many(1));
    await board.submit(spec);
    const old = await taken(board);
    const store = await opened(board, old, spec);
    await store.replace([textOf(begin)]);
    await board.cancel('a');
    assert.equal(await board.sweep(0, 'a'), ['a']);
    await board.submit(spec);
    const lease = await taken(board);
    assert.is(lease.task, old.task);
    const next = await opened(board, lease, spec);
    await next.replace(next.records);
    await mustBeRefused(store, board, old);
    await next.append([textOf(pageWith('p'))]);
    for (const each of [store, next]) await each.close();
  },

  async 'sweep of one run leaves the others'({ connect }) {
    const board = connect();
    for (const name of ['one', 'other']) {
      await board.submit(specOf(name, many(1)));
      await board.cancel(name);
    }
    assert.equal(await board.sweep(0, 'one'), ['one']);
    assert.equal(
      (await board.runs()).map(({ name }) => name),
      ['other'],
    );
  },

  async 'runs are listed with their tasks and with the processes that have some'({ connect }) {
    const board = connect();
    assert.equal(await board.runs(), []);
    await board.submit(specOf('b', many(3)));
    await board.submit(specOf('a', many(1)));
    for (const worker of ['host-2', 'host-1', 'host-2']) await board.take(worker);
    const [b, a, ...more] = await board.runs();
    assert.equal(more, []);
    assert.equal([b?.name, b?.tasks.leased, a?.name, a?.tasks.ready, a?.workers], ['b', 3, 'a', 2, []]);
    assert.equal(b?.workers, [
      { name: 'host-1', tasks: 1 },
      { name: 'host-2', tasks: 2 },
    ]);
  },

  async 'the counts of jobs are those of the records so far, and the task that publishes has none'({ connect, lapse }) {
    const board = connect();
    const spec = specOf('a', many(1));
    await board.submit(spec);
    assert.equal(await board.totals('a'), []);
    const store = await opened(board, await taken(board), spec);
    await store.replace([textOf(begin)]);
    for (const page of [0, 1]) await store.append([textOf(pageWith('p', [], page))]);
    const once = { job: 0, requests: 1, pages: 1, items: 3, bytes: 9, retries: 0 };
    const twice = { job: 0, requests: 2, pages: 2, items: 6, bytes: 18, retries: 0 };
    assert.equal(await board.totals('a'), [twice]);
    await lapse();
    const again = await opened(board, await taken(board), spec);
    const rest = { jobs: [], outputs: [], lanes: [], marks: [], lanesOf: [], time: 0, weakened: [] };
    const snapshot = { type: 'snapshot', count: 1, ...rest, shares: [[0, once]] };
    await again.replace([textOf(begin), JSON.stringify(snapshot)]);
    assert.equal(await board.totals('a'), [once]);
    await again.sync([done]);
    const last = await opened(board, await taken(board), spec);
    await last.replace(last.records);
    assert.equal(await board.totals('a'), [once]);
    for (const each of [store, again, last]) await each.close();
  },

  async 'clocks of processes that are wrong by an hour change nothing'({ connect }) {
    const board = connect();
    await board.submit(specOf('a', many(2)));
    const { now } = Date;
    try {
      const leases: Lease[] = [];
      for (const hours of [-1, 1]) {
        Date.now = () => now() + hours * 3_600_000;
        leases.push(await taken(connect()));
      }
      assert.is(await board.take('worker'), undefined);
      for (const lease of leases) assert.is(await connect().beat(lease), true);
      assert.is(await connect().take('worker'), undefined);
    } finally {
      Date.now = now;
    }
  },

  async 'a task of another version is left to it'({ connect }) {
    const board = connect();
    await board.submit({ ...specOf('a'), begin: { ...begin, version: '0.0.0' } });
    assert.is(await board.take('worker'), undefined);
  },
};
