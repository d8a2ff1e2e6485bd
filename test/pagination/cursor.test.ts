import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Exact } from '../../src/core/json/exact.js';
import type { GivenOptions } from '../../src/core/options/kind.js';
import { cursor } from '../../src/pagination/cursor.js';
import { itemsOf, job, made, number, objectOf, show, thrownBy, walk } from './walk.js';

interface Case {
  readonly rule: string;
  readonly options?: Partial<GivenOptions<typeof cursor.fields>>;
  readonly params?: object;
  readonly pages: readonly (readonly (Exact | object)[])[];
  readonly requests: readonly string[];
}

const ids = (...values: readonly unknown[]) => values.map((id) => ({ id }));

const cases: readonly Case[] = [
  {
    rule: 'asks for what lies beyond the highest id until a page is empty (060)',
    options: { increment: 1 },
    params: { account: 5 },
    pages: [ids(12, 345, 20), ids(346), []],
    requests: ['users {"account":5}', 'users {"account":5,"since":346}', 'users {"account":5,"since":347}'],
  },
  {
    rule: 'the lowest counts with reverse; the first request is the job as it stands (061)',
    options: { reverse: true, increment: -1 },
    params: { since: 'last', account: 123 },
    pages: [ids(345, 456), ids(123, 234), []],
    requests: [
      'users {"since":"last","account":123}',
      'users {"since":344,"account":123}',
      'users {"since":122,"account":123}',
    ],
  },
  {
    rule: 'the highest is that of all pages so far',
    pages: [ids(10), ids(3), ids(4), []],
    requests: ['users {}', 'users {"since":10}', 'users {"since":10}', 'users {"since":10}'],
  },
  {
    rule: 'ids of 19 digits and more stay exact, as numbers and as texts',
    options: { increment: 1 },
    pages: [
      [objectOf({ id: number('9007199254740993124') }), { id: '9007199254740993123' }],
      [objectOf({ id: '9223372036854775807000000000000000000001' })],
      [],
    ],
    requests: [
      'users {}',
      'users {"since":9007199254740993125}',
      'users {"since":9223372036854775807000000000000000000002}',
    ],
  },
  {
    rule: 'a fraction is cut off, a number with an exponent is itself',
    pages: [[objectOf({ id: number('1.9') }), { id: '2.9' }], [objectOf({ id: number('25e-1') })], [{ id: '1e2' }], []],
    requests: ['users {}', 'users {"since":2}', 'users {"since":2}', 'users {"since":100}'],
  },
  {
    rule: 'negative ids have an order too',
    pages: [ids(-5, -7), []],
    requests: ['users {}', 'users {"since":-5}'],
  },
  {
    rule: 'the path may lead deep, through lists, and to a member of any name',
    options: { idKey: 'a.1.__proto__' },
    pages: [[JSON.parse('{"a":[0,{"__proto__":8}]}')], []],
    requests: ['users {}', 'users {"since":8}'],
  },
  {
    rule: 'a path of the delimiter alone is the item itself',
    options: { idKey: '.' },
    pages: [[number('4'), number('9')], []],
    requests: ['users {}', 'users {"since":9}'],
  },
  { rule: 'a first page without items is the end', pages: [[]], requests: ['users {}'] },
];

for (const { rule, options, params = {}, pages, requests } of cases) {
  test(rule, () => {
    const scroller = made(cursor, { idKey: 'id', param: 'since', ...options });
    const walked = walk(
      scroller,
      job(params),
      pages.map((items) => ({ items })),
    );
    assert.equal(walked.requests.map(show), requests);
    assert.equal(walked.stop, { stop: 'an empty page', by: 'empty page' });
  });
}

const refused: readonly (readonly [item: unknown, found: string])[] = [
  [{}, 'nothing'],
  [{ id: null }, 'null'],
  [{ id: 'a17' }, '"a17"'],
  [{ id: '' }, '""'],
  [{ id: 'x'.repeat(41) }, 'a string'],
  [{ id: true }, 'true'],
  [{ id: [1] }, 'a list'],
  [{ id: { a: 1 } }, 'an object'],
  [5, 'nothing'],
  [[1], 'nothing'],
];

for (const [item, found] of refused) {
  test(`${JSON.stringify(item)} has no id that is a number`, () => {
    const scroller = made(cursor, { idKey: 'id', param: 'since' });
    const error = thrownBy(() => scroller.fold?.(undefined, itemsOf([{ id: 1 }, item as object]))); // any JSON
    assert.is(error.code, 'ERR_PAGINATION');
    assert.is(error.message, `expected a number at "id" of each item, found ${found}`);
  });
}

test('the memo is one string, whatever was folded into it', () => {
  const scroller = made(cursor, { idKey: 'id', param: 'since' });
  const first = scroller.fold?.(undefined, itemsOf(ids(1, 2, 3)));
  assert.is(first, '3');
  assert.is(scroller.fold?.(first, itemsOf(ids(2))), '3');
  assert.is(scroller.fold?.(first, itemsOf(ids(4))), '4');
});

for (const id of ['9'.repeat(65_537), number('9'.repeat(65_537)), 'x'.repeat(65_537)]) {
  test(`an id longer than an address can hold is an error: ${typeof id}, ${String(id)[0]}`, () => {
    const scroller = made(cursor, { idKey: 'id', param: 'since' });
    const { code, message } = thrownBy(() => scroller.fold?.(undefined, itemsOf([objectOf({ id })])));
    assert.equal([code, message], ['ERR_PAGINATION', 'the id at "id" of an item has more than 65536 characters']);
  });
}

test.run();
