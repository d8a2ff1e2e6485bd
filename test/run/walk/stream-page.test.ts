/** Pages of child jobs: the members they add to items, and that a rolled back page leaves nothing twice. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { memory } from '../../../sinks/index.js';
import { run } from '../../../src/run/extract.js';
import { json as loopbackJson, type Reply, startApi } from '../../loopback/api.js';
import { itemsOf } from '../../page/lib.js';
import { comeAgain, configOf, json, onNetwork, pagenum } from '../../support/mock-network.js';
import { startClock } from '../../support/virtual-clock.js';

const child = { endpoint: 'a/{id}', dataType: 'd', placeholders: { id: 'id' }, userData: { of: 'me' } };
const jobs = [{ endpoint: 'a', children: [child] }];

/** More than a batch of items, so that some are on their way when the rest of the body comes. */
const many = Array.from({ length: 1200 }, (_, n) => ({ n, filling: 'x'.repeat(1000) }));
const begun = JSON.stringify(many).slice(0, -1);

/**
 * `a` has two rows. The page of the second breaks off once on demand; until it is complete, that of the first may be
 * held back.
 */
function brokenOnce(holdsFirst: 'first waits' | 'at once') {
  let breakOff: (() => void) | undefined;
  let letGo = () => {};
  const whole = new Promise<void>((resolve) => {
    letGo = resolve;
  });
  const answer = async (target: string): Promise<Reply> => {
    if (target === '/a') return loopbackJson([{ id: 1 }, { id: 2 }]);
    if (target === '/a/1') {
      if (holdsFirst === 'first waits') await whole;
      return loopbackJson([{ n: 'first' }]);
    }
    if (breakOff === undefined) {
      return {
        body: (response) => {
          breakOff = () => response.socket?.resetAndDestroy();
          response.write(begun);
        },
      };
    }
    letGo();
    return loopbackJson(many);
  };
  return { answer, breakOff: () => breakOff?.() };
}

for (const [where, concurrency, holdsFirst] of [
  ['in the sink', 1, 'at once'],
  ['kept until its turn', 2, 'first waits'],
] as const) {
  test(`a page of a child that breaks while its items are ${where} is retried, and nothing of it is doubled`, async () => {
    const { answer, breakOff } = brokenOnce(holdsFirst);
    const api = await startApi(({ target }) => answer(target));
    const clock = startClock();
    try {
      const to = memory();
      const summary = await run(configOf(jobs, { baseUrl: `${api.origin}/` }), {
        to,
        concurrency,
        onActivity: ({ job, state, items }) => {
          if (job === 'd' && state === 'page' && items > 0) breakOff();
        },
        notify: () => clock.passSoon(1000),
      });
      const came = to.batches.filter(({ dataType }) => dataType === 'd');
      const added = (id: number) => ({ of: 'me', parent_id: id });
      assert.equal(came.flatMap(itemsOf), [
        { n: 'first', ...added(1) },
        ...many.map((item) => ({ ...item, ...added(2) })),
      ]);
      const { items, bytes, requests, retries } = summary.jobs[1] ?? {};
      const size = came.reduce((sum, batch) => sum + batch.bytes.length, 0);
      assert.equal([items, bytes, requests, retries], [1201, size, 3, 1]);
    } finally {
      clock.stop();
      await api.close();
    }
  });
}

test(
  'a request of a child is tried again as any other',
  onNetwork({ 'GET /a': json([{ id: 1 }]), 'GET /a/1': [comeAgain(503), json([{ n: 1 }])] }, async ({ dispatcher }) => {
    const to = memory();
    const { jobs: totals } = await run(configOf(jobs), { to, dispatcher });
    assert.equal(
      totals.map(({ job, requests, pages, retries }) => [job, requests, pages, retries]),
      [
        ['a', 1, 1, 0],
        ['d', 2, 1, 1],
      ],
    );
  }),
);

test(
  'a page of a child equal to the one before ends its walk; one equal to a page of another walk does not',
  onNetwork(
    {
      'GET /a?page=1': json([{ id: 1 }, { id: 2 }]),
      'GET /a?page=2': json([]),
      ...Object.fromEntries(
        [1, 2].flatMap((id) => [1, 2].map((page) => [`GET /a/${id}?page=${page}`, json([{ n: 7 }])])),
      ),
    },
    async ({ dispatcher }) => {
      const to = memory();
      const { jobs: totals } = await run(configOf(jobs, pagenum()), { to, dispatcher });
      assert.equal(to.batches.filter(({ dataType }) => dataType === 'd').flatMap(itemsOf), [
        { n: 7, of: 'me', parent_id: 1 },
        { n: 7, of: 'me', parent_id: 2 },
      ]);
      const { items, bytes, pages, stop } = totals[1] ?? {};
      const size = '{"n":7,"of":"me","parent_id":1}\n'.length * 2;
      assert.equal(
        [items, bytes, pages, stop],
        [2, size, 2, 'a page identical to the one before it (each of 2 walks)'],
      );
    },
  ),
);

test.run();
