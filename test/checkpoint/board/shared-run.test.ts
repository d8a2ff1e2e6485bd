/** One run of many processes gives what one process gives, whatever happens to them. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Configuration } from '../../../src/config/configuration.js';
import { run } from '../../../src/run/extract.js';
import { type Api, json } from '../../loopback/api.js';
import { type Destination, destination, transactionLog } from '../../sinks/transaction-log.js';
import { mulberry32 } from '../../support/mulberry32.js';
import { configurationOf, onServer, type Scene, scenes } from '../scenes.js';
import { type RandomScene, randomScene } from './random-scene.js';
import { runShared } from './shared-run.js';

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

/** Compares a shared run without faults, and one with them, with a run of one process. */
async function mustBeEqual(
  scene: Scene,
  server: Api,
  { seed, block }: { readonly seed: number; readonly block: number },
) {
  const configuration = configured(scene, server.origin);
  const { concurrency = 1 } = scene;
  const [whole, shared, shaken] = [destination(), destination(), destination()];
  const requests = await requestsOf(scene, server, () =>
    run(configuration, { to: transactionLog(whole), concurrency }),
  );
  const asked = await requestsOf(scene, server, async () => {
    const { board } = await runShared(configuration, { to: shared, concurrency, block });
    assert.equal([...board.parts.keys()], [], `seed ${seed}: a part is left`);
  });
  assert.equal(itemsOf(shared), itemsOf(whole), `seed ${seed}`);
  if (scene.discards !== true) assert.equal(asked, requests, `seed ${seed}`);
  const faults = { killed: 0, refused: 0 };
  const again = await requestsOf(scene, server, async () => {
    const { killed, refused } = await runShared(configuration, { to: shaken, concurrency, block, draw: drawing(seed) });
    Object.assign(faults, { killed, refused });
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
      children: [{ endpoint: 'users/{user}', dataType: 'notes', dataField: '.', placeholders: { user: 'id' } }],
    },
  ],
  isFree: (target) => target === '/login',
  answer(url) {
    if (url.pathname === '/login') return json({ token: 'token-of-login' });
    if (url.pathname !== '/users') return json({ of: url.pathname });
    const at = Number(url.searchParams.get('at') ?? 1);
    const next = at < 4 ? { next: `/users?at=${at + 1}${at < 3 ? '&key=token-of-login' : ''}` } : {};
    return json({ items: [{ id: 2 * at }, { id: 2 * at + 1 }], ...next });
  },
};

test(
  hidden.what,
  onServer(hidden, async (server) => {
    const { items } = await mustBeEqual(hidden, server, { seed: 1, block: 1 });
    assert.is(items, 16);
  }),
);

test('random configurations', async () => {
  const first = Number(process.env.BOARD_SEED ?? Date.now() % 1_000_000);
  console.log(`first seed of shared runs: ${first}`);
  let [killed, refused] = [0, 0];
  for (let seed = first; seed < first + Number(process.env.BOARD_RUNS ?? 6); seed += 1) {
    const scene = randomScene(drawing(seed));
    await onServer(scene, async (server) => {
      const faults = await mustBeEqual(scene, server, { seed, block: scene.block });
      killed += faults.killed;
      refused += faults.refused;
    })();
  }
  assert.ok(killed > 0 && refused > 0, `${killed} were killed, ${refused} refused`);
});

test.run();
