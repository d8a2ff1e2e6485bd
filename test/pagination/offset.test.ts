import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { GivenOptions } from '../../src/core/options/kind.js';
import { offset } from '../../src/pagination/offset.js';
import { job, made, number, show, walk } from './walk.js';

interface Case {
  readonly rule: string;
  readonly options?: Partial<GivenOptions<typeof offset.fields>>;
  readonly params?: object;
  readonly counts: readonly number[];
  readonly requests: readonly string[];
  readonly stop?: string;
}

const short = (count: number, limit: number) => `a page shorter than the limit (${count} of ${limit})`;

const cases: readonly Case[] = [
  {
    rule: 'starts at 0 and adds the limit to a page shorter than it (043)',
    counts: [2, 2, 1],
    requests: ['users {"limit":2,"offset":0}', 'users {"limit":2,"offset":2}', 'users {"limit":2,"offset":4}'],
    stop: short(1, 2),
  },
  {
    rule: 'an empty page is the end',
    counts: [2, 0],
    requests: ['users {"limit":2,"offset":0}', 'users {"limit":2,"offset":2}'],
    stop: 'an empty page',
  },
  {
    rule: 'a page longer than the limit moves the offset by the limit',
    counts: [5, 0],
    requests: ['users {"limit":2,"offset":0}', 'users {"limit":2,"offset":2}'],
    stop: 'an empty page',
  },
  {
    rule: 'names can be changed; new parameters follow those of the job, limit first (049)',
    options: { limitParam: 'count', offsetParam: 'first' },
    params: { q: 'x' },
    counts: [0],
    requests: ['users {"q":"x","count":2,"first":0}'],
    stop: 'an empty page',
  },
  {
    rule: "the job's limit and offset decide where they stand, as the job wrote the limit (050)",
    options: { limitParam: 'count', offsetParam: 'skip', offsetFromJob: true },
    params: { count: '5', skip: 2 },
    counts: [5, 4],
    requests: ['users {"count":"5","skip":2}', 'users {"count":"5","skip":7}'],
    stop: short(4, 5),
  },
  {
    rule: "without offsetFromJob the job's offset gives way, in its place",
    params: { offset: 7, q: 1 },
    counts: [1],
    requests: ['users {"offset":0,"q":1,"limit":2}'],
    stop: short(1, 2),
  },
  {
    rule: 'the offset of the job may be a string of digits; an empty one is 0',
    options: { offsetFromJob: true },
    params: { offset: '10' },
    counts: [2],
    requests: ['users {"offset":10,"limit":2}', 'users {"offset":12,"limit":2}'],
  },
  {
    rule: 'an offset of the job that is empty, or no number, is 0',
    options: { offsetFromJob: true },
    params: { offset: '' },
    counts: [],
    requests: ['users {"offset":0,"limit":2}'],
  },
  {
    rule: 'firstPageParams false leaves the first request alone; the second is the second page still (139)',
    options: { firstPageParams: false },
    params: { q: 1 },
    counts: [2, 1],
    requests: ['users {"q":1}', 'users {"q":1,"limit":2,"offset":2}'],
    stop: short(1, 2),
  },
  {
    rule: 'firstPageParams false keeps back the offset of the job too, and counts from it',
    options: { firstPageParams: false, offsetFromJob: true },
    params: { offset: 4 },
    counts: [2],
    requests: ['users {"offset":4}', 'users {"offset":6,"limit":2}'],
  },
  {
    rule: 'a limit of 0 of the job states no page size: offsets count items, only an empty page is the end',
    params: { limit: number('0') },
    counts: [3, 1, 0],
    requests: ['users {"limit":0,"offset":0}', 'users {"limit":0,"offset":3}', 'users {"limit":0,"offset":4}'],
    stop: 'an empty page',
  },
  {
    rule: 'empty names mean the defaults',
    options: { limitParam: '', offsetParam: '' },
    counts: [],
    requests: ['users {"limit":2,"offset":0}'],
  },
];

for (const { rule, options, params = {}, counts, requests, stop } of cases) {
  test(rule, () => {
    const scroller = made(offset, { limit: 2, ...options });
    const given = counts.map((count) => ({ count }));
    const walked = walk(scroller, job(params), given);
    assert.equal(walked.requests.map(show), requests);
    assert.equal(
      walked.stop,
      stop === undefined ? undefined : { stop, by: stop === 'an empty page' ? 'empty page' : 'short page' },
    );
  });
}

test('a limit of the job that is no number is warned of at the end', () => {
  const walked = walk(made(offset, { limit: 2 }), job({ limit: 'all' }), [{ count: 3 }, { count: 0 }]);
  assert.equal(walked.requests.map(show), ['users {"limit":"all","offset":0}', 'users {"limit":"all","offset":3}']);
  assert.is(walked.stop?.warning?.code, 'limit-not-a-number');
});

test.run();
