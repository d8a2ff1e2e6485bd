/** A job with `windows`: its requests, and windows that are not complete. docs/13-second-run.md#windows. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { type MemorySink, memory } from '../../../sinks/index.js';
import type { Notice } from '../../../src/core/model/notice.js';
import { run } from '../../../src/run/extract.js';
import type { RunOptions } from '../../../src/run/options.js';
import { startApi } from '../../loopback/api.js';
import { rejection } from '../../sinks/lib.js';
import { configOf, json, onNetwork } from '../../support/mock-network.js';
import { mulberry32 } from '../../support/mulberry32.js';
import { unchecked } from '../../unchecked.js';
import { type CappedApi, cappedApi } from './capped-api.js';

const windows = { from: '2024-01-01', to: '2024-01-15', step: '7d', params: { from: 'start', to: 'end' } };
const itemsOf = ({ batches }: MemorySink): readonly unknown[] => batches.flatMap((batch) => batch.values());

test(
  'walks each window, in order',
  onNetwork(
    {
      'GET /a?start=2024-01-01&end=2024-01-08': json([1]),
      'GET /a?start=2024-01-08&end=2024-01-15': json([2]),
    },
    async ({ dispatcher }) => {
      const to = memory();
      await run(configOf([{ endpoint: 'a', windows }]), { to, dispatcher, concurrency: 2 });
      assert.equal(itemsOf(to), [1, 2]);
    },
  ),
);

test(
  'an end that an expression gives, a placeholder, and each combination with each window',
  onNetwork(
    {
      'GET /eu/2024-01-01': json([1]),
      'GET /eu/2024-01-08': json([2]),
      'GET /us/2024-01-01': json([3]),
      'GET /us/2024-01-08': json([4]),
    },
    async ({ dispatcher, lines }) => {
      const of = { ...windows, to: { attr: 'until' }, params: { from: 'day' } };
      const job = { endpoint: '{region}/{day}', dataType: 'a', each: { region: ['eu', 'us'] }, windows: of };
      await run(configOf([job], {}, { until: '2024-01-15' }), { dispatcher });
      assert.equal(lines().length, 4);
    },
  ),
);

test('an end before the start, from an expression, is an error before any request', async () => {
  const config = configOf(
    [{ endpoint: 'a', windows: { ...windows, to: { attr: 'until' } } }],
    {},
    { until: '2023-01-01' },
  );
  const error = await rejection(run(config), 'ERR_CONFIG', /a later end/);
  assert.equal(error.problems[0]?.path, 'config.jobs[0].windows.to');
});

interface Pulled {
  readonly items: readonly unknown[];
  readonly notices: readonly Notice[];
  readonly requests: number;
}

/** Pulls the API in windows of 1,000 s. */
async function pull(
  api: CappedApi,
  split: boolean | number,
  options: RunOptions = {},
  more: object = {},
): Promise<Pulled> {
  const server = await startApi(cappedApi(api));
  const notices: Notice[] = [];
  try {
    const to = memory();
    const last = (api.rows.at(-1)?.at ?? 0) + 1;
    const of = { from: 0, to: last, step: '1000s', params: windows.params, split, ...more };
    const config = {
      api: { baseUrl: `${server.origin}/`, pagination: { method: 'pagenum', limit: api.pageSize, limitParam: 'size' } },
      config: { jobs: [{ endpoint: 'a', dataField: 'items', windows: of }] },
    };
    const notify = (notice: Notice) => void notices.push(notice);
    await run(unchecked(config), { to, notify, ...options });
    return { items: itemsOf(to), notices, requests: server.requests.length };
  } finally {
    await server.close();
  }
}

/** Rows with bursts: most windows have few of them, some have many. */
function rowsOf(count: number, seed: number) {
  const random = mulberry32(seed);
  let at = 0;
  return Array.from({ length: count }, (_, id) => {
    at += random() % 100 < 97 ? random() % 3 : random() % 900;
    return { id, at };
  });
}

const seed = 4711;
const rows = rowsOf(500, seed);
/** Their ids, in order: a difference of lists of items is long. */
const idsOf = (items: readonly unknown[]) => JSON.stringify(items);

const codesOf = ({ notices }: Pulled, level: Notice['level']) =>
  notices.filter((each) => each.level === level).map(({ code }) => code);

for (const shows of ['total', 'status', 'nothing'] as const) {
  for (const concurrency of [1, 4]) {
    test(`windows split until all rows are there, ${shows} shows the cap, ${concurrency} at once`, async () => {
      const api = { rows, pageSize: 20, cap: 60, shows };
      const pulled = await pull(api, shows === 'nothing' ? 60 : true, { concurrency });
      assert.is(idsOf(pulled.items), idsOf(rows), `seed ${seed}`);
      assert.equal(codesOf(pulled, 'warning'), []);
      assert.ok(codesOf(pulled, 'info').includes('window-split'));
    });
  }
}

test('without split, a window that is not complete is a warning', async () => {
  const pulled = await pull({ rows, pageSize: 20, cap: 60, shows: 'total' }, false);
  assert.ok(codesOf(pulled, 'warning').includes('total-mismatch'));
  assert.ok(pulled.items.length < rows.length);
});

test('a window that cannot be smaller is written as it is, with a warning that strict rejects', async () => {
  const same = Array.from({ length: 90 }, (_, id) => ({ id, at: 5 }));
  const api = { rows: same, pageSize: 20, cap: 60, shows: 'total' } as const;
  const pulled = await pull(api, true);
  assert.is(pulled.items.length, 60);
  assert.ok(codesOf(pulled, 'warning').includes('window-capped'));
  await rejection(pull(api, true, { strict: true }), 'ERR_STRICT');
});

test('a window that cannot be smaller, and whose pages the API refuses, fails', async () => {
  const same = Array.from({ length: 90 }, (_, id) => ({ id, at: 5 }));
  await rejection(pull({ rows: same, pageSize: 20, cap: 60, shows: 'status' }, true), 'ERR_STATUS', /422/);
});

test('another failure fails the run: a window does not split for it', async () => {
  const server = await startApi(() => ({ status: 400, body: 'no' }));
  try {
    const of = { ...windows, split: true };
    const config = { api: { baseUrl: `${server.origin}/` }, config: { jobs: [{ endpoint: 'a', windows: of }] } };
    await rejection(run(unchecked(config)), 'ERR_STATUS', /400/);
    assert.is(server.requests.length, 1);
  } finally {
    await server.close();
  }
});

test('a cap that one window showed spares the next ones all pages but the first', async () => {
  const even = Array.from({ length: 800 }, (_, id) => ({ id, at: id * 10 }));
  const pulled = await pull({ rows: even, pageSize: 10, cap: 60, shows: 'total' }, true);
  assert.is(idsOf(pulled.items), idsOf(even));
  const [first, ...rest] = pulled.notices.filter(({ code }) => code === 'window-split');
  assert.match(String(first?.message), /the API reports 100 items \("total"\), but 60 arrived/);
  for (const { message } of rest) assert.match(message, /reports 100 items and gives 60$/);
  // 8 windows: 7 pages of the first one, one of each other, and 6 pages of each half.
  assert.ok(pulled.requests === 7 + 7 + 8 * 12, `${pulled.requests} requests`);
});

test('parts that do not sum up are a warning: the API includes the end of a window', async () => {
  const even = Array.from({ length: 1000 }, (_, id) => ({ id, at: id }));
  const inclusive: CappedApi = {
    rows: even.map((row) => ({ ...row, at: row.at })),
    pageSize: 100,
    cap: 600,
    shows: 'total',
  };
  const shifted = await pull(inclusive, true, {}, { overlap: '-1s' });
  assert.ok(codesOf(shifted, 'warning').includes('window-sum'));
});

test('limits of a run do not split windows', async () => {
  const pulled = await pull({ rows, pageSize: 20, cap: 60, shows: 'status' }, true, { maxPages: 2 });
  assert.is(pulled.items.length, 40);
});

/** Rows 0 to 11, of which a query gives nine. Those of `first` have more below them than those of `second`. */
async function nestedItems(concurrency: number): Promise<readonly unknown[]> {
  const api = await startApi(({ target }) => {
    const { pathname, searchParams } = new URL(target, 'http://x');
    const number = (name: string) => Number(searchParams.get(name));
    const row = Number(/\d+$/.exec(pathname)?.[0] ?? 0);
    const start = pathname === '/rows' ? number('start') : 0;
    const total = pathname === '/rows' ? number('end') - start : pathname.startsWith('/first') ? 2 + (row % 2) : row;
    const left = Math.max(0, Math.min(total, 9) - 3 * (number('page') - 1));
    const items = Array.from({ length: Math.min(3, left) }, (_, index) => ({
      id: start + 3 * (number('page') - 1) + index,
      of: pathname,
    }));
    return json({ total, items });
  });
  const deeper = (name: string) => ({
    endpoint: `${name}/below/{row}`,
    dataType: `below ${name}`,
    dataField: 'items',
    placeholders: { row: 'id' },
  });
  const children = ['first', 'second'].map((name) => ({
    ...deeper(name),
    endpoint: `${name}/{row}`,
    dataType: name,
    children: [deeper(name)],
  }));
  const split = { from: 0, to: 20, step: 12, params: { from: 'start', to: 'end' }, split: true };
  try {
    const to = memory();
    await run(
      unchecked({
        api: { baseUrl: `${api.origin}/`, pagination: { method: 'pagenum', limit: 3 } },
        config: { jobs: [{ endpoint: 'rows', dataField: 'items', windows: split, children }] },
      }),
      { to, concurrency },
    );
    return to.batches.flatMap((batch) => [...batch.values()].map((item) => JSON.stringify([batch.dataType, item])));
  } finally {
    await api.close();
  }
}

test('children of two levels below a window that may split: pages are in order, with requests side by side too', async () => {
  assert.equal(await nestedItems(4), await nestedItems(1));
});

test.run();
