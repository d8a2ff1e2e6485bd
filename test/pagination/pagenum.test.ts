import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { GivenOptions } from '../../src/core/options/kind.js';
import { onePage } from '../../src/pagination/none.js';
import { pagenum } from '../../src/pagination/pagenum.js';
import { job, made, number, page, show, walk } from './walk.js';

interface Case {
  readonly rule: string;
  readonly options: GivenOptions<typeof pagenum.fields>;
  readonly params?: object;
  readonly counts: readonly number[];
  readonly requests: readonly string[];
  readonly stop: string;
}

const cases: readonly Case[] = [
  {
    rule: 'without any option counts from 1 to the first empty page',
    options: {},
    counts: [2, 1, 0],
    requests: ['users {"page":1}', 'users {"page":2}', 'users {"page":3}'],
    stop: 'an empty page',
  },
  {
    rule: 'sends page, then limit, behind the parameters of the job (052)',
    options: { limit: 2, limitParam: 'count', pageParam: 'set' },
    params: { q: 'x' },
    counts: [2, 2, 0],
    requests: [
      'users {"q":"x","set":1,"count":2}',
      'users {"q":"x","set":2,"count":2}',
      'users {"q":"x","set":3,"count":2}',
    ],
    stop: 'an empty page',
  },
  {
    rule: 'stops when a page is shorter than the limit',
    options: { limit: 10 },
    counts: [10, 2],
    requests: ['users {"page":1,"limit":10}', 'users {"page":2,"limit":10}'],
    stop: 'a page shorter than the limit (2 of 10)',
  },
  {
    rule: 'goes on when a page is longer than the limit',
    options: { limit: 2 },
    counts: [3, 1],
    requests: ['users {"page":1,"limit":2}', 'users {"page":2,"limit":2}'],
    stop: 'a page shorter than the limit (1 of 2)',
  },
  {
    rule: 'starts at the configured first page',
    options: { firstPage: 0 },
    counts: [1, 0],
    requests: ['users {"page":0}', 'users {"page":1}'],
    stop: 'an empty page',
  },
  {
    rule: 'without parameters on the first page the second is the next page still (053)',
    options: { limit: 200, limitParam: 'count', pageParam: 'set', firstPage: 0, firstPageParams: false },
    params: { count: 2 },
    counts: [2, 2, 0],
    requests: ['users {"count":2}', 'users {"count":2,"set":1}', 'users {"count":2,"set":2}'],
    stop: 'an empty page',
  },
  {
    rule: 'firstPageParams false keeps back the limit too (138)',
    options: { limit: 2, limitParam: 'itemsPerPage', firstPageParams: false },
    counts: [2, 1],
    requests: ['users {}', 'users {"page":2,"itemsPerPage":2}'],
    stop: 'a page shorter than the limit (1 of 2)',
  },
  {
    rule: "the job's own limit is sent as it is written and decides",
    options: { limit: 200 },
    params: { limit: number('3.0'), q: 1 },
    counts: [3, 2],
    requests: ['users {"limit":3.0,"q":1,"page":1}', 'users {"limit":3.0,"q":1,"page":2}'],
    stop: 'a page shorter than the limit (2 of 3)',
  },
  {
    rule: "the job's limit may be a string of digits",
    options: { limit: 200 },
    params: { limit: '2' },
    counts: [2, 1],
    requests: ['users {"limit":"2","page":1}', 'users {"limit":"2","page":2}'],
    stop: 'a page shorter than the limit (1 of 2)',
  },
  {
    rule: "the job's limit counts without a configured one",
    options: {},
    params: { limit: 2 },
    counts: [1],
    requests: ['users {"limit":2,"page":1}'],
    stop: 'a page shorter than the limit (1 of 2)',
  },
  {
    rule: 'an empty limit of the job leaves its place to the configured one',
    options: { limit: 2 },
    params: { limit: null, q: 1 },
    counts: [1],
    requests: ['users {"limit":2,"q":1,"page":1}'],
    stop: 'a page shorter than the limit (1 of 2)',
  },
  {
    rule: 'a limit of 0 is no limit, so that a walk can end',
    options: { limit: 0 },
    counts: [1, 0],
    requests: ['users {"page":1}', 'users {"page":2}'],
    stop: 'an empty page',
  },
  {
    rule: 'a limit of 0 of the job states no page size and is sent',
    options: { limit: 5 },
    params: { limit: 0 },
    counts: [1, 0],
    requests: ['users {"limit":0,"page":1}', 'users {"limit":0,"page":2}'],
    stop: 'an empty page',
  },
  {
    rule: "the scroller's page wins over the job's, in its place",
    options: {},
    params: { page: 'start', q: 1 },
    counts: [1, 0],
    requests: ['users {"page":1,"q":1}', 'users {"page":2,"q":1}'],
    stop: 'an empty page',
  },
  {
    rule: 'empty names mean the defaults',
    options: { limit: 1, limitParam: '', pageParam: '' },
    counts: [0],
    requests: ['users {"page":1,"limit":1}'],
    stop: 'an empty page',
  },
];

for (const { rule, options, params = {}, counts, requests, stop } of cases) {
  test(rule, () => {
    const scroller = made(pagenum, options);
    const walked = walk(
      scroller,
      job(params),
      counts.map((count) => ({ count })),
    );
    assert.equal(walked.requests.map(show), requests);
    assert.equal(walked.stop, { stop, by: stop === 'an empty page' ? 'empty page' : 'short page' });
  });
}

test('a limit of the job that is not a number is sent with a warning, and sets no page size', () => {
  for (const limit of ['all', true, [1], { a: 1 }, '0x10']) {
    const walked = walk(made(pagenum, { limit: 5 }), job({ limit }), [{ count: 1 }, { count: 0 }]);
    assert.is(walked.requests.length, 2);
    assert.is(walked.stop?.stop, 'an empty page');
    assert.is(walked.stop?.warning?.code, 'limit-not-a-number');
    assert.match(walked.stop?.warning?.message ?? '', '"limit"');
  }
});

test('method, endpoint and headers are those of the job', () => {
  const scroller = made(pagenum);
  const [first] = walk(scroller, job({}, { method: 'POST' }), []).requests;
  assert.is(first?.method, 'POST');
  assert.equal(first?.headers, new Map([['X-Job', ['1']]]));
});

test('a repeated page has the same request: there is no state', () => {
  const scroller = made(pagenum);
  const third = page(scroller, scroller.first(job()), 2, 1);
  assert.equal(scroller.next(job(), third), scroller.next(job(), third));
});

test('without pagination there is one request', () => {
  const walked = walk(onePage, job({ q: 1 }), [{ count: 5 }]);
  assert.equal(walked.requests.map(show), ['users {"q":1}']);
  assert.equal(walked.stop, { stop: 'no pagination', by: 'one request' });
});

test.run();
