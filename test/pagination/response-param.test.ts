import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { fromPlain } from '../../src/core/json/exact.js';
import type { Job } from '../../src/core/model/job.js';
import { responseParam } from '../../src/pagination/response-param.js';
import { isStop } from '../../src/pagination/types.js';
import { job, made, number, objectOf, page, show, walk } from './walk.js';

interface Case {
  readonly rule: string;
  readonly options?: object;
  readonly job?: Job;
  /** The values at `next`. */
  readonly values: readonly unknown[];
  readonly requests: readonly string[];
}

const cursor = { responseParam: 'next', queryParam: 'cursor' };

const cases: readonly Case[] = [
  {
    rule: 'sends each value with the next request, without the parameters of the job',
    job: job({ q: 1 }),
    values: ['a', 'b', null],
    requests: ['users {"q":1}', 'users {"cursor":"a"}', 'users {"cursor":"b"}'],
  },
  {
    rule: 'the first request is the job as configured; from the second on the value wins in its place (058)',
    options: { includeParams: true },
    job: job({ cursor: 'start', orderBy: 'id' }),
    values: [2, ''],
    requests: ['users {"cursor":"start","orderBy":"id"}', 'users {"cursor":2,"orderBy":"id"}'],
  },
  {
    rule: 'following requests are the scroll request (059)',
    options: { scrollRequest: { endpoint: 'results', method: 'GET' } },
    job: job({ object: 'users' }, { endpoint: 'search', method: 'POST' }),
    values: ['a', 'b', false],
    requests: ['POST search {"object":"users"}', 'GET results {"cursor":"a"}', 'GET results {"cursor":"b"}'],
  },
  {
    rule: 'the scroll request inherits endpoint and method from the job',
    options: { scrollRequest: { params: objectOf({ size: 5 }) } },
    job: job({ q: 1 }, { endpoint: 'search', method: 'POST' }),
    values: ['a', []],
    requests: ['POST search {"q":1}', 'POST search {"size":5,"cursor":"a"}'],
  },
  {
    rule: 'with includeParams the parameters of the job come along and those of the scroll request win',
    options: { includeParams: true, scrollRequest: { params: objectOf({ size: 5, cursor: 'x' }) } },
    job: job({ size: 1, q: 1 }),
    values: ['a', {}],
    requests: ['users {"size":1,"q":1}', 'users {"size":5,"q":1,"cursor":"a"}'],
  },
  {
    rule: '0 and "0" go on',
    values: [0, '0', null],
    requests: ['users {}', 'users {"cursor":0}', 'users {"cursor":"0"}'],
  },
  {
    rule: 'a cursor of 19 digits, an object and a list arrive as they came',
    values: [number('9007199254740993123'), { a: number('1.0') }, ['x'], ''],
    requests: [
      'users {}',
      'users {"cursor":9007199254740993123}',
      'users {"cursor":{"a":1.0}}',
      'users {"cursor":["x"]}',
    ],
  },
];

for (const { rule, options, job: of = job(), values, requests } of cases) {
  test(rule, () => {
    const scroller = made(responseParam, { ...cursor, ...options });
    const walked = walk(
      scroller,
      of,
      values.map((next) => ({ count: 0, response: fromPlain({ next }) })),
    );
    assert.equal(walked.requests.map(show), requests);
    assert.equal(walked.stop, { stop: 'no value at "next"', by: 'no next value' });
  });
}

test('the path may lead deep and through lists', () => {
  const scroller = made(responseParam, { ...cursor, responseParam: 'links.1.next' });
  assert.equal(scroller.captures, [{ text: 'links.1.next', segments: ['links', '1', 'next'] }]);
  const walked = walk(scroller, job(), [{ count: 1, response: fromPlain({ links: [{}, { next: 7 }] }) }]);
  assert.equal(walked.requests.map(show), ['users {}', 'users {"cursor":7}']);
});

test('names the endpoint of its scroll request, for the trusted origins', () => {
  const endpointsOf = (scrollRequest: object) => made(responseParam, { ...cursor, scrollRequest }).endpoints;
  assert.equal(endpointsOf({ endpoint: 'https://other/results' }), ['https://other/results']);
  assert.equal(endpointsOf({ method: 'GET' }), []);
});

const missing = [
  ['next_page', { nextPage: 2, items: [] }, 'did you mean "nextPage"?'],
  ['scroling.next', { scrolling: { next: 2 } }, 'did you mean "scrolling.next"?'],
  ['scrolling.nxt', { scrolling: { next: 2 } }, 'did you mean "scrolling.next"?'],
  ['scrolling.next', { scrolling: {} }, undefined],
  ['next', [1, 2], undefined],
] as const;

for (const [path, response, hint] of missing) {
  test(`warns when the first page has no "${path}" in ${JSON.stringify(response)}`, () => {
    const scroller = made(responseParam, { ...cursor, responseParam: path });
    const { stop } = walk(scroller, job(), [{ count: 1, response: fromPlain(response) }]);
    assert.is(stop?.stop, `no value at "${path}"`);
    assert.is(stop?.warning?.code, 'missing-response-param');
    assert.is(stop?.warning?.job, 'users');
    assert.match(stop?.warning?.message ?? '', `"${path}"`);
    assert.is(stop?.warning?.message.includes('did you mean'), hint !== undefined);
    if (hint !== undefined) assert.match(stop?.warning?.message ?? '', hint);
  });
}

const compound = [
  [{ after: 'x', total: 3, more: [], none: null }, 'an object', 'did you mean "next.after" or "next.total"?'],
  [['x'], 'a list', undefined],
] as const;

for (const [value, kind, hint] of compound) {
  test(`warns of a cursor that is ${kind}, on the first page, and sends it`, () => {
    const scroller = made(responseParam, cursor);
    const stepAt = (index: number) => {
      const step = scroller.next(job(), page(scroller, scroller.first(job()), index, 1, fromPlain({ next: value })));
      if (isStop(step)) throw new Error(step.stop);
      return step;
    };
    const step = stepAt(0);
    assert.is(step.warning?.code, 'compound-cursor');
    assert.match(step.warning?.message ?? '', `is ${kind}, and is sent unchanged`);
    assert.is(step.warning?.message.includes('did you mean'), hint !== undefined);
    if (hint !== undefined) assert.match(step.warning?.message ?? '', hint);
    assert.is(stepAt(1).warning, undefined);
  });
}

test('does not warn of a value that is there and empty, nor on a later page', () => {
  const scroller = made(responseParam, cursor);
  assert.equal(walk(scroller, job(), [{ count: 1, response: fromPlain({ next: null }) }]).stop, {
    stop: 'no value at "next"',
    by: 'no next value',
  });
  const later = walk(scroller, job(), [
    { count: 1, response: fromPlain({ next: 1 }) },
    { count: 1, response: fromPlain({}) },
  ]);
  assert.equal(later.stop, { stop: 'no value at "next"', by: 'no next value' });
});

test.run();
