/** A job with `await`: a report that is created, polled, fetched and deleted. docs/14-any-response.md#reports. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { type MemorySink, memory, ndjson } from '../../../sinks/index.js';
import { fromPlain, isObject } from '../../../src/core/json/exact.js';
import type { Notice } from '../../../src/core/model/notice.js';
import { recordExchanges } from '../../../src/recording/record.js';
import { replayExchanges } from '../../../src/recording/replay.js';
import { run } from '../../../src/run/extract.js';
import type { RunOptions } from '../../../src/run/options.js';
import { planRun } from '../../../src/run/plan/make-plan.js';
import { planText } from '../../../src/tools/plan/plan-text.js';
import { failingAfter, memoryStore } from '../../checkpoint/memory-store.js';
import { type Api, json, type RecordedRequest, type Reply, startApi } from '../../loopback/api.js';
import { filesIn, inFolder, rejection } from '../../sinks/lib.js';
import { unchecked } from '../../unchecked.js';

interface Reports {
  readonly api: Api;
  /** By id: how often it was polled. */
  readonly polls: Map<string, number>;
  /** Ids that are no longer there. */
  readonly gone: Set<string>;
  readonly deleted: string[];
  created: number;
}

type Answer = (request: RecordedRequest, path: string) => Reply | undefined;

/** A report is done at its third poll, with two pages of two items. */
async function inReports(use: (reports: Reports) => Promise<void>, answer?: Answer) {
  const state = { polls: new Map<string, number>(), gone: new Set<string>(), deleted: [] as string[], created: 0 };
  const api = await startApi((request) => {
    const { pathname, searchParams } = new URL(request.target, 'http://x');
    const own = answer?.(request, pathname);
    if (own !== undefined) return own;
    if (request.method === 'POST') {
      state.created += 1;
      return json({ job: { id: `r${state.created}` } }, { status: 202 });
    }
    const id = /r\d+/.exec(pathname)?.[0] ?? '';
    if (state.gone.has(id)) return { status: 404, body: 'gone' };
    if (request.method === 'DELETE') {
      state.deleted.push(id);
      state.gone.add(id);
      return { status: 204 };
    }
    if (pathname.endsWith('/rows')) {
      const page = Number(searchParams.get('page') ?? 1);
      return json(
        page < 3
          ? [
              { of: id, row: 2 * page },
              { of: id, row: 2 * page + 1 },
            ]
          : [],
      );
    }
    const polled = (state.polls.get(id) ?? 0) + 1;
    state.polls.set(id, polled);
    return json({ state: polled < 3 ? 'running' : 'done', urls: [`/${id}/rows?page=1`, `/${id}/rows?page=2`] });
  });
  try {
    await use(Object.assign(state, { api }));
  } finally {
    await api.close();
  }
}

const report = {
  create: { endpoint: 'reports', params: { kind: 'rows' } },
  poll: { endpoint: 'reports/{job.id}', every: 0.001 },
  done: { path: 'state', equals: 'done' },
  failed: { path: 'state', equals: 'failed' },
  fetch: { endpoint: 'reports/{job.id}/rows' },
  delete: { endpoint: 'reports/{job.id}' },
};

const configOf = ({ api }: Reports, job: object = {}, more: object = {}) =>
  unchecked({
    api: { baseUrl: `${api.origin}/`, pagination: { method: 'pagenum', limit: 2 }, retryConfig: { maxRetries: 0 } },
    config: { jobs: [{ dataType: 'rows', await: report, ...job }], ...more },
  });

const valuesIn = ({ batches }: MemorySink): readonly unknown[] => batches.flatMap((batch) => batch.values());

async function pull(reports: Reports, job: object = {}, options: RunOptions = {}) {
  const to = memory();
  const notices: Notice[] = [];
  const notify = (notice: Notice) => void notices.push(notice);
  const summary = await run(configOf(reports, job), { to, notify, ...options });
  return { items: valuesIn(to), summary, notices };
}

const rows = (id: string) => [2, 3, 4, 5].map((row) => ({ of: id, row }));
const targets = ({ requests }: Api) => requests.map(({ method, target }) => `${method} ${target}`);

test('a report is created, polled until it is done, fetched page by page, and deleted', () =>
  inReports(async (reports) => {
    const { items, summary } = await pull(reports);
    assert.equal(items, rows('r1'));
    assert.equal(targets(reports.api), [
      'POST /reports',
      ...Array(3).fill('GET /reports/r1'),
      'GET /reports/r1/rows?page=1&limit=2',
      'GET /reports/r1/rows?page=2&limit=2',
      'GET /reports/r1/rows?page=3&limit=2',
      'DELETE /reports/r1',
    ]);
    assert.is(reports.api.requests[0]?.body, '{"kind":"rows"}');
    assert.is(reports.api.requests.at(-1)?.body, '', 'a deletion without parameters has no body');
    assert.equal([summary.jobs[0]?.requests, summary.jobs[0]?.pages, summary.jobs[0]?.items], [8, 3, 4]);
  }));

test('links of the last poll are fetched one after the other, without a pagination of the API', () =>
  inReports(async (reports) => {
    const { items } = await pull(reports, { await: { ...report, fetch: { path: 'urls' } } });
    assert.equal(items, rows('r1'));
  }));

test('a request gives the links: its endpoint names values of the last poll', () =>
  inReports(
    async (reports) => {
      const fetch = { endpoint: 'documents/{document}', path: 'url' };
      const { items } = await pull(reports, { await: { ...report, fetch } });
      assert.equal(items, [{ a: 1 }]);
    },
    (_, path) => {
      if (path === '/reports/r1') return json({ state: 'done', document: 'x/1' });
      if (path === '/documents/x%2F1') return json({ url: '/file' });
      return path === '/file' ? json([{ a: 1 }]) : undefined;
    },
  ));

test('the address of the report may be a header of the response that created it', () =>
  inReports(
    async (reports) => {
      const poll = { endpoint: '{header:Location}', every: 0.001 };
      const { items } = await pull(reports, { await: { ...report, poll, fetch: { path: 'url' }, delete: null } });
      assert.equal(items, [{ a: 1 }]);
    },
    ({ method }, path) => {
      if (method === 'POST') return { status: 202, headers: { location: '/jobs/7' }, body: '' };
      if (path === '/jobs/7') return json({ state: 'done', url: '/file' });
      return path === '/file' ? json([{ a: 1 }]) : undefined;
    },
  ));

test('a child creates a report for each item, and a value of each is a parameter of create only', () =>
  inReports(
    async (reports) => {
      const child = { await: report, dataType: 'rows', placeholders: { id: 'id' }, each: { region: ['eu', 'us'] } };
      const jobs = [{ endpoint: 'shops', dataType: 'shops', pagination: { method: 'none' }, children: [child] }];
      const to = memory();
      await run(configOf(reports, {}, { jobs }), { to, concurrency: 4 });
      assert.is(reports.created, 4);
      assert.is(valuesIn(to).length, 2 + 4 * 4);
      const bodies = reports.api.requests.filter(({ method }) => method === 'POST').map(({ body }) => body);
      assert.equal(bodies.slice(0, 2), ['{"kind":"rows","region":"eu"}', '{"kind":"rows","region":"us"}']);
      assert.not.ok(targets(reports.api).some((target) => target.startsWith('GET') && target.includes('region')));
    },
    (_, path) => (path === '/shops' ? json([{ id: 1 }, { id: 2 }]) : undefined),
  ));

test('a report that failed, one that takes too long, and one without its link are errors', () =>
  inReports(
    async (reports) => {
      await rejection(pull(reports), 'ERR_REPORT', /the report has failed: \{"state":"failed","why":"x"\}/);
    },
    ({ method }) => (method === 'GET' ? json({ state: 'failed', why: 'x' }) : undefined),
  ).then(() =>
    inReports(async (reports) => {
      const slow = { ...report, poll: { ...report.poll, every: 0.001, backoff: 2, timeout: 0.002 } };
      await rejection(pull(reports, { await: slow }), 'ERR_REPORT', /not done after 0\.002 s/);
      const none = { ...report, fetch: { path: 'url' } };
      await rejection(pull(reports, { await: none }), 'ERR_REPORT', /expected a link or a list of links at "url"/);
      const wrong = { ...report, poll: { endpoint: 'reports/{id}' } };
      await rejection(pull(reports, { await: wrong }), 'ERR_REPORT', /no value at "id"/);
    }),
  ));

test('create is not sent again after a broken connection, unless it has an idempotency key', () => {
  let posts = 0;
  const keys = new Set<string | undefined>();
  return inReports(
    async (reports) => {
      const retryConfig = { maxRetries: 1 };
      const withRetries = (create: object) =>
        unchecked({
          api: { baseUrl: `${reports.api.origin}/`, retryConfig },
          config: { jobs: [{ dataType: 'rows', await: { ...report, create } }] },
        });
      await rejection(run(withRetries(report.create)), 'ERR_TRANSPORT');
      assert.is(posts, 1);
      posts = 0;
      await run(withRetries({ ...report.create, idempotencyKey: 'Idempotency-Key' }));
      assert.is(posts, 2);
      assert.is(keys.size, 2, 'no key, and one for both attempts');
    },
    ({ method, headers }) => {
      if (method !== 'POST') return undefined;
      posts += 1;
      keys.add(headers.find(([name]) => name.toLowerCase() === 'idempotency-key')?.[1]);
      return posts === 1 ? { body: (response) => void response.destroy() } : undefined;
    },
  );
});

test('a run that is killed at any moment polls the same report, and its items are there once', () =>
  inReports(async (reports) => {
    await inFolder(async (dir) => {
      const job = { await: { ...report, fetch: { path: 'urls' } }, pagination: { method: 'none' } };
      const store = memoryStore();
      await run(configOf(reports, job), { to: ndjson(`${dir}/whole`), store });
      const whole = filesIn(`${dir}/whole`);
      const moments = store.moments.filter(({ records }) => records.some((text) => text.includes('"report"')));
      assert.ok(moments.length >= 4, 'moments with a report');
      for (const [index, moment] of moments.entries()) {
        if (moment.records.some((text) => /"type":"(publishing|done)"/.test(text))) continue;
        const isDeleted = moment.records.some((text) => text.includes('isFetched'));
        if (!isDeleted) reports.gone.clear();
        const own = `${dir}/${index}`;
        mkdirSync(own);
        for (const [name, text] of Object.entries(whole)) writeFileSync(`${own}/${name}.partial`, `${text}{"to`);
        await run(configOf(reports, job), { to: ndjson(own), store: memoryStore(moment), resume: true });
        assert.equal(filesIn(own), whole, `moment ${index}`);
      }
      assert.is(reports.created, 1);
    })();
  }));

test('a report that has expired is created anew, and said; not after a part of it was written', () =>
  inReports(async (reports) => {
    const store = memoryStore();
    await rejection(run(configOf(reports), { to: memory(), store: failingAfter(0, store) }), 'ERR_STATE');
    assert.is(reports.created, 1);
    reports.gone.add('r1');
    const { notices, items } = await pull(reports, {}, { store: memoryStore(store.held), resume: true });
    assert.ok(notices.some(({ code }) => code === 'report-expired'));
    assert.equal(items, rows('r2'));
    const part = memoryStore();
    await rejection(run(configOf(reports), { to: memory(), store: failingAfter(1, part) }), 'ERR_STATE');
    reports.gone.add('r3');
    await rejection(pull(reports, {}, { store: part, resume: true }), 'ERR_REPORT', /after a part of its items/);
  }));

test('a report that cannot be deleted is a notice', () =>
  inReports(
    async (reports) => {
      const { notices, items } = await pull(reports);
      assert.is(items.length, 4);
      assert.ok(notices.some(({ code }) => code === 'report-not-deleted'));
    },
    ({ method }) => (method === 'DELETE' ? { status: 409, body: 'busy' } : undefined),
  ));

test('a limit ends the polls, and keeps the report', () =>
  inReports(async (reports) => {
    const { summary, items } = await pull(reports, {}, { maxItems: 2 });
    assert.is(items.length, 2);
    assert.is(summary.jobs[0]?.bounded, true);
    assert.equal(reports.deleted, []);
  }));

test('a recording has all requests of a report, and a replay gives the same items', () =>
  inReports(async (reports) => {
    await inFolder(async (dir) => {
      const recording = await recordExchanges(`${dir}/r.jsonl`);
      const { items } = await pull(reports, {}, { exchanges: recording });
      await recording.close();
      const sent = reports.api.requests.length;
      const replay = await replayExchanges(`${dir}/r.jsonl`);
      const replayed = await pull(reports, {}, { exchanges: replay });
      await replay.close();
      assert.equal(replayed.items, items);
      assert.is(reports.api.requests.length, sent);
    })();
  }));

test('a plan shows the requests of a report', () =>
  inReports(async (reports) => {
    const document = fromPlain(
      JSON.parse(JSON.stringify(configOf(reports, { await: { ...report, fetch: { path: 'urls' } } }))),
    );
    const { plan } = await planRun(isObject(document) ? document : new Map(), {});
    const [job] = plan.iterations[0]?.jobs ?? [];
    assert.equal(
      job?.report?.map(({ key, request }) => [key, request.method, request.url.replace(/^.*?:\d+/, '')]),
      [
        ['create', 'POST', '/reports'],
        ['poll', 'GET', '/reports/%7Bjob.id%7D'],
        ['delete', 'DELETE', '/reports/%7Bjob.id%7D'],
      ],
    );
    assert.match(planText(plan), /create +POST/);
  }));

const problems = async (job: object) =>
  inReports(async (reports) => {
    await rejection(pull(reports, job), 'ERR_CONFIG');
  });

for (const [what, job] of [
  ['an endpoint beside it', { endpoint: 'a' }],
  ['onError beside it', { onError: 'skip' }],
  ['no poll', { await: { ...report, poll: undefined } }],
  ['a fetch without a place', { await: { ...report, fetch: {} } }],
  ['an unknown key', { await: { ...report, dun: {} } }],
  ['a done without a test', { await: { ...report, done: { path: 'a' } } }],
  ['a wait in words', { await: { ...report, poll: { ...report.poll, every: 'soon' } } }],
  ['a backoff that shortens', { await: { ...report, poll: { ...report.poll, backoff: 0.5 } } }],
  ['windows that split', { windows: { from: 0, to: 9, step: 3, params: { from: 'a' }, split: true } }],
] as const) {
  test(`a configuration error: ${what}`, () => problems(job));
}

test.run();
