/** Outputs that lose all of their items, and outputs with fewer than required: judged before anything is published. */
import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { asyncScheduler } from 'rxjs';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Opening, Sink } from '../../sinks/contract.js';
import { all } from '../../sinks/decorators/fan-out.js';
import { openDatabase } from '../../sinks/duckdb/duckdb-client.js';
import { ndjson } from '../../sinks/files/ndjson.js';
import { memory } from '../../sinks/memory.js';
import { sinkFromUri } from '../../sinks/registry.js';
import { defined } from '../../src/core/util/defined.js';
import { extract, run } from '../../src/run/extract.js';
import type { RunOptions } from '../../src/run/options.js';
import { type MemoryStore, memoryStore } from '../checkpoint/memory-store.js';
import { filesIn, inFolder, rejection } from '../sinks/lib.js';
import { sinkAt, withStore } from '../sinks/s3/lib.js';
import { configOf, json, listener, type MockRoutes, onNetwork } from '../support/mock-network.js';

/** A sink that replaces the output of the data type `users`, and what that output is at a moment. */
interface Kind {
  readonly sink: () => Sink;
  readonly output: () => unknown;
  /** The name in messages. */
  readonly named: RegExp;
}

const inFiles =
  (address: string, named: RegExp) =>
  (dir: string): Kind => ({
    sink: () => sinkFromUri(address.replace('DIR', join(dir, 'out'))),
    output: () =>
      readdirSync(join(dir, 'out'))
        .filter((name) => !name.endsWith('.partial'))
        .map((name) => [name, readFileSync(join(dir, 'out', name), 'base64')]),
    named,
  });

const inDuckdb =
  (options: string) =>
  (dir: string): Kind => {
    const file = join(dir, 'out', 'out.db');
    return {
      sink: () => sinkFromUri(`duckdb:${file}${options}`),
      async output() {
        const database = await openDatabase(file);
        try {
          return await database.rows('SELECT count(*)::INTEGER AS rows FROM users');
        } finally {
          database.close();
        }
      },
      named: /"users in \S*out\.db"/,
    };
  };

const kinds: Readonly<Record<string, (dir: string, store: string, objects: () => unknown) => Kind>> = {
  ndjson: inFiles('ndjson:DIR', /"\S+users\.ndjson"/),
  'ndjson, compressed': inFiles('ndjson:DIR?compress=gzip', /"\S+users\.ndjson\.gz"/),
  'ndjson in parts': inFiles('ndjson:DIR?rotate=10', /"\S+users-\*\.ndjson"/),
  csv: inFiles('csv:DIR', /"\S+users\.csv"/),
  'csv with a mark': inFiles('csv:DIR?bom=true', /"\S+users\.csv"/),
  parquet: inFiles('parquet:DIR', /"\S+users\.parquet"/),
  duckdb: inDuckdb(''),
  'duckdb, items': inDuckdb('?columns=item'),
  ...Object.fromEntries(
    [
      ['ndjson', ''],
      ['gzip', '&compress=gzip'],
      ['csv', '&format=csv&bom=true'],
      ['parquet', '&format=parquet'],
    ].map(([what, options]) => [
      `s3, ${what}`,
      (dir: string, store: string, output: () => unknown): Kind => ({
        sink: () => sinkAt(`s3://lake/raw?endpoint=${store}&staging=${join(dir, 'staging')}${options}`),
        output,
        named: /"s3:\/\/lake\/raw\/users\.\S+"/,
      }),
    ]),
  ),
};

const two = json({ data: [{ id: 1 }, { id: 2 }] });
const none = json({ data: [] });
const jobs = [{ endpoint: 'users', dataField: 'data' }];

for (const [what, make] of Object.entries(kinds)) {
  test(
    `an output that loses all its items is a warning, an error under strict, and with minItems an error: ${what}`,
    withStore(async ({ dir, store }) => {
      mkdirSync(join(dir, 'out'));
      const objects = () => [...store.objects].map(([key, { bytes }]) => [key, bytes.toString('base64')]);
      const { sink, output, named } = make(dir, store.origin, objects);
      await onNetwork({ 'GET /users': [two, none, none, none, none] }, async ({ dispatcher }) => {
        const { codes, notices, notify } = listener();
        const options = { dispatcher, notify };
        await run(configOf(jobs), { ...options, to: sink() });
        const full = await output();
        const strict = run(configOf(jobs), { ...options, to: sink(), strict: true });
        const lost = /loses the items of an earlier run: this run has none$/;
        assert.match((await rejection(strict, 'ERR_STRICT', lost)).message, named);
        const least = run(configOf(jobs), { ...options, to: sink(), minItems: 2 });
        await rejection(least, 'ERR_MIN_ITEMS', /^"users" has 0 items in this run: at least 2 are required/);
        assert.equal([await output(), codes()], [full, []], 'nothing has changed');

        await run(configOf(jobs), { ...options, to: sink() });
        assert.equal(codes(), ['emptied']);
        assert.match(notices[0]?.message ?? '', named);
        assert.is(notices[0]?.job, 'users');
        assert.is.not(JSON.stringify(await output()), JSON.stringify(full));
        await run(configOf(jobs), { ...options, to: sink() });
        assert.equal(codes(), ['emptied'], 'an output without items loses none');
      })();
    }),
  );
}

interface Played {
  readonly jobs: Parameters<typeof configOf>[0];
  readonly routes: MockRoutes;
  readonly api?: object;
  readonly options?: RunOptions;
}

/** Runs jobs into a folder that has a file with an item for each of their data types. */
async function play(dir: string, { jobs: own, routes, api, options }: Played) {
  const { codes, notices, notify } = listener();
  for (const dataType of ['users', 'orders']) await write(dir, dataType);
  await onNetwork(routes, async ({ dispatcher }) => {
    await run(configOf(own, api), { to: ndjson(dir), dispatcher, notify, ...options });
  })();
  return { codes: codes(), messages: notices.map(({ message }) => message), files: filesIn(dir) };
}

const earlier = '{"id":0}\n';

async function write(dir: string, dataType: string): Promise<void> {
  await onNetwork({ [`GET /${dataType}`]: json([{ id: 0 }]) }, async ({ dispatcher }) => {
    await run(configOf([{ endpoint: dataType }]), { to: ndjson(dir), dispatcher });
  })();
}

test(
  'replaceEmpty allows it, and so does allow',
  inFolder(async (dir) => {
    for (const options of [{ replaceEmpty: true }, { allow: ['emptied'], strict: true }]) {
      const { codes, files } = await play(dir, { jobs, routes: { 'GET /users': none }, options });
      assert.equal(codes, []);
      assert.equal(files, { 'users.ndjson': '', 'orders.ndjson': earlier });
    }
  }),
);

test(
  'a data folder replaces an earlier output always, and warns',
  inFolder(async (dir) => {
    const { codes } = await play(dir, { jobs, routes: { 'GET /users': json({}) }, options: { dataFolder: true } });
    assert.equal(codes, ['no-data', 'emptied']);
  }),
);

const family = [
  { endpoint: 'users', children: [{ endpoint: 'users/{id}/orders', dataType: 'orders', placeholders: { id: 'id' } }] },
];

test(
  'children of no rows have no items: their output is emptied with that of their parent, each with a warning',
  inFolder(async (dir) => {
    const { codes, files } = await play(dir, { jobs: family, routes: { 'GET /users': json([]) } });
    assert.equal(codes, ['emptied', 'emptied']);
    assert.equal(files, { 'users.ndjson': '', 'orders.ndjson': '' });
  }),
);

test(
  'children that no row matched are named alone',
  inFolder(async (dir) => {
    const [{ children, ...parent }] = [family[0] ?? { endpoint: '', children: [] }];
    const filtered = children.map((child) => ({ ...child, recursionFilter: 'id>5' }));
    const own = [{ ...parent, children: filtered }];
    const { messages, files } = await play(dir, { jobs: own, routes: { 'GET /users': json([{ id: 1 }]) } });
    assert.equal(messages, [`"${join(dir, 'orders.ndjson')}" loses the items of an earlier run: this run has none`]);
    assert.equal(files, { 'users.ndjson': '{"id":1}\n', 'orders.ndjson': '' });
  }),
);

const atOnce = (most: number) => ({ maxDuration: most });

test(
  'an output whose first request a limit prevented is not emptied: the earlier one stays',
  inFolder(async (dir) => {
    const now = asyncScheduler.now;
    const answer = json([{ id: 1 }]);
    const own = [{ endpoint: 'users', children: family[0]?.children ?? [] }, { endpoint: 'events' }];
    await write(dir, 'events');
    try {
      const onReceipt = () => {
        asyncScheduler.now = () => now() + 60_000;
      };
      const options = { ...atOnce(1000), onReceipt };
      const { codes, messages, files } = await play(dir, { jobs: own, routes: { 'GET /users': answer }, options });
      assert.equal(codes, ['not-replaced', 'not-replaced']);
      assert.match(messages.at(-1) ?? '', /events\.ndjson" keeps the items of an earlier run: a limit of this one was/);
      assert.equal(files, { 'users.ndjson': '{"id":1}\n', 'orders.ndjson': earlier, 'events.ndjson': earlier });
    } finally {
      asyncScheduler.now = now;
    }
  }),
);

test(
  'a sink that refuses all items of the run loses those of an earlier one, and the other sink does not',
  inFolder(async (dir) => {
    const refusing = (): Sink => {
      let opening: Opening = {};
      return {
        ...ndjson(join(dir, 'refusing')),
        open: (_dataType, _job, given = {}) => {
          opening = given;
        },
        async write(batch) {
          for (let index = 0; index < batch.count; index += 1) {
            await opening.onItemError?.({ batch, index, reason: 'no' });
          }
        },
        published: () => ['the table'],
      };
    };
    const { codes, notices, notify } = listener();
    const routes = { 'GET /users': [json([1, 2]), json([1, 2])] };
    await onNetwork(routes, async ({ dispatcher }) => {
      const to = () => all([ndjson(join(dir, 'other')), refusing()]);
      const options = { dispatcher, notify, onItemError: { deadLetter: ndjson(join(dir, 'letters')) } };
      await run(configOf([{ endpoint: 'users' }]), { ...options, to: to() });
      assert.equal(codes(), ['emptied']);
      assert.match(
        notices.find(({ code }) => code === 'emptied')?.message ?? '',
        /^"the table" loses the items of an earlier run: the sink has refused all items of this run$/,
      );
      await rejection(
        run(configOf([{ endpoint: 'users' }]), { ...options, to: to(), onItemError: 'skip', minItems: 2 }),
        'ERR_MIN_ITEMS',
        /"users" has 2 items in this run, of which 2 were refused: at least 2 are required/,
      );
    })();
  }),
);

test(
  'dead letters of an earlier run are no output that loses its items',
  inFolder(async (dir) => {
    await write(dir, 'users');
    const { codes, notify } = listener();
    await onNetwork({ 'GET /users': json([]) }, async ({ dispatcher }) => {
      const options = { dispatcher, notify, onItemError: { deadLetter: ndjson(dir) } };
      await run(configOf([{ endpoint: 'users' }]), { ...options, to: memory() });
    })();
    assert.equal(codes(), []);
  }),
);

const both = [{ endpoint: 'users' }, { endpoint: 'orders' }];
const bothRoutes = { 'GET /users': json([1, 2]), 'GET /orders': json([1]) };

/** The least numbers, and the outputs that have fewer. */
const leasts: readonly (readonly [NonNullable<RunOptions['minItems']>, readonly string[]])[] = [
  [1, []],
  [2, ['orders']],
  [3, ['users', 'orders']],
  [{ users: 3 }, ['users']],
  [{ orders: 0, '*': 3 }, ['users']],
  [{ orders: 2, users: 0 }, ['orders']],
];

for (const [minItems, names] of leasts) {
  test(
    `minItems ${JSON.stringify(minItems)}: ${names.length === 0 ? 'enough' : names.join(' and ')}`,
    inFolder(async (dir) => {
      const playing = play(dir, { jobs: both, routes: bothRoutes, options: { minItems } });
      if (names.length === 0) return void (await playing);
      const error = await rejection(playing, 'ERR_MIN_ITEMS', new RegExp(`^"${names[0]}" has \\d items? in this run`));
      assert.equal(
        error.problems.map(({ path }) => path),
        names,
      );
      assert.is(error.where.job, names.length === 1 ? names[0] : undefined);
      const files = filesIn(dir);
      assert.equal([files['users.ndjson'], files['orders.ndjson']], [earlier, earlier]);
    }),
  );
}

test('a number for a data type that no job has, and one that is no whole number, are errors before any request', () =>
  onNetwork({}, async ({ dispatcher }) => {
    const start = (minItems: NonNullable<RunOptions['minItems']>) => run(configOf(both), { dispatcher, minItems });
    const unknown =
      /^minItems: no job has the data type "order": the data types are users, orders; did you mean "orders"\?$/;
    await rejection(start({ order: 1 }), 'ERR_USAGE', unknown);
    await rejection(
      start(-1),
      'ERR_USAGE',
      /^minItems: expected a whole number from 0 up, or .*, found a negative number$/,
    );
    await rejection(
      start({ users: 0.5 }),
      'ERR_USAGE',
      /^minItems\.users: expected a whole number from 0 up, found a number with a fraction/,
    );
  })());

test('a job that is not chosen needs no items', () =>
  onNetwork({ 'GET /users': json([1, 2]) }, async ({ dispatcher }) => {
    await run(configOf(both), { dispatcher, jobs: ['users'], minItems: { users: 2, orders: 5 } });
  })());

test('a sink that delivers at once has the items of a run with too few', () =>
  onNetwork({ 'GET /users': json([1, 2]) }, async ({ dispatcher }) => {
    const to = memory();
    const ends: string[] = [];
    const watched: Sink = { ...to, close: () => void ends.push('close'), abort: () => void ends.push('abort') };
    await rejection(run(configOf([{ endpoint: 'users' }]), { to: watched, dispatcher, minItems: 3 }), 'ERR_MIN_ITEMS');
    assert.equal([to.items(), ends], [[1, 2], ['abort']]);
  })());

test('pulled items are not counted, so they cannot be pulled with minItems', () =>
  onNetwork({}, async ({ dispatcher }) => {
    const { items } = extract(configOf([{ endpoint: 'users' }]), { dispatcher, minItems: 1 });
    await rejection(async () => items()[Symbol.asyncIterator]().next(), 'ERR_USAGE', /remove it to pull them$/);
  })());

/** Runs with a state into a folder; resolves to the codes of notices. */
async function stored(dir: string, dispatcher: RunOptions['dispatcher'], store: MemoryStore, options: RunOptions) {
  const { codes, notices, notify } = listener();
  const to = ndjson(dir);
  const { ran } = await run(configOf([{ endpoint: 'users' }]), {
    to,
    store,
    notify,
    ...defined({ dispatcher }),
    ...options,
  });
  return { ran, codes: codes(), notices };
}

test(
  'a run whose result was rejected has nothing to continue: a resume starts a new one, and with only it is judged again',
  inFolder(async (dir) => {
    await write(dir, 'users');
    let { held } = memoryStore();
    const replies = [json([]), json([]), json([1, 2])];
    await onNetwork({ 'GET /users': replies }, async ({ dispatcher, asked }) => {
      for (const [options, code] of [
        [{ minItems: 1 }, 'ERR_MIN_ITEMS'],
        [{ strict: true }, 'ERR_STRICT'],
      ] as const) {
        const store = memoryStore(held);
        await rejection(stored(dir, dispatcher, store, { ...options, resume: true }), code);
        held = store.held;
      }
      assert.is(asked.length, 2, 'the second one was a new run');
      const again = memoryStore(held);
      await rejection(stored(dir, dispatcher, again, { minItems: 1, resume: 'only' }), 'ERR_MIN_ITEMS');
      await stored(dir, dispatcher, memoryStore(again.held), { resume: 'only' });
      assert.equal([asked.length, filesIn(dir)['users.ndjson']], [2, ''], 'accepted without a request');

      const { notices } = await stored(dir, dispatcher, memoryStore(held), { minItems: 1, resume: true });
      assert.is(
        notices[0]?.message,
        'the run in "memory" has read all items, and its result was rejected: starting a new run',
      );
      assert.equal([asked.length, filesIn(dir)], [3, { 'users.ndjson': '1\n2\n' }]);
    })();
  }),
);

test(
  'what a publication decided holds when it goes on: a file stays, and nothing is judged again',
  inFolder(async (dir) => {
    const now = asyncScheduler.now;
    for (const dataType of ['users', 'orders']) await write(dir, dataType);
    const store = memoryStore();
    const { codes, notify } = listener();
    await onNetwork({ 'GET /users': json([{ id: 1 }]) }, async ({ dispatcher }) => {
      const onReceipt = () => {
        asyncScheduler.now = () => now() + 60_000;
      };
      const options = { dispatcher, onReceipt, maxDuration: 1000 };
      const dying: Sink = { ...ndjson(dir), close: () => Promise.reject(new Error('killed')) };
      try {
        await rejection(run(configOf(family), { ...options, to: dying, store }), 'ERR_SINK', /killed/);
      } finally {
        asyncScheduler.now = now;
      }
      const rest = { store: memoryStore(store.held), resume: true, notify, minItems: 5 };
      await run(configOf(family), { ...options, ...rest, to: ndjson(dir) });
    })();
    assert.equal(codes(), ['not-replaced']);
    assert.equal(filesIn(dir), { 'users.ndjson': '{"id":1}\n', 'orders.ndjson': earlier });
  }),
);

test.run();
