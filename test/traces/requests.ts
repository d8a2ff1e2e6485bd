/**
 * Traces of how requests are made: parameters, expressions, credentials. docs/12-compatibility.md,
 * docs/01-configuration.md#jobs.
 */
import { mainOrigin } from '../loopback/replay.js';
import { step, type Trace } from './trace.js';

const oauth = { appKey: 1234, '#appSecret': 'app-secret' };

export const requests: readonly Trace[] = [
  {
    rule: 'docs/01-configuration.md: an empty endpoint asks for the base URL itself, its query included, for each page and in any method',
    api: {
      baseUrl: `${mainOrigin}/v1/search?key=k&page=9`,
      pagination: { method: 'pagenum', limit: 1, limitParam: 'size' },
      http: { defaultOptions: { params: { lang: 'en' } } },
    },
    jobs: [
      { endpoint: '' },
      { endpoint: '', method: 'POST', dataType: 'posted', pagination: { method: 'none' } },
      { endpoint: 'users', pagination: { method: 'none' } },
    ],
    steps: [
      step('GET search?key=k&page=1&lang=en&size=1', [1]),
      step('GET search?key=k&page=2&lang=en&size=1', []),
      step('POST search?key=k&page=9', [2], { body: '{"lang":"en"}' }),
      step('GET users?lang=en', [3]),
    ],
    items: { '/': [1], posted: [2], users: [3] },
  },
  {
    rule: 'default parameters come first, those of the job take their places and follow',
    api: { http: { defaultOptions: { params: { orderBy: 'id', filter: 'none', list: ['a', 'b', 'c'] } } } },
    jobs: [{ endpoint: 'users', params: { filter: 'all', list: ['x'], more: 1 } }, { endpoint: 'orders' }],
    steps: [
      step('GET users?orderBy=id&filter=all&list%5B0%5D=x&list%5B1%5D=b&list%5B2%5D=c&more=1', []),
      step('GET orders?orderBy=id&filter=none&list%5B0%5D=a&list%5B1%5D=b&list%5B2%5D=c', []),
    ],
  },
  {
    rule: 'nested parameters of GET',
    jobs: [
      {
        endpoint: 'users',
        params: {
          filter: { field: 'type', operator: 'equal', value: 'active' },
          return: { fields: ['id', 'name'] },
        },
      },
    ],
    steps: [
      step(
        'GET users?filter%5Bfield%5D=type&filter%5Boperator%5D=equal&filter%5Bvalue%5D=active&return%5Bfields%5D%5B0%5D=id&return%5Bfields%5D%5B1%5D=name',
        [],
      ),
    ],
  },
  {
    rule: 'what is null or empty is left out of a query, true and false are digits, ~ is encoded',
    jobs: [
      {
        endpoint: 'users',
        params: { a: null, b: [], c: {}, d: true, e: false, f: '~ü', g: { h: [{ i: 'x y' }] }, j: '' },
      },
    ],
    steps: [step('GET users?d=1&e=0&f=%7E%C3%BC&g%5Bh%5D%5B0%5D%5Bi%5D=x+y&j=', [])],
  },
  {
    rule: 'user and password of config',
    api: { authentication: { type: 'basic' } },
    config: { username: 'JohnDoe', '#password': 'secret' },
    steps: [step('GET users', [], { headers: { authorization: 'Basic Sm9obkRvZTpzZWNyZXQ=' } })],
  },
  {
    rule: 'a signature over a value of config and a parameter of the request replaces one of the same name',
    api: {
      authentication: {
        type: 'query',
        apiRequest: { headers: {} },
        query: {
          apiToken: { attr: '#apiToken' },
          signature: {
            function: 'sha1',
            args: [{ function: 'concat', args: [{ attr: '#apiToken' }, { query: 'first' }] }],
          },
        },
      },
    },
    config: { '#apiToken': 'abcdef' },
    jobs: [{ endpoint: 'users', params: { first: 'a b', apiToken: 'x' } }],
    steps: [step('GET users?first=a%20b&apiToken=abcdef&signature=90175a1a88c883a8d3263245bb4dfa771e190e41', [])],
    warnings: ['unknown-key'],
  },
  {
    rule: 'names that the request has too become pairs behind the plain ones',
    api: {
      http: { defaultOptions: { params: { debug: 1, secretKey: 'none' } } },
      authentication: {
        type: 'login',
        loginRequest: { endpoint: 'login', method: 'POST', params: { user: { attr: '#user' } } },
        apiRequest: {
          query: {
            apiToken: { response: 'auth.tokens.0' },
            secretKey: { response: 'auth.key' },
            customerId: { response: 'customer' },
          },
        },
      },
    },
    config: { '#user': 'JohnDoe' },
    jobs: [{ endpoint: 'users', params: { orderBy: 'userName', customerId: 234 } }],
    steps: [
      step(
        'POST login',
        { auth: { tokens: [987654], key: 'a1b2c3d435f6' }, customer: 'abc' },
        { body: '{"user":"JohnDoe"}', headers: { 'content-type': 'application/json' } },
      ),
      step(
        'GET users?debug=1&orderBy=userName&apiToken=987654&secretKey%5B0%5D=none&secretKey%5B1%5D=a1b2c3d435f6&customerId%5B0%5D=234&customerId%5B1%5D=abc',
        [],
      ),
    ],
  },
  {
    rule: 'a form with the credentials of the document, in their order; the token goes into the query',
    api: {
      authentication: {
        type: 'oauth20.login',
        loginRequest: {
          endpoint: 'token',
          method: 'FORM',
          headers: { 'X-User': { user: 'name' } },
          params: {
            client_id: { consumer: 'client_id' },
            client_secret: { consumer: 'client_secret' },
            refresh_token: { user: 'refresh_token' },
            grant_type: 'refresh_token',
          },
        },
        apiRequest: { query: { access_token: { response: 'access_token' } } },
      },
    },
    credentials: { ...oauth, '#data': '{"refresh_token":"r/1","name":"Ada"}' },
    jobs: [{ endpoint: 'reports', params: { from: 'a b' } }],
    steps: [
      step(
        'POST token',
        { access_token: 'T1' },
        {
          body: 'client_id=1234&client_secret=app-secret&refresh_token=r%2F1&grant_type=refresh_token',
          headers: { 'content-type': 'application/x-www-form-urlencoded', 'x-user': 'Ada' },
        },
      ),
      step('GET reports?from=a%20b&access_token=T1', []),
    ],
  },
  {
    rule: 'texts joined by a separator in a header, from lists and nested keys of config',
    config: {
      http: {
        headers: {
          'X-Key': {
            function: 'implode',
            args: [',', [{ attr: '#token' }, { attr: 'account.ids.1' }, { function: 'md5', args: ['x'] }]],
          },
        },
      },
      '#token': 'abc',
      account: { ids: [1, 22] },
    },
    steps: [step('GET users', [], { headers: { 'x-key': 'abc,22,9dd4e461268c8034f5c8564e155c67a6' } })],
  },
  {
    rule: 'a date counted from a moment of config, and a hash, in parameters',
    config: { since: '2017-04-19 12:46:46', '#key': 'k' },
    jobs: [
      {
        endpoint: 'users',
        params: {
          from: {
            function: 'date',
            args: [
              'Y-m-d H:i:s',
              { function: 'strtotime', args: ['-1 day', { function: 'strtotime', args: [{ attr: 'since' }] }] },
            ],
          },
          sign: { function: 'sha1', args: [{ attr: '#key' }] },
          filters: { deep: { attr: 'since' }, list: [{ function: 'concat', args: [] }] },
        },
      },
    ],
    steps: [
      step(
        'GET users?from=2017-04-18+12%3A46%3A46&sign=13fbd79c3d390e5d6585a21e11ff5ec1970cff0c&filters%5Bdeep%5D=2017-04-19+12%3A46%3A46&filters%5Blist%5D%5B0%5D=',
        [],
      ),
    ],
  },
  {
    rule: 'what has changed since the run before, as the state says',
    jobs: [
      {
        endpoint: 'users',
        params: { modified_since: { function: 'date', args: ['Y-m-d H:i:s', { time: 'previousStart' }] } },
      },
      { endpoint: 'orders', params: { modified_since: { time: 'previousStart' } } },
    ],
    state: { time: { previousStart: 1492606006 } },
    steps: [
      step('GET users?modified_since=2017-04-19+12%3A46%3A46', []),
      step('GET orders?modified_since=1492606006', []),
    ],
  },
  {
    rule: 'an iteration brings user and headers of its own',
    api: { authentication: { type: 'basic' } },
    iterations: [
      { http: { headers: { 'X-T': '1' } }, username: 'u1', '#password': 'p1' },
      { http: { headers: { 'X-T': '2' } }, username: 'u2', '#password': 'p2' },
    ],
    steps: [
      step('GET users', [], { headers: { 'x-t': '1', authorization: 'Basic dTE6cDE=' } }),
      step('GET users', [{ id: 1 }], { headers: { 'x-t': '2', authorization: 'Basic dTI6cDI=' } }),
    ],
  },
];
