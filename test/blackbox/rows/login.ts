/**
 * Black-box rows: the login request, the values read from its response, and function expressions;
 * docs/02-login.md#what-the-login-request-carries, docs/02-login.md#what-goes-into-later-requests.
 */
import { createHash } from 'node:crypto';
import { items, json, plain, rawJson } from '../../loopback/api.js';
import { lines, type Row, step } from '../row.js';

type Options = Readonly<Record<string, unknown>>;

const one = items(1, 1);
const users = { users: lines(...one) };
const job = (more: Options) => ({ jobs: [{ endpoint: 'users', dataType: 'users', ...more }] });

const login = (authentication: Options, api: Options = {}) => ({
  authentication: { type: 'login', loginRequest: { endpoint: 'login' }, ...authentication },
  ...api,
});

const response = (path: string) => ({ response: path });
const attr = (key: string) => ({ attr: key });
const call = (name: string, ...args: readonly unknown[]) => ({ function: name, args });

const base64 = (text: string) => Buffer.from(text, 'utf8').toString('base64');
const sha1 = (text: string) => createHash('sha1').update(text).digest('hex');

/** A token in the header X-Token, read from the path. */
const tokenHeader = (path: string) => ({ apiRequest: { headers: { 'X-Token': response(path) } } });
const withToken = (token: string) => ({ headers: { 'x-token': token } });

const token = 'token-a1b2c3';
const secrets = [token];

const requestRows: readonly Row[] = [
  {
    rule: 'the login request is a GET by default, its params in the query',
    api: login({ loginRequest: { endpoint: 'login', params: { user: 'jo e', key: 'k/1' } }, ...tokenHeader('token') }),
    steps: [step('GET /login?user=jo+e&key=k%2F1', { token }), step('GET /users', one, withToken(token))],
    files: users,
    secrets,
  },
  {
    rule: 'without params the login request has no query',
    api: login(tokenHeader('token')),
    steps: [step('GET /login', { token }), step('GET /users', one, withToken(token))],
    files: users,
    secrets,
  },
  {
    rule: 'a POST login sends params as JSON with its Content-Type',
    api: login({
      loginRequest: { endpoint: 'login', method: 'POST', params: { user: 'joe', deep: { n: 1 } } },
      ...tokenHeader('token'),
    }),
    steps: [
      step(
        'POST /login',
        { token },
        { headers: { 'content-type': 'application/json' }, body: '{"user":"joe","deep":{"n":1}}' },
      ),
      step('GET /users', one, withToken(token)),
    ],
    files: users,
    secrets,
  },
  {
    rule: 'a FORM login is a POST with urlencoded params',
    api: login({
      loginRequest: { endpoint: 'login', method: 'FORM', params: { user: 'jo e', pass: 'a&b=c' } },
      ...tokenHeader('token'),
    }),
    steps: [
      step(
        'POST /login',
        { token },
        {
          headers: { 'content-type': 'application/x-www-form-urlencoded' },
          body: 'user=jo+e&pass=a%26b%3Dc',
        },
      ),
      step('GET /users', one, withToken(token)),
    ],
    files: users,
    secrets,
  },
  {
    rule: 'loginRequest.headers go with the login request, and with no other',
    api: login({ loginRequest: { endpoint: 'login', headers: { 'X-Login': 'joe' } }, ...tokenHeader('token') }),
    steps: [
      step('GET /login', { token }, { headers: { 'x-login': 'joe' } }),
      step('GET /users', one, { headers: { 'x-token': token, 'x-login': null } }),
    ],
    files: users,
    secrets,
  },
  {
    rule: 'the login endpoint follows the rules of a job endpoint',
    api: {
      ...login({ loginRequest: { endpoint: '/auth/login' }, ...tokenHeader('token') }),
      baseUrl: 'http://api.test/v1/',
    },
    steps: [step('GET /auth/login', { token }), step('GET /v1/users', one, withToken(token))],
    files: users,
    secrets,
  },
  {
    rule: 'a login endpoint may lie at a different address',
    api: login({ loginRequest: { endpoint: 'http://login.test/oauth/token' }, ...tokenHeader('token') }),
    steps: [step('GET http://login.test/oauth/token', { token }), step('GET /users', one, withToken(token))],
    files: users,
    secrets,
  },
  {
    rule: 'an absolute login endpoint is trusted with client headers',
    api: login(
      { loginRequest: { endpoint: 'http://login.test/oauth/token' }, ...tokenHeader('token') },
      { http: { headers: { 'X-Client': 'client-key-1' } } },
    ),
    steps: [
      step('GET http://login.test/oauth/token', { token }, { headers: { 'x-client': 'client-key-1' } }),
      step('GET /users', one, { headers: { 'x-token': token, 'x-client': 'client-key-1' } }),
    ],
    files: users,
    secrets,
  },
  {
    rule: 'defaultOptions are not used for the login request',
    api: login(
      { loginRequest: { endpoint: 'login', params: { user: 'joe' } }, ...tokenHeader('token') },
      { http: { defaultOptions: { headers: { 'X-Default': 'yes' }, params: { debug: '1' } } } },
    ),
    steps: [
      step('GET /login?user=joe', { token }, { headers: { 'x-default': null } }),
      step('GET /users?debug=1', one, { headers: { 'x-token': token, 'x-default': 'yes' } }),
    ],
    files: users,
    secrets,
  },
  {
    rule: 'headers of api.http and config.http go with the login request',
    api: login(tokenHeader('token'), { http: { headers: { 'X-Client': 'a', 'X-Both': 'api' } } }),
    config: { http: { headers: { 'X-Both': 'config' } }, ...job({}) },
    steps: [
      step('GET /login', { token }, { headers: { 'x-client': 'a', 'x-both': 'config' } }),
      step('GET /users', one, { headers: { 'x-client': 'a', 'x-both': 'config', 'x-token': token } }),
    ],
    files: users,
    secrets,
  },
  {
    rule: 'one login serves every later request of every job',
    api: login(tokenHeader('token'), { pagination: { method: 'pagenum' } }),
    config: { jobs: ['a', 'b'].map((endpoint) => ({ endpoint, dataType: endpoint })) },
    args: ['--concurrency', '1'],
    steps: [
      step('GET /login', { token }),
      step('GET /a?page=1', one, withToken(token)),
      step('GET /a?page=2', [], withToken(token)),
      step('GET /b?page=1', one, withToken(token)),
      step('GET /b?page=2', [], withToken(token)),
    ],
    files: { a: lines(...one), b: lines(...one) },
    secrets,
  },
  {
    rule: 'without apiRequest the login request is sent all the same, and adds nothing',
    api: login({}),
    steps: [step('GET /login', { token }), step('GET /users', one, { headers: { 'x-token': null } })],
    files: users,
  },
  {
    rule: 'client credentials are a FORM login with a bearer header',
    api: login({
      loginRequest: {
        endpoint: 'oauth/token',
        method: 'FORM',
        params: { grant_type: 'client_credentials', client_id: attr('clientId'), client_secret: attr('#clientSecret') },
      },
      apiRequest: { headers: { Authorization: call('concat', 'Bearer ', response('access_token')) } },
      expires: { response: 'expires_in', relative: true },
    }),
    config: { clientId: 'client-1', '#clientSecret': 'hush-hush-9', ...job({}) },
    steps: [
      step(
        'POST /oauth/token',
        { access_token: token, token_type: 'bearer', expires_in: 3600 },
        {
          headers: { 'content-type': 'application/x-www-form-urlencoded' },
          body: 'grant_type=client_credentials&client_id=client-1&client_secret=hush-hush-9',
        },
      ),
      step('GET /users', one, { headers: { authorization: `Bearer ${token}` } }),
    ],
    files: users,
    secrets,
  },
];

const formatRows: readonly Row[] = [
  {
    rule: 'format json is the default and may be named',
    api: login({ format: 'json', ...tokenHeader('token') }),
    steps: [step('GET /login', { token }), step('GET /users', one, withToken(token))],
    files: users,
  },
  {
    rule: 'with format text the whole body is at data',
    api: login({ format: 'text', ...tokenHeader('data') }),
    steps: [step('GET /login', plain(token)), step('GET /users', one, withToken(token))],
    files: users,
    secrets,
  },
  {
    rule: 'with format text a body of JSON is text all the same',
    api: login({ format: 'text', apiRequest: { query: { t: response('data') } } }),
    steps: [step('GET /login', plain('{"a":1}')), step('GET /users?t=%7B%22a%22%3A1%7D', one)],
    files: users,
  },
  {
    rule: 'a JSON string as the reply is at data',
    api: login(tokenHeader('data')),
    steps: [step('GET /login', rawJson(JSON.stringify(token))), step('GET /users', one, withToken(token))],
    files: users,
    secrets,
  },
  {
    rule: 'a JSON number as the reply is at data, with all its digits',
    api: login(tokenHeader('data')),
    steps: [
      step('GET /login', rawJson('1234567890123456789')),
      step('GET /users', one, withToken('1234567890123456789')),
    ],
    files: users,
    secrets: ['1234567890123456789'],
  },
  ...(['[1]', 'null', '{"token":', ''] as const).map((body) => ({
    rule: `a reply that is ${body === '' ? 'empty' : body} is an error under format json, and no job is requested`,
    api: login(tokenHeader('data')),
    steps: [step('GET /login', rawJson(body))],
    files: {},
    exit: 1,
    says: [/login/i],
  })),
];

const referenceRows: readonly Row[] = [
  {
    rule: 'a reference is a path, digits index an array',
    api: login(tokenHeader('authentication.0.keys.1')),
    steps: [
      step('GET /login', { authentication: [{ keys: ['no', token] }] }),
      step('GET /users', one, withToken(token)),
    ],
    files: users,
    secrets,
  },
  {
    rule: 'a number is taken with all its digits',
    api: login({ apiRequest: { headers: { 'X-Token': response('id') }, query: { id: response('id') } } }),
    steps: [
      step('GET /login', rawJson('{"id":1234567890123456789}')),
      step('GET /users?id=1234567890123456789', one, withToken('1234567890123456789')),
    ],
    files: users,
  },
  ...[
    { said: 'leads nowhere', path: 'tokne' },
    { said: 'leads to null', path: 'none' },
    { said: 'leads to an object', path: 'deep' },
  ].map(({ said, path }) => ({
    rule: `a reference that ${said} is an error that names the path, and no job is requested`,
    api: login(tokenHeader(path)),
    steps: [step('GET /login', { token, none: null, deep: { a: 1 } })],
    files: {},
    exit: 1,
    says: [new RegExp(path)],
    secrets,
  })),
  {
    rule: 'base64 of login, colon and password in a login header',
    api: login({
      loginRequest: {
        endpoint: 'login',
        headers: {
          Authorization: call(
            'concat',
            'Basic ',
            call('base64_encode', call('concat', attr('login'), ':', attr('#password'))),
          ),
        },
      },
      ...tokenHeader('token'),
    }),
    config: { login: 'JohnDoe', '#password': 'sécret-77', ...job({}) },
    steps: [
      step('GET /login', { token }, { headers: { authorization: `Basic ${base64('JohnDoe:sécret-77')}` } }),
      step('GET /users', one, withToken(token)),
    ],
    files: users,
    secrets: [token, base64('JohnDoe:sécret-77')],
  },
  {
    rule: 'sha1 of login, colon and a value of the reply in a query parameter',
    api: login({
      apiRequest: { query: { signature: call('sha1', call('concat', attr('login'), ':', response('session.key'))) } },
    }),
    config: { login: 'JohnDoe', ...job({}) },
    steps: [
      step('GET /login', { session: { key: token } }),
      step(`GET /users?signature=${sha1(`JohnDoe:${token}`)}`, one),
    ],
    files: users,
    secrets: [token, sha1(`JohnDoe:${token}`)],
  },
  {
    rule: 'attr reads config keys in loginRequest.params and in apiRequest, nested ones by a dotted path',
    api: login({
      loginRequest: { endpoint: 'login', params: { user: attr('account.user'), pass: attr('#password') } },
      apiRequest: { headers: { 'X-Token': response('token'), 'X-User': attr('account.user') } },
    }),
    config: { account: { user: 'joe' }, '#password': 'hush-hush-9', ...job({}) },
    steps: [
      step('GET /login?user=joe&pass=hush-hush-9', { token }),
      step('GET /users', one, { headers: { 'x-token': token, 'x-user': 'joe' } }),
    ],
    files: users,
    secrets,
  },
  {
    rule: 'concat takes literals, numbers and nested calls, to any depth',
    api: login({
      apiRequest: {
        headers: {
          'X-Sum': call(
            'sha1',
            call('base64_encode', call('concat', 'a', 1, call('concat', ':', response('token')), true)),
          ),
        },
      },
    }),
    steps: [
      step('GET /login', { token }),
      step('GET /users', one, { headers: { 'x-sum': sha1(base64(`a1:${token}1`)) } }),
    ],
    files: users,
    secrets,
  },
  {
    rule: 'an attr that names nothing is an error that shows its place and the nearest key, before any request',
    api: login({ loginRequest: { endpoint: 'login', params: { user: attr('usre') } }, ...tokenHeader('token') }),
    config: { user: 'joe', ...job({}) },
    steps: [],
    files: {},
    exit: 1,
    says: [/params\.user/, /"user"/],
  },
  {
    rule: 'an unknown function is an error that shows its place and those there are, before any request',
    api: login({ apiRequest: { headers: { 'X-Token': call('base64_encoed', response('token')) } } }),
    steps: [],
    files: {},
    exit: 1,
    says: [/headers\.X-Token/, /base64_encode\b/, /\bconcat\b/, /\bsha1\b/],
  },
  {
    rule: 'a literal string in apiRequest is used as it is',
    api: login({ apiRequest: { headers: { 'X-Version': '2024-01' }, query: { mode: 'full' } } }),
    steps: [step('GET /login', { token }), step('GET /users?mode=full', one, { headers: { 'x-version': '2024-01' } })],
    files: users,
  },
  {
    rule: 'a bare string that is a path into the reply stands for the value there',
    api: login({ apiRequest: { headers: { 'X-Token': 'token' } } }),
    steps: [step('GET /login', { token }), step('GET /users', one, withToken(token))],
    files: users,
    secrets,
  },
  {
    rule: 'a computed value that happens to be such a path stays as it is',
    api: login({ apiRequest: { headers: { 'X-Token': call('concat', 'to', 'ken') } } }),
    steps: [step('GET /login', { token }), step('GET /users', one, withToken('token'))],
    files: users,
  },
];

const applyRows: readonly Row[] = [
  {
    rule: 'apiRequest.headers overwrite a header of the same name, without regard to case',
    api: login(
      { apiRequest: { headers: { 'X-TOKEN': response('token'), 'x-client': response('token') } } },
      { http: { headers: { 'X-Client': 'plain' }, defaultOptions: { headers: { 'X-Token': 'none' } } } },
    ),
    steps: [
      step('GET /login', { token }, { headers: { 'x-client': 'plain', 'x-token': null } }),
      step('GET /users', one, { headers: { 'x-token': token, 'x-client': token } }),
    ],
    files: users,
    secrets,
  },
  {
    rule: 'apiRequest.query without another source is a plain parameter, behind the others',
    api: login({ apiRequest: { query: { key: response('token') } } }),
    config: job({ params: { sort: 'id' } }),
    steps: [step('GET /login', { token }), step(`GET /users?sort=id&key=${token}`, one)],
    files: users,
    secrets,
  },
  {
    rule: 'a name that a default and a job have too is sent as an indexed list',
    api: login(
      {
        apiRequest: {
          query: { apiToken: response('token'), secretKey: response('secret'), customerId: response('id') },
        },
      },
      { http: { defaultOptions: { params: { debug: 1, secretKey: 'none' } } } },
    ),
    config: job({ params: { orderBy: 'userName', customerId: 234 } }),
    steps: [
      step('GET /login', { token, secret: 's3cr3t-key', id: 'abc' }),
      step(
        `GET /users?debug=1&orderBy=userName&apiToken=${token}&secretKey%5B0%5D=none&secretKey%5B1%5D=s3cr3t-key&customerId%5B0%5D=234&customerId%5B1%5D=abc`,
        one,
      ),
    ],
    files: users,
    secrets: [token, 's3cr3t-key'],
  },
  {
    rule: 'the list is sent when both values are equal as well',
    api: login({ apiRequest: { query: { key: response('token') } } }),
    config: job({ params: { key: token } }),
    steps: [step('GET /login', { token }), step(`GET /users?key%5B0%5D=${token}&key%5B1%5D=${token}`, one)],
    files: users,
  },
  {
    rule: 'of default and job the job value is the one at index 0',
    api: login(
      { apiRequest: { query: { key: response('token') } } },
      { http: { defaultOptions: { params: { key: 'default' } } } },
    ),
    config: job({ params: { key: 'job' } }),
    steps: [step('GET /login', { token }), step(`GET /users?key%5B0%5D=job&key%5B1%5D=${token}`, one)],
    files: users,
  },
  {
    rule: 'with POST apiRequest.query goes to the address, params stay in the body',
    api: login({ apiRequest: { query: { key: response('token') } } }),
    config: job({ method: 'POST', params: { key: 'job' } }),
    steps: [step('GET /login', { token }), step(`POST /users?key=${token}`, one, { body: '{"key":"job"}' })],
    files: users,
  },
  {
    rule: 'login values go with every page of a scroll, also without includeParams',
    api: login(
      { apiRequest: { headers: { 'X-Token': response('token') }, query: { key: response('token') } } },
      { pagination: { method: 'response.param', responseParam: 'next', queryParam: 'cursor' } },
    ),
    config: job({ dataField: 'rows', params: { sort: 'id' } }),
    steps: [
      step('GET /login', { token }),
      step(`GET /users?sort=id&key=${token}`, { rows: one, next: 'B' }, withToken(token)),
      step(`GET /users?cursor=B&key=${token}`, { rows: [] }, withToken(token)),
    ],
    files: users,
    exit: 0,
    secrets,
  },
  {
    rule: 'a login failure ends the run, and its request shows no secret',
    api: login(
      { loginRequest: { endpoint: 'login', params: { pass: attr('#password') } }, ...tokenHeader('token') },
      { retryConfig: { maxRetries: 0 } },
    ),
    config: { '#password': 'hush-hush-9', ...job({}) },
    steps: [step('GET /login?pass=hush-hush-9', json({ error: 'bad password hush-hush-9' }, { status: 403 }))],
    files: {},
    exit: 1,
    says: [/403/],
  },
  {
    rule: 'a redirect elsewhere gets no login value',
    api: login({ apiRequest: { headers: { 'X-Token': response('token') }, query: { key: response('token') } } }),
    steps: [
      step('GET /login', { token }),
      step(
        `GET /users?key=${token}`,
        { status: 302, headers: { location: 'http://login.test/elsewhere' } },
        withToken(token),
      ),
      step('GET http://login.test/elsewhere', one, { headers: { 'x-token': null } }),
    ],
    files: users,
    says: [/credentialOrigins/],
    secrets,
  },
  {
    rule: 'a redirect at home keeps the login values',
    api: login(tokenHeader('token')),
    steps: [
      step('GET /login', { token }),
      step('GET /users', { status: 302, headers: { location: '/people' } }, withToken(token)),
      step('GET /people', one, withToken(token)),
    ],
    files: users,
    secrets,
  },
];

export const loginRows: readonly Row[] = [...requestRows, ...formatRows, ...referenceRows, ...applyRows];
