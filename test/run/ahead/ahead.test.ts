/** Pages that are requested ahead: the result of a sequential run, in fewer round trips. */
import { once } from 'node:events';
import { lastValueFrom, Subject, takeUntil, toArray } from 'rxjs';
import { Agent } from 'undici';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { memory } from '../../../sinks/index.js';
import type { Configuration } from '../../../src/config/configuration.js';
import type { Batch } from '../../../src/core/model/batch.js';
import type { JobSummary } from '../../../src/core/model/job-stats.js';
import { createRateLimiter } from '../../../src/http/rate-limiter.js';
import { extract, run } from '../../../src/run/extract.js';
import type { RunOptions } from '../../../src/run/options.js';
import { type Api, headerOf, items, json, type RecordedRequest, type Reply, startApi } from '../../loopback/api.js';
import { rejection } from '../../sinks/lib.js';
import { configOf, listener, login, password } from '../../support/mock-network.js';
import { startClock } from '../../support/virtual-clock.js';

const limit = 2;
const pageOf = ({ target }: Pick<RecordedRequest, 'target'>): number =>
  Number(new URL(target, 'http://api').searchParams.get('page') ?? 1);

/** Waits until a page has been requested. */
type Asked = (page: number) => Promise<void>;

function createArrivals() {
  const arrived = new Set<number>();
  let waiting: { readonly page: number; readonly resolve: () => void }[] = [];
  return {
    add(page: number) {
      arrived.add(page);
      for (const each of waiting) if (arrived.has(each.page)) each.resolve();
      waiting = waiting.filter((each) => !arrived.has(each.page));
    },
    asked: (page: number) =>
      new Promise<void>((resolve) => {
        if (arrived.has(page)) resolve();
        else waiting.push({ page, resolve });
      }),
  };
}

interface Paging {
  /** Pages with items; the last one is full. */
  readonly pages: number;
  /** Around the list; absent: the list itself. */
  readonly wrap?: (list: readonly object[]) => object;
  /** Instead of a page; undefined: the page. */
  readonly reply?: (page: number, times: number, asked: Asked) => Reply | undefined | Promise<Reply | undefined>;
}

/** An API with numbered pages of two items. */
async function startPages({ pages, wrap = (list) => list, reply = () => undefined }: Paging) {
  const times = new Map<number, number>();
  const inFlight = { now: 0, most: 0 };
  const arrivals = createArrivals();
  const api = await startApi(async (request) => {
    const page = pageOf(request);
    times.set(page, (times.get(page) ?? 0) + 1);
    inFlight.now += 1;
    inFlight.most = Math.max(inFlight.most, inFlight.now);
    arrivals.add(page);
    const own = await reply(page, times.get(page) ?? 0, arrivals.asked);
    inFlight.now -= 1;
    return own ?? json(wrap(page > pages ? [] : items((page - 1) * limit, limit)));
  });
  return { ...api, inFlight, arrivals, times };
}

const configured = (api: Api, pagination: object = {}, more: object = {}): Configuration =>
  configOf([{ endpoint: 'a' }], {
    baseUrl: `${api.origin}/`,
    pagination: { method: 'pagenum', limit, ...pagination },
    ...more,
  });

const pagesAsked = ({ requests }: Api): readonly number[] => requests.map(pageOf).sort((a, b) => a - b);

/** Runs with `prefetch` and returns what arrived. */
async function pulled(configuration: Configuration, options: RunOptions = {}) {
  const to = memory();
  const { notify, notices } = listener();
  const { jobs } = await run(configuration, { to, notify, ...options });
  return { items: to.items(), jobs, notices, job: jobs[0] };
}

/** A request that is cancelled on its way may be counted and not arrive. */
function assertCounted(job: JobSummary | undefined, { requests }: Api, most: number): void {
  const uncertain = (job?.requests ?? 0) - requests.length;
  assert.ok(uncertain >= 0 && uncertain <= most, `${job?.requests} requests, ${requests.length} arrived`);
}

/** Makes a test with an API that is closed after it. */
const withPages =
  (paging: Paging, work: (api: Awaited<ReturnType<typeof startPages>>) => Promise<void>) => async () => {
    const api = await startPages(paging);
    try {
      await work(api);
    } finally {
      await api.close();
    }
  };

test('asks for K pages more while a page is read, the first page alone', async () => {
  const ahead = 3;
  const last = 9;
  const api = await startPages({
    pages: last,
    async reply(page, _, asked) {
      if (page === 1) return undefined;
      await asked(Math.min(page + ahead, last)); // it would wait for ever without the requests ahead
      return undefined;
    },
  });
  try {
    const { items: got, job } = await pulled(configured(api), { prefetch: ahead, maxPages: last });
    assert.equal(got, items(0, last * limit));
    assert.is(api.inFlight.most, ahead + 1);
    assert.equal(pagesAsked(api), [1, 2, 3, 4, 5, 6, 7, 8, 9]);
    assert.is(job?.requests, last);
  } finally {
    await api.close();
  }
});

for (const prefetch of [1, 4, 'auto'] as const) {
  test(
    `gives the receipts of a sequential run with ${prefetch}`,
    withPages({ pages: 5 }, async (api) => {
      const receiptsWith = async (options: RunOptions) => {
        const { receipts } = extract(configured(api), { to: memory(), ...options });
        return lastValueFrom(receipts.pipe(toArray()));
      };
      assert.equal(await receiptsWith({ prefetch }), await receiptsWith({}));
    }),
  );
}

test(
  'drops pages beyond the end with their failures, which are neither retried nor warnings, and counts their requests',
  withPages(
    { pages: 3, reply: (page) => (page > 4 ? { status: page % 2 === 0 ? 404 : 503 } : undefined) },
    async (api) => {
      const { items: got, job, notices } = await pulled(configured(api), { prefetch: 4 });
      assert.equal(got, items(0, 6));
      assert.equal(job?.retries, 0);
      assert.equal(
        notices.filter(({ level }) => level !== 'debug'),
        [],
      );
      assert.ok(api.requests.length <= 4 + 4, `${api.requests.length} requests`);
      assertCounted(job, api, 4);
      assert.is(Math.max(...api.times.values()), 1);
    },
  ),
);

const bounded: readonly [what: string, pagination: object, options: RunOptions, pages: number][] = [
  ['maxPages', {}, { maxPages: 3 }, 3],
  ['maxItems', {}, { maxItems: 5 }, 3],
  ['forceStop.pages', { forceStop: { pages: 3 } }, {}, 3],
  ['limitStop.count', { limitStop: { count: 5 } }, {}, 3],
  ['limitStop.field', { limitStop: { field: 'total' } }, {}, 5],
  ['a total that the configuration names', { totalKey: 'total' }, {}, 6],
  ['a total at a well-known place', {}, {}, 6],
  ['two conditions, the nearer one', { forceStop: { pages: 9 }, limitStop: { count: 4 } }, {}, 2],
];

for (const [what, pagination, options, pages] of bounded) {
  test(
    `never asks beyond ${what}`,
    withPages({ pages: 5, wrap: (list) => ({ total: 10, limit: 2, list }) }, async (api) => {
      await pulled(configured(api, pagination), { prefetch: 8, ...options });
      // After a total the sequential run asks for one page more, which is empty.
      assert.equal(
        pagesAsked(api),
        Array.from({ length: pages }, (_, index) => index + 1),
      );
    }),
  );
}

test(
  'estimates the pages that are left by the largest page if there is no limit',
  withPages({ pages: 5, wrap: (list) => ({ total: 10, list }) }, async (api) => {
    await pulled(configured(api, { limit: 0, totalKey: 'total' }), { prefetch: 8 });
    assert.equal(pagesAsked(api), [1, 2, 3, 4, 5, 6]);
  }),
);

test(
  'does not believe a total that is a lower bound',
  withPages(
    { pages: 5, wrap: (list) => ({ hits: { total: { value: 6, relation: 'gte' }, hits: list } }) },
    async (api) => {
      const configuration = configOf([{ endpoint: 'a', dataField: 'hits.hits' }], {
        baseUrl: `${api.origin}/`,
        pagination: { method: 'pagenum', limit },
      });
      const { items: got } = await pulled(configuration, { prefetch: 8 });
      assert.equal(got, items(0, 10));
      assert.ok(pagesAsked(api).length > 6, pagesAsked(api).join());
    },
  ),
);

test(
  'asks for no page after the time of the run is over',
  withPages({ pages: 9 }, async (api) => {
    const clock = startClock();
    try {
      const onReceipt = ({ index }: { readonly index: number }) => {
        if (index === 1) clock.pass(2000);
      };
      const { job } = await pulled(configured(api), { prefetch: 1, maxDuration: 1000, onReceipt });
      assert.is(job?.stop, 'maxDuration: 1 second');
      assert.equal(pagesAsked(api), [1, 2, 3]);
    } finally {
      clock.stop();
    }
  }),
);

/** It may be retried at once: its Retry-After has passed long ago. */
const again = (status: number): Reply => ({ status, headers: { 'retry-after': 'Wed, 21 Oct 2015 07:28:00 GMT' } });

test(
  'treats a failure of a page that it asked for ahead as that of a first attempt',
  withPages({ pages: 6, reply: (page, times) => (page === 4 && times === 1 ? again(503) : undefined) }, async (api) => {
    const { items: got, job, notices } = await pulled(configured(api), { prefetch: 4, maxPages: 6 });
    assert.equal(got, items(0, 12));
    assert.is(job?.retries, 1);
    assert.equal(
      notices.map(({ code, page }) => [code, page]),
      [
        ['retry', 3],
        ['bound-reached', undefined],
      ],
    );
    assert.is(api.times.get(4), 2);
  }),
);

test(
  'ends with the error of a page that is not retried, and cancels the others',
  withPages({ pages: 9, reply: (page) => (page === 3 ? { status: 403 } : undefined) }, async (api) => {
    const to = memory();
    const error = await rejection(run(configured(api), { to, prefetch: 4 }), 'ERR_STATUS');
    assert.equal([error.where.job, error.where.page, error.where.status], ['a', 2, 403]);
  }),
);

test('asks for pages that failed with 429 at once again after one wait, with fewer ahead', async () => {
  const clock = startClock();
  const waits: number[] = [];
  const api = await startPages({
    pages: 8,
    async reply(page, times, asked) {
      if (page === 1 || times > 1 || page > 5) return undefined;
      if (times === 1) await asked(5); // 2 to 5 are under way together
      return { status: 429, headers: { 'retry-after': '30' } };
    },
  });
  try {
    const notify = ({ code }: { readonly code: string }) => {
      if (code !== 'retry') return;
      waits.push(30);
      clock.passSoon(30_000);
    };
    const { items: got, job } = await pulled(configured(api), { prefetch: 3, maxPages: 8, notify });
    assert.equal(got, items(0, 16));
    assert.equal(waits, [30]);
    assert.is(job?.retries, 1);
    assert.is(job?.requests, api.requests.length);
  } finally {
    clock.stop();
    await api.close();
  }
});

const tokens = (more: object = {}) => ({ ...login(more) });
const tokenOf = (request: RecordedRequest) => headerOf(request, 'x-token');

test('logs in once when several pages ahead are rejected', async () => {
  let logins = 0;
  let isRevoked = false;
  const api = await startApi((request) => {
    if (request.target === '/login') {
      logins += 1;
      return json({ token: `t${logins}` });
    }
    const page = pageOf(request);
    if (page === 3) isRevoked = true;
    if (isRevoked && tokenOf(request) === 't1') return json({ error: 'expired' }, { status: 401 });
    return json(page > 8 ? [] : items((page - 1) * limit, limit));
  });
  try {
    const pagination = { pagination: { method: 'pagenum', limit } };
    const configuration = configOf(
      [{ endpoint: 'a' }],
      { baseUrl: `${api.origin}/`, ...pagination, ...tokens() },
      password,
    );
    const { items: got, job } = await pulled(configuration, { prefetch: 4 });
    assert.equal(got, items(0, 16));
    assert.is(logins, 2);
    assert.is(job?.retries, 0);
    assertCounted(job, api, 4);
  } finally {
    await api.close();
  }
});

test('fails as a sequential run does if the credentials are rejected for good', async () => {
  const api = await startApi(({ target }) =>
    target === '/login' ? json({ token: 't' }) : json({ error: 'no' }, { status: pageOf({ target }) > 1 ? 401 : 200 }),
  );
  try {
    const configuration = configOf(
      [{ endpoint: 'a' }],
      { baseUrl: `${api.origin}/`, pagination: { method: 'pagenum' }, ...tokens() },
      password,
    );
    await rejection(run(configuration, { prefetch: 2 }), 'ERR_STATUS').catch(() => undefined);
  } finally {
    await api.close();
  }
});

test(
  'counts requests ahead at the rate limiter',
  withPages({ pages: 6 }, async (api) => {
    let passed = 0;
    const inner = createRateLimiter({ rates: [{ most: 1000, ms: 1000 }] });
    const rateLimiter = {
      ...inner,
      pass: (...of: Parameters<typeof inner.pass>) => {
        passed += 1;
        return inner.pass(...of);
      },
    };
    await pulled(configured(api), { prefetch: 4, rateLimiter, maxPages: 6 });
    assert.equal([passed, api.requests.length], [6, 6]);
  }),
);

test(
  'reports that a page waits for the rates if its request ahead does, and asks for no more than they allow',
  withPages({ pages: 5 }, async (api) => {
    const clock = startClock();
    const states = new Set<string>();
    try {
      const onActivity = ({ page, state }: { readonly page: number; readonly state: string }) => {
        states.add(`${page} ${state}`);
        if (state === 'limit') clock.passSoon(1100);
      };
      const rateLimiter = createRateLimiter({ rates: [{ most: 2, ms: 1000 }] });
      const { items: got } = await pulled(configured(api), { prefetch: 4, maxPages: 5, onActivity, rateLimiter });
      assert.equal(got, items(0, 10));
      assert.ok(states.has('2 limit'), [...states].join());
    } finally {
      clock.stop();
    }
  }),
);

test('asks again for a response that breaks while it waits, which is no failed attempt', async () => {
  let breakOff = () => {};
  const broken = new Promise<void>((resolve) => {
    breakOff = resolve;
  });
  const api = await startPages({
    pages: 4,
    async reply(page, times, asked) {
      if (page === 2) {
        await asked(3);
        await broken;
      }
      if (page !== 3 || times > 1) return undefined;
      return {
        headers: { 'content-type': 'application/json' },
        body: async (response) => {
          response.write('[{"id":4},');
          const { socket } = response;
          if (socket === null) return;
          socket.resetAndDestroy();
          await once(socket, 'close');
          breakOff();
        },
      };
    },
  });
  try {
    const { items: got, job } = await pulled(configured(api), { prefetch: 1, maxPages: 4 });
    assert.equal(got, items(0, 8));
    assert.is(api.times.get(3), 2);
    assert.is(job?.requests, 5);
  } finally {
    await api.close();
  }
});

test('a page that is requested again gets a connection, though all of a dispatcher are paused', async () => {
  const clock = startClock();
  const dispatcher = new Agent({ connections: 2 });
  const large = 'x'.repeat(4.5 * 1024 * 1024); // four pages with two of them are more than may wait
  const list = (page: number) => items((page - 1) * limit, limit).map((item) => ({ ...item, large }));
  const api = await startPages({
    pages: 9,
    async reply(page, times, asked) {
      if (page !== 2 || times > 1) return json(list(page));
      await asked(6); // on the other connection
      return { status: 503 };
    },
  });
  try {
    const ids: unknown[] = [];
    const to = (batch: Batch) => {
      for (const { id } of batch.values() as { id: number }[]) ids.push(id);
    };
    const notify = ({ code }: { readonly code: string }) => {
      if (code === 'retry') clock.passSoon(60_000);
    };
    const { jobs } = await run(configured(api), { to, prefetch: 6, maxPages: 9, notify, dispatcher });
    assert.equal(
      ids,
      Array.from({ length: 9 * limit }, (_, id) => id),
    );
    assert.is(jobs[0]?.retries, 1);
  } finally {
    clock.stop();
    await dispatcher.destroy();
    await api.close();
  }
});

test('cancels requests ahead when the subscriber leaves', async () => {
  let closed = 0;
  let onClosed = () => {};
  const allClosed = new Promise<void>((resolve) => {
    onClosed = resolve;
  });
  const api = await startPages({
    pages: 9,
    reply(page) {
      if (page === 1) return undefined;
      return {
        body: (response) => {
          response.on('close', () => {
            closed += 1;
            if (closed === 4) onClosed();
          });
          response.write('[');
        },
      };
    },
  });
  try {
    const left = new Subject<void>();
    const { receipts } = extract(configured(api), { to: memory(), prefetch: 3 });
    const ended = lastValueFrom(receipts.pipe(takeUntil(left)), { defaultValue: undefined });
    await api.arrivals.asked(5);
    left.next();
    await ended;
    await allClosed;
    assert.equal(pagesAsked(api), [1, 2, 3, 4, 5]);
  } finally {
    await api.close();
  }
});

test('asks for pages of the parent ahead while its children run, and for those of a child within its job', async () => {
  const api = await startApi(({ target }) => {
    const page = pageOf({ target });
    const { pathname } = new URL(target, 'http://api');
    const rows =
      pathname === '/a'
        ? items((page - 1) * limit, limit)
        : [
            { of: pathname, page },
            { of: pathname, page, n: 2 },
          ];
    return json(page > 3 ? [] : rows);
  });
  const child = { endpoint: 'a/{id}', dataType: 'd', placeholders: { id: 'id' } };
  const configuration = configOf([{ endpoint: 'a', children: [child] }], {
    baseUrl: `${api.origin}/`,
    pagination: { method: 'pagenum', limit },
  });
  try {
    const sequential = await pulled(configuration);
    const before = api.requests.length;
    for (const concurrency of [1, 3]) {
      const ahead = await pulled(configuration, { prefetch: 2, concurrency });
      assert.equal(ahead.items, sequential.items);
    }
    assert.ok(api.requests.length > 3 * before);
  } finally {
    await api.close();
  }
});

test('makes pages of listed statuses', async () => {
  const api = await startPages({
    pages: 4,
    reply: (page) => (page === 3 ? { status: 404, body: 'gone' } : undefined),
  });
  try {
    const configuration = configOf([{ endpoint: 'a', dataField: '.' }], {
      baseUrl: `${api.origin}/`,
      pagination: { method: 'pagenum' },
      http: { ignoreErrors: [404] },
    });
    const sequential = await pulled(configuration);
    const ahead = await pulled(configuration, { prefetch: 3 });
    assert.equal(ahead.items, sequential.items);
    assert.ok(JSON.stringify(ahead.items).includes('gone'));
  } finally {
    await api.close();
  }
});

test('sends the pages of offset', async () => {
  const api = await startApi(({ target }) => {
    const skip = Number(new URL(target, 'http://api').searchParams.get('offset'));
    return json(skip >= 10 ? [] : items(skip, limit));
  });
  try {
    const pagination = { method: 'offset', limit, prefetch: 3 };
    const { items: got, job } = await pulled(configOf([{ endpoint: 'a' }], { baseUrl: `${api.origin}/`, pagination }));
    assert.equal(got, items(0, 10));
    assert.ok((job?.requests ?? 0) <= 6 + 3);
  } finally {
    await api.close();
  }
});

const sequentialJobs: readonly [rule: string, job: object, api: object, reason: RegExp][] = [
  ['a job that sends another method', { method: 'POST' }, {}, /its method is POST/],
  ['a login before each request', {}, { ...login({ expires: 0 }) }, /its own login \(`expires: 0`\)/],
];

for (const [rule, job, api, reason] of sequentialJobs) {
  test(`warns of a prefetch that has no effect: ${rule}`, () => {
    const { notify, notices } = listener();
    const pagination = { pagination: { method: 'pagenum', limit, prefetch: 2 } };
    extract(
      configOf(
        [
          { endpoint: 'a', ...job },
          { endpoint: 'b', pagination: { method: 'none' } },
        ],
        { ...pagination, ...api },
        password,
      ),
      { notify },
    );
    assert.equal(
      notices.map(({ code, level, job: of }) => [code, level, of]),
      [['prefetch-not-used', 'warning', 'a']],
    );
    assert.match(notices[0]?.message ?? '', reason);
  });
}

test('warns of a prefetch with an offset whose limit is not a number', () => {
  const { notify, notices } = listener();
  const pagination = { method: 'offset', limit, prefetch: 2 };
  extract(configOf([{ endpoint: 'a', params: { limit: 'all' } }], { pagination }), { notify });
  assert.equal(
    notices.map(({ code, message }) => [code, message]),
    [['prefetch-not-used', '`prefetch` has no effect: its page size is not a number']],
  );
});

test('reports once which jobs the option does not apply to', () => {
  const { notify, notices } = listener();
  const cursors = ['a', 'b', 'c', 'd', 'e', 'f', 'g'].map((endpoint) => ({ endpoint }));
  const pagination = { method: 'response.url', urlKey: 'next' };
  extract(configOf([...cursors, { endpoint: 'h', pagination: { method: 'none' } }], { pagination }), {
    notify,
    prefetch: 2,
  });
  assert.equal(
    notices.map(({ code, level }) => [code, level]),
    [['page-by-page', 'info']],
  );
  assert.match(
    notices[0]?.message ?? '',
    /^prefetch: these jobs are requested page by page: "a" \(each request depends on the page before it\), .*"e" \([^)]*\), and 2 more$/,
  );
});

test(
  'requests page by page with the option 0, whatever the configuration says',
  withPages({ pages: 4 }, async (api) => {
    await pulled(configured(api, { prefetch: 3 }), { prefetch: 0 });
    assert.is(api.inFlight.most, 1);
    assert.equal(pagesAsked(api), [1, 2, 3, 4, 5]);
  }),
);

for (const prefetch of [-1, 1.5, 101, 'all']) {
  test(`refuses the option ${prefetch}`, async () => {
    const options = { prefetch } as never; // checked at run time
    const error = await rejection(run(configOf([{ endpoint: 'a' }]), options), 'ERR_USAGE');
    assert.match(error.message, /^prefetch: expected a whole number from 0 to 100, or "auto", found a /);
  });
}

test.run();
