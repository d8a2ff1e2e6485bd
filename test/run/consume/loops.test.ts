/** Loops over jobs: when requests are sent, and how a loop is left. */
import type { ServerResponse } from 'node:http';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { memory } from '../../../sinks/index.js';
import { openCheckpoint } from '../../../src/checkpoint/checkpoint.js';
import type { Notice } from '../../../src/core/model/notice.js';
import type { Receipt } from '../../../src/core/model/page.js';
import { extract } from '../../../src/run/extract.js';
import { memoryStore } from '../../checkpoint/memory-store.js';
import { startApi } from '../../loopback/api.js';
import { rejection, turns } from '../../sinks/lib.js';
import { assertHidden, configOf, json, login, onNetwork, pagenum, password } from '../../support/mock-network.js';
import { startClock } from '../../support/virtual-clock.js';
import { jobsOf, large, pages, withHangingPage } from './pages.js';

async function all<T>(source: AsyncIterable<T>): Promise<readonly T[]> {
  const items: T[] = [];
  for await (const item of source) items.push(item);
  return items;
}

test(
  'returns the items of one job, or of all jobs in listed order',
  onNetwork({ ...pages('a', 3), ...pages('b', 2) }, async ({ dispatcher, lines }) => {
    const extraction = extract(jobsOf('a', 'b'), { dispatcher });
    assert.equal(await all(extraction.items()), ['a1', 'a2', 'a3', 'a4', 'a5', 'b1', 'b2', 'b3']);
    assert.is(lines().length, 5);
    assert.equal(
      extraction.summary().jobs.map(({ job, pages, items, stop }) => [job, pages, items, stop]),
      [
        ['a', 3, 5, 'a page shorter than the limit (1 of 2)'],
        ['b', 2, 3, 'a page shorter than the limit (1 of 2)'],
      ],
    );
  }),
);

test(
  'returns batches with their origin',
  onNetwork(pages('b', 2), async ({ dispatcher }) => {
    const found = await all(extract(jobsOf('a', 'b'), { dispatcher }).job('b').batches());
    assert.equal(
      found.map(({ job, dataType, count, bytes }) => [job, dataType, count, Buffer.from(bytes).toString()]),
      [
        ['b', 'b', 2, '"b1"\n"b2"\n'],
        ['b', 'b', 1, '"b3"\n'],
      ],
    );
  }),
);

test(
  'requests nothing before the first demand, and no page before the current one is used up',
  onNetwork(pages('a', 3), async ({ dispatcher, asked }) => {
    const items = extract(jobsOf('a'), { dispatcher }).items()[Symbol.asyncIterator]();
    await turns();
    const demands: number[] = [asked.length];
    for (let step = await items.next(); step.done !== true; step = await items.next()) {
      await turns();
      demands.push(asked.length);
    }
    assert.equal(demands, [0, 1, 1, 2, 2, 3]);
  }),
);

test(
  'returns the receipt of a page at the demand for the next one',
  onNetwork(pages('a', 2), async ({ dispatcher }) => {
    const events: (string | Receipt['stop'])[] = [];
    const onReceipt = ({ index, stop }: Receipt) =>
      events.push(`page ${index}${stop === undefined ? '' : ', the last'}`);
    for await (const item of extract<string>(jobsOf('a'), { dispatcher }).items({ onReceipt })) {
      await turns();
      events.push(item);
    }
    assert.equal(events, ['a1', 'a2', 'page 0', 'a3', 'page 1, the last']);
  }),
);

test(
  'holds the page in the middle: one batch is handed over at a time',
  onNetwork({ 'GET /a': json(large('a', 3)) }, async ({ dispatcher }) => {
    const extraction = extract(configOf([{ endpoint: 'a' }]), { dispatcher });
    const counts: number[] = [];
    for await (const { count } of extraction.batches()) {
      counts.push(count);
      await turns();
      assert.is(extraction.summary().jobs[0]?.pages, 0, 'the page is not over');
    }
    assert.ok(counts.length >= 3);
    assert.is(extraction.summary().jobs[0]?.items, 3 * 1024);
  }),
);

test(
  'passes a page smaller than `batchBytes` in one batch',
  onNetwork({ 'GET /a': json(large('a', 3)) }, async ({ dispatcher }) => {
    const batchBytes = 8 * 1024 * 1024;
    const batches = await all(extract(configOf([{ endpoint: 'a' }]), { dispatcher }).batches({ batchBytes }));
    assert.equal(
      batches.map(({ count }) => count),
      [3 * 1024],
    );
  }),
);

test(
  'runs anew for each loop',
  onNetwork({ 'GET /a': [json([1]), json([2])] }, async ({ dispatcher }) => {
    const items = extract(configOf([{ endpoint: 'a' }]), { dispatcher }).items();
    assert.equal(await all(items), [1]);
    assert.equal(await all(items), [2]);
  }),
);

test('connects anew after the connections of an earlier run were let go', async () => {
  const api = await startApi(() => ({ body: '[1]' }));
  try {
    const items = extract(configOf([{ endpoint: 'a' }], { baseUrl: `${api.origin}/` })).items();
    for await (const _ of items) break;
    assert.equal(await all(items), [1]);
    assert.is(api.requests.length, 2);
  } finally {
    await api.close();
  }
});

test(
  'leaves after a break: no other request, the connections let go',
  onNetwork({ 'GET /a?limit=2&page=1': json([1, 2]) }, async ({ dispatcher, asked }) => {
    const extraction = extract(jobsOf('a'), { dispatcher });
    for await (const _ of extraction.items()) break;
    await turns();
    assert.is(asked.length, 1);
    assert.is(extraction.summary().jobs[0]?.stop, 'interrupted');
  }),
);

for (const begins of ['short', 'with a batch'] as const) {
  test(`aborts a request in flight when it is left while waiting, its page begun ${begins}`, async () => {
    await withHangingPage(begins, async ({ config, asked, left }) => {
      const items = extract(config).items()[Symbol.asyncIterator]();
      for (let n = 0; n < (begins === 'short' ? 2 : 4); n++) assert.is((await items.next()).done, false);
      const waiting = items.next();
      await asked;
      assert.equal(await items.return?.(), { done: true, value: undefined });
      await left;
      assert.equal(await waiting, { done: true, value: undefined });
      assert.equal(await items.next(), { done: true, value: undefined });
    });
  });

  test(`fails with ERR_ABORTED when its signal aborts, its page begun ${begins}`, async () => {
    await withHangingPage(begins, async ({ config, asked, left }) => {
      const controller = new AbortController();
      const seen: unknown[] = [];
      const looping = (async () => {
        for await (const item of extract(config).items({ signal: controller.signal })) seen.push(item);
      })();
      await asked;
      controller.abort();
      await rejection(looping, 'ERR_ABORTED');
      await left;
    });
  });
}

test('starts nothing when its signal was aborted before', async () => {
  const items = extract(configOf([{ endpoint: 'a' }])).items({ signal: AbortSignal.abort() });
  await rejection(all(items), 'ERR_ABORTED');
});

test(
  'passes on the failure of the run, masked, and has ended then',
  onNetwork(
    { 'POST /login': json({ token: 'tok-1234' }), 'GET /a': { status: 404, body: 'not for tok-1234' } },
    async ({ dispatcher }) => {
      const extraction = extract(configOf([{ endpoint: 'a' }], login(), password), { dispatcher });
      const items = extraction.items()[Symbol.asyncIterator]();
      const error = await rejection(items.next(), 'ERR_STATUS');
      assertHidden('tok-1234', [error.message, error.stack]);
      assert.equal(await items.next(), { done: true, value: undefined });
      assert.is(extraction.summary().jobs[0]?.stop, 'failed');
    },
  ),
);

test('retries a page that was cut before any of it was passed on', async () => {
  const cut = { headers: { 'content-length': '100' }, body: (response: ServerResponse) => cutAfter(response, '[1,2') };
  const api = await startApi((_, index) => (index === 0 ? cut : { body: '[1,2]' }));
  const retryConfig = { maxRetries: 1 };
  const clock = startClock();
  const notify = ({ code }: Notice) => {
    if (code === 'retry') clock.passSoon(1000);
  };
  try {
    const config = configOf([{ endpoint: 'a' }], { baseUrl: `${api.origin}/`, retryConfig });
    assert.equal(await all(extract(config, { notify }).items()), [1, 2]);
    assert.is(api.requests.length, 2);
  } finally {
    clock.stop();
    await api.close();
  }
});

function cutAfter(response: ServerResponse, text: string) {
  response.write(text, () => void setImmediate(() => response.destroy()));
}

test('reports that the consumer has items of a page that was cut in the last attempt', async () => {
  const start = `["${'x'.repeat(1_200_000)}", 4`;
  const api = await startApi(() => ({
    headers: { 'content-length': String(start.length + 100) },
    body: (response) => cutAfter(response, start),
  }));
  try {
    const seen: number[] = [];
    const looping = (async () => {
      for await (const { count } of extract(
        configOf([{ endpoint: 'a' }], { baseUrl: `${api.origin}/`, retryConfig: { maxRetries: 0 } }),
      ).batches())
        seen.push(count);
    })();
    const error = await rejection(looping, 'ERR_BODY_CUT');
    assert.is(error.where.kept, true);
    assert.equal(seen, [1]);
  } finally {
    await api.close();
  }
});

test(
  'keeps two jobs of one data type apart that are pulled in step',
  onNetwork({ ...pages('a', 2), ...pages('b', 2), 'POST /login': json({ token: 't' }) }, async ({ dispatcher }) => {
    const jobs = [
      { endpoint: 'a', dataType: 'same' },
      { endpoint: 'b', dataType: 'same' },
    ];
    const extraction = extract(configOf(jobs, { ...pagenum(2), ...login() }, password), { dispatcher });
    const [a, b] = extraction.jobs.map((job) => job.items()[Symbol.asyncIterator]());
    assert.ok(a !== undefined && b !== undefined);
    const seen: unknown[] = [];
    for (let n = 0; n < 3; n++) seen.push((await a.next()).value, (await b.next()).value);
    assert.equal(seen, ['a1', 'b1', 'a2', 'b2', 'a3', 'b3'], 'one login for both');
    await Promise.all([a.return?.(), b.return?.()]);
  }),
);

test(
  'leaves one job while another one of the same extraction is in the middle of a page',
  onNetwork({ ...pages('a', 1), ...pages('b', 2) }, async ({ dispatcher }) => {
    const extraction = extract(jobsOf('a', 'b'), { dispatcher });
    const b = extraction.job('b').items()[Symbol.asyncIterator]();
    assert.is((await b.next()).value, 'b1');
    for await (const _ of extraction.job('a').items()) break;
    assert.equal(
      extraction.summary().jobs.map(({ stop }) => stop),
      ['interrupted', 'running'],
    );
    assert.is((await b.next()).value, 'b2');
    assert.is((await b.next()).value, 'b3');
    assert.is((await b.next()).done, true);
  }),
);

test(
  'rejects two runs at once with a login before every request, which would wait for each other',
  onNetwork(
    { 'POST /login': [json({ token: '1' }), json({ token: '2' })], 'GET /a': json([1]), 'GET /b': json([2]) },
    async ({ dispatcher }) => {
      const config = configOf([{ endpoint: 'a' }, { endpoint: 'b' }], login({ expires: 0 }), password);
      const extraction = extract(config, { dispatcher });
      for await (const item of extraction.job('a').items()) {
        assert.is(item, 1);
        await rejection(all(extraction.job('b').items()), 'ERR_USAGE', /expires is 0/);
      }
      assert.equal(await all(extraction.job('b').items()), [2], 'one after the other is no matter');
    },
  ),
);

test('rejects reading jobs that go to a sink', async () => {
  const extraction = extract(configOf([{ endpoint: 'a' }]), { to: memory() });
  await rejection(all(extraction.items()), 'ERR_USAGE', /remove `to`/);
});

test('rejects reading jobs whose progress is stored, and names the option', async () => {
  const checkpoint = await openCheckpoint(memoryStore());
  const extraction = extract(configOf([{ endpoint: 'a' }]), { checkpoint });
  await rejection(all(extraction.items()), 'ERR_USAGE', /remove `checkpoint`/);
  await checkpoint.close();
});

test('rejects invalid sizes and unknown names', async () => {
  const extraction = extract(configOf([{ endpoint: 'users' }]));
  for (const batchBytes of [0, 1.5, 2 ** 30]) {
    await rejection(all(extraction.batches({ batchBytes })), 'ERR_USAGE', /batchBytes/);
  }
  await rejection(async () => extraction.job('user'), 'ERR_USAGE', /did you mean "users"/);
});

test.run();
