/**
 * Black-box rows: jobs, defaults and how parameters are sent; docs/01-configuration.md#jobs,
 * docs/12-compatibility.md#headers.
 */
import { items, json, plain, rawJson } from '../../loopback/api.js';
import { lines, type Row, step } from '../row.js';

const one = items(1, 1);
const users = { users: lines(...one) };
const job = (more: Readonly<Record<string, unknown>>) => ({
  jobs: [{ endpoint: 'users', dataType: 'users', ...more }],
});

export const jobRows: readonly Row[] = [
  {
    rule: 'a job is one GET request below baseUrl, and its items go to the file of its dataType',
    steps: [step('GET /users', items(1, 3))],
    files: { users: lines(...items(1, 3)) },
  },
  {
    rule: 'jobs run in their listed order',
    config: { jobs: ['b', 'a', 'c'].map((endpoint) => ({ endpoint, dataType: endpoint })) },
    args: ['--concurrency', '1'],
    steps: [step('GET /b', items(1, 1)), step('GET /a', items(2, 1)), step('GET /c', items(3, 1))],
    files: { a: lines({ id: 2 }), b: lines({ id: 1 }), c: lines({ id: 3 }) },
  },
  {
    rule: 'endpoint is relative to baseUrl and its path',
    api: { baseUrl: 'http://api.test/v1/' },
    steps: [step('GET /v1/users', one)],
    files: users,
  },
  {
    rule: 'an endpoint that begins with a slash starts at the host',
    api: { baseUrl: 'http://api.test/v1/' },
    config: job({ endpoint: '/users' }),
    steps: [step('GET /users', one)],
    files: users,
  },
  {
    rule: 'GET sends params in the query, form-encoded, nested ones in brackets',
    config: job({
      params: { q: 'a b/c', filter: { state: 'on', ids: [7, 8] }, yes: true, no: false, none: null, empty: [] },
    }),
    steps: [
      step(
        'GET /users?q=a+b%2Fc&filter%5Bstate%5D=on&filter%5Bids%5D%5B0%5D=7&filter%5Bids%5D%5B1%5D=8&yes=1&no=0',
        one,
      ),
    ],
    files: users,
  },
  {
    rule: 'POST sends params as a JSON body with its Content-Type',
    config: job({ method: 'POST', params: { name: 'x y', deep: { list: [1, true, null] } } }),
    steps: [
      step('POST /users', one, {
        headers: { 'content-type': 'application/json' },
        body: '{"name":"x y","deep":{"list":[1,true,null]}}',
      }),
    ],
    files: users,
  },
  {
    rule: 'FORM is a POST with urlencoded params, of a job too',
    config: job({ method: 'FORM', params: { name: 'x y', deep: { list: [1] } } }),
    steps: [
      step('POST /users', one, {
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
        body: 'name=x+y&deep%5Blist%5D%5B0%5D=1',
      }),
    ],
    files: users,
  },
  {
    rule: 'a method may be written in small letters',
    config: job({ method: 'post', params: { a: 1 } }),
    steps: [step('POST /users', one, { headers: { 'content-type': 'application/json' }, body: '{"a":1}' })],
    files: users,
  },
  {
    rule: 'POST without params sends the body [], as the reference does',
    config: job({ method: 'POST' }),
    steps: [step('POST /users', one, { body: '[]' })],
    files: users,
  },
  {
    rule: 'params join the query that the endpoint has, and replace its values in place',
    config: job({ endpoint: 'users?active=1&sort=name&x=y', params: { sort: 'id', page: 1 } }),
    steps: [step('GET /users?active=1&sort=id&x=y&page=1', one)],
    files: users,
  },
  {
    rule: 'api.http.headers and config.http.headers take functions',
    api: { http: { headers: { Authorization: { function: 'concat', args: ['Bearer ', { attr: '#token' }] } } } },
    config: { '#token': 'hush-hush-9', plan: 'free', http: { headers: { 'X-Plan': { attr: 'plan' } } }, ...job({}) },
    steps: [step('GET /users', one, { headers: { authorization: 'Bearer hush-hush-9', 'x-plan': 'free' } })],
    files: users,
  },
  ...['PUT', 'PATCH', 'DELETE'].map((method) => ({
    rule: `${method} sends params as POST does`,
    config: job({ method, params: { a: 1 } }),
    steps: [step(`${method} /users`, one, { headers: { 'content-type': 'application/json' }, body: '{"a":1}' })],
    files: users,
  })),
  {
    rule: 'HEAD sends params as GET does, and has no items',
    config: job({ method: 'HEAD', params: { a: 1 } }),
    steps: [step('HEAD /users?a=1', plain(''))],
    files: {},
    exit: 0,
  },
  {
    rule: 'job params take attr',
    config: {
      account: 'acme',
      server: { zone: 'eu' },
      ...job({ params: { account: { attr: 'account' }, zone: { attr: 'server.zone' } } }),
    },
    steps: [step('GET /users?account=acme&zone=eu', one)],
    files: users,
  },
  {
    rule: 'dataField is a path to the items',
    config: job({ dataField: 'result.rows' }),
    steps: [step('GET /users', { result: { rows: items(1, 2), other: items(9, 1) } })],
    files: { users: lines(...items(1, 2)) },
  },
  {
    rule: 'a dataField segment of digits indexes an array',
    config: job({ dataField: 'groups.1.rows' }),
    steps: [step('GET /users', { groups: [{ rows: items(9, 1) }, { rows: items(1, 2) }] })],
    files: { users: lines(...items(1, 2)) },
  },
  {
    rule: 'dataField as an object carries its own delimiter',
    config: job({ dataField: { path: 'a.b/rows', delimiter: '/' } }),
    steps: [step('GET /users', { 'a.b': { rows: one } })],
    files: users,
  },
  {
    rule: 'dataField "." is the whole response, an object being one item',
    config: job({ dataField: '.' }),
    steps: [step('GET /users', { id: 1, rows: [1, 2] })],
    files: { users: lines({ id: 1, rows: [1, 2] }) },
  },
  {
    rule: 'dataField at an object gives one item',
    config: job({ dataField: 'user' }),
    steps: [step('GET /users', { user: { id: 1 } })],
    files: users,
  },
  {
    rule: 'without dataField the only top-level array holds the items',
    steps: [step('GET /users', { total: 1, rows: one, page: { list: [] } })],
    files: users,
  },
  {
    rule: 'two top-level arrays without dataField fail the page, and nothing of it stays',
    steps: [step('GET /users', { rows: one, more: [] })],
    files: {},
    exit: 1,
    says: [/dataField/],
  },
  {
    rule: 'a dataField that leads nowhere gives no items and a warning',
    config: job({ dataField: 'rowz' }),
    steps: [step('GET /users', { rows: one })],
    files: {},
    says: [/rowz/],
  },
  {
    rule: 'without dataType the endpoint names the file',
    config: { jobs: [{ endpoint: 'v1/users list' }] },
    steps: [step('GET /v1/users%20list', one)],
    files: { v1_users_list: lines(...one) },
  },
  {
    rule: 'leading dots of a name are replaced',
    config: job({ dataType: '..users' }),
    steps: [step('GET /users', one)],
    files: { __users: lines(...one) },
  },
  {
    rule: 'jobs of one dataType share its file in order',
    config: { jobs: ['a', 'b'].map((endpoint) => ({ endpoint, dataType: 'all' })) },
    args: ['--concurrency', '1'],
    steps: [step('GET /a', items(1, 2)), step('GET /b', items(3, 2))],
    files: { all: lines(...items(1, 4)) },
  },
  {
    rule: 'identical jobs without id run once, with a warning',
    config: {
      jobs: [
        { endpoint: 'users', dataType: 'users' },
        { endpoint: 'users', dataType: 'users' },
      ],
    },
    steps: [step('GET /users', one)],
    files: users,
    says: [/warning/i],
  },
  {
    rule: 'default params and headers go with every ordinary request',
    api: {
      http: { defaultOptions: { params: { debug: '1' }, headers: { 'X-Default': 'yes' } } },
      pagination: { method: 'pagenum' },
    },
    steps: [
      step('GET /users?debug=1&page=1', one, { headers: { 'x-default': 'yes' } }),
      step('GET /users?debug=1&page=2', [], { headers: { 'x-default': 'yes' } }),
    ],
    files: users,
  },
  {
    rule: 'a job parameter beats a default one of the same name, in its place',
    api: { http: { defaultOptions: { params: { a: 'default', b: 'default' } } } },
    config: job({ params: { b: 'job', c: 'job' } }),
    steps: [step('GET /users?a=default&b=job&c=job', one)],
    files: users,
  },
  {
    rule: 'job parameters in a POST body beat default ones as well',
    api: { http: { defaultOptions: { params: { a: 1, b: 1 } } } },
    config: job({ method: 'POST', params: { b: 2 } }),
    steps: [step('POST /users', one, { body: '{"a":1,"b":2}' })],
    files: users,
  },
  {
    rule: '19 digits and 1.0 go from the configuration to the query as written, integer-like keys in their order',
    text: `{ "api": { "baseUrl": "http://api.test/" }, "config": { "jobs": [ { "endpoint": "users", "dataType": "users",
      "params": { "since": 1234567890123456789, "ratio": 1.0, "10": "a", "2": "b" } } ] } }`,
    steps: [step('GET /users?since=1234567890123456789&ratio=1.0&10=a&2=b', one)],
    files: users,
  },
  {
    rule: '19 digits and 1.0 go from the configuration to a JSON body as written',
    text: `{ "api": { "baseUrl": "http://api.test/" }, "config": { "jobs": [ { "endpoint": "users", "dataType": "users",
      "method": "POST", "params": { "since": 1234567890123456789, "ratio": 1.0, "10": "a", "2": "b" } } ] } }`,
    steps: [step('POST /users', one, { body: '{"since":1234567890123456789,"ratio":1.0,"10":"a","2":"b"}' })],
    files: users,
  },
  {
    rule: 'numbers, text and the order of members go from the wire to NDJSON as they came',
    steps: [step('GET /users', rawJson('[ {"b" : 12345678901234567890, "a": 1.0,\n "10": 1e3, "2": "\\u00e9\\/"} ]'))],
    files: { users: '{"b":12345678901234567890,"a":1.0,"10":1e3,"2":"\\u00e9\\/"}\n' },
  },
  {
    rule: 'the User-Agent names rxtract and its version',
    steps: [step('GET /users', one, { headers: { 'user-agent': 'rxtract/0.1.0' } })],
    files: users,
  },
  {
    rule: 'a configured User-Agent is taken instead',
    api: { http: { headers: { 'User-Agent': 'mine' } } },
    steps: [step('GET /users', one, { headers: { 'user-agent': 'mine' } })],
    files: users,
  },
  {
    rule: 'a redirect elsewhere gets no configured header, and a warning says so',
    api: { http: { headers: { 'X-Key': 'client-key-1' }, defaultOptions: { headers: { 'X-Default': 'default-1' } } } },
    steps: [
      step(
        'GET /users',
        { status: 302, headers: { location: 'http://login.test/elsewhere' } },
        { headers: { 'x-key': 'client-key-1' } },
      ),
      step('GET http://login.test/elsewhere', one, {
        headers: { 'x-key': null, 'x-default': null, authorization: null },
      }),
    ],
    files: users,
    says: [/credentialOrigins/],
  },
  {
    rule: 'an origin listed in credentialOrigins gets them',
    api: { http: { headers: { 'X-Key': 'client-key-1' }, credentialOrigins: ['http://login.test'] } },
    steps: [
      step(
        'GET /users',
        { status: 302, headers: { location: 'http://login.test/elsewhere' } },
        { headers: { 'x-key': 'client-key-1' } },
      ),
      step('GET http://login.test/elsewhere', one, { headers: { 'x-key': 'client-key-1' } }),
    ],
    files: users,
  },
  {
    rule: 'an absolute endpoint of a job is trusted',
    api: { http: { headers: { 'X-Key': 'client-key-1' } } },
    config: job({ endpoint: 'http://login.test/users' }),
    steps: [step('GET http://login.test/users', one, { headers: { 'x-key': 'client-key-1' } })],
    files: users,
  },
  ...[301, 302, 303].map((status) => ({
    rule: `redirects: ${status} turns POST into GET without a body`,
    config: job({ method: 'POST', params: { a: 1 } }),
    steps: [
      step('POST /users', { status, headers: { location: '/people' } }, { body: '{"a":1}' }),
      step('GET /people', one),
    ],
    files: users,
  })),
  ...[307, 308].map((status) => ({
    rule: `redirects: ${status} keeps POST and its body`,
    config: job({ method: 'POST', params: { a: 1 } }),
    steps: [
      step('POST /users', { status, headers: { location: '/people' } }, { body: '{"a":1}' }),
      step('POST /people', one, { headers: { 'content-type': 'application/json' }, body: '{"a":1}' }),
    ],
    files: users,
  })),
  {
    rule: 'redirects: more than 5 are an error',
    steps: Array.from({ length: 6 }, (_, hop) =>
      step(hop === 0 ? 'GET /users' : `GET /hop${hop}`, { status: 302, headers: { location: `/hop${hop + 1}` } }),
    ),
    files: {},
    exit: 1,
    says: [/redirect/i],
  },
  {
    rule: 'a status of the default list is tried again',
    steps: [
      step('GET /users', json({}, { status: 503, headers: { 'retry-after': 'Wed, 21 Oct 2015 07:28:00 GMT' } })),
      step('GET /users', one),
    ],
    files: users,
    exit: 0,
  },
  {
    rule: 'retryConfig.http.codes replaces the list, a success included',
    api: { retryConfig: { http: { codes: [202] } } },
    steps: [
      step('GET /users', json({}, { status: 202, headers: { 'retry-after': 'Wed, 21 Oct 2015 07:28:00 GMT' } })),
      step('GET /users', one),
    ],
    files: users,
    exit: 0,
  },
  {
    rule: '204 gives no items and a warning',
    steps: [step('GET /users', { status: 204 })],
    files: {},
    says: [/warning/i],
  },
  {
    rule: 'an empty body gives no items and a warning',
    steps: [step('GET /users', plain(''))],
    files: {},
    says: [/warning/i],
  },
  {
    rule: 'a leading byte-order mark is skipped',
    steps: [step('GET /users', rawJson('\ufeff[{"id":1}]'))],
    files: users,
  },
];
