/** The pure parts of `init`: lists, keys, evidence, rates, and the text of a configuration. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { findEvidence, isLink } from '../../../src/cli/init/evidence.js';
import { findKey, findTimes, orderOf } from '../../../src/cli/init/find-key.js';
import { delimiterFor, findLists, pathText } from '../../../src/cli/init/find-lists.js';
import { namesForToken } from '../../../src/cli/init/known-names.js';
import { quotedForShell } from '../../../src/cli/init/out-file.js';
import { findRate } from '../../../src/cli/init/rate-headers.js';
import { configText } from '../../../src/cli/init/write-config.js';
import { type Exact, fromPlain } from '../../../src/core/json/exact.js';

const exact = (value: unknown): Exact => fromPlain(value);
const listOf = (...values: readonly unknown[]): readonly Exact[] => values.map(exact);

const lists: readonly [what: string, body: unknown, path: string][] = [
  ['the response itself', [{ id: 1 }], '.'],
  ['objects before values', { tags: ['a', 'b', 'c'], rows: [{ id: 1 }] }, 'rows'],
  ['a usual name before a longer list', { extra: [{ a: 1 }, { a: 2 }], items: [{ id: 1 }] }, 'items'],
  ['the longer of two', { a: [{ x: 1 }], b: [{ x: 1 }, { x: 2 }] }, 'b'],
  ['no errors', { errors: [{ code: 1 }, { code: 2 }], people: [{ id: 1 }] }, 'people'],
  ['a nested list', { data: { users: { nodes: [{ id: 1 }] } } }, 'data.users.nodes'],
  ['rows that are lists, under a usual name', { rows: [[1], [2]], suggestions: [{ a: 1 }] }, 'rows'],
  ['a list of values, if there is no other', { names: ['a'] }, 'names'],
];

for (const [what, body, path] of lists) {
  test(`the list is ${what}`, () => assert.is(pathText(findLists(exact(body))[0]?.path ?? ['?']), path));
}

test('an object of objects counts as a map, if they share a member', () => {
  const kinds = (body: unknown) => findLists(exact(body)).map(({ kind }) => kind);
  assert.equal(kinds({ a: { id: 1 }, b: { id: 2 } }), ['map']);
  assert.equal(kinds({ a: { id: 1 }, b: { name: 2 } }), []);
  assert.equal(kinds({ a: { id: 1 } }), []);
});

test('a path has a delimiter that no name has', () => {
  assert.equal([['a', 'b'], ['a.b'], ['a.b', 'c/d'], ['a./|>']].map(delimiterFor), ['.', '/', '|', '\u001f']);
});

test('the key is a member with another value in each item', () => {
  assert.is(findKey(listOf({ name: 'a', id: 1 }, { name: 'b', id: 2 })), 'id');
  assert.is(findKey(listOf({ user_id: 1, n: 1 }, { user_id: 2, n: 1 })), 'user_id');
  assert.is(findKey(listOf({ id: 1 }, { id: 1 })), undefined);
  assert.is(findKey(listOf({ id: 1 }, { name: 'b' })), undefined);
  assert.is(findKey(listOf({ id: '' }, { id: 'a' })), undefined);
  assert.is(findKey(listOf('a', 'b')), undefined);
  assert.is(findKey([]), undefined);
});

test('items ascend, descend, or have no order', () => {
  const order = (...values: readonly unknown[]) =>
    orderOf(
      values.map((id) => exact({ id })),
      'id',
    );
  assert.equal(
    [order(2, 10), order('b', 'a'), order(1, 1), order(1, 'a'), order(1), order(1, null), order(1, 3, 2)],
    ['ascending', 'descending', 'none', 'none', 'none', 'none', 'none'],
  );
  assert.equal(findTimes(listOf({ at: '2026-01-01', b: 'x' }, { at: '2026-01-02', b: 'y' })), ['at']);
  assert.equal(findTimes(listOf(1)), []);
});

const links = ['https://h/a', '/a?b=1', '?a=b', 'users?page=2', './users?page=2'];
const noLinks = ['abc', 'YWJj==', '//', 'a b', '?'];

test('links are addresses and queries', () => {
  assert.equal(links.filter(isLink), links);
  assert.equal(noLinks.filter(isLink), []);
});

const evidenceOf = (body: unknown, headers: Readonly<Record<string, string>> = {}, count = 2) =>
  findEvidence({ status: 200, headers, body: new Uint8Array(), url: '' }, exact(body), ['items'], count);

test('evidence is what stands beside the list', () => {
  const found = evidenceOf({
    items: [{ next: 'x' }],
    meta: { next: '/a?b=1', prev: '/p', next_cursor: 'c', total: 9 },
    has_more: true,
  });
  assert.equal(
    found.links.map(({ path }) => path.join('.')),
    ['meta.next'],
  );
  assert.equal(
    found.tokens.map(({ path }) => path.join('.')),
    ['meta.next_cursor'],
  );
  assert.equal([found.more, found.isLast, found.total], [['has_more'], false, { value: 9, place: '"meta.total"' }]);
});

test('an empty cursor, an empty link and a flag declare the end', () => {
  assert.equal(
    [{ next: null }, { next_cursor: '' }, { has_more: false }, {}].map(
      (more) => evidenceOf({ items: [], ...more }).isLast,
    ),
    [true, true, true, false],
  );
});

test('a total is a number from the number of items on, of the body or of a header', () => {
  assert.is(evidenceOf({ items: [], count: 2 }).total, undefined);
  assert.is(evidenceOf({ items: [], total: 1 }).total, undefined);
  assert.equal(evidenceOf({ items: [] }, { 'x-total-count': '70' }).total, {
    value: 70,
    place: 'the header x-total-count',
  });
  assert.is(evidenceOf({ items: [] }, { 'x-total-count': 'many' }).total, undefined);
});

test('the header Link names the next page', () => {
  assert.is(evidenceOf([], { link: '</a?p=2>; rel="next"' }).header, '/a?p=2');
  assert.is(evidenceOf([], { link: '</a>; rel="prev"' }).header, undefined);
});

test('names for a cursor: those of the document, those that fit, its own', () => {
  assert.equal(namesForToken('nextPageToken', ['token']), ['token', 'pageToken', 'page_token', 'nextPageToken']);
  assert.equal(namesForToken('nextKey', []), ['key', 'nextKey']);
});

const rates: readonly [headers: Readonly<Record<string, string>>, rate: string | undefined][] = [
  [{ 'ratelimit-policy': '"d";q=100;w=60' }, '100/m'],
  [{ 'ratelimit-policy': '100;w=900' }, '100/15m'],
  [{ 'ratelimit-policy': '5;w=1' }, '5/s'],
  [{ 'ratelimit-policy': '5;w=7' }, '5/7s'],
  [{ 'ratelimit-policy': '1000;w=86400' }, '1000/d'],
  [{ 'x-ratelimit-limit': '60' }, undefined],
];

for (const [headers, rate] of rates) {
  test(`rate: ${JSON.stringify(headers)}`, () => assert.is(findRate(headers)?.rate, rate));
}

test('responses without such headers state no rate', () => {
  assert.is(findRate({ date: 'x' }), undefined);
  assert.is(
    findRate({ ratelimit: '"d";r=3;t=5' })?.what,
    'the responses state it; a run waits when no request is left',
  );
});

test('a configuration: short parts on one line, comments above their members, nothing that ends a comment', () => {
  const long = 'x'.repeat(110);
  const text = configText(exact({ a: { b: [1, 'c'], d: {} }, e: { f: long }, g: [{ h: 1 }] }), {
    '': ['first'],
    'e.f': ['one\u2028two'],
    'g[0].h': ['inside'],
  });
  const lines = [
    ...['// first', '{', '  "a": { "b": [1, "c"], "d": {} },', '  "e": {', '    // one two', `    "f": "${long}"`],
    ...['  },', '  "g": [', '    {', '      // inside', '      "h": 1', '    }', '  ]', '}', ''],
  ];
  assert.is(text, lines.join('\n'));
});

test('a path is a word of a shell', () => {
  assert.equal(['a/b.json', "it's a.json"].map(quotedForShell), ['a/b.json', "'it'\\''s a.json'"]);
});

test.run();
