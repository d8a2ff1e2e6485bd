/** Children that fail, in runs that are killed: the others arrive once. The long form: `npm run failing`. */
import { MockAgent } from 'undici';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { stateFolder } from '../../src/checkpoint/store/folder-store.js';
import type { Notice } from '../../src/core/model/notice.js';
import { run } from '../../src/run/extract.js';
import type { RunOptions } from '../../src/run/options.js';
import { inFolder } from '../sinks/lib.js';
import { destination, transactionLog } from '../sinks/transaction-log.js';
import { home } from '../support/mock-network.js';
import { failOften } from './fail-often.js';

const seed = Number(process.env.CHAOS_SEED ?? Math.floor(Math.random() * 2 ** 31));
console.log(`seed ${seed} (set CHAOS_SEED to repeat)`);

test('300 children of which some fail', async () => {
  const { broken, failed } = await failOften(seed, 300, 4);
  assert.equal({ seed, broken }, { seed, broken: [] });
  assert.ok(failed > 0, `seed ${seed}`);
});

/** Twenty thousand children, which fail as long as `fails` says so. */
function manyChildren(world: { fails: boolean }): MockAgent {
  const agent = new MockAgent();
  agent.disableNetConnect();
  const headers = { 'content-type': 'application/json' };
  const parents = Array.from({ length: 20_000 }, (_, id) => ({ id }));
  const pool = agent.get(home);
  pool.intercept({ path: '/parents' }).reply(200, parents, { headers }).persist();
  const answer = () =>
    world.fails
      ? { statusCode: 404, data: '' }
      : { statusCode: 200, data: [{ ok: true }], responseOptions: { headers } };
  pool
    .intercept({ path: (path) => path.startsWith('/details/') })
    .reply(answer)
    .persist();
  return agent;
}

const children = {
  api: { baseUrl: `${home}/`, retryConfig: { maxRetries: 0 } },
  config: {
    jobs: [
      {
        endpoint: 'parents',
        children: [
          {
            endpoint: 'details/{id}',
            dataType: 'details',
            placeholders: { id: 'id' },
            onError: { default: 'skip', max: 20_000 },
          },
        ],
      },
    ],
  },
} as const;

test(
  '20,000 children that fail are counted, and 10,000 of them are sent again',
  inFolder(async (dir) => {
    const world = { fails: true };
    const dispatcher = manyChildren(world);
    const to = destination();
    const pull = async (resume: RunOptions['resume']) => {
      const notices: Notice[] = [];
      const notify = (each: Notice) => void notices.push(each);
      const summary = await run(children, {
        to: transactionLog(to),
        store: stateFolder(dir),
        dispatcher,
        notify,
        ...(resume === undefined ? {} : { resume }),
      });
      return { details: summary.jobs.find(({ job }) => job === 'details'), notices };
    };
    try {
      const first = await pull(undefined);
      assert.is(first.details?.skipped, 20_000);
      assert.is(first.details?.skips?.length, 1000, 'the summary lists the first ones');
      world.fails = false;
      const again = await pull('failed');
      assert.is(again.details?.items, 10_000);
      assert.is(to.items.filter((item) => item.startsWith('details')).length, 10_000);
      assert.match(again.notices.find(({ code }) => code === 'not-sent-again')?.message ?? '', /^10000 requests/);
    } finally {
      await dispatcher.close();
    }
  }),
);

test.run();
