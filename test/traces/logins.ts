/** Traces of logins and of what goes with every request. docs/12-compatibility.md#headers, docs/02-login.md. */
import { plain, rawJson } from '../loopback/api.js';
import { step, type Trace } from './trace.js';

const jobs = [{ endpoint: 'users' }, { endpoint: 'orders' }];
const login = (over: object) => ({ authentication: { type: 'login', loginRequest: { endpoint: 'login' }, ...over } });
const data = { apiRequest: { headers: { 'X-Token': { response: 'data' } } } };
const held = (token: string) => ({ headers: { 'x-token': token } });

/** A reply that is no object: its value is called `data`. */
const single = (what: string, over: object, reply: unknown, token: string): Trace => ({
  rule: `a login response that is ${what}`,
  api: login({ ...data, ...over }),
  jobs,
  steps: [step('GET login', reply), step('GET users', [], held(token)), step('GET orders', [], held(token))],
});

export const logins: readonly Trace[] = [
  single('a JSON text', {}, rawJson('"tok-1"'), 'tok-1'),
  single('a JSON number, digit by digit', {}, rawJson('12345678901234567890'), '12345678901234567890'),
  single('a text', { format: 'text' }, plain('tok-2'), 'tok-2'),
  single('a text that is JSON, as it stands', { format: 'text' }, plain('{"a":1}'), '{"a":1}'),
  {
    rule: 'an expiry that has come when it is stated: each later request logs in again, with one warning',
    api: login({
      apiRequest: { headers: { 'X-Token': 'auth.token' } },
      expires: { response: 'auth.ttl', relative: true },
    }),
    jobs: [...jobs, { endpoint: 'items' }],
    steps: [
      step('GET login', { auth: { token: 'a1', ttl: 0 } }),
      step('GET users', [], held('a1')),
      step('GET login', { auth: { token: 'a2', ttl: '0' } }),
      step('GET orders', [], held('a2')),
      step('GET login', { auth: { token: 'a3', ttl: 3600 } }),
      step('GET items', [], held('a3')),
    ],
  },
  {
    rule: 'an expiry far away, in seconds, as digits, as a date or stated by no one: one login',
    api: login({ apiRequest: { headers: { 'X-Token': { response: 'token' } } }, expires: { response: 'until' } }),
    jobs,
    steps: [
      step('GET login', { token: 'a1', until: '2100-01-01 00:00:00' }),
      step('GET users', [], held('a1')),
      step('GET orders', [], held('a1')),
    ],
  },
  {
    rule: 'a hash of user and reply in the query, beside the user',
    api: login({
      apiRequest: {
        query: {
          user: { attr: 'user' },
          sign: {
            function: 'sha1',
            args: [{ function: 'concat', args: [{ attr: 'user' }, ':', { response: 'session' }] }],
          },
        },
      },
    }),
    config: { user: 'ada' },
    jobs: [{ endpoint: 'users', params: { q: 'a b' } }],
    steps: [
      step('GET login', { session: 's1' }),
      step('GET users?q=a%20b&user=ada&sign=5e4bc19c07c066011b21fa1751eda68b74416484', []),
    ],
  },
  {
    rule: 'an HMAC over the address of the request goes into its query',
    api: {
      authentication: {
        type: 'query',
        query: {
          sign: {
            function: 'hash_hmac',
            args: [
              'sha256',
              { function: 'concat', args: [{ request: 'method' }, ' ', { request: 'resource' }] },
              { attr: '#key' },
            ],
          },
        },
      },
    },
    config: { '#key': 's3cret' },
    jobs: [{ endpoint: 'users', params: { q: 'a b' } }],
    steps: [step('GET users?q=a%20b&sign=90b5a0ef27bb200895908e2f0a8ef0de51a6ed529af3b702d76843193e6c0fdd', [])],
  },
  {
    rule: 'the stronger of two sources replaces the whole header; the login has none of the defaults',
    api: {
      http: {
        headers: { 'X-A': 'api', 'X-B': 'api', 'X-C': 'api' },
        defaultOptions: { headers: { 'X-B': 'default', 'X-D': 'default', 'X-E': 'default' } },
      },
      ...login({ apiRequest: { headers: { 'x-e': { response: 'token' } } } }),
    },
    config: { http: { headers: { 'X-C': 'config' } } },
    jobs: [{ endpoint: 'users', headers: { 'X-D': 'job' } }],
    steps: [
      step('GET login', { token: 'tok' }, { headers: { 'x-a': 'api', 'x-b': 'api', 'x-c': 'config', 'x-d': null } }),
      step('GET users', [], {
        headers: { 'x-a': 'api', 'x-b': 'default', 'x-c': 'config', 'x-d': 'job', 'x-e': 'tok' },
      }),
    ],
  },
];
