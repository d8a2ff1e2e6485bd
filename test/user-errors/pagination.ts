/** Methods, their keys, conditions, and responses without what a method reads. */
import { step } from '../traces/trace.js';
import type { Row } from './row.js';

const required = /required/;
const here = (key: string) => `api.pagination${key}`;
type Problems = NonNullable<Row['problems']>;

/** A pagination that is refused. */
const refused = (rule: string, pagination: unknown, ...problems: Problems): Row => ({
  rule,
  api: { pagination },
  problems,
});

const pages = { method: 'pagenum' };

const keys: readonly Row[] = [
  refused('an unknown method', { method: 'pagenumb' }, [here('.method'), /"pagenum".*did you mean "pagenum"/]),
  refused('a pagination that is no object', 'pagenum', [here(''), /an object/]),
  refused('a method that is no text', { method: ['pagenum'] }, [here('.method'), /one of/]),
  refused('offset without a limit', { method: 'offset' }, [here('.limit'), required]),
  ...['', 0, '0', 'ten', true, -1].map((limit) =>
    refused(`offset with the limit ${JSON.stringify(limit)}`, { method: 'offset', limit }, [
      here('.limit'),
      /a whole number from 1 up/,
    ]),
  ),
  refused('stricter than Generic Extractor: pagenum with a limit in words', { ...pages, limit: 'ten' }, [
    here('.limit'),
    /a whole number/,
  ]),
  refused(
    'response.param without its two paths',
    { method: 'response.param' },
    [here('.responseParam'), required],
    [here('.queryParam'), required],
  ),
  refused(
    'response.param with empty ones, and a scrollRequest that is no object',
    { method: 'response.param', responseParam: '', queryParam: '', scrollRequest: 'results' },
    [here('.responseParam'), /non-empty string/],
    [here('.queryParam'), /non-empty string/],
    [here('.scrollRequest'), /an object/],
  ),
  refused(
    'stricter than Generic Extractor: a scrollRequest that cannot be made, before anything is asked',
    {
      method: 'response.param',
      responseParam: 'next',
      queryParam: 'next',
      scrollRequest: { method: 'NEXT', params: 'x' },
    },
    [here('.scrollRequest.method'), /"GET"/],
    [here('.scrollRequest.params'), /an object/],
  ),
  refused('cursor without its two keys', { method: 'cursor' }, [here('.idKey'), required], [here('.param'), required]),
  refused(
    'cursor with empty ones, and an increment in words',
    { method: 'cursor', idKey: '', param: '', increment: 'one' },
    [here('.idKey'), /non-empty string/],
    [here('.param'), /non-empty string/],
    [here('.increment'), /a whole number/],
  ),
];

const unknown: readonly Row[] = [
  refused(
    'an unknown method, and the keys beside it',
    { method: 'page_number', limit: 'ten', forceStop: { pages: 'two' } },
    [here('.forceStop.pages'), /a whole number/],
    [here('.method'), /found "page_number"; did you mean "pagenum"/],
    [here('.limit'), /a whole number/],
  ),
  {
    rule: 'variables that are missing, and all other faults',
    api: { baseUrl: { env: 'RXTRACT_NO_SUCH' }, pagination: { method: 'offset', limit: { env: 'RXTRACT_NO_SUCH' } } },
    jobs: [{ endpoint: 'users', method: 'GTE', pagination: { method: 'none' }, scroller: 'a' }],
    problems: [
      ['api.baseUrl', /no variable "RXTRACT_NO_SUCH"/],
      [here('.limit'), /no variable/],
      ['config.jobs[0].scroller', /cannot be used with/],
      ['config.jobs[0].method', /found "GTE"; did you mean "GET"/],
    ],
  },
];

const conditions: readonly Row[] = [
  refused('limitStop with neither key', { ...pages, limitStop: { counter: 5 } }, [
    here('.limitStop'),
    /"count".*"field".*neither/,
  ]),
  refused('limitStop with both keys', { ...pages, limitStop: { count: 5, field: 'total' } }, [
    here('.limitStop'),
    /"count".*"field".*both/,
  ]),
  refused('limitStop that is no object', { ...pages, limitStop: 5 }, [here('.limitStop'), /an object/]),
  refused('limitStop with a count in words', { ...pages, limitStop: { count: 'five' } }, [
    here('.limitStop.count'),
    /a whole number/,
  ]),
  refused(
    'forceStop in words',
    { ...pages, forceStop: { pages: 'two', time: 'a while', volume: '1 MB' } },
    [here('.forceStop.pages'), /a whole number/],
    [here('.forceStop.time'), /"1 hour"/],
    [here('.forceStop.volume'), /a whole number/],
  ),
  refused(
    'nextPageFlag without its keys',
    { ...pages, nextPageFlag: { ifNotSet: true } },
    [here('.nextPageFlag.field'), required],
    [here('.nextPageFlag.stopOn'), required],
  ),
  ...[0, 1, 'true', ''].map((value) =>
    refused(
      `nextPageFlag whose stopOn and ifNotSet are ${JSON.stringify(value)}, no real booleans`,
      { ...pages, nextPageFlag: { field: 'more', stopOn: value, ifNotSet: value } },
      [here('.nextPageFlag.stopOn'), /true or false/],
      [here('.nextPageFlag.ifNotSet'), /true or false/],
    ),
  ),
  refused(
    'conditions are looked at without a method, too',
    { limitStop: { count: 1, field: 'total' }, nextPageFlag: { stopOn: true } },
    [here('.limitStop'), /both/],
    [here('.nextPageFlag.field'), required],
  ),
];

const choices: readonly Row[] = [
  refused('multiple without scrollers', { method: 'multiple' }, [here('.scrollers'), required]),
  refused('multiple with none', { method: 'multiple', scrollers: {} }, [here('.scrollers'), /at least one/]),
  refused('scrollers in a list', { method: 'multiple', scrollers: [] }, [here('.scrollers'), /at least one/]),
  refused('a scroller that is no object', { method: 'multiple', scrollers: { a: pages, b: 'pagenum' } }, [
    here('.scrollers.b'),
    /an object/,
  ]),
  refused(
    'faults within scrollers',
    {
      method: 'multiple',
      scrollers: { a: { method: 'offset' }, b: { method: 'multiple', scrollers: { c: { method: 'x' } } } },
    },
    [here('.scrollers.a.limit'), required],
    [here('.scrollers.b.scrollers.c.method'), /one of/],
  ),
  refused('a default that is none of the names', { method: 'multiple', scrollers: { pages }, default: 'page' }, [
    here('.default'),
    /did you mean "pages"/,
  ]),
  {
    rule: 'a job and a child that name no scroller there is',
    api: { pagination: { method: 'multiple', scrollers: { pages } } },
    jobs: [
      {
        endpoint: 'users',
        scroller: 'links',
        children: [{ endpoint: 'user/{id}', scroller: 'page', placeholders: { id: 'id' } }],
      },
    ],
    problems: [
      ['config.jobs[0].scroller', /one of "pages"/],
      ['config.jobs[0].children[0].scroller', /did you mean "pages"/],
    ],
  },
];

const own: readonly Row[] = [
  {
    rule: 'a job and a child with a pagination of their own and a scroller',
    api: { pagination: { method: 'multiple', scrollers: { pages } } },
    jobs: [
      {
        endpoint: 'users',
        scroller: 'pages',
        pagination: pages,
        children: [
          { endpoint: 'user/{id}', scroller: 'page', pagination: { method: 'none' }, placeholders: { id: 'id' } },
        ],
      },
    ],
    problems: [
      ['config.jobs[0].scroller', /cannot be used with config\.jobs\[0\]\.pagination/],
      ['config.jobs[0].children[0].scroller', /cannot be used with config\.jobs\[0\]\.children\[0\]\.pagination/],
    ],
  },
  {
    rule: 'a job whose own pagination does not fit, beside `api.pagination` that does not',
    api: { pagination: { method: 'offset' } },
    jobs: [{ endpoint: 'users', pagination: { method: 'cursor', param: 'since' } }],
    problems: [
      [here('.limit'), required],
      ['config.jobs[0].pagination.idKey', required],
    ],
  },
];

/** What the first page does not hold as it should; it was taken, and no second one is asked for. */
const unread = (rule: string, pagination: object, page: unknown, says: RegExp): Row => ({
  rule,
  api: { pagination },
  jobs: [{ endpoint: 'users', dataField: 'items' }],
  steps: [step('GET users', page)],
  code: 'ERR_PAGINATION',
  says,
  job: 'users',
  page: 0,
});

const links = { method: 'response.url' };
const ids = { method: 'cursor', idKey: 'info.id', param: 'since' };

const responses: readonly Row[] = [
  unread('a link that is a number', links, { items: [1], next_page: 2 }, /"next_page".*a number/),
  unread('a link that is true', links, { items: [1], next_page: true }, /"next_page".*true/),
  unread('a link that is an object', links, { items: [1], next_page: { a: 1 } }, /"next_page".*an object/),
  unread('the same for Zendesk', { method: 'zendesk.response.url' }, { items: [1], next_page: 5 }, /"next_page"/),
  unread('a row without an id', ids, { items: [{ info: { id: 1 } }, { info: {} }] }, /"info\.id".*nothing/),
  unread('an id that is no number', ids, { items: [{ info: { id: 'x1' } }] }, /"info\.id".*"x1"/),
  unread('an id that is null', ids, { items: [{ info: { id: null } }] }, /"info\.id".*null/),
  unread('an id that is a list', ids, { items: [{ info: { id: [1] } }] }, /"info\.id".*a list/),
  unread('rows that are no objects', ids, { items: [5] }, /"info\.id".*nothing/),
  {
    rule: 'a link that is no address',
    api: { pagination: links },
    jobs: [{ endpoint: 'users', dataField: 'items' }],
    steps: [step('GET users', { items: [1], next_page: 'javascript:next()' })],
    code: 'ERR_REQUEST',
    says: /http or https/,
    job: 'users',
    page: 1,
  },
  {
    rule: 'pages that go round in a circle',
    api: { pagination: { method: 'response.param', responseParam: 'next', queryParam: 'page' } },
    jobs: [{ endpoint: 'users', dataField: 'items' }],
    steps: [
      step('GET users', { items: [1], next: 'b' }),
      step('GET users?page=b', { items: [2], next: 'c' }),
      step('GET users?page=c', { items: [1], next: 'b' }),
      step('GET users?page=b', { items: [2], next: 'c' }),
    ],
    code: 'ERR_LOOP',
    says: /pages? /,
    job: 'users',
    page: 3,
  },
];

export const pagination: readonly Row[] = [...keys, ...unknown, ...conditions, ...choices, ...own, ...responses];
