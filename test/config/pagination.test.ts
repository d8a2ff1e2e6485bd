/** `api.pagination` and the `scroller` of a job: every problem in docs/03-pagination.md with its path. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { inspect } from '../../src/config/parse-config.js';
import type { ExactObject } from '../../src/core/json/exact.js';
import { onePage } from '../../src/pagination/none.js';
import { documentOf, type Parts } from './fakes.js';

const at = 'api.pagination';
const methods =
  '"offset", "pagenum", "response.param", "response.url", "zendesk.response.url", "link-header", "response.header"';

const noPrefetch =
  'cannot be used with this method: each of its requests depends on the page before it. Expected "pagenum" or "offset"; methods that follow a value or a link have `overlap`';

const noOverlap =
  'cannot be used with this method: it needs the whole page for the next request. Expected "response.param", "response.url", "zendesk.response.url", "link-header" or "response.header"; "pagenum" and "offset" have `prefetch`';

const reported = (document: ExactObject) => {
  const { problems, notices } = inspect(document);
  return [...problems.map(({ path, message }) => `${path}: ${message}`), ...notices.map(({ message }) => message)];
};
const pagination = (options: object, job: object = {}): Parts => ({ api: { pagination: options }, job });
const pages = { method: 'pagenum' };
const choice = (scrollers: unknown, more: object = {}, job: object = {}) =>
  pagination({ method: 'multiple', scrollers, ...more }, job);

const faults: readonly (readonly [Parts, ...(readonly string[])])[] = [
  [
    pagination({ method: 'offest', limit: 1 }),
    `${at}.method: expected one of ${methods}, "cursor", "keyset", "multiple", "none", found "offest"; did you mean "offset"?`,
  ],
  [pagination({ method: 'offset' }), `${at}.limit: required: expected a whole number from 1 up`],
  [
    pagination({ method: 'offset', limit: 'all' }),
    `${at}.limit: expected a whole number from 1 up, or a string of digits, found a string`,
  ],
  [pagination({ method: 'offset', limit: 0 }), `${at}.limit: expected a whole number from 1 up, found a number`],
  [
    pagination({ method: 'offset', limit: 1, firstPageParams: 'no' }),
    `${at}.firstPageParams: expected true or false, found a string`,
  ],
  [
    pagination({ method: 'response.url', urlKey: ['x'], delimiter: 5 }),
    `${at}.urlKey: expected a string, found a list`,
    `${at}.delimiter: expected a non-empty string, found a number`,
  ],
  [pagination({ method: 'zendesk.response.url', delimiter: '/' }), `${at}.delimiter: unknown key, not used`],
  [
    pagination({ method: 'cursor' }),
    `${at}.idKey: required: expected a non-empty string`,
    `${at}.param: required: expected a non-empty string`,
  ],
  [
    pagination({ method: 'cursor', idKey: '', param: 'x', increment: 'one' }),
    `${at}.idKey: expected a non-empty string, found an empty string`,
    `${at}.increment: expected a whole number, or a string of digits, found a string`,
  ],
  [pagination({ method: 'link-header', rel: '' }), `${at}.rel: expected a non-empty string, found an empty string`],
  [pagination({ pages: 'five' }), `${at}.pages: expected a whole number, or a string of digits, found a string`],
  [
    pagination({ ...pages, prefetch: 101 }),
    `${at}.prefetch: expected a whole number from 0 to 100, or "auto", found a number`,
  ],
  [
    pagination({ ...pages, prefetch: -1 }),
    `${at}.prefetch: expected a whole number from 0 to 100, or "auto", found a negative number`,
  ],
  [
    pagination({ ...pages, prefetch: 'all' }),
    `${at}.prefetch: expected a whole number from 0 to 100, or "auto", found a string`,
  ],
  [pagination({ method: 'response.url', prefetch: 4 }), `${at}.prefetch: ${noPrefetch}`],
  [pagination({ prefetch: 4 }), `${at}.prefetch: ${noPrefetch}`],
  [choice({ a: { method: 'link-header' } }, { prefetch: 'auto' }), `${at}.prefetch: ${noPrefetch}`],
  [pagination({ ...pages, overlap: true }), `${at}.overlap: ${noOverlap}`],
  [pagination({ method: 'cursor', idKey: 'id', param: 'since', overlap: true }), `${at}.overlap: ${noOverlap}`],
  [choice({ a: pages }, { overlap: true }), `${at}.overlap: ${noOverlap}`],
  [
    pagination({ method: 'link-header', overlap: true, forceStop: { pages: 2 } }),
    `${at}.overlap: cannot be used with limitStop, forceStop, nextPageFlag: they need the whole page`,
  ],
  [choice(undefined), `${at}.scrollers: required: expected an object of at least one pagination by its name`],
  [choice({}), `${at}.scrollers: expected an object of at least one pagination by its name, found an object`],
  [choice({ a: 'pagenum' }), `${at}.scrollers.a: expected an object, found a string`],
  [choice({ a: null }), `${at}.scrollers.a: required: expected an object`],
  [
    choice({ a: { method: 'cursor', idKey: 'id', limitStop: { count: 0 } } }),
    `${at}.scrollers.a.limitStop: expected one of "count" (1 or more) and "field", found neither`,
    `${at}.scrollers.a.param: required: expected a non-empty string`,
  ],
  [
    choice({ a: { method: 'multiple', scrollers: { b: { method: 'offset' } } } }),
    `${at}.scrollers.a.scrollers.b.limit: required: expected a whole number from 1 up`,
  ],
  [
    choice({ first: pages }, { default: 'fist' }),
    `${at}.default: none of the names in "scrollers"; did you mean "first"?`,
  ],
  [
    choice({ first: pages, 'the second': pages }, {}, { scroller: 'third' }),
    'config.jobs[0].scroller: unknown scroller, expected one of "first", "the second"',
  ],
  [
    choice({ a: { method: 'multiple', scrollers: { inner: pages } } }, {}, { scroller: 'a' }),
    'config.jobs[0].scroller: unknown scroller, expected one of "inner"',
  ],
  [choice({ a: pages }, {}, { scroller: 5 }), 'config.jobs[0].scroller: expected a string, found a number'],
  [
    pagination(pages, { scroller: 'a' }),
    'config.jobs[0].scroller: not used: the method of `api.pagination` is not "multiple"',
  ],
  [pagination({ ...pages, limitStop: 5 }), `${at}.limitStop: expected an object, found a number`],
  [
    pagination({ ...pages, limitStop: { count: 5, field: 'x' } }),
    `${at}.limitStop: expected one of "count" (1 or more) and "field", found both`,
  ],
  [
    pagination({ ...pages, limitStop: { count: 'five' } }),
    `${at}.limitStop.count: expected a whole number from 0 up, or a string of digits, found a string`,
  ],
  [
    pagination({ ...pages, limitStop: { count: 5, feild: 'x' } }),
    `${at}.limitStop.feild: unknown key, not used; did you mean "field"?`,
  ],
  [
    pagination({ ...pages, forceStop: { pages: 'two', time: 'soon', volume: -1 } }),
    `${at}.forceStop.pages: expected a whole number from 0 up, or a string of digits, found a string`,
    `${at}.forceStop.time: expected a whole number of seconds from 0 up, or a relative time such as "1 hour", found a string`,
    `${at}.forceStop.volume: expected a whole number from 0 up, found a negative number`,
  ],
  [
    pagination({ ...pages, nextPageFlag: { ifNotSet: 'yes' } }),
    `${at}.nextPageFlag.field: required: expected a non-empty string`,
    `${at}.nextPageFlag.stopOn: required: expected true or false`,
    `${at}.nextPageFlag.ifNotSet: expected true or false, found a string`,
  ],
  [
    pagination({ nextPageFlag: { field: 'more', stopOn: 0 } }),
    `${at}.nextPageFlag.stopOn: expected true or false, found a number`,
  ],
];

const unknown = `${at}.method: expected one of ${methods}, "cursor", "keyset", "multiple", "none", found`;

/** Members beside an unknown method are checked by the method that was meant, otherwise by all that have the key. */
const besideUnknown: readonly (readonly [Parts, ...(readonly string[])])[] = [
  [
    pagination({ method: 'offest', limit: 0, offsetPrm: 'x', limitStop: { count: 1, field: 'a' } }),
    `${at}.limitStop: expected one of "count" (1 or more) and "field", found both`,
    `${unknown} "offest"; did you mean "offset"?`,
    `${at}.limit: expected a whole number from 1 up, found a number`,
    `${at}.offsetPrm: unknown key, not used; did you mean "offsetParam"?`,
  ],
  [
    pagination({ method: 'tokens', limit: 'ten', firstPage: 'x', responseParam: ['a'], urlKey: 'next', rell: 1 }),
    `${unknown} "tokens"`,
    `${at}.limit: expected a whole number from 1 up, or a string of digits, found a string`,
    `${at}.firstPage: expected a whole number, or a string of digits, found a string`,
    `${at}.responseParam: expected a non-empty string, found a list`,
    `${at}.rell: unknown key, not used; did you mean "rel"?`,
  ],
  [
    choice({ a: { method: 'cursr', param: 5 }, b: { method: 'multipel', scrollers: { c: { method: 'offset' } } } }),
    `${at}.scrollers.a.method: ${unknown.replace(/^.*?: /, '')} "cursr"; did you mean "cursor"?`,
    `${at}.scrollers.a.param: expected a non-empty string, found a number`,
    `${at}.scrollers.b.method: ${unknown.replace(/^.*?: /, '')} "multipel"; did you mean "multiple"?`,
    `${at}.scrollers.b.scrollers.c.limit: required: expected a whole number from 1 up`,
  ],
  [
    { api: { authentication: { type: 'logins', loginRequest: { endpoint: 5, params: { a: { attr: 'x' } } } } } },
    'api.authentication.type: expected one of ',
    'api.authentication.loginRequest.endpoint: expected a non-empty string, found a number',
    'api.authentication.loginRequest.params.a.attr: there is no such key in `config`',
  ],
];

for (const [parts, ...expected] of besideUnknown) {
  test(`${JSON.stringify(parts)} is reported with all problems beside the name`, () => {
    const lines = reported(documentOf(parts));
    assert.is(lines.length, expected.length, lines.join('\n'));
    for (const [index, line] of expected.entries()) assert.is(lines[index]?.slice(0, line.length), line);
  });
}

const own = (options: object, job: object = {}, children: readonly object[] = []): Parts => ({
  api: { pagination: { method: 'pagenum', limit: 2, limitStop: { count: 9 } } },
  job: { pagination: options, ...job, children },
});
const child = (over: object) => ({ endpoint: 'users/{id}', placeholders: { id: 'id' }, ...over });
const ofJob = 'config.jobs[0].pagination';

const ofJobs: readonly (readonly [Parts, ...(readonly string[])])[] = [
  [own({ method: 'offset' }), `${ofJob}.limit: required: expected a whole number from 1 up`],
  [
    own({ method: 'pagenum', limit: 'all', limitStop: { count: 1, field: 'a' }, pageParm: 'p' }),
    `${ofJob}.limitStop: expected one of "count" (1 or more) and "field", found both`,
    `${ofJob}.limit: expected a whole number from 0 up, or a string of digits, found a string`,
    `${ofJob}.pageParm: unknown key, not used; did you mean "pageParam"?`,
  ],
  [
    own({}, {}, [child({ pagination: { method: 'cursor', idKey: 'id' } })]),
    'config.jobs[0].children[0].pagination.param: required: expected a non-empty string',
  ],
  [
    own({ method: 'none' }, { scroller: 'a' }),
    'config.jobs[0].scroller: cannot be used with config.jobs[0].pagination: remove one of them',
  ],
  [
    own({ limitStop: { count: 5 } }),
    `${ofJob}.method: without it the job sends one request: it does not inherit from \`api.pagination\``,
  ],
];

for (const [parts, ...expected] of [...faults, ...ofJobs]) {
  test(`${JSON.stringify(parts)} is reported`, () => assert.equal(reported(documentOf(parts)), expected));
}

const fine: readonly Parts[] = [
  pagination({ ...pages, limitStop: {}, forceStop: [], nextPageFlag: {} }),
  pagination({ ...pages, limitStop: { count: '5' }, forceStop: { pages: '2', time: '1 hour', volume: '9' } }),
  pagination({ method: 'cursor', idKey: 'id', param: 'x', increment: '-1' }),
  pagination({ method: 'offset', limit: '5', pages: '3' }),
  pagination({ limitStop: { count: 5 } }),
  choice({ a: {}, b: pages }, { default: 'b', limitStop: { count: 2 } }, { scroller: 'a' }),
  own({ method: 'none' }),
  own({ method: 'none' }, { scroller: '' }),
  own({}, { scroller: null }),
  own({ method: 'multiple', scrollers: { a: pages }, default: 'a' }),
];

for (const parts of fine) {
  test(`${JSON.stringify(parts)} is fine`, () => assert.equal(reported(documentOf(parts)), []));
}

const scrollersOf = (parts: Parts) => {
  const [config] = inspect(documentOf(parts)).configs ?? [];
  return { ofApi: config?.paginator, ofJob: config?.jobs[0]?.paginator };
};

test('a job has the scroller that it names', () => {
  const { ofApi, ofJob } = scrollersOf(choice({ a: {}, b: pages }, { default: 'b' }, { scroller: 'a' }));
  assert.is(ofJob, onePage);
  assert.is(ofApi?.next, ofApi?.named?.get('b')?.next);
});

test('a job has its own pagination, without the conditions of the API', () => {
  assert.is(scrollersOf(own({ method: 'none' })).ofJob, onePage);
  const { ofApi, ofJob } = scrollersOf(own({ method: 'response.url', forceStop: { volume: 5 } }));
  assert.equal([ofApi?.volume, ofJob?.volume], [undefined, true]);
  assert.equal(
    ofJob?.captures.map(({ text }) => text),
    ['next_page'],
  );
});

for (const pagination of [undefined, null, {}, [], '']) {
  test(`the pagination ${JSON.stringify(pagination)} of a job counts as absent: that of the API applies`, () => {
    assert.is(scrollersOf({ api: { pagination: pages }, job: { pagination } }).ofJob, undefined);
  });
}

const hint = 'its endpoint ends in a placeholder, and it uses `api.pagination`';

for (const [endpoint, over, isNoticed] of [
  ['users/{id}', {}, true],
  ['users/{id}/', {}, true],
  ['users/{id}?expand=all', {}, true],
  ['users/{id}/orders', {}, false],
  ['users?id={id}', {}, false],
  ['users/{id}', { pagination: { method: 'none' } }, false],
  ['users/{id}', { pagination: pages }, false],
  ['users/{id}', { scroller: 'a' }, false],
] as const) {
  test(`a child ${endpoint} with ${JSON.stringify(over)} ${isNoticed ? 'gets' : 'gets no'} notice that it is paged`, () => {
    const children = [{ ...child({ endpoint }), ...over }];
    const of = (options: object) =>
      inspect(documentOf(pagination(options, { children }))).notices.filter(({ code }) => code === 'paged-detail');
    const multiple = { method: 'multiple', scrollers: { a: pages }, default: 'a' };
    for (const options of [pages, multiple]) {
      const notes = of(options).map(({ level, message }) => [
        level,
        message.startsWith(`config.jobs[0].children[0]: ${hint}`),
      ]);
      assert.equal(notes, isNoticed ? [['info', true]] : []);
    }
    assert.equal(of({}), []);
  });
}

test('without a name, or with an empty one, a job has the scroller of the API', () => {
  for (const scroller of [undefined, '', null]) {
    assert.is(scrollersOf(choice({ a: pages }, {}, { scroller })).ofJob, undefined);
  }
});

test('a name leads through a choice of choices; the default of each holds for jobs without one', () => {
  const inner = { method: 'multiple', scrollers: { a: pages, c: { method: 'link-header' } }, default: 'c' };
  const named = scrollersOf(choice({ a: inner }, { default: 'a' }, { scroller: 'a' }));
  assert.equal(named.ofJob?.headers, undefined);
  assert.ok(named.ofJob);
  assert.equal(named.ofApi?.headers, ['link']);
});

for (const method of [undefined, null, '', '0', []]) {
  test(`with the method ${JSON.stringify(method)} each job is one request, with a warning unless there are only conditions`, () => {
    const parts = pagination({ method, limit: 5 });
    assert.equal(reported(documentOf(parts)).slice(0, 1), [`${at}.limit: unknown key, not used`]);
    assert.match(
      reported(documentOf(parts))[1] ?? '',
      `${at}.method: without it each job sends one request; expected one of ${methods}`,
    );
    assert.is(scrollersOf(parts).ofApi, onePage);
    assert.equal(reported(documentOf(pagination({ method, limitStop: { count: 5 } }))), []);
  });
}

test('conditions without a method leave the one request alone', () => {
  assert.is(scrollersOf(pagination({ limitStop: { count: 5 } })).ofApi, onePage);
});

test('the endpoints of all scrollers count when origins are trusted', () => {
  const scroll = (endpoint: string) => ({
    method: 'response.param',
    responseParam: 'x',
    queryParam: 'x',
    scrollRequest: { endpoint },
  });
  const { ofApi } = scrollersOf(choice({ a: scroll('https://one/'), b: pages, c: scroll('https://two/') }));
  assert.equal(ofApi?.endpoints, ['https://one/', 'https://two/']);
});

test('prefetch beside scrollers applies to each that can be requested ahead, unless it has its own', () => {
  const own = { ...pages, prefetch: 2 };
  const { ofApi } = scrollersOf(choice({ own, pages, links: { method: 'link-header' } }, { prefetch: '8' }));
  assert.equal(
    [...(ofApi?.named ?? [])].map(([name, { prefetch }]) => [name, prefetch]),
    [
      ['own', 2],
      ['pages', 8],
      ['links', undefined],
    ],
  );
  assert.is(scrollersOf(pagination({ method: 'link-header', prefetch: 0 })).ofApi?.prefetch, undefined);
});

test('overlap beside scrollers applies to each that knows its next request early', () => {
  const own = { method: 'response.url', overlap: true };
  const { ofApi } = scrollersOf(choice({ own, pages, links: { method: 'link-header' } }, { overlap: true }));
  assert.equal(
    [...(ofApi?.named ?? [])].map(([name, { overlap }]) => [name, overlap]),
    [
      ['own', `${at}.scrollers.own.overlap`],
      ['pages', undefined],
      ['links', `${at}.overlap`],
    ],
  );
});

test('a flag with dots in its name is noted, as it may be meant as a path', () => {
  const notes = (field: unknown) =>
    inspect(documentOf(pagination({ ...pages, nextPageFlag: { field, stopOn: false } }))).notices.map(
      ({ level, code, message }) => `${level} ${code} ${message}`,
    );
  assert.equal(notes('meta.more'), [
    'info flag-is-name api.pagination.nextPageFlag.field: a name at the top level of the response; did you mean the path ["meta", "more"]?',
  ]);
  for (const field of ['more', ['meta', 'more'], ['meta.more'], 'more.']) assert.equal(notes(field), []);
});

test.run();
