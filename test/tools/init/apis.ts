/** Loopback APIs that `init` must read: different pagination, different credentials, all with the same users. */
import type { Answer, RecordedRequest, Reply } from '../../loopback/api.js';
import { headerOf, json } from '../../loopback/api.js';

export interface User {
  readonly id: number;
  readonly name: string;
  readonly made: string;
}

/** In the order of their ids and of their times. Two users have the same time. */
export const users: readonly User[] = Array.from({ length: 57 }, (_, index) => ({
  id: 100 + index * 3,
  name: `user ${index}`,
  made: `2026-01-${String(1 + Math.floor(index / 2)).padStart(2, '0')}T00:00:00Z`,
}));

export interface SampleApi {
  readonly name: string;
  answer: Answer;
  /** What follows `http://` and the host. */
  readonly path: string;
  /** Before the host. */
  readonly user?: string;
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** A part of the configuration that it must lead to. */
  readonly expected: string;
  /** The variables of the configuration, with the values that a run needs; default: `env`. */
  readonly runEnv?: Readonly<Record<string, string>>;
  /** Absent: the users. */
  readonly items?: readonly unknown[];
}

/** The parameters of a request, of its query or of its JSON body. */
function paramsOf({ target, body }: RecordedRequest): ReadonlyMap<string, string> {
  const query = [...new URL(target, 'http://h').searchParams];
  const members =
    body === '' ? [] : Object.entries(JSON.parse(body)).map(([name, value]) => [name, String(value)] as const);
  return new Map([...query, ...members]);
}

interface Given {
  number(name: string, usual: number): number;
  text(name: string): string | undefined;
  readonly request: RecordedRequest;
}

function api(reply: (given: Given) => Reply): Answer {
  return (request) => {
    const params = paramsOf(request);
    const number = (name: string, usual: number) => Number(params.get(name) ?? usual);
    return reply({ number, text: (name) => params.get(name), request });
  };
}

/** The users from `start` on, at most `size`; a size below 1 is 10, one above 20 is 20. */
const slice = (start: number, size: number): readonly User[] =>
  users.slice(start, start + Math.min(20, size < 1 ? 10 : size));

const denied = json({ error: 'who are you?' }, { status: 401 });
const only =
  (isAllowed: (request: RecordedRequest) => boolean, answer: Answer): Answer =>
  (request, index) =>
    isAllowed(request) ? answer(request, index) : denied;

const header = (name: string, value: string) => (request: RecordedRequest) => headerOf(request, name) === value;
const basic = (user: string, password: string) =>
  header('authorization', `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`);

const bearerPages: SampleApi = {
  name: 'bearer token, page numbers from 1',
  path: '/api/v2/users',
  args: ['--header', `Authorization: Bearer \${MY_TOKEN}`],
  env: { MY_TOKEN: 'tok-5f3a99' },
  answer: only(
    header('authorization', 'Bearer tok-5f3a99'),
    api(({ number }) => {
      const size = Math.min(20, number('per_page', 10));
      return json({ data: slice((number('page', 1) - 1) * size, size), meta: { total: users.length } });
    }),
  ),
  expected: '{ "method": "pagenum", "pageParam": "page", "limitParam": "per_page", "limit": 20 }',
};

const basicZero: SampleApi = {
  name: 'user and password, page numbers from 0',
  path: '/users',
  user: `\${API_USER}:\${API_PASSWORD}@`,
  env: { API_USER: 'ada', API_PASSWORD: 'pass-77/word' },
  answer: only(
    basic('ada', 'pass-77/word'),
    api(({ number }) => {
      const size = Math.min(20, number('size', 10));
      const page = number('page', 0);
      const content = slice(page * size, size);
      return json({
        content,
        number: page,
        size,
        totalElements: users.length,
        last: page * size + size >= users.length,
      });
    }),
  ),
  expected: '"firstPage": 0, "limitParam": "size", "limit": 20',
};

const headerOffset: SampleApi = {
  name: 'key in a header, offsets, a list at the root',
  path: '/users?sort=id',
  args: ['--header', `X-Api-Key: \${THE_KEY}`],
  env: { THE_KEY: 'k-0123456789abcdef' },
  answer: only(
    header('x-api-key', 'k-0123456789abcdef'),
    api(({ number }) => json(slice(number('skip', 0), number('limit', 10)))),
  ),
  expected: '{ "method": "offset", "offsetParam": "skip", "limitParam": "limit", "limit": 20 }',
};

const queryLink: SampleApi = {
  name: 'key in the query, the header Link',
  path: `/users?api_key=\${THE_KEY}`,
  env: { THE_KEY: 'qk/99 8877' },
  answer: (request, index) => {
    const reply = api(({ number, text, request: { headers } }) => {
      if (text('api_key') !== 'qk/99 8877') return denied;
      const [page, size] = [number('page', 1), Math.min(20, number('per_page', 10))];
      const host = headers.find(([name]) => name.toLowerCase() === 'host')?.[1];
      const next = `<http://${host}/users?page=${page + 1}&per_page=${size}>; rel="next"`;
      return json(slice((page - 1) * size, size), {
        headers: { 'content-type': 'application/json', ...(page * size < users.length ? { link: next } : {}) },
      });
    });
    return reply(request, index);
  },
  expected: '{ "method": "link-header" }',
};

const nextLink: SampleApi = {
  name: 'a link in the body',
  path: '/v1/users',
  answer: api(({ number }) => {
    const [at, size] = [number('at', 0), Math.min(20, number('page_size', 10))];
    const next = at + size < users.length ? { href: `/v1/users?at=${at + size}&page_size=${size}` } : null;
    return json({ _embedded: { users: slice(at, size) }, _links: { self: { href: '/v1/users' }, next } });
  }),
  expected: '{ "method": "response.url", "urlKey": "_links.next.href" }',
};

const token: SampleApi = {
  name: 'a cursor in the body',
  path: '/users',
  answer: api(({ number, text }) => {
    const at = Number(Buffer.from(text('page_token') ?? '', 'base64').toString() || 0);
    const size = Math.min(20, number('max_results', 10));
    const rest = at + size < users.length ? Buffer.from(String(at + size)).toString('base64') : '';
    return json({ items: slice(at, size), next_page_token: rest });
  }),
  expected: '"responseParam": "next_page_token"',
};

const oddToken: SampleApi = {
  name: 'a cursor under a name that does not say its parameter',
  path: '/users',
  answer: api(({ number, text }) => {
    const at = Number((text('bookmark') ?? 'b0').slice(1));
    const size = Math.min(20, number('count', 10));
    return json({
      results: slice(at, size),
      paging: { cursors: { next: at + size < users.length ? `b${at + size}` : null } },
    });
  }),
  expected: '"queryParam": "bookmark"',
};

const stripe: SampleApi = {
  name: 'a key as the user of Basic, items after the last id, a flag',
  path: '/v1/users',
  user: `\${STRIPE_KEY}@`,
  env: { STRIPE_KEY: 'sk_test_4eC39Hq' },
  answer: only(
    basic('sk_test_4eC39Hq', ''),
    api(({ number, text }) => {
      const after = text('starting_after');
      const at = after === undefined ? 0 : users.findIndex(({ id }) => String(id) === after) + 1;
      const size = number('limit', 10);
      if (size > 50) return json({ error: { message: 'Invalid integer: limit must be at most 50' } }, { status: 400 });
      return json({ object: 'list', data: users.slice(at, at + size), has_more: at + size < users.length });
    }),
  ),
  expected: '"param": "starting_after"',
};

const sinceId: SampleApi = {
  name: 'items above an id, a list at the root',
  path: '/users',
  answer: api(({ number }) => {
    const rest = users.filter(({ id }) => id > number('since_id', 0));
    return json(rest.slice(0, Math.min(20, number('limit', 10))));
  }),
  expected: '"param": "since_id"',
};

const sinceTime: SampleApi = {
  name: 'items since a time, which are repeated',
  path: '/users',
  answer: api(({ number, text }) => {
    const rest = users.filter(({ made }) => made >= (text('updated_since') ?? ''));
    return json({ users: rest.slice(0, Math.min(20, number('per_page', 12))) });
  }),
  expected: '"param": "updated_since"',
};

const graphql: SampleApi = {
  name: 'GraphQL with a cookie',
  path: '/graphql',
  args: [
    ...['--header', `Cookie: session=\${SESSION}`, '--allow-post', '--body'],
    '{"query":"query($after: String) { users(first: 10, after: $after) { edges { node { id } } pageInfo { endCursor hasNextPage } } }"}',
  ],
  env: { SESSION: 's-abcdef-123456' },
  answer: only(header('cookie', 'session=s-abcdef-123456'), ({ body }) => {
    const { variables = {} } = JSON.parse(body);
    const at = variables.after === undefined ? 0 : Number(variables.after.slice(1));
    const edges = users.slice(at, at + 10).map((node) => ({ node }));
    const pageInfo = { endCursor: `c${at + edges.length}`, hasNextPage: at + 10 < users.length };
    return json({ data: { users: { edges, pageInfo } } });
  }),
  expected: '"variables", "after"',
  items: users.map((node) => ({ node })),
};

const searchPost: SampleApi = {
  name: 'a POST with page and size in its body',
  path: '/search?team=9f31ab42c7d05e88&kind=all',
  args: ['--body', '{"query":"user","page":3,"size":5}', '--allow-post'],
  runEnv: { API_QUERY: 'user', API_TEAM: '9f31ab42c7d05e88' },
  answer: api(({ number, text, request }) => {
    if (request.method !== 'POST') return json({ error: 'POST' }, { status: 405 });
    if (text('team') !== '9f31ab42c7d05e88') return denied;
    const size = Math.min(20, number('size', 10));
    return json({ hits: { hits: slice((number('page', 1) - 1) * size, size), total: users.length } });
  }),
  expected: '"method": "pagenum", "pageParam": "page", "limitParam": "size"',
};

const kept: SampleApi = {
  name: 'a value that the user calls harmless',
  path: '/users?view=7f3a9c2e41b0d866&_shape=objects&pin=4711',
  args: ['--keep', 'view', '--keep', '_shape'],
  runEnv: { API_PIN: '4711' },
  answer: api(({ text }) =>
    text('view') === '7f3a9c2e41b0d866' && text('_shape') === 'objects' && text('pin') === '4711'
      ? json({ users })
      : denied,
  ),
  expected: '"params": { "view": "7f3a9c2e41b0d866", "_shape": "objects" }',
};

const single: SampleApi = {
  name: 'one page',
  path: '/users',
  answer: api(() => json({ users })),
  expected: '"dataField": "users"',
};

const nested: SampleApi = {
  name: 'a nested list beside others, under names with dots',
  path: '/report?page=2&limit=10',
  answer: api(({ number }) => {
    const size = number('limit', 10);
    const rows = slice((number('page', 1) - 1) * size, size);
    return json({ 'report.v2': { warnings: [], columns: [{ name: 'id' }], rows }, page: number('page', 1) });
  }),
  expected: '{ "path": "report.v2/rows", "delimiter": "/" }',
};

const map: SampleApi = {
  name: 'an object of objects',
  path: '/users',
  answer: api(() => json(Object.fromEntries(users.map((user) => [`u${user.id}`, user])))),
  expected: '"dataField": "."',
  items: [Object.fromEntries(users.map((user) => [`u${user.id}`, user]))],
};

const strict: SampleApi = {
  name: 'an API that rejects unknown parameters',
  path: '/users',
  answer: ({ target, ...request }, index) => {
    const names = [...new URL(target, 'http://h').searchParams.keys()];
    const unknown = names.find((name) => name !== 'page' && name !== 'limit');
    if (unknown !== undefined) return json({ error: `unknown parameter ${unknown}` }, { status: 400 });
    const answer = api(({ number }) => {
      const size = Math.min(20, number('limit', 10));
      return json({ users: slice((number('page', 1) - 1) * size, size) });
    });
    return answer({ target, ...request }, index);
  },
  expected: '"limitParam": "limit", "limit": 20',
};

const odd: SampleApi = {
  name: 'an API that cannot read brackets, with names that begin with a line',
  path: '/users?_page=1&_per_page=10',
  answer: (request, index) => {
    if (/%5B|%24/.test(request.target)) return { status: 500, body: 'Invalid character in an index' };
    const answer = api(({ number }) => {
      const [page, size] = [number('_page', 1), Math.min(20, number('_per_page', 10))];
      const next = page * size < users.length ? page + 1 : null;
      return json({ first: 1, next, data: slice((page - 1) * size, size) });
    });
    return answer(request, index);
  },
  expected: '"queryParam": "_page"',
};

const filtering: SampleApi = {
  name: 'an API that filters its items by unknown parameters',
  path: '/users',
  answer: ({ target, ...request }, index) => {
    const names = [...new URL(target, 'http://h').searchParams.keys()];
    if (names.some((name) => name !== 'page' && name !== 'per_page')) return json({ users: [] });
    const answer = api(({ number }) => {
      const size = Math.min(20, number('per_page', 10));
      return json({ users: slice((number('page', 1) - 1) * size, size) });
    });
    return answer({ target, ...request }, index);
  },
  expected: '"limitParam": "per_page", "limit": 20',
};

const noSize: SampleApi = {
  name: 'pages of a fixed size',
  path: '/users',
  answer: api(({ number }) => json({ users: slice((number('p', 1) - 1) * 8, 8) })),
  expected: '{ "method": "pagenum", "pageParam": "p" }',
};

const rows: SampleApi = {
  name: 'rows that are lists, and a link',
  path: '/users.json',
  answer: api(({ number, request }) => {
    const [at, size] = [number('_next', 0), Math.min(20, number('_size', 10))];
    const host = headerOf(request, 'host');
    const found = slice(at, size).map(({ id, name }) => [id, name]);
    const next = at + size < users.length ? `http://${host}/users.json?_next=${at + size}&_size=${size}` : null;
    return json({ columns: ['id', 'name'], rows: found, suggested_facets: [{ name: 'name' }], next_url: next });
  }),
  expected: '"urlKey": "next_url"',
  items: users.map(({ id, name }) => ({ id, name })),
};

const onePageOnly: SampleApi = {
  name: 'page numbers, and a list that fits on one page',
  path: '/users',
  answer: api(({ number }) => json({ users: number('page', 1) === 1 ? users.slice(0, 7) : [] })),
  expected: '{ "method": "pagenum", "pageParam": "page" }',
  items: users.slice(0, 7),
};

const lines: SampleApi = {
  name: 'lines of JSON with offsets',
  path: '/users.jsonl',
  answer: api(({ number }) => ({
    headers: { 'content-type': 'application/x-ndjson' },
    body: slice(number('offset', 0), number('limit', 10))
      .map((user) => `${JSON.stringify(user)}\n`)
      .join(''),
  })),
  expected: '"method": "offset"',
};

const cursorHeader: SampleApi = {
  name: 'a cursor in a header of the response',
  path: '/users',
  answer: api(({ number, text }) => {
    const [at, size] = [Number((text('cursor') ?? 'c0').slice(1)), number('limit', 10)];
    const next = at + Math.min(20, size);
    const more = next < users.length ? { 'x-next-cursor': `c${next}` } : {};
    return json(slice(at, size), { headers: { 'content-type': 'application/json', ...more } });
  }),
  expected: '{ "method": "response.header", "header": "X-Next-Cursor", "queryParam": "cursor", "includeParams": true }',
};

const pageHeader: SampleApi = {
  name: 'the next page in a header, under a name that only the header suggests',
  path: '/users',
  answer: api(({ number }) => {
    const [at, size] = [number('continuation', 0), 10];
    const more = at + size < users.length ? { 'x-ms-continuation': String(at + size) } : {};
    return json(slice(at, size), { headers: { 'content-type': 'application/json', ...more } });
  }),
  expected: '"header": "X-Ms-Continuation", "queryParam": "continuation"',
};

/** As Verdaccio searches: it cuts the page before it skips, so that `from` leads to nothing. */
const totalOfPage: SampleApi = {
  name: 'a page size without pages, and a total that is the number of items of the page',
  path: '/search',
  answer: api(({ number }) => {
    const objects = users.slice(0, number('size', 20)).slice(number('from', 0));
    return json({ objects, total: objects.length });
  }),
  expected: '"params": { "size": 1000 }',
};

const urlHeader: SampleApi = {
  name: 'the address of the next page in a header that is not Link',
  path: '/v1/users?active=true',
  answer: api(({ number, text, request: { target } }) => {
    const [at, size] = [number('from_row', 0), Math.min(20, number('batch', 8))];
    if (text('active') !== 'true') return json({ error: 'which?' }, { status: 400 });
    const next = target.includes('from_row')
      ? `?active=true&from_row=${at + size}`
      : `/v1/users?active=true&from_row=${size}`;
    const more = at + size < users.length ? { 'x-next-page-url': next } : {};
    const headers = { 'content-type': 'application/json', 'x-prev-page-url': '/v1/users?from_row=0', ...more };
    return json(slice(at, size), { headers });
  }),
  expected: '{ "method": "link-header", "header": "X-Next-Page-Url" }',
};

const relationHeader: SampleApi = {
  name: 'links with relations in a header that is not Link',
  path: '/users',
  answer: api(({ number, request: { headers } }) => {
    const host = headers.find(([name]) => name.toLowerCase() === 'host')?.[1];
    const [at, size] = [number('mark', 0), 9];
    const link = `<http://${host}/users>; rel="first", <http://${host}/users?mark=${at + size}>; rel="next"`;
    const more = at + size < users.length ? { 'x-links': link } : {};
    return json(slice(at, size), { headers: { 'content-type': 'application/json', ...more } });
  }),
  expected: '{ "method": "link-header", "header": "X-Links" }',
};

const tinyPages: SampleApi = {
  name: 'pages of at most seven items, whatever is asked for',
  path: '/users',
  answer: api(({ number }) => json({ users: slice(number('offset', 0), Math.min(7, number('limit', 7))) })),
  expected: '{ "method": "offset", "offsetParam": "offset", "limitParam": "limit", "limit": 7 }',
};

/** As SCIM does. RFC 7644, section 3.4.2.4. */
const fromOne: SampleApi = {
  name: 'the number of the first item, which counts from 1',
  path: '/scim/v2/Users',
  answer: api(({ number }) => {
    const [start, size] = [Math.max(1, number('startIndex', 1)), Math.min(20, number('count', 10))];
    const Resources = slice(start - 1, size);
    return json({ totalResults: users.length, startIndex: start, itemsPerPage: Resources.length, Resources });
  }),
  expected: '"offsetParam": "startIndex", "limitParam": "count", "limit": 20, "offsetFromJob": true',
};

const firstRow: SampleApi = {
  name: 'the number of the first item, which counts from 1, under a name for offsets',
  path: '/users',
  answer: api(({ number }) => json({ rows: slice(Math.max(1, number('start', 1)) - 1, number('rows', 10)) })),
  expected: '"offsetParam": "start", "limitParam": "rows", "limit": 20, "offsetFromJob": true',
};

const bareQuery: SampleApi = {
  name: 'a query without its question mark',
  path: '/v1/users?active=true',
  answer: api(({ number, text }) => {
    const at = number('row', 0);
    const next = at + 10 < users.length ? `row=${at + 10}&z=1` : null;
    return text('active') === 'true' ? json({ users: slice(at, 10), next }) : denied;
  }),
  expected: '"urlKey": "next", "paramIsQuery": true, "includeParams": true',
};

/** As Airtable does. */
const textOffset: SampleApi = {
  name: 'an offset that is a token',
  path: '/v0/app/users',
  answer: api(({ number, text }) => {
    const [at, size] = [Number((text('offset') ?? 'itr/0').slice(4)), number('pageSize', 10)];
    if (Number.isNaN(at) || size < 1 || size > 20) return json({ error: 'INVALID' }, { status: 422 });
    return json({ records: slice(at, size), ...(at + size < users.length ? { offset: `itr/${at + size}` } : {}) });
  }),
  expected: '"responseParam": "offset", "queryParam": "offset"',
};

/** As Elasticsearch does. */
const searchApi: SampleApi = {
  name: 'a search that rejects names that it does not know',
  path: '/users/_search',
  args: ['--body', '{"query":{"match_all":{}},"sort":[{"id":"asc"}]}', '--allow-post'],
  answer: api(({ number, request }) => {
    const known = ['query', 'sort', 'from', 'size'];
    const others = Object.keys(JSON.parse(request.body)).filter((name) => !known.includes(name));
    if (others.length > 0) return json({ error: { reason: `unknown key [${others[0]}]` } }, { status: 400 });
    return json({ hits: { total: { value: 57, relation: 'eq' }, hits: slice(number('from', 0), number('size', 10)) } });
  }),
  expected: '"offsetParam": "from", "limitParam": "size", "limit": 20',
};

/** As Notion does. */
const strictCursor: SampleApi = {
  name: 'a cursor in a body whose other names are rejected',
  path: '/v1/databases/7/query',
  args: ['--body', '{}', '--allow-post'],
  answer: api(({ number, text, request }) => {
    const names = Object.keys(JSON.parse(request.body));
    if (!names.every((name) => ['start_cursor', 'page_size'].includes(name))) return json({}, { status: 400 });
    const [at, size] = [Number((text('start_cursor') ?? 'c0').slice(1)), Math.min(20, number('page_size', 20))];
    const isMore = at + size < users.length;
    return json({ results: slice(at, size), has_more: isMore, next_cursor: isMore ? `c${at + size}` : null });
  }),
  expected: '"responseParam": "next_cursor", "queryParam": "start_cursor"',
};

const endsWithError: SampleApi = {
  name: 'pages of a fixed size, and status 404 after the last one',
  path: '/users',
  answer: api(({ number }) => {
    const page = slice((number('page', 1) - 1) * 10, 10);
    return page.length > 0 ? json({ items: page }) : json({ error: 'no such page' }, { status: 404 });
  }),
  expected: '{ "method": "pagenum", "pageParam": "page", "endStatuses": [404] }',
};

const fullLastPage: SampleApi = {
  name: 'a full last page, and status 400 after it, where the total is known',
  path: '/users',
  items: users.slice(0, 40),
  answer: api(({ number }) => {
    const [at, size] = [number('skip', 0), Math.min(20, number('limit', 10))];
    if (at >= 40) return json({ error: at > 40 ? 'too far' : 'no such page' }, { status: 400 });
    return json({ items: users.slice(at, Math.min(40, at + size)), total: 40 });
  }),
  expected: '"offsetParam": "skip", "limitParam": "limit", "limit": 20, "endStatuses": [400]',
};

const nestedOffset: SampleApi = {
  name: 'offset and limit in an object of the body',
  path: '/search',
  args: ['--body', '{"filter":{"active":true},"page":{"offset":0,"limit":10}}', '--allow-post'],
  answer: api(({ request }) => {
    const { filter, page } = JSON.parse(request.body);
    return filter.active === true ? json({ results: slice(page.offset, page.limit) }) : denied;
  }),
  expected: '"offsetParam": ["page", "offset"], "limitParam": ["page", "limit"], "limit": 10',
};

const nestedPage: SampleApi = {
  name: 'the page number, from 0, in an object of the body',
  path: '/search',
  args: ['--body', '{"paging":{"pageNumber":"0","pageSize":"10"}}', '--allow-post'],
  answer: api(({ request }) => {
    const { pageNumber, pageSize } = JSON.parse(request.body).paging;
    return json({ results: slice(Number(pageNumber) * Number(pageSize), Number(pageSize)) });
  }),
  expected: '"pageParam": ["paging", "pageNumber"], "firstPage": 0',
};

const nestedCursor: SampleApi = {
  name: 'a cursor in an object of the body',
  path: '/search',
  args: ['--body', '{"page":{"cursor":null}}', '--allow-post'],
  answer: api(({ request }) => {
    const at = Number((JSON.parse(request.body).page.cursor ?? 'c0').slice(1));
    return json({ results: slice(at, 10), meta: { next: at + 10 < users.length ? `c${at + 10}` : null } });
  }),
  expected: '"responseParam": "meta.next", "queryParam": ["page", "cursor"]',
};

const besideItself: SampleApi = {
  name: 'links relative to the address of their response',
  path: '/shop/items/list',
  answer: api(({ number, request: { target } }) => {
    const at = number('row', 0);
    if (!target.startsWith('/shop/items/list')) return json({}, { status: 404 });
    return json({ users: slice(at, 10), next: at + 10 < users.length ? `./list?row=${at + 10}` : null });
  }),
  expected:
    '/shop/items/", // The link at "next": proven by a second page. "pagination": { "method": "response.url", "urlKey": "next" }',
};

const endlessOffset: SampleApi = {
  name: 'the next offset also on the last page, where a flag says that it is the last',
  path: '/users',
  answer: api(({ number }) => {
    const at = number('offset', 0);
    return json({ results: slice(at, 10), hasMore: at + 10 < users.length, nextOffset: at + 10 });
  }),
  expected: '"nextPageFlag": { "field": ["hasMore"], "stopOn": false }',
};

export const apis: readonly SampleApi[] = [
  ...[bearerPages, basicZero, headerOffset, queryLink, nextLink, token, oddToken, stripe, sinceId, sinceTime],
  ...[graphql, searchPost, kept, single, nested, map, rows, onePageOnly, strict, odd, filtering, noSize, lines],
  ...[totalOfPage, cursorHeader, pageHeader, urlHeader, relationHeader, tinyPages, fromOne, firstRow, bareQuery],
  ...[textOffset, searchApi, strictCursor, endsWithError, fullLastPage],
  ...[nestedOffset, nestedPage, nestedCursor, besideItself, endlessOffset],
];
