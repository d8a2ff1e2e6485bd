/** What of `api.authentication` is found before any request, with the types that are built in. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { inspect } from '../../src/config/parse-config.js';
import { type Exact, fromPlain } from '../../src/core/json/exact.js';

interface Written {
  readonly authentication?: object;
  /** Members of `api` besides. */
  readonly api?: object;
  readonly config?: object;
  readonly iterations?: readonly object[];
  readonly credentials?: object;
}

function documentOf({ authentication, api = {}, config = {}, iterations, credentials }: Written): Exact {
  return fromPlain({
    parameters: {
      api: { baseUrl: 'https://api.example/', authentication, ...api },
      config: { jobs: [{ endpoint: 'users' }], ...config },
      ...(iterations === undefined ? {} : { iterations }),
    },
    ...(credentials === undefined ? {} : { authorization: { oauth_api: { credentials } } }),
  });
}

const problemsOf = (written: Written) =>
  inspect(documentOf(written)).problems.map(({ path, message }) => `${path}: ${message}`);

const warningsOf = (written: Written) => inspect(documentOf(written)).notices.map(({ message }) => message);

const keys = { appKey: 'key', '#appSecret': 'hidden-secret' };
const text = { ...keys, '#data': 'hidden-token' };
const json = { ...keys, '#data': '{"access_token":"hidden-token","keys":["hidden"]}' };

const oauth2Client = { tokenEndpoint: 'token', clientId: 'me', clientSecret: 'hidden' };

const right: readonly (readonly [rule: string, written: Written])[] = [
  ['basic with its credentials', { authentication: { type: 'basic' }, config: { username: 'Ada', '#password': 'x' } }],
  [
    'basic with credentials that come from each iteration',
    {
      authentication: { type: 'basic' },
      iterations: [
        { username: 'Ada', password: 'x' },
        { '#username': 'Bob', password: 'x' },
      ],
    },
  ],
  ['bearer with a token', { authentication: { type: 'bearer', token: { attr: '#t' } }, config: { '#t': 'x' } }],
  ['api-key in a query under any name', { authentication: { type: 'api-key', in: 'query', name: 'a b', value: 'x' } }],
  [
    'query over the request',
    { authentication: { type: 'query', query: { a: { request: 'url' }, b: { query: 'any' } } } },
  ],
  [
    'oauth10 with a token',
    {
      authentication: { type: 'oauth10' },
      credentials: { ...keys, '#data': '{"oauth_token":"a","oauth_token_secret":"b"}' },
    },
  ],
  [
    'oauth20 with a text',
    { authentication: { type: 'oauth20', headers: { A: { authorization: 'data' } } }, credentials: text },
  ],
  [
    'oauth20 with JSON',
    {
      authentication: {
        type: 'oauth20',
        format: 'json',
        query: { a: { authorization: 'data.keys.0' }, b: { authorization: 'nonce' } },
      },
      credentials: json,
    },
  ],
  [
    'oauth2 with client credentials',
    { authentication: { type: 'oauth2', grant: 'client_credentials', ...oauth2Client, clientAuthentication: 'body' } },
  ],
  [
    'oauth2 with a refresh token and no secret',
    {
      authentication: {
        type: 'oauth2',
        grant: 'refresh_token',
        tokenEndpoint: 'token',
        clientId: 'me',
        refreshToken: 'x',
        scope: 'a b',
        params: { audience: 'y' },
      },
    },
  ],
  [
    'oauth2 with what the document holds',
    {
      authentication: {
        type: 'oauth2',
        grant: 'refresh_token',
        tokenEndpoint: 'token',
        clientId: { consumer: 'client_id' },
        clientSecret: { consumer: 'client_secret' },
        refreshToken: { user: 'access_token' },
      },
      credentials: json,
    },
  ],
  [
    'oauth2 that does not look at what the document holds, whatever that is',
    { authentication: { type: 'oauth2', grant: 'client_credentials', ...oauth2Client }, credentials: text },
  ],
  [
    'oauth20.login with a token that is JSON',
    {
      authentication: {
        type: 'oauth20.login',
        loginRequest: {
          endpoint: 'token',
          params: { id: { consumer: 'client_id' }, secret: { consumer: 'client_secret' }, key: { user: 'keys.0' } },
          headers: { A: { user: 'access_token' }, B: { attr: 'b' } },
        },
        apiRequest: { headers: { A: { response: 'access_token' } } },
      },
      config: { b: 'x' },
      credentials: json,
    },
  ],
];

for (const [rule, written] of right) {
  test(`${rule} is right`, () => {
    assert.equal([...problemsOf(written), ...warningsOf(written)], []);
  });
}

const at = 'parameters.api.authentication';
const ofAuthorization = 'authorization.oauth_api.credentials';
const parts = '"url", "path", "queryString", "method", "hostname", "port", "resource"';

const wrong: readonly (readonly [rule: string, written: Written, problems: readonly string[]])[] = [
  [
    'basic without credentials',
    { authentication: { type: 'basic' } },
    [
      'parameters.config.username: required: expected a string here or at "#username"',
      'parameters.config.password: required: expected a string here or at "#password"',
    ],
  ],
  [
    'basic with a misspelt key',
    { authentication: { type: 'basic' }, config: { usrname: 'hidden', '#password': 'x' } },
    [
      'parameters.config.username: required: expected a string here or at "#username"; "usrname" exists there: did you mean "username"?',
    ],
  ],
  [
    'basic with a user of "0"',
    { authentication: { type: 'basic' }, config: { username: '0', password: 'x' } },
    ['parameters.config.username: required: expected a string here or at "#username"'],
  ],
  [
    'basic with an expression',
    { authentication: { type: 'basic' }, config: { '#username': { attr: 'x' }, password: 'x' } },
    ['parameters.config.#username: expected a string, found an object'],
  ],
  [
    'basic with an iteration that takes its password away',
    {
      authentication: { type: 'basic' },
      config: { username: 'Ada', password: 'x' },
      iterations: [{}, { password: '' }],
    },
    ['parameters.iterations[1].password: required: expected a string here or at "#password"'],
  ],
  [
    'bearer without a token',
    { authentication: { type: 'bearer', token: '' } },
    [`${at}.token: expected a non-empty string, or an expression, found an empty string`],
  ],
  [
    'bearer with a token that is no attribute',
    { authentication: { type: 'bearer', token: { attr: '#tokn' } }, config: { '#token': 'hidden' } },
    [`${at}.token.attr: there is no such key in \`config\`; did you mean "#token"?`],
  ],
  [
    'bearer with an object that is no expression',
    { authentication: { type: 'bearer', token: { a: 'hidden' } } },
    [`${at}.token: expected a non-empty string, or an expression, found an object`],
  ],
  [
    'bearer with two words for a scheme',
    { authentication: { type: 'bearer', token: 'x', scheme: 'My Token' } },
    [`${at}.scheme: expected a word such as "Bearer", found a string`],
  ],
  [
    'api-key with a header that has no such name',
    { authentication: { type: 'api-key', name: 'X Key', value: 'hidden' } },
    [`${at}.name: not a valid header name`],
  ],
  [
    'api-key at another place',
    { authentication: { type: 'api-key', in: 'headers', name: 'X', value: 'hidden' } },
    [`${at}.in: expected "header" or "query", found "headers"; did you mean "header"?`],
  ],
  [
    'query without any',
    { authentication: { type: 'query', query: {} } },
    [`${at}.query: expected an object with at least one parameter, found an object`],
  ],
  [
    'query with a part of the request that is none',
    { authentication: { type: 'query', query: { a: { function: 'sha1', args: [{ request: 'ur' }] } } } },
    [`${at}.query.a.args[0].request: there is no such request, expected one of ${parts}; did you mean "url"?`],
  ],
  [
    'oauth10 without credentials',
    { authentication: { type: 'oauth10' } },
    ['authorization.oauth_api: required: expected an object, the OAuth credentials'],
  ],
  [
    'oauth10 with a token of OAuth 2.0',
    { authentication: { type: 'oauth10' }, credentials: json },
    [
      `${ofAuthorization}.#data.oauth_token: required: expected a string in the JSON`,
      `${ofAuthorization}.#data.oauth_token_secret: required: expected a string in the JSON`,
    ],
  ],
  [
    'oauth20 with a token that is no JSON',
    { authentication: { type: 'oauth20', format: 'json' }, credentials: text },
    [`${ofAuthorization}.#data: expected a string of JSON, found a string that is not JSON`],
  ],
  [
    'oauth20 with a path that leads nowhere',
    {
      authentication: { type: 'oauth20', format: 'json', headers: { A: { authorization: 'data.acces_token' } } },
      credentials: json,
    },
    [
      `${at}.headers.A.authorization: there is no such authorization, expected one of "clientId", "nonce", "timestamp", "data.access_token", "data.keys.0"; did you mean "data.access_token"?`,
    ],
  ],
  [
    'oauth20 with a token that is an object',
    {
      authentication: { type: 'oauth20', format: 'json', headers: { A: { authorization: 'data' } } },
      credentials: json,
    },
    [`${at}.headers.A.authorization: expected the path of a single value, found an object`],
  ],
  [
    'oauth20 with the secret of the application',
    { authentication: { type: 'oauth20', query: { a: { authorization: '#data' } } }, credentials: text },
    [
      `${at}.query.a.authorization: there is no such authorization, expected one of "clientId", "nonce", "timestamp", "data"; did you mean "data"?`,
    ],
  ],
  [
    'oauth20.login without credentials',
    { authentication: { type: 'oauth20.login', loginRequest: { endpoint: 'token' } } },
    ['authorization.oauth_api: required: expected an object, the OAuth credentials'],
  ],
  [
    'oauth20.login without a login request',
    { authentication: { type: 'oauth20.login' }, credentials: json },
    [`${at}.loginRequest: required: expected an object`],
  ],
  [
    'oauth20.login with credentials that are empty',
    {
      authentication: { type: 'oauth20.login', loginRequest: { endpoint: 'token' } },
      credentials: { appKey: '', '#appSecret': '', '#data': '' },
    },
    [
      `${ofAuthorization}.appKey: required: expected a string or a number, the key of the application`,
      `${ofAuthorization}.#appSecret: required: expected a string, the secret of the application`,
      `${ofAuthorization}.#data: required: expected a string, the token`,
    ],
  ],
  [
    'oauth20.login with a token that is no JSON',
    { authentication: { type: 'oauth20.login', loginRequest: { endpoint: 'token' } }, credentials: text },
    [`${ofAuthorization}.#data: expected a string of JSON, found a string that is not JSON`],
  ],
  [
    'oauth20.login with a token that is a single value of JSON',
    {
      authentication: { type: 'oauth20.login', loginRequest: { endpoint: 'token' } },
      credentials: { ...keys, '#data': '"hidden-token"' },
    },
    [`${ofAuthorization}.#data: expected a JSON object in the string, found a string`],
  ],
  [
    'oauth20.login with paths that lead nowhere',
    {
      authentication: {
        type: 'oauth20.login',
        loginRequest: { endpoint: 'token', params: { a: { consumer: 'client_scret' }, b: { user: 'keys' } } },
      },
      credentials: json,
    },
    [
      `${at}.loginRequest.params.a.consumer: there is no such consumer, expected one of "client_id", "client_secret"; did you mean "client_secret"?`,
      `${at}.loginRequest.params.b.user: expected the path of a single value, found a list`,
    ],
  ],
  [
    'oauth2 without anything',
    { authentication: { type: 'oauth2' } },
    [
      `${at}.grant: required: expected "client_credentials" or "refresh_token"`,
      `${at}.tokenEndpoint: required: expected a non-empty string`,
      `${at}.clientId: required: expected a non-empty string, or an expression`,
    ],
  ],
  [
    'oauth2 with misspelt words',
    {
      authentication: { type: 'oauth2', ...oauth2Client, grant: 'client_credential', clientAuthentication: 'boddy' },
    },
    [
      `${at}.grant: expected "client_credentials" or "refresh_token", found "client_credential"; did you mean "client_credentials"?`,
      `${at}.clientAuthentication: expected "basic" or "body", found "boddy"; did you mean "body"?`,
    ],
  ],
  [
    'oauth2 with client credentials without a secret, and with a refresh token',
    {
      authentication: {
        type: 'oauth2',
        grant: 'client_credentials',
        tokenEndpoint: 'token',
        clientId: 'me',
        refreshToken: 'hidden',
      },
    },
    [
      `${at}.clientSecret: required: expected the secret of the client`,
      `${at}.refreshToken: only allowed with the grant "refresh_token"`,
    ],
  ],
  [
    'oauth2 without the refresh token, and with a way to show no secret',
    {
      authentication: {
        type: 'oauth2',
        grant: 'refresh_token',
        tokenEndpoint: 'token',
        clientId: 'me',
        clientAuthentication: 'basic',
      },
    },
    [
      `${at}.refreshToken: required: expected the first refresh token`,
      `${at}.clientAuthentication: not allowed without \`clientSecret\``,
    ],
  ],
  [
    'oauth2 with parameters that have keys of their own',
    {
      authentication: {
        type: 'oauth2',
        grant: 'client_credentials',
        ...oauth2Client,
        params: { scope: 'a', client_secret: 'hidden', audience: 'b' },
      },
    },
    [
      `${at}.params.scope: not allowed here; use the key \`scope\``,
      `${at}.params.client_secret: not allowed here; use the key \`clientSecret\``,
    ],
  ],
  [
    'oauth2 that refers to what is not there',
    {
      authentication: {
        type: 'oauth2',
        grant: 'client_credentials',
        ...oauth2Client,
        clientId: { attr: 'clientIdd' },
        params: { audience: { function: 'concat', args: [{ user: 'acces_token' }] } },
      },
      config: { clientId: 'me' },
      credentials: json,
    },
    [
      `${at}.clientId.attr: there is no such key in \`config\`; did you mean "clientId"?`,
      `${at}.params.audience.args[0].user: there is no such user, expected one of "access_token", "keys.0"; did you mean "access_token"?`,
    ],
  ],
  [
    'oauth2 that refers to credentials that the document does not hold',
    {
      authentication: {
        type: 'oauth2',
        grant: 'refresh_token',
        ...oauth2Client,
        refreshToken: { user: 'refresh_token' },
      },
    },
    ['authorization.oauth_api: required: expected an object, the OAuth credentials'],
  ],
];

for (const [rule, written, problems] of wrong) {
  test(`${rule} is refused`, () => {
    assert.equal(problemsOf(written), problems);
    assert.not.match(problemsOf(written).join('\n'), /hidden/);
  });
}

test('an unknown type is rejected with the valid ones, without deprecated names', () => {
  const [problem = ''] = problemsOf({ authentication: { type: 'beare' } });
  assert.match(problem, 'did you mean "bearer"?');
  assert.match(problem, '"query"');
  assert.not.match(problem, 'url.query');
});

test('the old name of query is a warning', () => {
  assert.equal(warningsOf({ authentication: { type: 'url.query', query: { a: '1' } } }), [
    `${at}.type: an old name; use "query" instead`,
  ]);
});

test('references of a login request are not available in apiRequest', () => {
  const loginRequest = { endpoint: 'token' };
  const apiRequest = { headers: { A: { user: 'access_token' } } };
  assert.equal(problemsOf({ authentication: { type: 'oauth20.login', loginRequest, apiRequest }, credentials: json }), [
    `${at}.apiRequest.headers.A: expected an expression, a string, a number, true, false or null, or a list of these, found an object`,
  ]);
});

test('keys of a login are not used by query, with a warning', () => {
  assert.equal(warningsOf({ authentication: { type: 'query', query: { a: '1' }, apiRequest: {} } }), [
    `${at}.apiRequest: unknown key, not used`,
  ]);
});

test('the old place of the parameters is read, with a warning', () => {
  const written = {
    authentication: { type: 'query' },
    api: { query: { a: { attr: 'token' } } },
    config: { token: 'x' },
  };
  assert.equal(problemsOf(written), []);
  assert.equal(warningsOf(written), ['parameters.api.query: an old place; use `api.authentication.query`']);
});

test('problems in the old place are reported there', () => {
  const written = {
    authentication: { type: 'query' },
    api: { query: { a: { attr: 'tokn' } } },
    config: { token: 'x' },
  };
  assert.equal(problemsOf(written), [
    'parameters.api.query.a.attr: there is no such key in `config`; did you mean "token"?',
  ]);
});

const unused: readonly (readonly [rule: string, authentication: object | undefined])[] = [
  ['without authentication', undefined],
  ['beside parameters of the type', { type: 'query', query: { a: '1' } }],
  ['with another type', { type: 'bearer', token: 'x' }],
];

for (const [rule, authentication] of unused) {
  test(`the old place ${rule} is not used, with a warning`, () => {
    assert.equal(
      warningsOf({ ...(authentication === undefined ? {} : { authentication }), api: { query: { b: '1' } } }),
      ['parameters.api.query: not used; put parameters of every request into `api.authentication.query`'],
    );
  });
}

test.run();
