/** Statuses past the end: `endStatuses` of a pagination. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { memory } from '../../../sinks/index.js';
import { run } from '../../../src/run/extract.js';
import { type Answer, json, startApi } from '../../loopback/api.js';
import { configOf } from '../../support/mock-network.js';

const users = Array.from({ length: 6 }, (_, index) => ({ id: index }));

/** Three pages of two; any other has this status. */
const paged =
  (status: number, wrap: (items: readonly unknown[]) => unknown = (items) => items): Answer =>
  ({ target }) => {
    const query = new URL(target, 'http://h').searchParams;
    const page = Number(query.get('page') ?? 1);
    const items = users.slice((page - 1) * 2, page * 2);
    return items.length > 0 ? json(wrap(items)) : json({ error: 'no such page' }, { status });
  };

/** What a run with this pagination has got: items, notices, and requests of it. */
async function pulled(answer: Answer, pagination: object, more: object = {}, api: object = {}) {
  const server = await startApi(answer);
  try {
    const [to, codes] = [memory(), [] as string[]];
    const config = configOf([{ endpoint: 'a', ...more }], { ...api, baseUrl: `${server.origin}/`, pagination });
    const failure = await (async () => run(config, { to, notify: ({ code }) => void codes.push(code) }))().then(
      () => undefined,
      (thrown: Error) => thrown.message,
    );
    return { items: to.items(), codes, failure, requests: server.requests.length };
  } finally {
    await server.close();
  }
}

const pagenum = { method: 'pagenum' };
const cases: readonly [what: string, answer: Answer, pagination: object, job?: object, api?: object][] = [
  ['a list at the root', paged(404), { ...pagenum, endStatuses: [404] }],
  [
    'a list below a path',
    paged(404, (items) => ({ data: { items } })),
    { ...pagenum, endStatuses: [404] },
    { dataField: 'data.items' },
  ],
  ['a limit that the last page fills', paged(416), { ...pagenum, limit: 2, endStatuses: ['416'] }],
  ['pages that are requested ahead', paged(404), { ...pagenum, prefetch: 4, endStatuses: [404, 400] }],
  [
    'a status that is ignored too',
    paged(404),
    { ...pagenum, endStatuses: [404] },
    {},
    { http: { ignoreErrors: [404] } },
  ],
  [
    'a status that is retried elsewhere',
    paged(423),
    { ...pagenum, endStatuses: [423] },
    {},
    { retryConfig: { http: { codes: [423] } } },
  ],
  [
    'a method among several',
    paged(404),
    { method: 'multiple', scrollers: { p: { ...pagenum, endStatuses: [404] } } },
    { scroller: 'p' },
  ],
];

for (const [what, answer, pagination, job, api] of cases) {
  test(`${what}: the status after the last page ends the job, without a warning`, async () => {
    const got = await pulled(answer, pagination, job, api);
    assert.is(got.failure, undefined);
    assert.equal(got.items, users);
    assert.equal(got.codes, []);
  });
}

test('a link to a page that is not there ends the job', async () => {
  const answer: Answer = ({ target }) =>
    target === '/a' ? json({ items: users, next: '/b' }) : json({}, { status: 410 });
  const got = await pulled(
    answer,
    { method: 'response.url', urlKey: 'next', endStatuses: [410] },
    { dataField: 'items' },
  );
  assert.equal([got.failure, got.items, got.codes, got.requests], [undefined, users, [], 2]);
});

test('the first page has no end, and other statuses are errors', async () => {
  const first = await pulled(() => json({}, { status: 404 }), { ...pagenum, endStatuses: [404] });
  assert.match(first.failure ?? '', /failed with status 404/);
  const other = await pulled(paged(400), { ...pagenum, endStatuses: [404] });
  assert.match(other.failure ?? '', /page=4 failed with status 400/);
  assert.is(other.requests, 4);
});

test('fewer items than the API reports are a warning', async () => {
  const got = await pulled(
    paged(404, (items) => ({ total: 9, items })),
    { ...pagenum, endStatuses: [404] },
  );
  assert.equal(got.codes, ['total-mismatch']);
});

test('statuses that say nothing about pages cannot be listed', async () => {
  for (const status of [401, 429, 500, 200, 'x']) {
    const got = await pulled(() => json([]), { ...pagenum, endStatuses: [status] });
    assert.match(got.failure ?? '', /api\.pagination\.endStatuses\[0\]: expected a status from 400 to 499/);
  }
});

test.run();
