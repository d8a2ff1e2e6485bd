/**
 * APIs with a configuration each, for runs that are interrupted and resumed. A response depends on its request alone.
 */
import type { Configuration } from '../../src/config/configuration.js';
import { type Api, headerOf, items, json, type RecordedRequest, type Reply, startApi } from '../loopback/api.js';
import { inFolder } from '../sinks/lib.js';
import { unchecked } from '../unchecked.js';

export interface Scene {
  readonly what: string;
  readonly api: object;
  readonly jobs: readonly object[];
  readonly config?: object;
  readonly concurrency?: number;
  /** Of so many moments one is tried; absent: all are. */
  readonly stride?: number;
  readonly answer: (url: URL, request: RecordedRequest, index: number) => Reply;
  /** Requests that every run makes anew. */
  readonly isFree?: (target: string) => boolean;
  /** Pages are requested that are never written. */
  readonly discards?: true;
}

export const secret = 'hush-hush-password';
/** What logins give begins so. */
export const token = 'token-of-login-';

/** The scene as a configuration of an API at this address. */
export const configurationOf = ({ api, config, jobs }: Scene, origin: string): Configuration =>
  unchecked({
    api: { baseUrl: `${origin}/`, retryConfig: { maxRetries: 0 }, ...api },
    config: { '#password': secret, ...config, jobs },
  });

/** Runs a test against the server of a scene, in a directory of its own. */
export function onServer(scene: Scene, use: (server: Api, dir: string) => Promise<void>): () => Promise<void> {
  return inFolder(async (dir) => {
    const server = await startApi((request, index) =>
      scene.answer(new URL(request.target, 'http://x'), request, index),
    );
    try {
      await use(server, dir);
    } finally {
      await server.close();
    }
  });
}

const pages = 4;
const of = (url: URL, list: readonly object[]) => list.map((item) => ({ ...item, of: url.pathname }));

const children = [
  {
    endpoint: 'groups/{group}/users',
    dataType: 'users',
    placeholders: { group: 'id' },
    children: [{ endpoint: 'users/{user}/notes', dataType: 'notes', placeholders: { user: 'id' } }],
  },
  { endpoint: 'groups/{id}/tags', dataType: 'tags', placeholders: { id: 'id' } },
];

const nested: Omit<Scene, 'what'> = {
  api: {
    pagination: { method: 'pagenum', limit: 2 },
    authentication: {
      type: 'login',
      loginRequest: { endpoint: 'login', method: 'POST', params: { password: { attr: '#password' } } },
      apiRequest: { headers: { 'X-Token': { response: 'token' } } },
    },
  },
  jobs: [{ endpoint: 'groups', dataType: 'groups', children }],
  isFree: (target) => target === '/login',
  answer(url, request, index) {
    if (url.pathname === '/login') return json({ token: `${token}${index}` });
    if (!headerOf(request, 'X-Token')?.startsWith(token)) return json({}, { status: 401 });
    const page = Number(url.searchParams.get('page'));
    const owner = Number(/\d+/.exec(url.pathname)?.[0] ?? 0);
    const counts = url.pathname === '/groups' ? [2, 1] : url.pathname.endsWith('tags') ? [1] : [2, 0];
    return json(of(url, items(owner * 100 + page * 10, counts[page - 1] ?? 0)));
  },
};

const divided: Omit<Scene, 'what'> = {
  api: { pagination: { method: 'pagenum', limit: 2 } },
  jobs: [
    {
      endpoint: 'areas/{area}',
      dataType: 'areas',
      each: { area: ['a', 'b'], kind: [1, 2] },
      children: [{ endpoint: 'areas/{area}/{id}', dataType: 'details', placeholders: { id: 'id' } }],
    },
    { endpoint: 'notes', dataType: 'notes', each: { area: { job: 'areas', path: 'id' } } },
  ],
  answer(url) {
    const page = Number(url.searchParams.get('page'));
    if (!/^\/areas\/\w$/.test(url.pathname))
      return json(of(url, page === 1 ? [{ area: url.searchParams.get('area') }] : []));
    const first = 100 * Number(url.searchParams.get('kind')) + (url.pathname.endsWith('a') ? 0 : 50);
    return json(of(url, page === 1 ? items(first, 2) : page === 2 ? items(first + 2, 1) : []));
  },
};

/** Rows 0 to 39, of which a query gives four: three windows, which split twice. */
const windowed: Omit<Scene, 'what'> = {
  discards: true,
  api: { pagination: { method: 'pagenum', limit: 2 } },
  jobs: [
    {
      endpoint: 'rows',
      dataType: 'rows',
      dataField: 'items',
      windows: { from: 0, to: 40, step: 16, params: { from: 'start', to: 'end' }, split: true },
      children: [{ endpoint: 'rows/{id}', dataType: 'details', dataField: '.', placeholders: { id: 'id' } }],
    },
  ],
  answer(url) {
    if (url.pathname !== '/rows') return json(of(url, [{}])[0] ?? {});
    const [start = 0, end = 0, page = 1] = ['start', 'end', 'page'].map((name) => Number(url.searchParams.get(name)));
    const all = items(start, end - start);
    return json({ total: all.length, items: all.slice(0, 4).slice(2 * page - 2, 2 * page) });
  },
};

/** Some details fail, on their first page or on their second one. */
const failing: Omit<Scene, 'what'> = {
  api: { pagination: { method: 'pagenum', limit: 1 } },
  jobs: [
    {
      endpoint: 'rows',
      dataType: 'rows',
      children: [{ endpoint: 'rows/{id}', dataType: 'details', placeholders: { id: 'id' }, onError: { 404: 'skip' } }],
    },
  ],
  answer(url) {
    const page = Number(url.searchParams.get('page'));
    const id = Number(/\d+/.exec(url.pathname)?.[0] ?? 0);
    if (url.pathname === '/rows') return json(page <= pages ? items(page, 1) : []);
    return id % 2 === 0 && page === id / 2 ? { status: 404, body: 'gone' } : json(page < 3 ? of(url, [{ page }]) : []);
  },
};

export const scenes: readonly Scene[] = [
  {
    what: 'page numbers',
    api: { pagination: { method: 'pagenum' } },
    jobs: [{ endpoint: 'users' }],
    answer(url) {
      const page = Number(url.searchParams.get('page'));
      return json(page > pages ? [] : items(page * 2, 2));
    },
  },
  {
    what: 'a value of the response, and a secret with every request',
    api: { pagination: { method: 'response.param', responseParam: 'next', queryParam: 'cursor', includeParams: true } },
    jobs: [{ endpoint: 'users', dataType: 'users', dataField: 'items', params: { password: { attr: '#password' } } }],
    answer(url) {
      const at = Number(url.searchParams.get('cursor') ?? 1);
      if (url.searchParams.get('password') !== secret) return json({}, { status: 403 });
      return json({ items: items(at * 2, 2), next: at < pages ? at + 1 : null });
    },
  },
  {
    what: 'a link that brings back a secret of the configuration',
    api: { pagination: { method: 'response.url', urlKey: 'next' } },
    jobs: [{ endpoint: 'users', dataField: 'items', params: { key: { attr: '#password' } } }],
    answer(url) {
      if (url.searchParams.get('key') !== secret) return json({}, { status: 403 });
      const at = Number(url.searchParams.get('at') ?? 1);
      return json({ items: items(at * 2, 2), next: at < pages ? `/users?key=${secret}&at=${at + 1}` : null });
    },
  },
  {
    what: 'a link that brings back the token of a login',
    api: {
      pagination: { method: 'response.url', urlKey: 'next' },
      authentication: {
        type: 'login',
        loginRequest: { endpoint: 'login' },
        apiRequest: { query: { access_token: { response: 'token' } } },
      },
    },
    jobs: [{ endpoint: 'users', dataField: 'items' }],
    isFree: (target) => target === '/login',
    answer(url, _, index) {
      if (url.pathname === '/login') return json({ token: `${token}${index}` });
      const given = url.searchParams.get('access_token') ?? '';
      if (!given.startsWith(token)) return json({}, { status: 401 });
      const at = Number(url.searchParams.get('at') ?? 1);
      return json({ items: items(at * 2, 2), next: at < pages ? `/users?access_token=${given}&at=${at + 1}` : null });
    },
  },
  {
    what: 'the highest id so far',
    api: { pagination: { method: 'cursor', idKey: 'id', param: 'since' } },
    jobs: [{ endpoint: 'users' }],
    answer(url) {
      const since = BigInt(url.searchParams.get('since') ?? '90071992547409930');
      const ids = since >= 90071992547409940n ? [] : [since + 1n, since + 2n];
      return {
        headers: { 'content-type': 'application/json' },
        body: `[${ids.map((id) => `{"id":${id}}`).join(',')}]`,
      };
    },
  },
  {
    what: 'keys of 19 digits, and an API that repeats the last item',
    api: {
      pagination: { method: 'keyset', field: 'key', param: 'startkey', limit: 3, inclusive: true, encode: 'json' },
    },
    jobs: [{ endpoint: 'view', dataType: 'rows', dataField: 'rows' }],
    answer(url) {
      const from = BigInt(url.searchParams.get('startkey') ?? 0);
      const keys = Array.from({ length: 7 }, (_, index) => 9007199254740993120n + BigInt(index >> 1));
      const rows = keys.filter((key) => key >= from).slice(0, Number(url.searchParams.get('limit')));
      return {
        headers: { 'content-type': 'application/json' },
        body: `{"total_rows":7,"rows":[${rows.map((key) => `{"key":${key}}`).join(',')}]}`,
      };
    },
  },
  {
    what: 'a cursor in the body of GraphQL, and a secret beside it',
    api: {
      http: { defaultOptions: { method: 'POST', params: { query: 'query {}', variables: { first: 2 } } } },
      pagination: {
        method: 'response.param',
        responseParam: 'data.users.pageInfo.endCursor',
        queryParam: ['variables', 'after'],
        includeParams: true,
        nextPageFlag: { field: ['data', 'users', 'pageInfo', 'hasNextPage'], stopOn: false },
      },
    },
    jobs: [
      { endpoint: 'graphql', dataType: 'users', dataField: 'data.users.nodes', params: { key: { attr: '#password' } } },
    ],
    answer(_, { body }) {
      const { key, query, variables } = JSON.parse(body);
      if (key !== secret || query !== 'query {}') return json({}, { status: 403 });
      const at = Number(variables.after ?? 1);
      const pageInfo = { endCursor: String(at + 1), hasNextPage: at < pages };
      return json({ data: { users: { nodes: items(at * 2, variables.first), pageInfo } } });
    },
  },
  {
    what: 'two jobs of one data type',
    api: { pagination: { method: 'offset', limit: 2 } },
    jobs: [
      { endpoint: 'users', dataType: 'people' },
      { endpoint: 'admins', dataType: 'people' },
    ],
    answer(url) {
      const offset = Number(url.searchParams.get('offset'));
      return json(offset >= 4 ? [] : of(url, items(offset, 2)));
    },
  },
  { what: 'a walk for each combination, with children, and another job for its items', ...divided, stride: 2 },
  { what: 'the same, four requests at once', ...divided, concurrency: 4, stride: 5 },
  { what: 'windows that split, with children', ...windowed, stride: 7 },
  { what: 'windows that split, four requests at once', ...windowed, concurrency: 4, stride: 11 },
  { what: 'requests that fail and are left out', ...failing, stride: 2 },
  { what: 'requests that fail, four at once', ...failing, concurrency: 4, stride: 5 },
  { what: 'children two levels deep, with a login', ...nested, stride: 3 },
  { what: 'children two levels deep, four requests at once', ...nested, concurrency: 4, stride: 5 },
];
