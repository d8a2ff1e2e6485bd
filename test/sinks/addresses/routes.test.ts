/** Routes: which sink gets which data type, and how positions stay right. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { checkRoutes, routes } from '../../../sinks/addresses/routes.js';
import { batchOf } from '../../../sinks/batch.js';
import type { Sink } from '../../../sinks/contract.js';
import { sinksOf } from '../../../sinks/decorators/fan-out.js';
import { memory } from '../../../sinks/memory.js';
import { calm, pageEnd, rejection } from '../lib.js';

const [users, orders] = [batchOf('users', [1]), batchOf('orders', [2])];

/** Notes its calls with their data type. */
function noting(recovery: NonNullable<Sink['recovery']> = 'transaction') {
  const calls: string[] = [];
  const sink: Sink = {
    name: 'noting',
    secrets: ['s'],
    recovery,
    window: 5,
    keepBytes: 9,
    open: (dataType) => void calls.push(`open ${dataType}`),
    resume: () => void calls.push('resume'),
    positions: () => new Map([['0', 'kept']]),
    write: ({ dataType }) => void calls.push(`write ${dataType}`),
    commit: ({ dataType, count, bytes, keep = '' }) => void calls.push(`commit ${dataType} ${count} ${bytes} ${keep}`),
    rollback: (dataType) => void calls.push(`rollback ${dataType}`),
    durable: async () => void calls.push('durable'),
    check: async () => void calls.push('check'),
    published: (dataType) => [dataType],
    close: (closing) => void calls.push(`close ${[...(closing?.keep ?? [])]}`),
    abort: () => void calls.push('abort'),
    summary: () => [{ dataType: 'users', name: 'x', items: 1, bytes: 1 }],
  };
  return { sink, calls };
}

test('each sink gets its data types, and one without names the others', async () => {
  const [own, rest] = [memory(), memory()];
  const sink = routes([{ to: own, dataTypes: ['users'] }, { to: rest }]);
  for (const batch of [users, orders]) await sink.write(batch, calm);
  assert.equal(own.items('users'), [1]);
  assert.equal(own.items('orders'), []);
  assert.equal(rest.items('orders'), [2]);
  assert.equal(rest.items('users'), []);
});

test('without any name every sink gets all', async () => {
  const [one, two] = [memory(), memory()];
  const sink = routes([{ to: one }, { to: two }]);
  await sink.write(users, calm);
  assert.equal([one.items('users'), two.items('users')], [[1], [1]]);
});

test('calls that belong to another data type do not reach a sink', async () => {
  const { sink: own, calls } = noting('cut');
  const sink = routes([{ to: own, dataTypes: ['users'] }]);
  for (const dataType of ['users', 'orders']) {
    await sink.open?.(dataType, 'job');
    await sink.write(batchOf(dataType, [1]), calm);
    await sink.rollback?.(dataType);
    await sink.commit?.(pageEnd(dataType, { keep: 'k' }), calm);
  }
  assert.equal(await sink.published?.('users'), ['users']);
  assert.equal(await sink.published?.('orders'), []);
  await sink.close({ keep: new Set(['users', 'orders']) });
  assert.equal(calls, ['open users', 'write users', 'rollback users', 'commit users 1 1 k', 'close users']);
});

test('a sink with transactions stores the position of every page', async () => {
  const { sink: own, calls } = noting();
  const sink = routes([{ to: own, dataTypes: ['users'] }]);
  await sink.commit?.(pageEnd('orders', { keep: 'k' }), calm);
  await sink.commit?.(pageEnd('orders'), calm);
  assert.equal(calls, ['commit orders 0 0 k']);
});

test('all other members are those of the sink', async () => {
  const { sink: own, calls } = noting();
  const sink = routes([{ to: own, dataTypes: ['users'] }]);
  const { name, secrets, recovery, window, keepBytes } = sink;
  assert.equal(
    { name, secrets, recovery, window, keepBytes },
    { name: 'noting', secrets: ['s'], recovery: 'transaction', window: 5, keepBytes: 9 },
  );
  await sink.resume?.({ run: 'r', epoch: 1, isStored: true, phase: 'writing', checkpoints: new Map() });
  assert.equal([...((await sink.positions?.()) ?? [])], [['0', 'kept']]);
  await sink.durable?.();
  await sink.check?.();
  assert.is(sink.summary?.().length, 1);
  await sink.close();
  await sink.abort(undefined);
  assert.equal(calls, ['resume', 'durable', 'check', 'close ', 'abort']);
});

test('a sink with few members stays one', () => {
  const sink = routes([{ to: { write() {}, close() {}, abort() {} }, dataTypes: ['users'] }]);
  assert.equal(
    [
      'recovery',
      'commit',
      'rollback',
      'positions',
      'resume',
      'durable',
      'check',
      'published',
      'summary',
      'name',
      'secrets',
      'keepBytes',
    ].filter((name) => name in sink),
    [],
  );
});

const jobs = (...names: readonly string[]) => names.map((dataType) => ({ dataType }));
const check = (types: readonly (readonly string[] | undefined)[], all: readonly string[], chosen = all) =>
  checkRoutes(
    sinksOf(routes(types.map((dataTypes) => ({ to: memory(), ...(dataTypes === undefined ? {} : { dataTypes }) })))),
    jobs(...all),
    jobs(...chosen),
  );

test('a route to a data type that no job has is an error, with the nearest', async () => {
  await rejection(
    () => check([['user'], undefined], ['users', 'orders']),
    'ERR_USAGE',
    /^no job has the data type "user" of --to user=\.\.\.: the data types are users, orders; did you mean "users"\?$/,
  );
});

test('a data type without a sink is an error, unless its job does not run', async () => {
  await rejection(
    () => check([['users']], ['users', 'orders']),
    'ERR_USAGE',
    /^no sink for the data type "orders": add --to orders=URI, or a --to without a name for the rest$/,
  );
  check([['users']], ['users', 'orders'], ['users']);
  check([['users'], undefined], ['users', 'orders']);
  check([undefined], ['users']);
});

test.run();
