/** Traces of pagination. docs/03-pagination.md. */
import { rawJson } from '../loopback/api.js';
import { step, type Trace } from './trace.js';

const ada = { id: 123, name: 'Ada' };
const alan = { id: 234, name: 'Alan' };
const grace = { id: 345, name: 'Grace' };
const edsger = { id: 456, name: 'Edsger' };

const users = (over: object) => [{ endpoint: 'users', ...over }];

export const paging: readonly Trace[] = [
  {
    rule: 'docs/03-pagination.md: the pagination of a job replaces `api.pagination` whole; its child has `api.pagination`, or its own',
    api: { pagination: { method: 'pagenum', limit: 1, nextPageFlag: { field: 'more', stopOn: false } } },
    jobs: [
      {
        endpoint: 'users',
        dataField: 'items',
        pagination: { method: 'offset', limit: 2 },
        children: [
          { endpoint: 'user/{id}', dataField: '.', placeholders: { id: 'id' }, pagination: { method: 'none' } },
          { endpoint: 'user/{id}/tags', dataField: 'items', placeholders: { id: 'id' } },
        ],
      },
      { endpoint: 'orders', dataField: 'items' },
    ],
    steps: [
      step('GET users?limit=2&offset=0', { items: [ada, alan], more: false }),
      step('GET user/123', { id: 123 }),
      step('GET user/234', { id: 234 }),
      step('GET user/123/tags?page=1&limit=1', { items: [1], more: true }),
      step('GET user/123/tags?page=2&limit=1', { items: [2], more: false }),
      step('GET user/234/tags?page=1&limit=1', { items: [3], more: false }),
      step('GET users?limit=2&offset=2', { items: [grace], more: false }),
      step('GET user/345', { id: 345 }),
      step('GET user/345/tags?page=1&limit=1', { items: [4], more: false }),
      step('GET orders?page=1&limit=1', { items: [5], more: false }),
    ],
    items: { users: [ada, alan, grace], orders: [5] },
  },
  {
    rule: 'the bytes of forceStop are passed, not met',
    api: { pagination: { method: 'offset', limit: 2, forceStop: { volume: 50 } } },
    steps: [
      // 50 bytes as compact JSON, a slash and an umlaut escaped.
      step('GET users?limit=2&offset=0', rawJson('[{"id":1,"x":"a/b"}, {"id":2,"x":"ü0123456"}]')),
      step('GET users?limit=2&offset=2', [ada, alan]),
    ],
  },
  {
    rule: 'an offset of the job gives way, its other parameters stay; a short page ends',
    api: { pagination: { method: 'offset', limit: 2 } },
    jobs: users({ params: { offset: 7, q: 'x' } }),
    steps: [step('GET users?offset=0&q=x&limit=2', [ada, alan]), step('GET users?offset=2&q=x&limit=2', [grace])],
    items: { users: [ada, alan, grace] },
  },
  {
    rule: 'a page number and a limit with every request; a short page ends',
    api: { pagination: { method: 'pagenum', limit: 2 } },
    jobs: users({ params: { q: 'x' } }),
    steps: [step('GET users?q=x&page=1&limit=2', [ada, alan]), step('GET users?q=x&page=2&limit=2', [grace])],
  },
  {
    rule: 'parameters of the job go with the first request alone; an empty page with a value goes on',
    api: { pagination: { method: 'response.param', responseParam: 'next', queryParam: 'page' } },
    jobs: users({ params: { q: 'x' }, dataField: 'items' }),
    steps: [
      step('GET users?q=x', { items: [ada], next: 2 }),
      step('GET users?page=2', { items: [], next: 0 }),
      step('GET users?page=0', { items: [alan], next: false }),
    ],
    items: { users: [ada, alan] },
    warnings: ['empty-page'],
  },
  {
    rule: 'links as they come, whole, relative to the base URL, or a query of it',
    api: { pagination: { method: 'response.url' } },
    jobs: users({ params: { q: 'x' }, dataField: 'items' }),
    steps: [
      step('GET users?q=x', { items: [ada], next_page: 'http://api.test/v1/users?page=2' }),
      step('GET users?page=2', { items: [alan], next_page: 'users?page=3&a[]=b%20c' }),
      step('GET users?page=3&a%5B%5D=b%20c', { items: [grace], next_page: '?page=4' }),
      step('GET ?page=4', { items: [], next_page: '' }),
    ],
  },
  {
    rule: 'each job by the method that it names, children by their own',
    api: {
      pagination: {
        method: 'multiple',
        default: 'pages',
        scrollers: { pages: { method: 'pagenum' }, ids: { method: 'cursor', idKey: 'id', param: 'since' } },
      },
    },
    jobs: [
      {
        endpoint: 'users',
        scroller: 'ids',
        children: [{ endpoint: 'user/{id}', dataType: 'tags', placeholders: { id: 'id' } }],
      },
      { endpoint: 'orders' },
    ],
    steps: [
      step('GET users', [ada]),
      step('GET user/123?page=1', []),
      step('GET users?since=123', []),
      step('GET orders?page=1', []),
    ],
  },
  {
    rule: 'a jump back to the first page is noticed one page later, so that its items come twice',
    api: { pagination: { method: 'offset', limit: 2 } },
    steps: [
      step('GET users?limit=2&offset=0', [ada, alan]),
      step('GET users?limit=2&offset=2', [grace, edsger]),
      step('GET users?limit=2&offset=4', [ada, alan]),
      step('GET users?limit=2&offset=6', [ada, alan]),
    ],
    items: { users: [ada, alan, grace, edsger, ada, alan] },
  },
  {
    rule: 'limitStop by a field, beside a method that would go on',
    api: { pagination: { method: 'offset', limit: 2, limitStop: { field: 'paging.total' } } },
    jobs: users({ dataField: 'items' }),
    steps: [
      step('GET users?limit=2&offset=0', { items: [ada, alan], paging: { total: '4' } }),
      step('GET users?limit=2&offset=2', { items: [grace, edsger], paging: { total: '4' } }),
    ],
    items: { users: [ada, alan, grace, edsger] },
  },
  {
    rule: 'a flag that is not set counts as ifNotSet says',
    api: {
      pagination: {
        method: 'pagenum',
        nextPageFlag: { field: 'hasMore', stopOn: false, ifNotSet: false },
      },
    },
    jobs: users({ dataField: 'items' }),
    steps: [
      step('GET users?page=1', { hasMore: true, items: [ada] }),
      step('GET users?page=2', { hasMore: 'no', items: [alan] }),
      step('GET users?page=3', { items: [grace] }),
    ],
    items: { users: [ada, alan, grace] },
  },
  {
    rule: 'the pages of forceStop are counted in each job anew',
    api: { pagination: { method: 'pagenum', forceStop: { pages: 2 } } },
    jobs: [{ endpoint: 'users' }, { endpoint: 'orders' }],
    steps: [
      step('GET users?page=1', [ada]),
      step('GET users?page=2', [alan]),
      step('GET orders?page=1', [{ id: 1 }]),
      step('GET orders?page=2', [{ id: 2 }]),
    ],
  },
  {
    rule: 'a limit and an offset of the job stand where the job has them; the next job knows nothing of that',
    api: {
      pagination: {
        method: 'offset',
        limit: '10',
        limitParam: 'count',
        offsetParam: 'skip',
        offsetFromJob: true,
      },
    },
    jobs: [{ endpoint: 'users', params: { count: 5, skip: 2 } }, { endpoint: 'orders' }],
    steps: [step('GET users?count=5&skip=2', [ada]), step('GET orders?count=10&skip=0', [{ id: 1 }])],
  },
  {
    rule: 'a limit of the job goes with a first page that has no page parameters, and names of our own for both',
    api: {
      pagination: {
        method: 'pagenum',
        firstPage: 0,
        firstPageParams: false,
        limitParam: 'count',
        pageParam: 'set',
      },
    },
    jobs: users({ params: { count: 2 } }),
    steps: [
      step('GET users?count=2', [ada, alan]),
      step('GET users?count=2&set=1', [grace, edsger]),
      step('GET users?count=2&set=2', [{ id: 567 }]),
    ],
  },
  {
    rule: 'from the second request on the value takes the place of the job parameter',
    api: {
      pagination: {
        method: 'response.param',
        responseParam: 'scroll.next',
        queryParam: 'page',
        includeParams: true,
      },
    },
    jobs: users({ params: { page: 'start', orderBy: 'id' }, dataField: 'items' }),
    steps: [
      step('GET users?page=start&orderBy=id', { items: [ada], scroll: { next: 2 } }),
      step('GET users?page=2&orderBy=id', { items: [alan], scroll: {} }),
    ],
  },
  {
    rule: 'a search begins by POST, and its results are fetched by GET with the latest token',
    api: {
      pagination: {
        method: 'response.param',
        responseParam: 'scroll.token',
        queryParam: 'scrollToken',
        scrollRequest: { endpoint: 'results', method: 'GET' },
      },
    },
    jobs: [{ endpoint: 'search', method: 'POST', params: { type: 'all' }, dataField: 'items', dataType: 'users' }],
    steps: [
      step('POST search', { items: [ada], scroll: { token: 'A' } }, { body: '{"type":"all"}' }),
      step('GET results?scrollToken=A', { items: [alan], scroll: { token: 'B' } }),
      step('GET results?scrollToken=B', { items: [grace], scroll: { token: null } }),
    ],
    items: { users: [ada, alan, grace] },
  },
  {
    rule: 'a link with a path starts at the host; parameters of the job follow those that it has',
    api: { pagination: { method: 'response.url', urlKey: 'links.next', includeParams: true } },
    jobs: users({ params: { account: 123 }, dataField: 'items' }),
    steps: [
      step('GET users?account=123', { items: [ada], links: { next: '/v1/users?page=2' } }),
      step('GET users?page=2&account=123', { items: [alan], links: { next: '' } }),
    ],
  },
  {
    rule: 'a value that is a query goes behind the parameters of the job',
    api: {
      pagination: { method: 'response.url', urlKey: 'next', includeParams: true, paramIsQuery: true },
    },
    jobs: users({ params: { account: 123 }, dataField: 'items' }),
    steps: [
      step('GET users?account=123', { items: [ada], next: '?page=2' }),
      step('GET users?account=123&page=2', { items: [alan], next: null }),
    ],
  },
  {
    rule: 'the highest id over all pages and an increment; the first request is the job',
    api: { pagination: { method: 'cursor', idKey: 'id', param: 'startAt', increment: 1 } },
    jobs: users({ dataField: 'items' }),
    steps: [
      step('GET users', { items: [grace, ada] }),
      step('GET users?startAt=346', { items: [edsger] }),
      step('GET users?startAt=457', { items: [] }),
    ],
  },
  {
    rule: 'downwards from the lowest id, in the place of what the job began with',
    api: { pagination: { method: 'cursor', idKey: 'id', param: 'startWith', reverse: true, increment: -1 } },
    jobs: users({ params: { startWith: 'last', account: 123 }, dataField: 'items' }),
    steps: [
      step('GET users?startWith=last&account=123', { items: [edsger, { id: '345' }] }),
      step('GET users?startWith=344&account=123', { items: [alan, ada] }),
      step('GET users?startWith=122&account=123', { items: [] }),
    ],
  },
];
