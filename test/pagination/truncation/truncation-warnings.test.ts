import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { emptyObject, fromPlain } from '../../../src/core/json/exact.js';
import { noHeaders } from '../../../src/core/url/headers.js';
import { carriedBy, warnAtRepeat, warnAtStart } from '../../../src/pagination/truncation/truncation-warnings.js';

const request = (endpoint: string, params: object = {}) => ({
  endpoint,
  params: new Map(Object.entries(params).map(([name, value]) => [name, fromPlain(value)])),
  headers: noHeaders,
});

const carried: readonly (readonly [what: string, now: ReturnType<typeof request>, found: object])[] = [
  ['a parameter that differs', request('users', { a: 1, page: 2 }), { name: 'page', value: '2' }],
  ['a text that is new', request('users', { a: 1, c: 'x' }), { name: 'c', value: 'x' }],
  ['a link', request('users?page=2'), { value: 'users?page=2' }],
  ['nothing', request('users', { a: 1 }), {}],
];

for (const [what, now, found] of carried) {
  test(`a request carries ${what}`, () => assert.equal(carriedBy(now, request('users', { a: 1, page: 1 }), {}), found));
}

const repeated = {
  seen: { pages: 1, read: 1, first: 2, last: 2, largest: 2 },
  items: 2,
  isSingle: false,
  isChild: false,
  hasList: true,
  isRepeat: true,
} as const;

const asked: readonly (readonly [by: object, says: RegExp])[] = [
  [{ name: 'c', value: 'x' }, /^the second page \(requested with "c" = "x"\) .*does the API know the parameter "c"\?$/],
  [{ value: '/a?page=2' }, /^the second page \(requested by the link "\/a\?page=2"\) .*follow its own links\?$/],
  [{}, /^the second page is identical .*follow its own links\?$/],
];

for (const [by, says] of asked) {
  test(`a second page equal to the first, after ${JSON.stringify(by)}, is a warning`, () =>
    assert.match(warnAtRepeat({ ...repeated, carried: by }, {})?.message ?? '', says));
}

test('a total that is not there is a warning, with the nearest name if there is one', () => {
  const total = { text: 'meta.total', segments: ['meta', 'total'] };
  const page = (beside: readonly string[]) => ({
    envelope: new Map([[total.text, { value: undefined, beside, depth: 1 }]]),
    headers: emptyObject,
    count: 2,
  });
  const start = (of: object) => warnAtStart(of as Parameters<typeof warnAtStart>[0], { total })?.message ?? ''; // a page
  assert.match(start(page([])), /has no whole number at "meta\.total" \(`totalKey`\)$/);
  assert.match(start(page(['totals'])), /did you mean "meta\.totals"\?$/);
  assert.match(start({ ...page([]), envelope: new Map() }), /\(`totalKey`\)$/);
});

test.run();
