/**
 * When the output of an earlier run is kept because no page had a place for items: with the ndjson sink, and with any
 * sink.
 */
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Closing, Sink } from '../../../sinks/contract.js';
import { all } from '../../../sinks/decorators/fan-out.js';
import { through } from '../../../sinks/decorators/through.js';
import { filterItems } from '../../../sinks/decorators/transforms.js';
import { ndjson } from '../../../sinks/files/ndjson.js';
import { memory } from '../../../sinks/memory.js';
import { run } from '../../../src/run/extract.js';
import type { RunOptions } from '../../../src/run/options.js';
import { memoryStore } from '../../checkpoint/memory-store.js';
import { filesIn, inFolder, rejection } from '../../sinks/lib.js';
import { configOf, json, listener, type MockReply, onNetwork } from '../../support/mock-network.js';

const earlier = '{"id":1}\n';

interface Played extends RunOptions {
  readonly reply: MockReply | readonly MockReply[];
  readonly job?: object;
  readonly api?: object;
}

/** Runs a job into a folder with items of an earlier run; returns its files and the warnings. */
async function play(dir: string, { reply, job, api, ...options }: Played) {
  const { codes, notices, notify } = listener();
  const path = join(dir, 'users.ndjson');
  writeFileSync(path, earlier);
  let summary: Awaited<ReturnType<typeof run>> | undefined;
  const replies = [reply].flat();
  const routes = Object.fromEntries(
    replies.map((each, page) => [`GET /users${api === undefined ? '' : `?page=${page + 1}`}`, each]),
  );
  await onNetwork(routes, async ({ dispatcher }) => {
    const config = configOf([{ endpoint: 'users', dataType: 'users', dataField: 'data', ...job }], api);
    summary = await run(config, { to: ndjson(dir), dispatcher, notify, ...options });
  })();
  return { codes: codes(), notices, path, files: filesIn(dir), outputs: summary?.outputs };
}

/** A reply without a place for items -> further warnings. */
const unfound: readonly (readonly [string, MockReply, object, string])[] = [
  ['another member', json({ items: [{ id: 2 }] }), {}, 'no-data'],
  ['a path that ends early', json({ data: { users: [] } }), { dataField: 'data.people' }, 'no-data'],
  ['a text at a segment of the path', json({ data: 'gone' }), { dataField: 'data.people' }, 'no-data'],
  ['no list, with the automatic search', json({ note: 'maintenance' }), { dataField: undefined }, 'no-list'],
  ['no body', { status: 204 }, {}, 'no-body'],
  [
    'lines without it',
    { headers: { 'content-type': 'application/x-ndjson' }, body: '{"a":1}\n{"b":2}\n' },
    {},
    'no-data',
  ],
];

for (const [what, reply, job, beside] of unfound) {
  test(
    `the earlier file stays: ${what}`,
    inFolder(async (dir) => {
      const { codes, files, path, notices, outputs } = await play(dir, { reply, job });
      assert.equal(files, { 'users.ndjson': earlier }, 'the file, and no .partial beside it');
      assert.equal(codes, [beside, 'not-replaced']);
      const notice = notices.find(({ code }) => code === 'not-replaced');
      assert.is(notice?.job, 'users');
      assert.ok(notice?.message.startsWith(`"${path}" keeps the items of an earlier run`), notice?.message);
      assert.equal(outputs, [{ dataType: 'users', name: path, items: 0, bytes: 0, kept: true }]);
    }),
  );
}

/** Replies with an empty list, or with items. */
const found: readonly (readonly [string, MockReply | readonly MockReply[], string, Partial<Played>?])[] = [
  ['an empty list', json({ data: [] }), ''],
  ['null at the path', json({ data: null }), ''],
  ['false at the path', json({ data: false }), ''],
  ['lines with an empty list', { headers: { 'content-type': 'application/x-ndjson' }, body: '{"data":[]}\n' }, ''],
  ['lines with null', { headers: { 'content-type': 'application/x-ndjson' }, body: '{"data":null}\n' }, ''],
  ['an empty list, with the automatic search', json({ users: [] }), '', { job: { dataField: undefined } }],
  [
    'one page of two',
    [json({ data: [{ id: 2 }] }), json({ total: 1 })],
    '{"id":2}\n',
    { api: { pagination: { method: 'pagenum' } } },
  ],
  ['nothing, but --replace-empty', json({ items: [] }), '', { replaceEmpty: true }],
];

for (const [what, reply, expected, more] of found) {
  test(
    `the earlier file is replaced: ${what}`,
    inFolder(async (dir) => {
      const { codes, files } = await play(dir, { reply, ...more });
      assert.equal(files, { 'users.ndjson': expected });
      assert.not.ok(codes.includes('not-replaced'));
    }),
  );
}

test(
  'an earlier file without items is replaced without a word, and a first run makes an empty one',
  inFolder(async (dir) => {
    for (const _ of [1, 2]) {
      const { codes, notify } = listener();
      await onNetwork({ 'GET /users': json({}) }, async ({ dispatcher }) => {
        await run(configOf([{ endpoint: 'users', dataField: 'data' }]), { to: ndjson(dir), dispatcher, notify });
      })();
      assert.equal(filesIn(dir), { 'users.ndjson': '' });
      assert.equal(codes(), ['no-data']);
    }
  }),
);

test(
  'other outputs are published beside it, and through several sinks and transforms each keeps its own',
  inFolder(async (dir) => {
    const [one, two] = [join(dir, 'one'), join(dir, 'two')];
    const routes = { 'GET /users': [json({ data: [{ id: 1 }] }), json({})], 'GET /orders': [json([1]), json([2])] };
    const jobs = [{ endpoint: 'users', dataField: 'data' }, { endpoint: 'orders' }];
    const { notices, notify } = listener();
    const sink = () =>
      all([
        ndjson(one),
        memory(),
        through(
          ndjson(two),
          filterItems(() => true),
        ),
      ]);
    await onNetwork(routes, async ({ dispatcher }) => {
      for (const _ of [1, 2]) await run(configOf(jobs), { to: sink(), dispatcher, notify });
    })();
    for (const each of [one, two]) {
      assert.equal(filesIn(each), { 'users.ndjson': '{"id":1}\n', 'orders.ndjson': '2\n' });
    }
    const named = notices.filter(({ code }) => code === 'not-replaced').map(({ message }) => message.split('"')[1]);
    assert.equal(named, [join(one, 'users.ndjson'), join(two, 'users.ndjson')]);
  }),
);

const family = {
  endpoint: 'groups',
  dataType: 'groups',
  dataField: 'data',
  children: [{ endpoint: 'groups/{id}', dataType: 'users', dataField: 'data', placeholders: { id: 'id' } }],
};

/** Replies to a parent and its children, and which of the two files stay. */
const families: readonly (readonly [string, Readonly<Record<string, MockReply>>, readonly string[]])[] = [
  ['a parent without the field: nor had its children any', { 'GET /groups': json({}) }, ['groups', 'users']],
  ['a parent with an empty list: its children have none', { 'GET /groups': json({ data: [] }) }, []],
  [
    'children without the field',
    { 'GET /groups': json({ data: [{ id: 1 }, { id: 2 }] }), 'GET /groups/1': json({}), 'GET /groups/2': json({}) },
    ['users'],
  ],
  [
    'one child of two with an empty list',
    {
      'GET /groups': json({ data: [{ id: 1 }, { id: 2 }] }),
      'GET /groups/1': json({}),
      'GET /groups/2': json({ data: [] }),
    },
    [],
  ],
];

for (const [what, routes, kept] of families) {
  test(
    `children: ${what}`,
    inFolder(async (dir) => {
      const names = ['groups', 'users'];
      for (const name of names) writeFileSync(join(dir, `${name}.ndjson`), earlier);
      const { notify } = listener();
      await onNetwork(routes, async ({ dispatcher }) => {
        await run(configOf([family]), { to: ndjson(dir), dispatcher, notify });
      })();
      const files = filesIn(dir);
      assert.equal(
        names.filter((name) => files[`${name}.ndjson`] === earlier),
        kept,
      );
      assert.equal(Object.keys(files), ['groups.ndjson', 'users.ndjson']);
    }),
  );
}

test(
  'a data type of two jobs is replaced if one of them has a place for items',
  inFolder(async (dir) => {
    writeFileSync(join(dir, 'people.ndjson'), earlier);
    const jobs = ['users', 'admins'].map((endpoint) => ({ endpoint, dataType: 'people', dataField: 'data' }));
    await onNetwork({ 'GET /users': json({}), 'GET /admins': json({ data: [] }) }, async ({ dispatcher }) => {
      await run(configOf(jobs), { to: ndjson(dir), dispatcher, notify: () => {} });
    })();
    assert.equal(filesIn(dir), { 'people.ndjson': '' });
  }),
);

test(
  'under strict it is an error, nothing is published, and --replace-empty publishes the output in a state',
  inFolder(async (dir) => {
    writeFileSync(join(dir, 'users.ndjson'), earlier);
    writeFileSync(join(dir, 'orders.ndjson'), earlier);
    const store = memoryStore();
    const jobs = [{ endpoint: 'users', dataField: 'data' }, { endpoint: 'orders' }];
    const options = { allow: ['no-data'], strict: true, notify: () => {} };
    await onNetwork({ 'GET /users': json({}), 'GET /orders': json([2]) }, async ({ dispatcher }) => {
      const to = () => ndjson(dir);
      const failing = run(configOf(jobs), { ...options, to: to(), store, dispatcher });
      const error = await rejection(failing, 'ERR_STRICT', /users\.ndjson" keeps the items of an earlier run/);
      assert.is(error.where.job, 'users');
      const files = filesIn(dir);
      assert.equal([files['users.ndjson'], files['orders.ndjson']], [earlier, earlier]);

      const again = { ...options, store: memoryStore(store.held), resume: 'only', dispatcher } as const;
      await rejection(run(configOf(jobs), { ...again, to: to() }), 'ERR_STRICT', /keeps the items of an earlier run/);
      const last = { ...again, store: memoryStore(store.held), replaceEmpty: true };
      await run(configOf(jobs), { ...last, to: to() });
    })();
    assert.equal(filesIn(dir), { 'users.ndjson': '', 'orders.ndjson': '2\n' });
  }),
);

test(
  'a run interrupted while it published keeps the earlier file too',
  inFolder(async (dir) => {
    const store = memoryStore();
    const jobs = [{ endpoint: 'users', dataField: 'data' }, { endpoint: 'orders' }];
    await onNetwork({ 'GET /users': json({}), 'GET /orders': json([2]) }, async ({ dispatcher }) => {
      for (const when of ['before', 'after'] as const) {
        writeFileSync(join(dir, 'users.ndjson'), earlier);
        const sink = ndjson(dir);
        const dying: Sink = {
          ...sink,
          async close(closing) {
            if (when === 'after') await sink.close(closing);
            throw new Error('killed');
          },
        };
        const resume = when === 'after';
        const options = { to: dying, store: resume ? memoryStore(store.held) : store, resume, dispatcher };
        await rejection(run(configOf(jobs), { ...options, notify: () => {} }), 'ERR_SINK', /killed/);
      }
      const { codes, notify } = listener();
      const last = { to: ndjson(dir), store: memoryStore(store.held), resume: true, dispatcher, notify };
      const { outputs } = await run(configOf(jobs), last);
      assert.equal(codes(), ['not-replaced']);
      assert.equal(
        outputs.filter(({ kept }) => kept === true).map(({ dataType }) => dataType),
        ['users'],
      );
    })();
    assert.equal(filesIn(dir), { 'users.ndjson': earlier, 'orders.ndjson': '2\n' });
  }),
);

test('a sink is called once for each output without items, and gets those without a place for them at close', async () => {
  const calls: unknown[] = [];
  const sink: Sink = {
    ...memory(),
    published: (dataType) => {
      calls.push(dataType);
      return dataType === 'users' ? ['table users'] : [];
    },
    close: (closing?: Closing) => void calls.push([...(closing?.keep ?? ['none'])]),
  };
  const routes = { 'GET /users': json({}), 'GET /orders': json({}), 'GET /events': json({ data: [] }) };
  const jobs = ['users', 'orders', 'events'].map((endpoint) => ({ endpoint, dataField: 'data' }));
  await onNetwork(routes, async ({ dispatcher }) => {
    await run(configOf(jobs), { to: sink, dispatcher, notify: () => {} });
  })();
  assert.equal(calls, ['users', 'orders', 'events', ['users']]);
});

test('a sink that cannot tell its outputs fails the run, and is aborted', async () => {
  const calls: string[] = [];
  const sink: Sink = {
    ...memory(),
    published: () => Promise.reject(new Error('the database is gone')),
    close: () => void calls.push('close'),
    abort: () => void calls.push('abort'),
  };
  await onNetwork({ 'GET /users': json({}) }, async ({ dispatcher }) => {
    const running = run(configOf([{ endpoint: 'users', dataField: 'data' }]), { to: sink, dispatcher });
    await rejection(running, 'ERR_SINK', /^the database is gone$/);
  })();
  assert.equal(calls, ['abort']);
});

test(
  'another run that has replaced the partial file is noticed, and its file stays',
  inFolder(async (dir) => {
    writeFileSync(join(dir, 'users.ndjson'), earlier);
    const [first, second] = [ndjson(dir), ndjson(dir)];
    await first.open?.('users', 'users');
    await second.open?.('users', 'users');
    await rejection(first.close({ keep: new Set(['users']) }), 'ERR_SINK', /another run has replaced it/);
    assert.equal(readdirSync(dir).sort(), ['users.ndjson', 'users.ndjson.partial']);
    await second.close({ keep: new Set(['users']) });
    assert.is(existsSync(join(dir, 'users.ndjson.partial')), false);
    assert.is(readFileSync(join(dir, 'users.ndjson'), 'utf8'), earlier);
  }),
);

test.run();
