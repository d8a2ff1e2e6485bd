/** The next page by the key of the last item. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { type Exact, fromPlain, stringifyExact } from '../../src/core/json/exact.js';
import type { GivenOptions } from '../../src/core/options/kind.js';
import { keyset } from '../../src/pagination/keyset.js';
import { type Given, itemsOf, job, made, number, objectOf, show, thrownBy, walk } from './walk.js';

const scrollerOf = (options: Partial<GivenOptions<typeof keyset.fields>> = {}) =>
  made(keyset, { field: 'id', param: 'after', ...options });

const ids = (...values: readonly unknown[]) => values.map((id) => ({ id }));

interface Case {
  readonly rule: string;
  readonly options?: Partial<GivenOptions<typeof keyset.fields>>;
  readonly params?: object;
  readonly pages: readonly Given[];
  readonly requests: readonly string[];
  readonly stop: string;
}

const cases: readonly Case[] = [
  {
    rule: 'sends the key of the last item until a page is empty',
    params: { account: 5 },
    pages: [{ items: ids(12, 345, 20) }, { items: ids('a b') }, { items: [] }],
    requests: ['users {"account":5}', 'users {"account":5,"after":20}', 'users {"account":5,"after":"a b"}'],
    stop: 'an empty page',
  },
  {
    rule: 'ends below the limit, which every request carries',
    options: { limit: 2 },
    pages: [{ items: ids(1, 2) }, { items: ids(3) }],
    requests: ['users {"limit":2}', 'users {"limit":2,"after":2}'],
    stop: 'a page shorter than the limit (1 of 2)',
  },
  {
    rule: "a job's own limit is that of the job, and its own key is where it begins",
    options: { limit: 100, limitParam: 'n' },
    params: { n: '1', after: 7 },
    pages: [{ items: ids(8) }, { items: ids(9) }, { items: [] }],
    requests: ['users {"n":"1","after":7}', 'users {"n":"1","after":8}', 'users {"n":"1","after":9}'],
    stop: 'an empty page',
  },
  {
    rule: 'ends where the flag is false, also behind a full page',
    options: { limit: 1, moreField: 'meta.more' },
    pages: [
      { items: ids(1), response: fromPlain({ meta: { more: true } }) },
      { items: ids(2), response: fromPlain({ meta: { more: false } }) },
    ],
    requests: ['users {"limit":1}', 'users {"limit":1,"after":1}'],
    stop: '"meta.more" is false',
  },
  {
    rule: 'continues after a short page whose flag is true, as an API with a bound of its own gives',
    options: { limit: 500, moreField: 'more' },
    pages: [
      { items: ids(1, 2), response: fromPlain({ more: true }) },
      { items: ids(3, 4), response: fromPlain({ more: true }) },
      { items: ids(5), response: fromPlain({ more: false }) },
    ],
    requests: ['users {"limit":500}', 'users {"limit":500,"after":2}', 'users {"limit":500,"after":4}'],
    stop: 'a page shorter than the limit (1 of 500)',
  },
  {
    rule: 'ends where the flag is absent',
    options: { moreField: 'more' },
    pages: [
      { items: ids(1), response: fromPlain({ more: 1 }) },
      { items: ids(2), response: fromPlain({}) },
    ],
    requests: ['users {}', 'users {"after":1}'],
    stop: 'no "more"',
  },
  {
    rule: 'ends at an empty page, whatever the flag says',
    options: { moreField: 'more' },
    pages: [{ items: [], response: fromPlain({ more: true }) }],
    requests: ['users {}'],
    stop: 'an empty page',
  },
  {
    rule: 'keys keep all of their digits',
    pages: [
      { items: [objectOf({ id: number('9007199254740993124') })] },
      { items: [objectOf({ id: '9223372036854775807000000000000000000001' })] },
      { items: [objectOf({ id: number('1.50') })] },
      { items: [] },
    ],
    requests: [
      'users {}',
      'users {"after":9007199254740993124}',
      'users {"after":"9223372036854775807000000000000000000001"}',
      'users {"after":1.50}',
    ],
    stop: 'an empty page',
  },
  {
    rule: 'with `encode` the key is sent as JSON',
    options: { encode: 'json', limit: 0 },
    pages: [
      { items: ids('a"é') },
      { items: [objectOf({ id: number('9007199254740993124') })] },
      { items: ids('') },
      { items: [] },
    ],
    requests: [
      'users {}',
      String.raw`users {"after":"\"a\\\"é\""}`,
      'users {"after":"9007199254740993124"}',
      String.raw`users {"after":"\"\""}`,
    ],
    stop: 'an empty page',
  },
  {
    rule: 'the field may lead deep, and the parameters may be paths into the body',
    options: { field: 'a.0.b', param: ['variables', 'after'], limit: 1, limitParam: ['variables', 'first'] },
    params: { query: 'q' },
    pages: [{ items: [{ a: [{ b: 1 }] }] }, { items: [] }],
    requests: ['users {"query":"q"} variables.first=1', 'users {"query":"q"} variables.first=1 variables.after=1'],
    stop: 'an empty page',
  },
  {
    rule: 'with `inclusive` a page with nothing but the repeated item is the end',
    options: { inclusive: true },
    pages: [{ items: ids(1, 2) }, { items: [], more: { received: 1 } }],
    requests: ['users {}', 'users {"after":2}'],
    stop: 'a page with only repeated items',
  },
  {
    rule: 'the limit counts the repeated item too',
    options: { inclusive: true, limit: 2 },
    pages: [{ items: ids(1, 2) }, { items: ids(3), more: { received: 2 } }, { items: [], more: { received: 1 } }],
    requests: ['users {"limit":2}', 'users {"limit":2,"after":2}', 'users {"limit":2,"after":3}'],
    stop: 'a page shorter than the limit (1 of 2)',
  },
];

for (const { rule, options, params = {}, pages, requests, stop } of cases) {
  test(rule, () => {
    const walked = walk(scrollerOf(options), job(params), pages);
    assert.equal(walked.requests.map(show), requests);
    assert.is(walked.stop?.stop, stop);
  });
}

const refused: readonly (readonly [item: Exact | object, found: string])[] = [
  [{}, 'nothing'],
  [{ id: null }, 'null'],
  [{ id: true }, 'true'],
  [{ id: [1] }, 'a list'],
  [{ id: { a: 1 } }, 'an object'],
  [{ id: '' }, '""'],
  [{ id: 'x'.repeat(65_537) }, 'one of more than 65536 characters'],
  [{ ids: 5 }, 'nothing; did you mean "ids"?'],
  [number('5'), 'nothing'],
  [[1], 'nothing'],
];

for (const [item, found] of refused) {
  test(`${stringifyExact(fromPlain(item)).slice(0, 20)} has no key`, () => {
    const pages = [{ items: [{ id: 1 }, item] }];
    const error = thrownBy(() => walk(scrollerOf(), job(), pages));
    assert.is(error.code, 'ERR_PAGINATION');
    assert.is(error.message, `expected a string or a number at "id" of the last item, found ${found}`);
  });
}

test('only the last item needs a key, and it needs one on the last page too', () => {
  assert.is(walk(scrollerOf(), job(), [{ items: [{}, { id: 1 }] }]).requests.length, 2);
  const error = thrownBy(() => walk(scrollerOf({ limit: 5 }), job(), [{ items: [{}] }]));
  assert.is(error.code, 'ERR_PAGINATION');
});

test('an unchanged key is a loop, also in a path and in JSON', () => {
  const pages = [{ items: ids(1, 'k') }, { items: ids(2, 'k') }];
  for (const options of [{}, { param: ['variables', 'after'] }, { encode: 'json' }] as const) {
    const error = thrownBy(() => walk(scrollerOf(options), job(), pages));
    assert.is(error.code, 'ERR_LOOP');
    assert.match(
      error.message,
      /leads to the key that it was requested with \("id" of its last item\).*"inclusive": true/,
    );
  }
});

test('a number and a text of the same digits are different keys', () => {
  const { requests } = walk(scrollerOf(), job(), [{ items: ids(1) }, { items: ids('1') }]);
  assert.is(requests.length, 3);
});

test('a page that repeats the one before it is a loop, unless it is the one item that the API repeats', () => {
  const again = (received: number) => ({ items: [], more: { received } });
  for (const [options, received] of [
    [{}, 1],
    [{}, 2],
    [{ inclusive: true }, 2],
  ] as const) {
    const error = thrownBy(() => walk(scrollerOf(options), job(), [{ items: ids(1, 2) }, again(received)]));
    assert.is(error.code, 'ERR_LOOP');
  }
});

test('a full page of only one key is a loop whose message suggests a larger limit', () => {
  const scroller = scrollerOf({ inclusive: true, limit: 2 });
  const error = thrownBy(() => walk(scroller, job(), [{ items: ids('k', 'k') }, { items: [], more: { received: 2 } }]));
  assert.is(error.code, 'ERR_LOOP');
  assert.match(error.message, /more items have this key than a page holds: then raise `limit`/);
});

test('a limit of 1 cannot go with `inclusive`, that of a job neither', () => {
  assert.is(thrownBy(() => scrollerOf({ inclusive: true, limit: 1 })).code, 'ERR_CONFIG');
  const pages = [{ items: ids(1) }, { items: [], more: { received: 1 } }];
  const error = thrownBy(() => walk(scrollerOf({ inclusive: true, limit: 5 }), job({ limit: 1 }), pages));
  assert.is(error.code, 'ERR_PAGINATION');
});

test('a first page without the flag, but with one of a near name, is a warning', () => {
  const scroller = scrollerOf({ moreField: 'has_more' });
  const ended = (response: object) => walk(scroller, job(), [{ items: ids(1), response: fromPlain(response) }]).stop;
  const warning = ended({ hasMore: true, data: [] })?.warning;
  assert.is(warning?.code, 'missing-more-field');
  assert.match(warning?.message ?? '', 'did you mean "hasMore"?');
  for (const response of [{}, { data: 1 }, { has_more: null, hasMore: true }, { has_more: false }]) {
    assert.is(ended(response)?.warning, undefined, JSON.stringify(response));
  }
});

test('as many of the first items are repeated as had the key, over batches', () => {
  const { fold, repeated } = scrollerOf({ inclusive: true });
  const again = (memo: Exact | undefined, already: number, ...values: readonly unknown[]) =>
    repeated?.(memo ?? null, itemsOf(ids(...values)), already);
  const one = fold?.(undefined, itemsOf(ids('k', 'a', 'k')));
  assert.equal([again(one, 0, 'k', 'k'), again(one, 0, 'a', 'k'), again(one, 1, 'k')], [1, 0, 0]);
  const two = fold?.(one, itemsOf(ids('k')));
  assert.equal([again(two, 0, 'k', 'k', 'k'), again(two, 0, 'k', 'b', 'k'), again(two, 1, 'k', 'k')], [2, 1, 1]);
  assert.equal([again(fold?.(two, itemsOf(ids('b'))), 0, 'b', 'k'), again(undefined, 0, 'k')], [1, 0]);
});

test('the memo is plain data, with every digit', () => {
  const memo = scrollerOf().fold?.(undefined, itemsOf([objectOf({ id: number('9007199254740993124') })]));
  assert.is(stringifyExact(memo ?? null), '{"key":9007199254740993124}');
});

test.run();
