/** Windows of a job that remembers a value: only those from the value on, and each item once. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { memory } from '../../sinks/index.js';
import { run } from '../../src/run/extract.js';
import type { RunOptions } from '../../src/run/options.js';
import { failingAfter, memoryStore } from '../checkpoint/memory-store.js';
import { json, startApi } from '../loopback/api.js';
import { failure } from '../support/failure.js';
import { unchecked } from '../unchecked.js';

interface Sale {
  readonly id: number;
  readonly at: string | number;
  readonly shop?: string;
}

interface Shop {
  sales: readonly Sale[];
  /** Runs once. The ids that arrived, and the windows that were requested. */
  pull(more?: object, options?: RunOptions): Promise<{ readonly ids: readonly number[]; readonly asked: string }>;
}

const usual = {
  from: '2026-01-01',
  to: '2026-01-09',
  step: '2d',
  params: { from: 'since', to: 'before' },
};

/** An API whose queries include `since` and exclude `before`, in pages of two. */
async function onShop(use: (shop: Shop, store: { current: ReturnType<typeof memoryStore> }) => Promise<void>) {
  let asked: string[] = [];
  const server = await startApi(({ target }) => {
    const { searchParams } = new URL(target, 'http://x');
    const [since = '', before, name] = ['since', 'before', 'shop'].map((key) => searchParams.get(key) ?? undefined);
    const page = Number(searchParams.get('page'));
    if (page === 1)
      asked.push([name, since.slice(-5), before?.slice(-5)].filter((each) => each !== undefined).join(' '));
    const compare = (at: Sale['at'], bound: string) =>
      typeof at === 'number' ? at - Number(bound) : at < bound ? -1 : 1;
    const end = before ?? `${since.slice(0, -2)}${String(Number(since.slice(-2)) + 2).padStart(2, '0')}`;
    const found = shop.sales.filter(
      ({ at, shop: own }) => own === name && compare(at, since) >= 0 && compare(at, end) < 0,
    );
    return json(found.slice((page - 1) * 2, page * 2));
  });
  const store = { current: memoryStore() };
  const shop: Shop = {
    sales: [],
    async pull(more = {}, options = {}) {
      asked = [];
      const to = memory();
      const job = { endpoint: 'sales', dataType: 'sales', incremental: { path: 'at' }, windows: usual, ...more };
      const api = { baseUrl: `${server.origin}/`, pagination: { method: 'pagenum', limit: 2 } };
      await run(unchecked({ api, config: { jobs: [job] } }), { to, store: store.current, ...options });
      return { ids: to.items().map((item) => Number((item as Sale).id)), asked: asked.join(', ') };
    },
  };
  try {
    await use(shop, store);
  } finally {
    await server.close();
  }
}

const day = (number: number, time = 'T10:00:00Z'): string => `2026-01-0${number}${time}`;

test('the next run walks the windows from the value on, and leaves out what was before it', () =>
  onShop(async (shop) => {
    shop.sales = [1, 2, 4].map((id) => ({ id, at: day(id) }));
    const first = await shop.pull();
    assert.equal(first, { ids: [1, 2, 4], asked: '01-01 01-03, 01-03 01-05, 01-05 01-07, 01-07 01-09' });
    shop.sales = [
      ...shop.sales,
      { id: 5, at: day(4, 'T09:00:00Z') },
      { id: 6, at: day(4, 'T11:00:00Z') },
      { id: 7, at: day(8) },
    ];
    const second = await shop.pull();
    assert.equal(second, { ids: [6, 7], asked: '01-04 01-05, 01-05 01-07, 01-07 01-09' });
    assert.equal(await shop.pull(), { ids: [], asked: '01-08 01-09' });
  }));

test('a look-back begins earlier, and brings late items once', () =>
  onShop(async (shop) => {
    const incremental = { path: 'at', lookback: '2h' };
    shop.sales = [1, 4].map((id) => ({ id, at: day(id) }));
    await shop.pull({ incremental });
    shop.sales = [...shop.sales, { id: 5, at: day(4, 'T09:00:00Z') }, { id: 6, at: day(4, 'T07:00:00Z') }];
    assert.equal((await shop.pull({ incremental })).ids, [5]);
    assert.equal((await shop.pull({ incremental })).ids, []);
  }));

test('windows in descending order end at the value too', () =>
  onShop(async (shop) => {
    shop.sales = [1, 4, 6].map((id) => ({ id, at: day(id) }));
    const windows = { ...usual, order: 'desc' };
    assert.equal((await shop.pull({ windows })).ids, [6, 4, 1]);
    shop.sales = [...shop.sales, { id: 7, at: day(7) }];
    assert.equal(await shop.pull({ windows }), { ids: [7], asked: '01-07 01-09, 01-06 01-07' });
  }));

test('an API that gets one bound keeps whole windows', () =>
  onShop(async (shop) => {
    shop.sales = [3, 4].map((id) => ({ id, at: day(id) }));
    const windows = { ...usual, params: { from: 'since' } };
    await shop.pull({ windows });
    shop.sales = [...shop.sales, { id: 5, at: day(4, 'T11:00:00Z') }];
    assert.equal(await shop.pull({ windows }), { ids: [5], asked: '01-03, 01-05, 01-07' });
  }));

test('ranges of numbers', () =>
  onShop(async (shop) => {
    const windows = { from: 0, to: 30, step: 10, params: usual.params };
    shop.sales = [3, 14].map((id) => ({ id, at: id }));
    assert.equal(await shop.pull({ windows }), { ids: [3, 14], asked: '0 10, 10 20, 20 30' });
    shop.sales = [...shop.sales, { id: 15, at: 15 }];
    assert.equal(await shop.pull({ windows }), { ids: [15], asked: '14 20, 20 30' });
  }));

test('each combination has a value of its own', () =>
  onShop(async (shop) => {
    const more = { each: { shop: ['a', 'b'] } };
    shop.sales = [
      { id: 4, at: day(4), shop: 'a' },
      { id: 8, at: day(8), shop: 'b' },
    ];
    await shop.pull(more);
    assert.is((await shop.pull(more)).asked, 'a 01-04 01-05, a 01-05 01-07, a 01-07 01-09, b 01-08 01-09');
  }));

test('a value beyond the range leaves the last window', () =>
  onShop(async (shop) => {
    shop.sales = [{ id: 8, at: day(8) }];
    await shop.pull();
    const windows = { ...usual, to: '2026-01-05' };
    assert.is((await shop.pull({ windows })).asked, '01-03 01-05');
  }));

test('a backfill walks the windows of its range, and everything again walks all', () =>
  onShop(async (shop) => {
    shop.sales = [1, 2, 3, 4, 6, 8].map((id) => ({ id, at: day(id) }));
    await shop.pull();
    const backfill = await shop.pull({}, { since: '2026-01-02', until: '2026-01-04' });
    assert.equal(backfill, { ids: [2, 3], asked: '01-02 01-03, 01-03 01-04' });
    assert.is((await shop.pull({}, { until: '2026-01-02' })).asked, '01-01 01-02');
    assert.is((await shop.pull()).asked, '01-08 01-09', 'what is remembered has stayed');
    assert.equal((await shop.pull({}, { full: true })).ids, [1, 2, 3, 4, 6, 8]);
  }));

test('a limit that prevents a window holds the value back, also if the run is killed while it publishes', () =>
  onShop(async (shop, store) => {
    shop.sales = [1, 2, 4, 8].map((id) => ({ id, at: day(id) }));
    assert.equal((await shop.pull({}, { maxItems: 2 })).ids, [1, 2]);
    assert.equal((await shop.pull({}, { maxItems: 2 })).ids, [1, 2], 'it asks for the same again');
    const broken = memory();
    const to = {
      ...broken,
      close() {
        throw new Error('killed');
      },
    };
    await failure(shop.pull({}, { maxItems: 2, to }));
    store.current = memoryStore(store.current.held);
    assert.equal((await shop.pull({}, { maxItems: 2, resume: true })).ids, [], 'all was written');
    assert.equal((await shop.pull()).ids, [1, 2, 4, 8]);
  }));

test('a resume walks the windows of its run', () =>
  onShop(async (shop, store) => {
    shop.sales = [1, 4].map((id) => ({ id, at: day(id) }));
    await shop.pull();
    shop.sales = [...shop.sales, ...[5, 6, 7, 8].map((id) => ({ id, at: day(id) }))];
    const left = failingAfter(3, memoryStore(store.current.held));
    await failure(shop.pull({}, { store: left }));
    store.current = memoryStore(left.held);
    const { asked } = await shop.pull({}, { resume: true });
    assert.not.match(asked, '01-04', 'that window was complete');
    assert.match(asked, '01-07 01-09');
    assert.equal((await shop.pull()).ids, []);
  }));

test('values without a place in the range are an error that names the job', () =>
  onShop(async (shop) => {
    shop.sales = [{ id: 1, at: day(1) }];
    const texts = { incremental: { path: 'at', compare: 'text' } };
    await shop.pull(texts);
    const text = await failure(shop.pull(texts));
    assert.equal([text.code, text.where.job], ['ERR_INCREMENTAL', 'sales']);
    assert.match(text.message, 'not a date or a Unix time');
    const windows = { from: 0, to: 30, step: 10, params: usual.params };
    const date = await failure(
      shop.pull({ windows, incremental: { path: 'at', initial: '2026-01-01' } }, { full: true }),
    );
    assert.match(date.message, 'it is not a number');
  }));

test('a value without an order, and a promised order, do not go with windows', () =>
  onShop(async (shop) => {
    const response = await failure(shop.pull({ incremental: { response: 'token' } }));
    assert.equal([response.code, response.message.includes('unless it has "path"')], ['ERR_CONFIG', true]);
    const order = await failure(shop.pull({ incremental: { path: 'at', order: 'asc' } }));
    assert.match(order.message, 'incremental.order: cannot be used with `windows`');
  }));

test.run();
