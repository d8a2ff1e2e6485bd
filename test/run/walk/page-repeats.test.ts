/** Repeated items with something else around them: a request id, a time, another link. */

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { memory } from '../../../sinks/index.js';
import { run } from '../../../src/run/extract.js';
import type { RunOptions } from '../../../src/run/options.js';
import { shiftNotice } from '../../../src/run/walk/page-repeats.js';
import { json, type Reply, startApi } from '../../loopback/api.js';
import { rejection } from '../../sinks/lib.js';
import { comeAgain, listener } from '../../support/mock-network.js';
import { unchecked } from '../../unchecked.js';

interface Setting {
  readonly api?: object;
  readonly jobs?: readonly object[];
  readonly options?: RunOptions;
  /** The answer to a target; `index` counts requests. */
  readonly answer: (url: URL, index: number) => unknown;
}

const pagenum = { method: 'pagenum' };
const page = (url: URL) => Number(url.searchParams.get('page'));

/** Runs against a server of its own, and gives up long after a loop should have been noticed. */
async function play({ api = { pagination: pagenum }, jobs = [{ endpoint: 'a' }], options, answer }: Setting) {
  const server = await startApi(({ target }, index) => {
    const value = index < 200 ? answer(new URL(target, 'http://x'), index) : [];
    return isReply(value) ? value : json(value);
  });
  const to = memory();
  const { notices, notify, codes } = listener();
  try {
    const configuration = unchecked({ api: { baseUrl: `${server.origin}/`, ...api }, config: { jobs } });
    const work = run(configuration, { to, notify, ...options });
    const outcome = await work.then(
      (summary) => ({ stop: summary.jobs[0]?.stop, code: undefined, message: '' }),
      ({ code, message }) => ({ stop: undefined, code: String(code), message: String(message) }),
    );
    return { ...outcome, asked: server.requests.length, items: to.items(), notices, codes: codes() };
  } finally {
    await server.close();
  }
}

const isReply = (value: unknown): value is Reply => typeof value === 'object' && value !== null && 'headers' in value;

/** The items in an envelope that differs each time. */
const enveloped = (index: number, items: readonly unknown[], more: object = {}) => ({
  request_id: index,
  items,
  ...more,
});

/** Pages by number, each letter an item; none after the last. */
const spelled =
  (text: string) =>
  (url: URL, index: number): unknown =>
    enveloped(index, [...(text[page(url) - 1] ?? '')]);

const one = (times: number) => 'x'.repeat(times);

test('a circle of links is an error, whatever is around the items', async () => {
  const next: Readonly<Record<string, string>> = { '/a': '/b', '/b': '/c', '/c': '/b' };
  const { code, message, asked } = await play({
    api: { pagination: { method: 'response.url', urlKey: 'next' } },
    answer: ({ pathname }, index) => enveloped(index, [pathname], { next: next[pathname] }),
  });
  assert.equal([code, asked], ['ERR_LOOP', 5]);
  assert.match(message, /the items of pages 4-5 are identical to those of pages 2-3.*`allowRepeatedItems`/);
});

test('a last page that is repeated for ever is a warning, and an error at the tenth in a row', async () => {
  const { code, message, asked, notices, codes } = await play({
    answer: (url, index) => enveloped(index, page(url) === 1 ? [1] : [2]),
  });
  assert.equal([code, asked, codes], ['ERR_LOOP', 12, ['repeated-items']]);
  assert.match(message, /pages 3-12 have the same items as page 2/);
  assert.match(notices[0]?.message ?? '', /page 3 has the same items as page 2/);
  assert.equal([notices[0]?.job, notices[0]?.page], ['a', 2]);
});

for (const [times, outcome] of [
  [2, 'an empty page'],
  [10, 'an empty page'],
  [11, 'ERR_LOOP'],
] as const) {
  test(`${times} pages that are equal by nature: ${outcome}`, async () => {
    const { code, stop, codes } = await play({ answer: spelled(one(times)) });
    assert.equal([code ?? stop, codes], [outcome, ['repeated-items']]);
  });
}

test('a walk that ends at the tenth by itself ends in order', async () => {
  const flag = { nextPageFlag: { field: 'more', stopOn: false } };
  const { stop, items } = await play({
    api: { pagination: { ...pagenum, ...flag } },
    answer: (url, index) => enveloped(index, ['x'], { more: page(url) < 11 }),
  });
  assert.equal([stop, items.length], ['nextPageFlag: "more" is false', 11]);
});

const both = `${one(12)}abab`;
const allowed: readonly (readonly [what: string, api: object, job: object, outcome: string])[] = [
  ['the pagination', { pagination: { ...pagenum, allowRepeatedItems: true } }, {}, 'an empty page'],
  ['the job', { pagination: pagenum }, { allowRepeatedItems: true }, 'an empty page'],
  [
    'the job, though not by its pagination',
    { pagination: { ...pagenum, allowRepeatedItems: false } },
    { allowRepeatedItems: true },
    'an empty page',
  ],
  [
    'the pagination, but not the job',
    { pagination: { ...pagenum, allowRepeatedItems: true } },
    { allowRepeatedItems: false },
    'ERR_LOOP',
  ],
  [
    'one of several paginations',
    { pagination: { method: 'multiple', scrollers: { s: { ...pagenum, allowRepeatedItems: true } } } },
    { scroller: 's' },
    'an empty page',
  ],
  [
    'all of several paginations',
    { pagination: { method: 'multiple', allowRepeatedItems: true, scrollers: { s: pagenum } } },
    { scroller: 's' },
    'an empty page',
  ],
  [
    'all of several but the one that is chosen',
    {
      pagination: {
        method: 'multiple',
        allowRepeatedItems: true,
        scrollers: { s: { ...pagenum, allowRepeatedItems: false } },
      },
    },
    { scroller: 's' },
    'ERR_LOOP',
  ],
];

for (const [what, api, job, outcome] of allowed) {
  test(`items may be repeated any number of times: allowed by ${what}`, async () => {
    const { code, stop, codes, items } = await play({ api, jobs: [{ endpoint: 'a', ...job }], answer: spelled(both) });
    assert.is(code ?? stop, outcome);
    if (outcome !== 'ERR_LOOP') assert.equal([codes, items.join('')], [[], both]);
  });
}

test('pages repeated as a whole are not about items', async () => {
  const api = { pagination: { ...pagenum, allowRepeatedItems: true } };
  const { code } = await play({ api, answer: (url) => ({ items: [page(url) % 2] }) });
  assert.is(code, 'ERR_LOOP');
});

test('in a data folder repeated items are a warning', async () => {
  for (const pages of [one(30), 'abcabcabcabc']) {
    const { stop, codes, items } = await play({ options: { dataFolder: true }, answer: spelled(pages) });
    assert.equal([stop, codes, items.join('')], ['an empty page', ['repeated-items'], pages]);
  }
});

test('a warning of repeated items is an error under --strict, unless it is allowed', async () => {
  const answer = spelled('aab');
  assert.is((await play({ answer, options: { strict: true } })).code, 'ERR_STRICT');
  const { stop, codes } = await play({ answer, options: { strict: true, allow: ['repeated-items'] } });
  assert.equal([stop, codes], ['an empty page', []]);
});

const scroll = { pagination: { method: 'response.param', responseParam: 'scroll', queryParam: 's' } };

test('a scroll repeats one request, and ends with an empty page', async () => {
  const { stop, items, codes } = await play({
    api: scroll,
    answer: (_, index) => enveloped(index, index < 60 ? [index] : [], index <= 60 ? { scroll: 'same' } : {}),
  });
  assert.equal([stop, items.length, codes], ['no value at "scroll"', 60, []]);
});

test('a scroll waits for news with one request and many empty pages', async () => {
  const { stop, items } = await play({
    api: scroll,
    answer: (_, index) => enveloped(index, index % 50 === 49 ? [index] : [], index < 150 ? { scroll: 'same' } : {}),
  });
  assert.equal([stop, items], ['no value at "scroll"', [49, 99, 149]]);
});

test('a circle with an empty page is an error if requests are repeated too', async () => {
  const next: Readonly<Record<string, string>> = { '/a': '/b', '/b': '/a' };
  const { code, asked } = await play({
    api: { pagination: { method: 'response.url', urlKey: 'next' } },
    answer: ({ pathname }, index) => enveloped(index, pathname === '/a' ? [1] : [], { next: next[pathname] }),
  });
  assert.equal([code, asked], ['ERR_LOOP', 4]);
});

test('a retried page is no repeat', async () => {
  const { stop, items, codes, asked } = await play({
    answer: (url, index) => (index === 1 ? comeAgain(503) : enveloped(index, [...('ab'[page(url) - 1] ?? '')])),
  });
  assert.equal([stop, items, codes, asked], ['an empty page', ['a', 'b'], [], 4]);
});

test('each walk of a child is compared with itself alone', async () => {
  const children = [{ endpoint: 'a/{id}', dataType: 'b', placeholders: { id: 'id' } }];
  const { stop, codes, items } = await play({
    jobs: [{ endpoint: 'a', children }],
    answer: (url, index) => {
      const many = url.pathname === '/a' ? Array.from({ length: 30 }, (_, id) => ({ id })) : [{ ok: true }];
      return enveloped(index, page(url) === 1 ? many : []);
    },
  });
  assert.equal([stop, codes, items.length], ['an empty page', [], 60]);
});

test('a child in a circle ends the run, by its own name', async () => {
  const children = [{ endpoint: 'a/{id}', dataType: 'b', placeholders: { id: 'id' } }];
  const error = await play({
    jobs: [{ endpoint: 'a', children }],
    answer: (url, index) => enveloped(index, url.pathname === '/a' ? [{ id: page(url) }] : [page(url) % 3]),
  });
  assert.equal([error.code, error.codes], ['ERR_LOOP', []]);
  assert.match(error.message, /the items of pages 4-6 are identical to those of pages 1-3/);
});

test('of a list in which a member is written twice, the items that count are compared', async () => {
  const body = (index: number) => `{"items":[${index}],"id":${index},"items":["x"]}`;
  const { code, asked } = await play({
    answer: (_, index) => ({ headers: { 'content-type': 'application/json' }, body: body(index) }),
  });
  assert.equal([code, asked], ['ERR_LOOP', 11]);
});

test('of lines the items within each are compared', async () => {
  const headers = { 'content-type': 'application/x-ndjson' };
  const { code, asked, items } = await play({
    jobs: [{ endpoint: 'a', dataField: 'rows' }],
    answer: (_, index) => ({ headers, body: `{"at":${index},"rows":[1,2]}\n{"at":${index},"rows":[3]}\n` }),
  });
  assert.equal([code, asked, items.length], ['ERR_LOOP', 11, 33]);
});

test('a bound of the run ends a job before it is a loop', async () => {
  const { stop, codes } = await play({ options: { maxPages: 5 }, answer: spelled(one(50)) });
  assert.equal([stop, codes], ['maxPages: 5 pages', ['repeated-items']]);
});

test('the key is true or false', async () => {
  const config = { api: { baseUrl: 'http://x/', pagination: { ...pagenum, allowRepeatedItems: 'maybe' } } };
  const jobs = [{ endpoint: 'a', allowRepeatedItems: 7 }];
  const error = await rejection(() => run(unchecked({ ...config, config: { jobs } })), 'ERR_CONFIG');
  assert.match(error.message, /api\.pagination\.allowRepeatedItems: expected true or false/);
  assert.match(error.message, /config\.jobs\[0\]\.allowRepeatedItems: expected true or false/);
});

test('one item that has moved, and several, are a warning', () => {
  const messageOf = (shifted: number, isApart = false) => shiftNotice({ shifted, isApart })?.message ?? '';
  assert.match(
    messageOf(1),
    /^the first item of this page is the last one of the page before: .* so it is there twice/,
  );
  assert.match(messageOf(3), /^the first 3 items of this page are the last ones .* so they are there twice/);
  assert.match(messageOf(0, true), /^this page does not join the one before it/);
  assert.is(shiftNotice({ shifted: 0, isApart: false }), undefined);
});

test.run();
