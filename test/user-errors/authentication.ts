/** Types of authentication, logins and their replies, OAuth credentials, the signature for AWS. */
import { plain, type Reply, rawJson } from '../loopback/api.js';
import { step } from '../traces/trace.js';
import type { Row } from './row.js';

const required = /required/;
const at = (key: string) => `api.authentication${key}`;
const type = (authentication: unknown): Pick<Row, 'api'> => ({ api: { authentication } });

const loginRequest = { endpoint: 'login' };
const login = (over: object = {}) => type({ type: 'login', loginRequest, ...over });
const token = { apiRequest: { headers: { 'X-Token': { response: 'token' } } } };

const types: readonly Row[] = [
  { rule: 'an unknown type', ...type({ type: 'kerberos' }), problems: [[at('.type'), /"basic".*"login"/]] },
  { rule: 'one that is nearly known', ...type({ type: 'basik' }), problems: [[at('.type'), /did you mean/]] },
  { rule: 'an authentication that is no object', ...type('login'), problems: [[at(''), /an object/]] },
  {
    rule: 'basic without credentials',
    ...type({ type: 'basic' }),
    problems: [
      ['config.username', /"#username"/],
      ['config.password', /"#password"/],
    ],
  },
  {
    rule: 'basic with empty ones, "0" among them',
    ...type({ type: 'basic' }),
    config: { username: '', '#username': '0', '#password': 'x' },
    problems: [['config.username', /"#username"/]],
  },
  { rule: 'query without parameters', ...type({ type: 'query' }), problems: [[at('.query'), required]] },
  {
    rule: 'query with no parameter',
    ...type({ type: 'url.query', query: {} }),
    problems: [[at('.query'), /at least one parameter/]],
  },
];

const logins: readonly Row[] = [
  { rule: 'no loginRequest', ...type({ type: 'login' }), problems: [[at('.loginRequest'), required]] },
  {
    rule: 'an empty loginRequest',
    ...type({ type: 'login', loginRequest: [] }),
    problems: [[at('.loginRequest.endpoint'), required]],
  },
  {
    rule: 'an empty endpoint of the login',
    ...type({ type: 'login', loginRequest: { endpoint: '' } }),
    problems: [[at('.loginRequest.endpoint'), /non-empty string/]],
  },
  {
    rule: 'an endpoint of the login that can be no address',
    ...type({ type: 'login', loginRequest: { endpoint: 'urn:login' } }),
    problems: [[at('.loginRequest.endpoint'), /an http or https URL/]],
  },
  {
    rule: 'a method of the login that does not exist, before it is sent',
    ...type({ type: 'login', loginRequest: { ...loginRequest, method: 'LOGIN' } }),
    problems: [[at('.loginRequest.method'), /"GET", "POST", "FORM"/]],
  },
  {
    rule: 'parameters and headers of the login that are no objects',
    ...type({ type: 'login', loginRequest: { ...loginRequest, params: 'x', headers: 5 } }),
    problems: [
      [at('.loginRequest.params'), /an object/],
      [at('.loginRequest.headers'), /an object/],
    ],
  },
  {
    rule: 'an object as a header of the login',
    ...type({ type: 'login', loginRequest: { ...loginRequest, headers: { Authorization: { a: 1, b: 2 } } } }),
    problems: [[at('.loginRequest.headers.Authorization'), /an object/]],
  },
  {
    rule: 'maps of apiRequest and of query that are no objects',
    ...login({ apiRequest: { headers: 'X-Token', query: 5 } }),
    problems: [
      [at('.apiRequest.headers'), /an object, found a string/],
      [at('.apiRequest.query'), /an object, found a number/],
    ],
  },
  { rule: 'an unknown format', ...login({ format: 'xml' }), problems: [[at('.format'), /"json" or "text"/]] },
  {
    rule: 'an expiry in words',
    ...login({ expires: 'soon' }),
    problems: [[at('.expires'), /seconds.*"response"/]],
  },
  {
    rule: 'an expiry that is true',
    ...login({ expires: true }),
    problems: [[at('.expires'), /seconds.*"response"/]],
  },
  {
    rule: 'an expiry that is a list',
    ...login({ expires: ['expires_in'] }),
    problems: [[at('.expires'), /seconds.*"response"/]],
  },
  {
    rule: 'an expiry without the path to it',
    ...login({ expires: { relative: true } }),
    problems: [[at('.expires.response'), required]],
  },
  {
    rule: 'an expiry with an empty path',
    ...login({ expires: { response: '' } }),
    problems: [[at('.expires.response'), /non-empty string/]],
  },
];

/** The login is answered like that, and no job is asked. */
const answered = (rule: string, reply: unknown, says: RegExp, over: object = {}): Row => ({
  rule,
  ...login({ ...token, ...over }),
  steps: [step('GET login', reply)],
  code: 'ERR_LOGIN',
  says,
  job: 'users',
  page: 0,
});

const expiring = { expires: { response: 'until' } };
const empty: Reply = rawJson('');

const replies: readonly Row[] = [
  ...[401, 404, 501].map(
    (status): Row => ({
      rule: `a login that is answered ${status}`,
      ...login(),
      steps: [step('GET login', { ...plain('no'), status })],
      code: 'ERR_STATUS',
      says: new RegExp(`GET .*/v1/login failed with status ${status}: no`),
      job: 'users',
      page: 0,
    }),
  ),
  answered('a login response that is a list', [{ token: 'abcd' }], /a list.*expected an object/),
  answered('a login response that is null', rawJson('null'), /null.*expected an object/),
  answered('a login response that is no JSON', plain('token-abcd'), /not JSON.*`format`/),
  answered('an empty login response', empty, /not JSON/),
  answered('a path that leads nowhere', { tokn: 'abcd' }, /"token".*did you mean "tokn"/),
  answered('a path that leads to null', { token: null }, /"token" is null/),
  answered('a path that leads to an object', { token: { id: 1 } }, /"token" is an object/),
  answered('a path that leads to a list', { token: ['abcd'] }, /"token" is a list/),
  answered('a path into a text', { token: 'abcd' }, /"data\.id"/, {
    format: 'text',
    apiRequest: { query: { id: { response: 'data.id' } } },
  }),
  answered(
    'a date that is not understood',
    { token: 'abcd', until: 'when the cows come home' },
    /a date-time.*"until"/,
    expiring,
  ),
  answered(
    'a date with a rest that is not understood',
    { token: 'abcd', until: '2030-01-01 or so' },
    /a date-time.*"until"/,
    expiring,
  ),
  answered('an expiry that is an object', { token: 'abcd', until: {} }, /a date-time.*an object/, expiring),
  answered(
    'a relative expiry that is no number',
    { token: 'abcd', until: '2030-01-01' },
    /a number of seconds.*"until"/,
    { expires: { response: 'until', relative: true } },
  ),
  {
    rule: 'an object as a header made of the reply, not before it is known',
    ...login({
      apiRequest: { headers: { 'X-Token': { function: 'ifempty', args: ['', { a: { response: 'token' } }] } } },
    }),
    steps: [step('GET login', { token: 'abcd' })],
    code: 'ERR_FUNCTION',
    says: /apiRequest\.headers\.X-Token: .*an object/,
    job: 'users',
    page: 0,
  },
];

const held = 'authorization.oauth_api.credentials';
const pair = JSON.stringify({ oauth_token: 't0ken', oauth_token_secret: 's3cret' });
const application = { appKey: 'key', '#appSecret': 'hush-hush-1' };
const oauth = (
  rule: string,
  authentication: object,
  credentials: unknown,
  ...problems: readonly (readonly [string, RegExp])[]
): Row => ({
  rule,
  ...type(authentication),
  beside: credentials === undefined ? {} : { authorization: { oauth_api: { credentials } } },
  problems,
});

const one = { type: 'oauth10' };
const two = { type: 'oauth20' };
const bearer = { Authorization: { function: 'concat', args: ['Bearer ', { authorization: 'data' }] } };
const refresh = { type: 'oauth20.login', loginRequest };

const credentials: readonly Row[] = [
  ...[one, two, refresh].flatMap((authentication): readonly Row[] => [
    oauth(`3.6-3.8: ${authentication.type} without credentials`, authentication, undefined, [
      'authorization.oauth_api',
      required,
    ]),
    oauth(`3.6-3.8: ${authentication.type} with empty ones`, authentication, [], [held, required]),
    oauth(
      `3.6-3.8: ${authentication.type} with nothing in any of them`,
      authentication,
      { appKey: '', '#appSecret': '', '#data': '' },
      [`${held}.appKey`, required],
      [`${held}.#appSecret`, required],
      [`${held}.#data`, required],
    ),
  ]),
  oauth('a token that is no JSON', one, { ...application, '#data': 'abc' }, [`${held}.#data`, /JSON/]),
  oauth('a token that is JSON, and no object', one, { ...application, '#data': '"abc"' }, [
    `${held}.#data`,
    /a JSON object/,
  ]),
  oauth('a token that is no text', one, { ...application, '#data': { oauth_token: 'a' } }, [
    `${held}.#data`,
    /a string/,
  ]),
  oauth(
    'a token without its fields',
    one,
    { ...application, '#data': '{"token":"a"}' },
    [`${held}.#data.oauth_token`, required],
    [`${held}.#data.oauth_token_secret`, required],
  ),
  oauth('no appKey', one, { '#appSecret': 'hush-hush-1', '#data': pair }, [`${held}.appKey`, required]),
  oauth('no appSecret', one, { appKey: 5, '#data': pair }, [`${held}.#appSecret`, required]),
  oauth('an unknown format', { ...two, format: 'xml' }, { ...application, '#data': 'a' }, [
    at('.format'),
    /"text" or "json"/,
  ]),
  oauth('a token that is said to be JSON, and is none', { ...two, format: 'json' }, { ...application, '#data': 'a' }, [
    `${held}.#data`,
    /JSON/,
  ]),
  oauth(
    'an object as a header',
    { ...two, headers: { Authorization: { a: 1, b: 2 } } },
    { ...application, '#data': 'a' },
    [at('.headers.Authorization'), /an object/],
  ),
  oauth(
    'a reference that leads nowhere',
    { ...two, format: 'json', headers: { A: { authorization: 'data.tokn' }, B: { authorization: 'nonc' } } },
    { ...application, '#data': '{"token":"a"}' },
    [at('.headers.A.authorization'), /did you mean "data\.token"/],
    [at('.headers.B.authorization'), /did you mean "nonce"/],
  ),
  oauth(
    'attr, which it does not know',
    { ...two, headers: { ...bearer, A: { attr: 'key' } } },
    { ...application, '#data': 'a' },
    [at('.headers.A'), /an object/],
  ),
  oauth('a token that is no JSON', refresh, { ...application, '#data': 'abc' }, [`${held}.#data`, /JSON/]),
  oauth('a token that is JSON, and no object', refresh, { ...application, '#data': '5' }, [
    `${held}.#data`,
    /a JSON object/,
  ]),
  oauth(
    'references that lead nowhere',
    { ...refresh, loginRequest: { ...loginRequest, params: { a: { consumer: 'client' }, b: { user: 'refresh' } } } },
    { ...application, '#data': '{"refresh_token":"a"}' },
    [at('.loginRequest.params.a.consumer'), /"client_id"/],
    [at('.loginRequest.params.b.user'), /"refresh_token"/],
  ),
];

const keys = { accessKeyId: 'AKID', '#secretKey': 'hush-hush-1', serviceName: 'execute-api', regionName: 'eu' };
const signed = (over: object): Pick<Row, 'beside'> => ({
  beside: { aws: { signature: { credentials: { ...keys, ...over } } } },
});

const signatures: readonly Row[] = Object.keys(keys).flatMap((key): readonly Row[] => [
  {
    rule: `a signature without "${key}"`,
    ...signed({ [key]: undefined }),
    problems: [[`aws.signature.credentials.${key}`, required]],
  },
  {
    rule: `a signature with an empty "${key}"`,
    ...signed({ [key]: '' }),
    problems: [[`aws.signature.credentials.${key}`, /non-empty string/]],
  },
]);

export const authentication: readonly Row[] = [...types, ...logins, ...replies, ...credentials, ...signatures];
