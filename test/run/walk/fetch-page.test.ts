/** One page and its results: receipts, the end of a walk, warnings, and pages that are rolled back. */
import { lastValueFrom, toArray } from 'rxjs';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Sink } from '../../../sinks/contract.js';
import { memory } from '../../../sinks/index.js';
import type { Batch } from '../../../src/core/model/batch.js';
import { extract, run } from '../../../src/run/extract.js';
import { items, startApi } from '../../loopback/api.js';
import { rejection } from '../../sinks/lib.js';
import { comeAgain, configOf, json, listener, onNetwork, pagenum } from '../../support/mock-network.js';
import { startClock } from '../../support/virtual-clock.js';

const a = [{ endpoint: 'a' }];
const pages = (...values: readonly unknown[]) =>
  Object.fromEntries(values.map((value, at) => [`GET /a?page=${at + 1}`, json(value)]));

test(
  'emits a receipt for each page, with the next request or the reason of the end',
  onNetwork(
    { 'GET /a?limit=2&page=1': json([1, 'two']), 'GET /a?limit=2&page=2': json([3]) },
    async ({ dispatcher }) => {
      const { receipts } = extract(configOf(a, pagenum(2)), { dispatcher });
      const [first, last, ...more] = await lastValueFrom(receipts.pipe(toArray()));
      assert.equal(more, []);
      const { next, ...done } = first ?? {};
      const taken = { job: 'a', dataType: 'a', delivered: true, requests: 1, retries: 0 };
      assert.equal(done, { ...taken, index: 0, count: 2, bytes: '1\n"two"\n'.length });
      assert.is(next?.endpoint, 'a');
      assert.ok(last?.stop);
      assert.equal(last, { ...taken, index: 1, count: 1, bytes: 2, stop: last.stop });
    },
  ),
);

test(
  'ends the job at a page equal to the one before, which is not delivered',
  onNetwork(pages([1], [2], [2]), async ({ dispatcher }) => {
    const to = memory();
    const { notify, codes } = listener();
    const { jobs } = await run(configOf(a, pagenum()), { to, dispatcher, notify });
    assert.equal(to.items(), [1, 2]);
    assert.equal(codes(), []);
    const { requests, pages: taken, items: count, bytes, stop } = jobs[0] ?? {};
    assert.equal([requests, taken, count, bytes, stop], [3, 2, 2, 4, 'a page identical to the one before it']);
  }),
);

test(
  'accepts a page whose last byte differs from the one before',
  onNetwork(pages(['x1'], ['x2'], []), async ({ dispatcher }) => {
    const to = memory();
    await run(configOf(a, pagenum()), { to, dispatcher });
    assert.equal(to.items(), ['x1', 'x2']);
  }),
);

test(
  'fails when two pages go round a second time, naming them',
  onNetwork(pages([0], [1], [2], [1], [2]), async ({ dispatcher }) => {
    const error = await rejection(run(configOf(a, pagenum()), { dispatcher }), 'ERR_LOOP');
    assert.match(error.message, 'pages 4-5 are identical to pages 2-3');
    assert.equal([error.where.job, error.where.page], ['a', 4]);
  }),
);

test(
  'accepts a single repeated page',
  onNetwork(pages([1], [2], [1], [3], []), async ({ dispatcher }) => {
    const to = memory();
    await run(configOf(a, pagenum()), { to, dispatcher });
    assert.equal(to.items(), [1, 2, 1, 3]);
  }),
);

const warnings: readonly [reply: string, dataField: string | undefined, code: string | undefined][] = [
  ['', undefined, 'no-body'],
  [' \n', 'items', 'no-body'],
  ['{"a": 1}', undefined, 'no-list'],
  ['{"a": []}', 'items', 'no-data'],
  ['{"items": null}', 'items', 'no-data'],
  ['{"items": []}', 'items', undefined],
  ['[]', undefined, undefined],
];

for (const [body, dataField, code] of warnings) {
  test(
    `${code === undefined ? 'does not warn' : `warns by ${code}`} when ${dataField ?? 'the automatic search'} meets ${JSON.stringify(body)}`,
    onNetwork({ 'GET /a': { body } }, async ({ dispatcher }) => {
      const { notify, notices } = listener();
      const to = memory();
      const job = dataField === undefined ? { endpoint: 'a' } : { endpoint: 'a', dataField };
      await run(configOf([job]), { to, dispatcher, notify });
      assert.equal(to.items(), []);
      assert.equal(
        notices.map((notice) => [notice.code, notice.job, notice.page]),
        code === undefined ? [] : [[code, 'a', 0]],
      );
    }),
  );
}

const misspelt: readonly (readonly [what: string, body: object, dataField: string, message: string])[] = [
  [
    'first the whole path that a data field may have meant',
    { data: { list: [1], total: 1 } },
    'data.lst',
    'did you mean "data.list"? The response has no value at "data.lst" (`dataField`): no items',
  ],
  [
    'the lists of a response, where no path is near',
    { page: 1, results: { rows: [{ id: 1 }] } },
    'items',
    'the response has no value at "items" (`dataField`): no items; set `dataField` to "results.rows"',
  ],
  [
    'no other list where the value is null',
    { items: null, errors: [] },
    'items',
    'the response has no value at "items" (`dataField`): no items',
  ],
];
for (const [what, body, dataField, message] of misspelt) {
  test(
    `names ${what}`,
    onNetwork({ 'GET /a': json(body) }, async ({ dispatcher }) => {
      const { notify, notices } = listener();
      await run(configOf([{ endpoint: 'a', dataField }]), { dispatcher, notify });
      assert.equal(
        notices.map((each) => each.message),
        [message],
      );
    }),
  );
}

test(
  'shows how a body begins that is no JSON, secrets masked',
  onNetwork({ 'GET /a': { body: `<html>${'x'.repeat(20)} s3cret-key${'y'.repeat(90)}` } }, async ({ dispatcher }) => {
    const configuration = { api: { baseUrl: 'https://api.example/' }, config: { '#key': 's3cret-key', jobs: a } };
    const error = await rejection(run(configuration, { dispatcher }), 'ERR_JSON');
    assert.match(error.message, /at byte 0; the body begins "<html>x{20} \S*y+\.\.\."$/);
    assert.not.match(error.message, 's3cret-key');
  }),
);

test(
  'shows nothing of a body that begins as JSON does',
  onNetwork({ 'GET /a': { body: '{"a": oops}' } }, async ({ dispatcher }) => {
    const error = await rejection(run(configOf(a), { dispatcher }), 'ERR_JSON');
    assert.not.match(error.message, 'begins');
  }),
);

/** Follows `next`; no page has a list of items. */
const scrolling = { pagination: { method: 'response.param', responseParam: 'next', queryParam: 'at' } };
const threeWithoutItems = (name: string) => ({
  [`GET /${name}`]: json({ next: 'x' }),
  [`GET /${name}?at=x`]: json({ next: 'y' }),
  [`GET /${name}?at=y`]: json({ next: '' }),
});

test(
  'warns of the same thing once a job',
  onNetwork({ ...threeWithoutItems('a'), ...threeWithoutItems('b') }, async ({ dispatcher }) => {
    const { notify, notices } = listener();
    await run(configOf([{ endpoint: 'a' }, { endpoint: 'b' }], scrolling), { dispatcher, notify });
    assert.equal(
      notices.map(({ code, job, page }) => [code, job, page]),
      [
        ['no-list', 'a', 0],
        ['no-list', 'b', 0],
      ],
    );
  }),
);

test(
  'under strict the first warning is the error, with its place',
  onNetwork({ 'GET /a': json({ next: 'x' }) }, async ({ dispatcher }) => {
    const ran = run(configOf(a, scrolling), { dispatcher, strict: true });
    const error = await rejection(ran, 'ERR_STRICT', /no list/);
    assert.equal([error.where.job, error.where.page], ['a', 0]);
  }),
);

test(
  'warns of a pagination that never began',
  onNetwork({ 'GET /a': json({ nxt: 'x', items: [1] }) }, async ({ dispatcher }) => {
    const { notify, codes } = listener();
    await run(configOf(a, scrolling), { dispatcher, notify });
    assert.equal(codes(), ['missing-response-param']);
  }),
);

/** More than a batch of items, so that some have been delivered when the rest of the body comes. */
const filling = Array.from({ length: 1200 }, (_, n) => ({ n, filling: 'x'.repeat(1000) }));
const begun = JSON.stringify(filling).slice(0, -1);

const broken: readonly [what: string, body: string, code: 'ERR_JSON' | 'ERR_DATA_FIELD'][] = [
  ['a body that is no JSON any more', `${begun},}`, 'ERR_JSON'],
  ['a document that is not complete', begun, 'ERR_JSON'],
  ['a second list', `{"a":${begun}],"b":[]}`, 'ERR_DATA_FIELD'],
];

for (const [what, body, code] of broken) {
  test(
    `rolls back what a page had delivered before ${what}`,
    onNetwork({ 'GET /a?page=1': json([1]), 'GET /a?page=2': { body } }, async ({ dispatcher }) => {
      const to = memory();
      const most = { items: 0 };
      const write = async (batch: Batch, signal: AbortSignal) => {
        await to.write(batch, signal);
        most.items = Math.max(most.items, to.items().length);
      };
      const error = await rejection(run(configOf(a, pagenum()), { to: { ...to, write }, dispatcher }), code);
      assert.ok(most.items > 1000, 'something had been delivered');
      assert.equal(to.items(), [1]);
      assert.equal([error.where.job, error.where.page], ['a', 1]);
      assert.is(error.where.request, 'GET https://api.example/a?page=2');
      assert.ok((error.where.offset ?? 0) > 1_000_000);
    }),
  );
}

test(
  'starts the items over if their member is repeated',
  onNetwork({ 'GET /a': { body: `{"a":${begun}],"a":[1,2]}` } }, async ({ dispatcher }) => {
    const to = memory();
    const { jobs } = await run(configOf(a), { to, dispatcher });
    assert.equal(to.items(), [1, 2]);
    assert.equal([jobs[0]?.items, jobs[0]?.bytes], [2, 4]);
  }),
);

/** Takes everything, and cannot take anything back. */
function oneWay(): { readonly sink: Sink; readonly calls: string[] } {
  const calls: string[] = [];
  const say = (call: string) => () => void calls.push(call);
  return { calls, sink: { write: say('write'), close: say('close'), abort: say('abort') } };
}

test(
  'fails with ERR_ROLLBACK when items must start over and the sink cannot take back',
  onNetwork({ 'GET /a': { body: `{"a":${begun}],"a":[1,2]}` } }, async ({ dispatcher }) => {
    const { sink, calls } = oneWay();
    const error = await rejection(run(configOf(a), { to: sink, dispatcher }), 'ERR_ROLLBACK', /"a"/);
    assert.equal(calls, ['write', 'abort']);
    assert.is(error.where.kept, true);
  }),
);

test(
  'reports that items of a broken page stay if the sink cannot roll back',
  onNetwork({ 'GET /a': { body: `${begun},}` } }, async ({ dispatcher }) => {
    const error = await rejection(run(configOf(a), { to: oneWay().sink, dispatcher }), 'ERR_JSON');
    assert.is(error.where.kept, true);
  }),
);

/** A server whose first response to page 2 breaks off on demand; after that it is `again`, or a 404. */
async function withBreak(
  work: (api: { origin: string; breakOff(): void }) => Promise<void>,
  again = '["whole"]',
): Promise<void> {
  let breakOff: (() => void) | undefined;
  const api = await startApi(({ target }) => {
    if (!target.endsWith('page=2')) return { body: JSON.stringify(target.endsWith('=1') ? items(0, 2) : []) };
    if (breakOff !== undefined) return again === '' ? { status: 404 } : { body: again };
    return {
      body: (response) => {
        breakOff = () => response.socket?.resetAndDestroy();
        response.write(begun);
      },
    };
  });
  try {
    await work({ origin: `${api.origin}/`, breakOff: () => breakOff?.() });
  } finally {
    await api.close();
  }
}

test('rolls back a page whose connection breaks, and retries', () =>
  withBreak(async ({ origin, breakOff }) => {
    const to = memory();
    const write = async (batch: Batch, signal: AbortSignal) => {
      await to.write(batch, signal);
      breakOff();
    };
    const { notify, notices } = listener();
    const clock = startClock();
    try {
      const { jobs } = await run(configOf(a, { baseUrl: origin, ...pagenum() }), {
        to: { ...to, write },
        notify: (notice) => {
          notify(notice);
          assert.equal(to.items(), items(0, 2), 'taken back before the wait');
          clock.passSoon(1000);
        },
      });
      assert.equal(to.items(), [...items(0, 2), 'whole']);
      assert.equal(
        notices.map(({ code, page }) => [code, page]),
        [['retry', 1]],
      );
      assert.equal([jobs[0]?.requests, jobs[0]?.retries], [4, 1]);
    } finally {
      clock.stop();
    }
  }));

/** Breaks the page off at its first batch, and collects what the sink gets. */
function keeping(breakOff: () => void) {
  const got: unknown[] = [];
  const write = (batch: Batch) => {
    got.push(...batch.values());
    if (got.length > 2) breakOff();
  };
  return { got, sink: { ...oneWay().sink, write } };
}

const soon = (clock: { passSoon(ms: number): void }) => () => clock.passSoon(1000);

test('retries a page whose items stay in the sink, and continues after them', () =>
  withBreak(async ({ origin, breakOff }) => {
    const { got, sink } = keeping(breakOff);
    const clock = startClock();
    try {
      const config = configOf(a, { baseUrl: origin, ...pagenum() });
      const { jobs } = await run(config, { to: sink, notify: soon(clock) });
      assert.equal(got, [...items(0, 2), ...filling]);
      assert.equal([jobs[0]?.items, jobs[0]?.requests, jobs[0]?.retries], [1202, 4, 1]);
    } finally {
      clock.stop();
    }
  }, JSON.stringify(filling)));

test('fails if such a page is repeated with other items', () =>
  withBreak(async ({ origin, breakOff }) => {
    const { got, sink } = keeping(breakOff);
    const clock = startClock();
    try {
      const config = configOf(a, { baseUrl: origin, ...pagenum() });
      const error = await rejection(run(config, { to: sink, notify: soon(clock) }), 'ERR_PAGE_CHANGED');
      assert.equal([error.where.page, error.where.kept], [1, true]);
      assert.ok(got.length > 1000 && got.length < 1202);
    } finally {
      clock.stop();
    }
  }));

test('reports that items stay also if another attempt fails differently', () =>
  withBreak(async ({ origin, breakOff }) => {
    const { sink } = keeping(breakOff);
    const clock = startClock();
    try {
      const config = configOf(a, { baseUrl: origin, ...pagenum() });
      const error = await rejection(run(config, { to: sink, notify: soon(clock) }), 'ERR_STATUS');
      assert.equal([error.where.page, error.where.kept, error.where.status], [1, true, 404]);
    } finally {
      clock.stop();
    }
  }, ''));

const methods: readonly (readonly [method: string, methods: readonly string[] | undefined, requests: number])[] = [
  ['POST', undefined, 2],
  ['FORM', ['POST'], 2],
  ['POST', ['GET', 'HEAD'], 1],
  ['FORM', ['GET'], 1],
  ['GET', ['GET'], 2],
];

for (const [method, listed, requests] of methods) {
  test(`a ${method} is sent ${requests} times if ${listed ?? 'all methods'} may be retried`, async () => {
    const api = await startApi((_, index) =>
      index === 0 ? { status: 503, headers: { 'Retry-After': '-1' } } : { body: '[1]' },
    );
    try {
      const retryConfig = listed === undefined ? {} : { methods: listed };
      const config = configOf([{ endpoint: 'a', method }], { baseUrl: `${api.origin}/`, retryConfig });
      if (requests === 2) await run(config, { to: memory() });
      else await rejection(run(config, { to: memory() }), 'ERR_STATUS');
      assert.is(api.requests.length, requests);
    } finally {
      await api.close();
    }
  });
}

const failing: readonly [what: string, broken: Partial<Sink>, words: RegExp][] = [
  ['write', { write: () => Promise.reject(new Error('disk full')) }, /disk full/],
  [
    'write at once',
    {
      write: () => {
        throw new Error('disk full');
      },
    },
    /disk full/,
  ],
  ['commit', { commit: () => Promise.reject(new Error('no room')) }, /no room/],
  ['open', { open: () => Promise.reject(new Error('no permission')) }, /no permission/],
  ['close', { close: () => Promise.reject(new Error('cannot publish')) }, /cannot publish/],
];

for (const [what, part, words] of failing) {
  test(
    `fails with ERR_SINK and aborts the sink that fails to ${what}`,
    onNetwork(what === 'open' ? {} : { 'GET /a': json([1]) }, async ({ dispatcher }) => {
      const to = memory();
      const reasons: unknown[] = [];
      const sink = { ...to, ...part, abort: (reason: unknown) => void reasons.push(reason) };
      const error = await rejection(run(configOf(a), { to: sink, dispatcher }), 'ERR_SINK', words);
      assert.is(reasons.length, 1);
      assert.instance(error.cause, Error);
    }),
  );
}

test(
  'reports the failed write, not the failed rollback after it',
  onNetwork({ 'GET /a': json([1]) }, async ({ dispatcher }) => {
    const fail = (words: string) => () => Promise.reject(new Error(words));
    const sink = { ...memory(), write: fail('disk full'), rollback: fail('disk gone'), abort: fail('disk missed') };
    const error = await rejection(run(configOf(a), { to: sink, dispatcher }), 'ERR_SINK', /disk full/);
    assert.is(error.where.kept, true);
  }),
);

const cursor = { pagination: { method: 'cursor', idKey: 'id', param: 'since' } };
const ids = (...values: readonly number[]) => values.map((id) => ({ id }));

test(
  'forgets folded items that were replaced',
  onNetwork(
    { 'GET /a': { body: `{"a":${JSON.stringify(ids(9, 8))},"a":[{"id":2}]}` }, 'GET /a?since=2': json([]) },
    async ({ dispatcher }) => {
      const to = memory();
      await run(configOf(a, cursor), { to, dispatcher });
      assert.equal(to.items(), ids(2));
    },
  ),
);

test(
  'an item without an id fails the page, which is rolled back, with its place',
  onNetwork({ 'GET /a': json(ids(1)), 'GET /a?since=1': json([{ id: 2 }, { key: 3 }]) }, async ({ dispatcher }) => {
    const to = memory();
    const error = await rejection(run(configOf(a, cursor), { to, dispatcher }), 'ERR_PAGINATION', /"id".*nothing/);
    assert.equal(to.items(), ids(1));
    assert.equal([error.where.job, error.where.page], ['a', 1]);
    assert.is(error.where.request, 'GET https://api.example/a?since=1');
  }),
);

test(
  'a link that is no string fails the job, with its place',
  onNetwork({ 'GET /a': json({ rows: [1], next_page: 7 }) }, async ({ dispatcher }) => {
    const links = { pagination: { method: 'response.url' } };
    const error = await rejection(run(configOf(a, links), { dispatcher }), 'ERR_PAGINATION', /"next_page".*a number/);
    assert.equal([error.where.job, error.where.page], ['a', 0]);
  }),
);

test(
  'a link of a header belongs to the address that answered in the end, without its query',
  onNetwork(
    {
      'GET /a': { status: 302, headers: { Location: '/v2/b?secret=1' } },
      'GET /v2/b?secret=1': json([1], { headers: { Link: '<?page=2>; rel="next"' } }),
      'GET /v2/b?page=2': json([2], { headers: { Link: '<>; rel="last"' } }),
    },
    async ({ dispatcher }) => {
      const to = memory();
      await run(configOf(a, { pagination: { method: 'link-header' } }), { to, dispatcher });
      assert.equal(to.items(), [1, 2]);
    },
  ),
);

test('time counts from the first request on, also while a job waits', async () => {
  const clock = startClock();
  try {
    await onNetwork(pages([1], [2], [3]), async ({ dispatcher }) => {
      const pagination = { ...pagenum().pagination, forceStop: { time: 60 } };
      const to = memory();
      const write = (batch: Batch, signal: AbortSignal) => {
        clock.pass(20_000);
        return to.write(batch, signal);
      };
      const { jobs } = await run(configOf(a, { pagination }), { to: { ...to, write }, dispatcher });
      assert.is(jobs[0]?.stop, 'forceStop: 60 seconds have passed');
    })();
  } finally {
    clock.stop();
  }
});

test(
  'volume is that of all pages, each page once',
  onNetwork(
    { 'GET /a?page=1': [comeAgain(503), json(['a/b'])], 'GET /a?page=2': json(['é']), 'GET /a?page=3': json(['x']) },
    async ({ dispatcher }) => {
      const volume = '["a\\/b"]'.length + '["\\u00e9"]'.length;
      const pagination = { ...pagenum().pagination, forceStop: { volume } };
      const { jobs } = await run(configOf(a, { pagination }), { dispatcher });
      assert.is(jobs[0]?.stop, `forceStop: ${volume + 5} bytes, more than ${volume}`);
    },
  ),
);

test(
  'each job starts anew, with the scroller that it names',
  onNetwork(
    {
      'GET /a?page=1': json([1]),
      'GET /b': json(ids(7)),
      'GET /b?since=7': json([]),
      'GET /c?page=1': json([1]),
      'GET /d?page=1': json([1]),
    },
    async ({ dispatcher }) => {
      const scrollers = { pages: { method: 'pagenum' }, ids: cursor.pagination };
      const pagination = { method: 'multiple', scrollers, default: 'pages', limitStop: { count: 1 } };
      const jobs = ['a', 'c', 'd'].map((endpoint) => ({ endpoint }));
      await run(configOf(jobs, { pagination }), { dispatcher, concurrency: 3 });
      const named = [{ endpoint: 'b', scroller: 'ids' }];
      const { jobs: ended } = await run(configOf(named, { pagination: { ...pagination, limitStop: {} } }), {
        dispatcher,
      });
      assert.is(ended[0]?.stop, 'an empty page');
    },
  ),
);

test.run();
