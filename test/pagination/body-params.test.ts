/** Parameters of pagination at a path into a JSON body, from the configuration to the wire. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { memory } from '../../sinks/memory.js';
import type { Configuration } from '../../src/config/configuration.js';
import { extract, run } from '../../src/run/extract.js';
import { type Answer, type Api, items, json, startApi } from '../loopback/api.js';
import { rejection } from '../sinks/lib.js';
import { unchecked } from '../unchecked.js';
import { thrownBy } from './walk.js';

const relay = {
  method: 'response.param',
  responseParam: 'data.users.pageInfo.endCursor',
  queryParam: ['variables', 'after'],
  includeParams: true,
  nextPageFlag: { field: ['data', 'users', 'pageInfo', 'hasNextPage'], stopOn: false },
};

const users = {
  endpoint: 'graphql',
  method: 'POST',
  dataField: 'data.users.nodes',
  dataType: 'users',
  params: { query: 'query {}', variables: { first: 2 } },
};

const configOf = (origin: string, api: object, ...jobs: readonly object[]): Configuration =>
  unchecked({
    api: { baseUrl: `${origin}/`, retryConfig: { maxRetries: 0 }, ...api },
    config: { jobs },
  });

/** Pulls a configuration from a server; returns items and requests. */
async function pulled(answer: Answer, api: object, ...jobs: readonly object[]) {
  const server: Api = await startApi(answer);
  try {
    const to = memory();
    await run(configOf(server.origin, api, ...jobs), { to, strict: true });
    return { items: to.items(), bodies: server.requests.map(({ body }) => body), server };
  } finally {
    await server.close();
  }
}

/** A connection of GraphQL, five users in all. */
const graphql: Answer = ({ body }) => {
  const { first, after } = JSON.parse(body).variables;
  const from = after === undefined ? 1 : Number(String(after).slice(1)) + 1;
  const nodes = items(from, Math.min(first, 6 - from));
  const pageInfo = { endCursor: `c${from + nodes.length - 1}`, hasNextPage: from + first < 6 };
  return json({ data: { users: { totalCount: 5, nodes, pageInfo } } });
};

test('a cursor goes into the variables of GraphQL, and a flag ends the job though the last page has a cursor too', async () => {
  const { items: came, bodies } = await pulled(graphql, { pagination: relay }, users);
  assert.equal(came, items(1, 5));
  assert.equal(bodies, [
    '{"query":"query {}","variables":{"first":2}}',
    '{"query":"query {}","variables":{"first":2,"after":"c2"}}',
    '{"query":"query {}","variables":{"first":2,"after":"c4"}}',
  ]);
});

test('a path is set when the defaults are laid under the parameters: nothing of them is lost', async () => {
  const http = { defaultOptions: { method: 'POST', params: users.params } };
  const { endpoint, dataField, dataType } = users;
  for (const includeParams of [true, false]) {
    const api = { http, pagination: { ...relay, includeParams } };
    const { bodies } = await pulled(graphql, api, { endpoint, dataField, dataType });
    assert.is(bodies[2], '{"query":"query {}","variables":{"first":2,"after":"c4"}}');
  }
});

test('pages, offsets and sizes go to paths too; a size of the job is the one of the job', async () => {
  const answer: Answer = (_, index) => json(items(index * 2, index > 0 ? 1 : 2));
  const places = { limitParam: ['page', 'size'] };
  const pagenum = { pagination: { method: 'pagenum', limit: 2, pageParam: ['page', 'number'], ...places } };
  const offset = { pagination: { method: 'offset', limit: 2, offsetParam: ['from'], offsetFromJob: true, ...places } };
  const job = { endpoint: 'search', method: 'PUT' };
  assert.equal((await pulled(answer, pagenum, job)).bodies, [
    '{"page":{"number":1,"size":2}}',
    '{"page":{"number":2,"size":2}}',
  ]);
  const own = { ...job, params: { from: 10, page: { size: '2' } } };
  assert.equal((await pulled(answer, offset, own)).bodies, [
    '{"from":10,"page":{"size":"2"}}',
    '{"from":12,"page":{"size":"2"}}',
  ]);
});

test('ids and keys go to paths with all of their digits', async () => {
  const answer: Answer = (_, index) => ({ body: index > 0 ? '[]' : '[{"id":9007199254740993124}]' });
  const job = { endpoint: 'search', method: 'POST' };
  for (const pagination of [
    { method: 'cursor', idKey: 'id', param: ['query', 'after'] },
    { method: 'keyset', field: 'id', param: ['query', 'after'] },
  ]) {
    const { bodies } = await pulled(answer, { pagination }, job);
    assert.is(bodies[1], '{"query":{"after":9007199254740993124}}');
  }
});

const faults: readonly (readonly [what: string, api: object, job: object, ...expected: readonly string[]])[] = [
  [
    'GET',
    {},
    { method: 'GET' },
    'api.pagination.queryParam: the path "variables.after" leads into a JSON body, but the requests of the job "users" have none: their method is GET. Expected POST, PUT, PATCH or DELETE, or the name of a parameter',
  ],
  [
    'FORM',
    {},
    { method: 'FORM' },
    'api.pagination.queryParam: the path "variables.after" leads into a JSON body, but the requests of the job "users" have none: their method is FORM. Expected POST, PUT, PATCH or DELETE, or the name of a parameter',
  ],
  [
    'a scroll request by GET',
    { pagination: { ...relay, scrollRequest: { method: 'GET' } } },
    {},
    'api.pagination.queryParam: the path "variables.after" leads into a JSON body, but the requests of the job "users" have none: their method is GET. Expected POST, PUT, PATCH or DELETE, or the name of a parameter',
  ],
  [
    'a text in the way',
    {},
    { params: { variables: 'secret-text' } },
    'api.pagination.queryParam: the path "variables.after" leads through "variables", which is neither an object nor a list with such an element, in `params` of the job "users"',
  ],
  [
    'a text in the way that an expression gives',
    {},
    { params: { variables: { function: 'concat', args: ['a', 'b'] } } },
    'api.pagination.queryParam: the path "variables.after" leads through "variables", which is neither an object nor a list with such an element, in `params` of the job "users"',
  ],
  [
    'a number in the way in the defaults',
    { http: { defaultOptions: { params: { variables: 5 } } } },
    { params: {} },
    'api.pagination.queryParam: the path "variables.after" leads through "variables", which is neither an object nor a list with such an element, in `params` of the job "users"',
  ],
  [
    'a method within `multiple`',
    {
      pagination: { method: 'multiple', scrollers: { a: { method: 'pagenum', pageParam: ['p'], limitParam: ['l'] } } },
    },
    { method: 'GET', scroller: 'a' },
    'api.pagination.scrollers.a.limitParam: the path "l" leads into a JSON body, but the requests of the job "users" have none: their method is GET. Expected POST, PUT, PATCH or DELETE, or the name of a parameter',
    'api.pagination.scrollers.a.pageParam: the path "p" leads into a JSON body, but the requests of the job "users" have none: their method is GET. Expected POST, PUT, PATCH or DELETE, or the name of a parameter',
  ],
  [
    'a path that is no list of names',
    { pagination: { ...relay, queryParam: ['variables', ''] } },
    {},
    'api.pagination.queryParam: expected a path: a list of non-empty strings, found a list',
  ],
];

for (const [what, api, job, ...expected] of faults) {
  test(`${what} is a problem of the configuration, before any request`, () => {
    const error = thrownBy(() =>
      extract(configOf('http://127.0.0.1:1', { pagination: relay, ...api }, { ...users, ...job })),
    );
    assert.is(error.code, 'ERR_CONFIG');
    assert.equal(error.message.split('\n'), expected);
  });
}

test('the methods of a child, and of unused paginations, are validated as they are', () => {
  const child = { endpoint: 'users/{id}', dataField: '.', placeholders: { id: 'id' } };
  const withChild = configOf('http://127.0.0.1:1', { pagination: relay }, { ...users, children: [child] });
  assert.match(thrownBy(() => extract(withChild)).message, /the job "users\/\{id\}" have none: their method is GET/);
  const scrollers = { a: { method: 'cursor', idKey: 'id', param: ['p'] }, b: { method: 'pagenum' } };
  extract(
    configOf('http://127.0.0.1:1', { pagination: { method: 'multiple', default: 'b', scrollers } }, { endpoint: 'x' }),
  );
});

const token = {
  type: 'login',
  loginRequest: { endpoint: 'login' },
  apiRequest: { headers: { Authorization: { function: 'concat', args: ['Bearer ', { response: 'token' }] } } },
};

/** Refuses the first token from the second page on, with the status 200. */
const refusing =
  (isForGood: boolean): Answer =>
  (request, index) => {
    if (request.target === '/login') return json({ token: `token-${index}` });
    const { after } = JSON.parse(request.body).variables;
    const isOld = request.headers.some(([, value]) => value === 'Bearer token-0');
    if (after !== undefined && (isOld || isForGood)) {
      return json({ errors: [{ message: 'expired', extensions: { code: 'UNAUTHENTICATED' } }] });
    }
    return graphql(request, index);
  };

test('errors in a response of 200 that reject a token lead to a new login, and no page is lost', async () => {
  const authentication = { ...token, refusedText: '"code":"UNAUTHENTICATED"' };
  const { items: came, server } = await pulled(refusing(false), { authentication, pagination: relay }, users);
  assert.equal(came, items(1, 5));
  assert.equal(server.requests.filter(({ target }) => target === '/login').length, 2);
});

test('errors that stay are an error, and no end of the job', async () => {
  const authentication = { ...token, refusedText: '"code":"UNAUTHENTICATED"' };
  await rejection(
    pulled(refusing(true), { authentication, pagination: relay }, users),
    'ERR_STATUS',
    /UNAUTHENTICATED/,
  );
});

test('errors of another kind are the warning `error-in-body`, which is an error under `strict`', async () => {
  const answer: Answer = () => json({ data: null, errors: [{ message: 'no such field' }] });
  const stated = /says that it failed \("errors"\): no such field/;
  await rejection(pulled(answer, { pagination: relay }, users), 'ERR_STRICT', stated);
});

test.run();
