/** The next page is requested while a page arrives: the result of a sequential run. */
import type { ServerResponse } from 'node:http';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { memory } from '../../sinks/index.js';
import { extract, run } from '../../src/run/extract.js';
import type { RunOptions } from '../../src/run/options.js';
import { type Answer, json, type Reply, startApi } from '../loopback/api.js';
import { rejection } from '../sinks/lib.js';
import { configOf, login, password } from '../support/mock-network.js';

const byParam = { method: 'response.param', responseParam: 'next', queryParam: 'c', overlap: true };
const byUrl = { method: 'response.url', urlKey: 'next', overlap: true };
const byCursor = { method: 'response.header', header: 'X-Next', queryParam: 'c', overlap: true };
const byHeader = { method: 'link-header', overlap: true };

const job = { endpoint: 'a', dataField: 'items' };

/** Runs against these answers; returns what arrived, and what was requested. */
async function pulled(answer: Answer, pagination: object, options: RunOptions = {}, of: object = job) {
  const api = await startApi(answer);
  try {
    const to = memory();
    const { jobs } = await run(configOf([of], { baseUrl: `${api.origin}/`, pagination }), { to, ...options });
    return { items: to.items(), job: jobs[0], targets: api.requests.map(({ target }) => target) };
  } finally {
    await api.close();
  }
}

/** Sends `begin`, and the rest once `until` has resolved. */
const inTwo = (begin: string, rest: string, until: Promise<void>, headers: Reply['headers'] = {}): Reply => ({
  headers: { 'content-type': 'application/json', ...headers },
  body: async (response: ServerResponse) => {
    response.write(begin);
    await until;
    response.end(rest);
  },
});

/** A promise to resolve later. */
function createGate() {
  let open = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { open: () => open(), opened };
}

const methods: readonly [what: string, pagination: object, next: string, headers: Reply['headers']][] = [
  ['response.param', byParam, '"next":"2",', {}],
  ['response.url', byUrl, '"next":"a?c=2",', {}],
  ['link-header', byHeader, '', { link: '<a?c=2>; rel="next"' }],
  ['link-header of another header', { ...byHeader, header: 'X-Next-Page-Url' }, '', { 'x-next-page-url': 'a?c=2' }],
  ['response.header', byCursor, '', { 'x-next': '2' }],
];

for (const [what, pagination, next, headers] of methods) {
  test(`${what}: sends the next request before the items have arrived`, async () => {
    const gate = createGate();
    const got = await pulled(({ target }) => {
      // It waits for the next one.
      if (target === '/a') return inTwo(`{${next}"items":[1,`, '2]}', gate.opened, headers);
      gate.open();
      return json({ items: [3] });
    }, pagination);
    assert.equal(got.items, [1, 2, 3]);
    assert.equal(got.targets, ['/a', '/a?c=2']);
    assert.is(got.job?.requests, 2);
  });
}

test('a value that a repeated member changes is asked for, and the other response is dropped', async () => {
  const gate = createGate();
  const got = await pulled(({ target }) => {
    if (target === '/a') return inTwo('{"next":"wrong","items":[1],', '"next":"right"}', gate.opened);
    if (target === '/a?c=wrong') gate.open();
    return json({ items: [target] });
  }, byParam);
  assert.equal(got.items, [1, '/a?c=right']);
  assert.equal(got.targets, ['/a', '/a?c=wrong', '/a?c=right']);
  assert.is(got.job?.requests, 3);
});

test('a page that turns out to be the last drops the next one, with its failure', async () => {
  const gate = createGate();
  const got = await pulled(({ target }) => {
    if (target === '/a') return inTwo('{"next":"2","items":[1],', '"next":null}', gate.opened);
    gate.open();
    return { status: 500 };
  }, byParam);
  assert.equal(got.items, [1]);
  assert.equal([got.job?.requests, got.job?.retries], [2, 0]);
});

test('a value that cannot be sent is the error of a sequential run', async () => {
  const answer = () => json({ next: 5, items: [1] });
  const error = await rejection(pulled(answer, byUrl), 'ERR_PAGINATION');
  assert.match(error.message, 'expected the next link, a string, at "next"; found a number');
});

test('reads lines as a sequential run does', async () => {
  const lines = (text: string): Reply => ({ headers: { 'content-type': 'application/x-ndjson' }, body: text });
  const got = await pulled(
    ({ target }) => lines(target === '/a' ? '{"next":"1"}\n{"next":"2"}\n' : '{"id":3}\n'),
    { ...byParam, responseParam: '1.next' },
    {},
    { endpoint: 'a' },
  );
  assert.equal(got.targets, ['/a', '/a?c=2']);
});

test('a page that breaks after its value is retried, and the next one is requested once', async () => {
  const gate = createGate();
  let times = 0;
  const got = await pulled(({ target }) => {
    if (target !== '/a') {
      gate.open();
      return json({ items: [3] });
    }
    times += 1;
    if (times > 1) return json({ next: '2', items: [1, 2] });
    return {
      headers: { 'content-type': 'application/json' },
      body: async (response) => {
        response.write('{"next":"2","items":[1,');
        await gate.opened;
        response.socket?.resetAndDestroy();
      },
    };
  }, byParam);
  assert.equal(got.items, [1, 2, 3]);
  assert.is(got.job?.retries, 1);
  assert.equal(got.targets, ['/a', '/a?c=2', '/a']);
});

for (const [what, options, targets] of [
  ['maxPages', { maxPages: 1 }, ['/a']],
  ['maxItems', { maxItems: 1 }, ['/a']],
] as const) {
  test(`sends no request beyond ${what}`, async () => {
    const got = await pulled(
      ({ target }) => json({ next: target === '/a' ? '2' : null, items: [1] }),
      byParam,
      options,
    );
    assert.equal(got.targets, targets);
  });
}

const at = 'api.pagination.overlap';
const refused: readonly [rule: string, problem: string, pagination: object, of: object, api: object][] = [
  [
    'a job with children',
    `${at}: cannot be used with the job "a": it has child jobs, which run between two pages`,
    byParam,
    { children: [{ endpoint: 'b/{id}', placeholders: { id: 'id' }, pagination: { method: 'none' } }] },
    {},
  ],
  [
    'another method than GET',
    `${at}: cannot be used with the job "a": its method is POST`,
    byParam,
    { method: 'POST' },
    {},
  ],
  [
    'a login before each request',
    `${at}: cannot be used with the job "a": each request needs its own login (\`expires: 0\`)`,
    byParam,
    {},
    login({ expires: 0 }),
  ],
  [
    'conditions around several methods',
    `${at.replace('.overlap', '.scrollers.s.overlap')}: cannot be used with the job "a": its stopping conditions need the whole page`,
    { method: 'multiple', default: 's', scrollers: { s: byParam }, forceStop: { pages: 3 } },
    {},
    {},
  ],
];

for (const [rule, problem, pagination, of, api] of refused) {
  test(`refuses overlap before the first request: ${rule}`, async () => {
    const configuration = configOf([{ ...job, ...of }], { pagination, ...api }, password);
    const error = await rejection((async () => extract(configuration))(), 'ERR_CONFIG');
    assert.match(error.message, problem);
  });
}

test.run();
