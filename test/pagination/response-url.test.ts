import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { fromPlain, stringifyExact } from '../../src/core/json/exact.js';
import type { Job } from '../../src/core/model/job.js';
import type { GivenOptions } from '../../src/core/options/kind.js';
import { queryParams } from '../../src/pagination/next-link.js';
import { responseUrl } from '../../src/pagination/response-url.js';
import { zendeskResponseUrl } from '../../src/pagination/zendesk-response-url.js';
import { job, made, show, thrownBy, walk } from './walk.js';

interface Case {
  readonly rule: string;
  readonly options?: GivenOptions<typeof responseUrl.fields>;
  readonly job?: Job;
  readonly links: readonly unknown[];
  readonly requests: readonly string[];
}

const cases: readonly Case[] = [
  {
    rule: 'follows links without the parameters of the job (054)',
    job: job({ account: 1 }),
    links: ['/x/users?page=2', 'https://other/users?page=3', null],
    requests: ['users {"account":1}', '/x/users?page=2 {}', 'https://other/users?page=3 {}'],
  },
  {
    rule: 'includeParams sends those of the job along (055)',
    options: { includeParams: true },
    job: job({ account: 1 }),
    links: ['users?page=2', ''],
    requests: ['users {"account":1}', 'users?page=2 {"account":1}'],
  },
  {
    rule: 'paramIsQuery lays the query over the parameters of the job, each in its place (056)',
    options: { includeParams: true, paramIsQuery: true },
    job: job({ page: 1, account: 123 }),
    links: ['?page=2&b=x%20y+z', false],
    requests: ['users {"page":1,"account":123}', 'users {"page":"2","account":123,"b":"x y z"}'],
  },
  {
    rule: 'paramIsQuery without includeParams leaves the query alone',
    options: { paramIsQuery: true },
    job: job({ account: 123 }),
    links: ['page=2', []],
    requests: ['users {"account":123}', 'users {"page":"2"}'],
  },
  {
    rule: 'method and headers stay those of the job',
    options: { includeParams: true },
    job: job({ q: 1 }, { endpoint: 'search', method: 'POST' }),
    links: ['search/2', {}],
    requests: ['POST search {"q":1}', 'POST search/2 {"q":1}'],
  },
  { rule: 'the text "0" is a link', links: ['0', null], requests: ['users {}', '0 {}'] },
];

for (const { rule, options = {}, job: of = job(), links, requests } of cases) {
  test(rule, () => {
    const walked = walk(
      made(responseUrl, options),
      of,
      links.map((next_page) => ({ response: fromPlain({ next_page }) })),
    );
    assert.equal(walked.requests.map(show), requests);
    assert.equal(walked.stop, { stop: 'no value at "next_page"', by: 'no next link' });
  });
}

test('the path may be nested, with its own delimiter', () => {
  const response = fromPlain({ 'odata.next': { url: 'a' }, links: { next: 'b' } });
  const second = (options: GivenOptions<typeof responseUrl.fields>) =>
    walk(made(responseUrl, options), job(), [{ response }]).requests.map(show)[1];
  assert.is(second({ urlKey: 'links.next' }), 'b {}');
  assert.is(second({ urlKey: 'odata.next/url', delimiter: '/' }), 'a {}');
  assert.is(second({ urlKey: '' }), undefined);
});

test('marks parameters of a link and of the job', () => {
  const following = (options: GivenOptions<typeof responseUrl.fields>) =>
    walk(made(responseUrl, options), job({ a: 1 }), [{ response: fromPlain({ next_page: '?a=2&b=3' }) }]).requests[1];
  assert.is(following({})?.link, true);
  const asQuery = following({ paramIsQuery: true, includeParams: true });
  assert.equal([asQuery?.link, asQuery?.linkNames], [undefined, ['b']]);
  assert.equal(following({ paramIsQuery: true })?.linkNames, ['a', 'b']);
});

for (const [value, found] of [
  [5, 'a number'],
  [0, 'a number'],
  [true, 'true'],
  [['x'], 'a list'],
  [{ href: 'x' }, 'an object'],
] as const) {
  test(`${JSON.stringify(value)} is no link`, () => {
    const scroller = made(responseUrl, { urlKey: 'links.next' });
    const response = fromPlain({ links: { next: value } });
    const error = thrownBy(() => walk(scroller, job(), [{ response }]));
    assert.is(error.code, 'ERR_PAGINATION');
    assert.is(error.message, `expected the next link, a string, at "links.next"; found ${found}`);
  });
}

test('warns of a missing link on the first page only if there is a similar name', () => {
  const stopOf = (...responses: readonly object[]) =>
    walk(
      made(responseUrl, { urlKey: 'links.next' }),
      job(),
      responses.map((response) => ({ response: fromPlain(response) })),
    ).stop;
  const { warning } = stopOf({ links: { nxt: 'x' } }) ?? {};
  assert.is(warning?.code, 'missing-next-link');
  assert.match(warning?.message ?? '', 'did you mean "links.nxt"?');
  assert.is(stopOf({ data: [] })?.warning, undefined);
  assert.is(stopOf({ links: { next: null, nxt: 'x' } })?.warning, undefined);
  assert.is(stopOf({ links: { next: 'x' } }, { links: { nxt: 'x' } })?.warning, undefined);
});

for (const [query, params] of [
  ['a=1&b=2', '{"a":"1","b":"2"}'],
  ['a', '{"a":""}'],
  ['a=1&b=2&a=3', '{"a":"3","b":"2"}'],
  ['a%5B%5D=1&b=2&a[]=3', '{"a":["1","3"],"b":"2"}'],
  ['a[x]=1', '{"a[x]":"1"}'],
  ['', '{}'],
] as const) {
  test(`the parameters of ${query || 'an empty query'} are ${params}`, () =>
    assert.is(stringifyExact(queryParams(query)), params));
}

const now = 1_700_000_000;
const sixMinutes = 360;
const zendesk: readonly (readonly [link: string, isQuery: boolean, goesOn: boolean])[] = [
  [`users?start_time=${now - sixMinutes}`, false, true],
  [`users?start_time=${now - sixMinutes + 1}`, false, false],
  [`users?x=1&start_time=${now}`, false, false],
  [`?start_time=${now}`, true, false],
  [`start_time=${now}`, true, false],
  [`start_time=${now - sixMinutes}`, true, true],
  ['users?page=2', false, true],
  ['users?start_time=soon', false, true],
];

for (const [next_page, paramIsQuery, goesOn] of zendesk) {
  test(`${next_page} ${goesOn ? 'is followed' : 'leads into the last six minutes'}`, () => {
    const scroller = made(zendeskResponseUrl, { paramIsQuery });
    const given = { response: fromPlain({ next_page }), more: { takenAt: now * 1000 } };
    const { requests, stop } = walk(scroller, job(), [given]);
    assert.equal([requests.length, stop?.stop], goesOn ? [2, undefined] : [1, 'a link to the last six minutes']);
  });
}

test.run();
