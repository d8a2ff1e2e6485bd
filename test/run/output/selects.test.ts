/** Selects of a run: with child jobs and their columns, routes, limits, retries and a resume. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { routes } from '../../../sinks/addresses/routes.js';
import { memory } from '../../../sinks/memory.js';
import { run } from '../../../src/run/extract.js';
import type { RunOptions } from '../../../src/run/options.js';
import { memoryStore } from '../../checkpoint/memory-store.js';
import { rejection } from '../../sinks/lib.js';
import { configOf, json, listener, onNetwork } from '../../support/mock-network.js';

const child = { endpoint: 'users/{id}/orders', dataType: 'orders', dataField: '.', placeholders: { id: 'id' } };
const jobs = [{ endpoint: 'users', dataType: 'users', dataField: '.', children: [child], userData: { source: 'x' } }];
const answers = {
  'GET /users': { body: '[{"id":12345678901234567890,"password":"p","address":{"city":"X"}}]' },
  'GET /users/12345678901234567890/orders': json([{ nr: 7, secret: 's' }]),
};

async function pulled(select: RunOptions['select'], options: RunOptions = {}) {
  const store = memory();
  const { codes, notices, notify } = listener();
  let outputs: unknown;
  await onNetwork(answers, async ({ dispatcher }) => {
    const summary = await run(configOf(jobs), {
      to: store,
      dispatcher,
      notify,
      ...(select === undefined ? {} : { select }),
      ...options,
    });
    outputs = summary.jobs.map(({ items, bytes }) => [items, bytes]);
  })();
  const textOf = (dataType: string) =>
    store.batches.filter((batch) => batch.dataType === dataType).map(({ bytes }) => Buffer.from(bytes).toString());
  return { users: textOf('users'), orders: textOf('orders'), codes: codes(), notices, outputs };
}

test('keeps members of each data type, every digit of a number, and columns if they are named', async () => {
  const { users, orders, outputs } = await pulled(['users: address.city as city, id, source', 'orders: *, !secret']);
  assert.equal(users, ['{"city":"X","id":12345678901234567890,"source":"x"}\n']);
  assert.equal(orders, ['{"nr":7,"parent_id":12345678901234567890}\n']);
  assert.equal(outputs, [
    [1, 52],
    [1, 42],
  ]);
});

test('a select without a data type is for those that no other names', async () => {
  const { users, orders } = await pulled(['parent_id', 'users: !password, !address, !id']);
  assert.equal([users, orders], [['{"source":"x"}\n'], ['{"parent_id":12345678901234567890}\n']]);
});

test('children read members that no sink gets', async () => {
  const { users, orders } = await pulled(['users: source', 'orders: nr']);
  assert.equal([users, orders], [['{"source":"x"}\n'], ['{"nr":7}\n']]);
});

test('every sink of a data type gets the selected members', async () => {
  const [all, other] = [memory(), memory()];
  await pulled('users: source', { to: routes([{ to: all, dataTypes: ['users'] }, { to: other }]) });
  assert.equal(all.items('users'), [{ source: 'x' }]);
  assert.is(other.items('orders').length, 1);
});

test('reports members that no item had, as a warning where another has a similar name', async () => {
  const { codes, notices } = await pulled(['users: *, !pasword, !foo', 'orders: nr']);
  assert.equal(codes, ['select-unused']);
  const unused = notices.filter(({ code }) => code === 'select-unused');
  assert.equal(
    unused.map(({ level, message }) => `${level} ${message}`),
    [
      'warning select: no item of "users" has "pasword"; did you mean "password"?',
      'info select: no item of "users" has "foo"',
    ],
  );
});

const faults: readonly [select: unknown, message: RegExp][] = [
  ['usres: id', /no job has the data type "usres": the data types are users, orders; did you mean "users"\?/],
  [['users: id', 'users: name'], /there are two of the data type "users"/],
  [['id', 'name'], /there are two without a data type/],
  ['users: id,', /expected a member/],
  [7, /select: expected a non-empty string, or a list of texts, found a number/],
];

for (const [select, message] of faults) {
  test(`explains what is wrong with ${JSON.stringify(select)}, and sends nothing`, () =>
    onNetwork({}, async ({ dispatcher }) => {
      const options: RunOptions = { dispatcher };
      await rejection(() => run(configOf(jobs), Object.assign(options, { select })), 'ERR_USAGE', message);
    })());
}

test('a resume needs the same select', async () => {
  const store = memoryStore();
  await onNetwork({ 'GET /users': { status: 404 } }, async ({ dispatcher }) => {
    await rejection(run(configOf(jobs), { dispatcher, store, select: 'users: id' }), 'ERR_STATUS');
    const other = run(configOf(jobs), { dispatcher, store, resume: true, select: 'users: name' });
    await rejection(other, 'ERR_RESUME', /used another configuration or window: select was "[^"]*" and is "[^"]*"/);
    await rejection(
      run(configOf(jobs), { dispatcher, store, resume: true }),
      'ERR_RESUME',
      /select was "[^"]*" and is none/,
    );
  })();
  await onNetwork(answers, async ({ dispatcher }) => {
    const { outputs } = await run(configOf(jobs), { dispatcher, store, resume: true, select: 'users: id' });
    assert.is(outputs[0]?.bytes, '{"id":12345678901234567890}\n'.length);
  })();
});

test('reports a path that no item had, and names no data type if the select has none', async () => {
  const { notices } = await pulled('id, nr, address.zip, adress');
  const unused = notices.filter(({ code }) => code === 'select-unused');
  assert.equal(
    unused.map(({ level, message }) => `${level} ${message}`),
    ['info select: no item has "address.zip"', 'warning select: no item has "adress"; did you mean "address"?'],
  );
});

test.run();
