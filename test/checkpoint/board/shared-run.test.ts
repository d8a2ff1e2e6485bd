/** One run of many processes gives what one process gives, whatever happens to them. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { memoryIn } from '../../../src/checkpoint/checkpoint.js';
import { recordIn } from '../../../src/checkpoint/records.js';
import type { Configuration } from '../../../src/config/configuration.js';
import type { RunMemory } from '../../../src/incremental/run-memory.js';
import { run } from '../../../src/run/extract.js';
import type { Summary } from '../../../src/run/job-stats.js';
import { type Api, json } from '../../loopback/api.js';
import { rejection } from '../../sinks/lib.js';
import { type Destination, destination } from '../../sinks/transaction-log.js';
import { mulberry32 } from '../../support/mulberry32.js';
import { memoryStore } from '../memory-store.js';
import { configurationOf, onServer, type Scene, scenes } from '../scenes.js';
import { type RandomScene, randomScene } from './random-scene.js';
import { logWithIds, runShared, type SharedOptions } from './shared-run.js';

const drawing = (seed: number) => {
  const random = mulberry32(seed);
  return (below: number) => random() % below;
};

const itemsOf = ({ items }: Destination): readonly string[] => [...items].sort();

/** The requests of some work, sorted, without those that every process makes anew. */
async function requestsOf(scene: Scene, server: Api, work: () => Promise<unknown>): Promise<readonly string[]> {
  const start = server.requests.length;
  await work();
  const targets = server.requests.slice(start).map(({ target }) => target.replace(/token-of-login-\d+/, 'token'));
  return targets.filter((target) => scene.isFree?.(target) !== true).sort();
}

const configured = (scene: Scene | RandomScene, origin: string): Configuration => {
  const configuration = configurationOf(scene, origin);
  return 'iterations' in scene ? ({ ...configuration, iterations: scene.iterations } as Configuration) : configuration;
};

/** Requests depend on what was asked for twice, and the last reason on the order. */
const totalsIn = (summary: Summary | undefined) =>
  summary?.jobs.map(({ job, parent, dataType, pages, items, bytes }) => ({
    job,
    parent,
    dataType,
    pages,
    items,
    bytes,
  }));

/** Compares a shared run without faults, and one with them, with a run of one process. */
async function mustBeEqual(
  scene: Scene,
  server: Api,
  { seed, ...tasks }: { readonly seed: number } & Pick<SharedOptions, 'block' | 'mostReady'>,
) {
  const configuration = configured(scene, server.origin);
  const { concurrency = 1 } = scene;
  const [whole, shared, shaken] = [destination(), destination(), destination()];
  let alone: Summary | undefined;
  const requests = await requestsOf(scene, server, async () => {
    alone = await run(configuration, { to: logWithIds(whole), concurrency });
  });
  const asked = await requestsOf(scene, server, async () => {
    const { board, published, summary } = await runShared(configuration, { to: shared, concurrency, ...tasks });
    assert.equal([...board.parts.keys()], [], `seed ${seed}: a part is left`);
    assert.is(published, 1);
    assert.equal(totalsIn(summary), totalsIn(alone), `seed ${seed}`);
  });
  assert.equal(itemsOf(shared), itemsOf(whole), `seed ${seed}`);
  // A task that is parked leaves pages that wait for the output of walks before them.
  const isOnce = scene.discards !== true && tasks.mostReady === undefined;
  if (isOnce) assert.equal(asked, requests, `seed ${seed}`);
  const faults = { killed: 0, refused: 0, parked: 0 };
  const again = await requestsOf(scene, server, async () => {
    const options = { to: shaken, concurrency, ...tasks, draw: drawing(seed) };
    const { killed, refused, parked, published, summary } = await runShared(configuration, options);
    assert.ok(published >= 1);
    // A process that ends after its last record has no summary.
    if (summary !== undefined) assert.equal(totalsIn(summary), totalsIn(alone), `seed ${seed}`);
    Object.assign(faults, { killed, refused, parked });
  });
  assert.equal(itemsOf(shaken), itemsOf(whole), `seed ${seed}`);
  if (scene.discards !== true) assert.equal(new Set(again), new Set(requests), `seed ${seed}`);
  return { ...faults, items: whole.items.length };
}

for (const scene of scenes) {
  test(
    `shared: ${scene.what}`,
    onServer(scene, async (server) => {
      const { items } = await mustBeEqual(scene, server, { seed: 1, block: 1 });
      assert.ok(items > 0);
    }),
  );
}

/** Its link has the token of the login, so no record has the next request. */
const hidden: Scene = {
  what: 'rows of a page whose next request is never stored',
  api: {
    pagination: { method: 'response.url', urlKey: 'next' },
    authentication: {
      type: 'login',
      loginRequest: { endpoint: 'login' },
      apiRequest: { headers: { 'X-Token': { response: 'token' } } },
    },
  },
  jobs: [
    {
      endpoint: 'users',
      dataType: 'users',
      dataField: 'items',
      children: [
        {
          endpoint: 'users/{user}',
          dataType: 'notes',
          dataField: '.',
          placeholders: { user: 'id' },
          children: [{ endpoint: 'tags/{note}', dataType: 'tags', dataField: '.', placeholders: { note: 'id' } }],
        },
      ],
    },
  ],
  isFree: (target) => target === '/login',
  answer(url) {
    if (url.pathname === '/login') return json({ token: 'token-of-login' });
    if (url.pathname !== '/users') return json({ of: url.pathname, id: url.pathname.slice(-1) });
    const at = Number(url.searchParams.get('at') ?? 1);
    const next = at < 4 ? { next: `/users?at=${at + 1}${at < 3 ? '&key=token-of-login' : ''}` } : {};
    return json({ items: [{ id: 2 * at }, { id: 2 * at + 1 }], ...next });
  },
};

test(
  hidden.what,
  onServer(hidden, async (server) => {
    const { items } = await mustBeEqual(hidden, server, { seed: 1, block: 1 });
    assert.is(items, 24);
  }),
);

/** The rows of a report are not left to a task: it would poll the report, and remove it. */
const reporting: Scene = {
  what: 'a report with children',
  api: { pagination: { method: 'pagenum', limit: 2, limitParam: 'limit' } },
  jobs: [
    {
      dataType: 'rows',
      dataField: 'items',
      await: {
        create: { endpoint: 'reports' },
        poll: { endpoint: 'reports/{job}', every: 0.001 },
        done: { path: 'state', equals: 'done' },
        fetch: { endpoint: 'reports/{job}/rows' },
        delete: { endpoint: 'reports/{job}' },
      },
      children: [{ endpoint: 'notes/{row}', dataType: 'notes', dataField: '.', placeholders: { row: 'id' } }],
    },
  ],
  answer(url, { method }) {
    const page = Number(url.searchParams.get('page'));
    if (method === 'POST') return json({ job: 7 }, { status: 202 });
    if (url.pathname === '/reports/7') return json({ state: 'done' });
    return json(page === 0 ? {} : { items: page < 3 ? [{ id: 2 * page }, { id: 2 * page + 1 }] : [] });
  },
};

test(
  reporting.what,
  onServer(reporting, async (server) => {
    const { items } = await mustBeEqual(reporting, server, { seed: 1, block: 1 });
    assert.is(items, 8);
  }),
);

/** Teams, and below each of them members whose value the next run asks from; sales of two shops in four windows. */
const remembering: Scene = {
  what: 'values of jobs, of each parent, and of windows',
  api: { pagination: { method: 'pagenum', limit: 2, limitParam: 'limit' } },
  jobs: [
    {
      endpoint: 'teams',
      dataType: 'teams',
      dataField: 'items',
      incremental: { path: 'at', param: 'since' },
      children: [
        {
          endpoint: 'members/{team}',
          dataType: 'members',
          dataField: 'items',
          placeholders: { team: 'id' },
          incremental: { path: 'at', param: 'since', lookback: '2m' },
        },
      ],
    },
    {
      endpoint: 'sales/{shop}',
      dataType: 'sales',
      dataField: 'items',
      each: { shop: ['x', 'y'] },
      windows: { from: '2026-01-01', to: '2026-01-09', step: '2d', params: { from: 'since', to: 'before' } },
      incremental: { path: 'at' },
    },
  ],
  answer(url) {
    if (url.pathname.startsWith('/sales')) {
      const at = `${url.searchParams.get('since')}T0${url.pathname.length}:${url.pathname.endsWith('x') ? '10' : '20'}:00Z`;
      return json({ items: url.searchParams.has('page', '2') ? [] : [{ at }, { at }] });
    }
    const page = Number(url.searchParams.get('page') ?? 1);
    const start = url.pathname.length;
    const all = Array.from({ length: 5 }, (_, index) => new Date(Date.UTC(2026, 0, 1, 0, start + index)).toISOString());
    return json({ items: all.slice(2 * page - 2, 2 * page).map((at, index) => ({ id: `${page}-${index}`, at })) });
  },
};

/** The memory without the times of its runs. */
const untimed = (memory: RunMemory) => JSON.parse(JSON.stringify(memory), (key, value) => (key === 'at' ? 0 : value));

test(
  remembering.what,
  onServer(remembering, async (server) => {
    const configuration = configured(remembering, server.origin);
    const store = memoryStore();
    await run(configuration, { to: logWithIds(destination()), store });
    const { shapes: _, ...alone } = memoryIn(store.held.records.map(recordIn));
    assert.equal(Object.keys(alone.jobs.members?.values ?? alone.jobs).length, 5);
    const sales = Object.values(alone.jobs.sales?.values ?? {}).map(({ value }) => value);
    assert.equal(sales, ['"2026-01-07T08:10:00Z"', '"2026-01-07T08:20:00Z"']);
    for (const draw of [undefined, drawing(7)]) {
      const { memory } = await runShared(configuration, { to: destination(), concurrency: 2, block: 1, draw });
      assert.equal(untimed(memory), untimed(alone));
    }
  }),
);

test(
  'a run with too few items is not published',
  onServer(remembering, async (server) => {
    const configuration = configured(remembering, server.origin);
    const shared = (minItems: number) =>
      runShared(configuration, { to: destination(), concurrency: 1, block: 3, minItems: { members: minItems } });
    const { published, summary } = await shared(25);
    assert.equal([published, summary?.jobs.map(({ items }) => items)], [1, [5, 25, 16]]);
    await rejection(shared(26), 'ERR_MIN_ITEMS', /"members" has 25 items in this run: at least 26 are required/);
  }),
);

test('random configurations', async () => {
  const first = Number(process.env.BOARD_SEED ?? Date.now() % 1_000_000);
  console.log(`first seed of shared runs: ${first}`);
  let [killed, refused, parked] = [0, 0, 0];
  for (let seed = first; seed < first + Number(process.env.BOARD_RUNS ?? 5); seed += 1) {
    const scene = randomScene(drawing(seed));
    await onServer(scene, async (server) => {
      const faults = await mustBeEqual(scene, server, { seed, block: scene.block, mostReady: scene.mostReady });
      killed += faults.killed;
      refused += faults.refused;
      parked += faults.parked;
    })();
  }
  console.log(`${killed} processes were killed, ${refused} refused, ${parked} tasks parked`);
  assert.ok(killed > 0 && refused > 0, `${killed} were killed, ${refused} refused`);
});

test.run();
