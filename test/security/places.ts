/**
 * Where a secret can be: in a configuration, in its environment, in the response of a login. One planted value, one
 * document for each.
 */

export interface Place {
  readonly name: string;
  /** What it can hold: any text, or one that a header takes. */
  readonly holds: 'text' | 'token';
  /** The sections of the document with the secret, which the ways to leak extend. */
  document(secret: string, baseUrl: string): PlacedDocument;
  readonly env?: (secret: string) => Readonly<Record<string, string>>;
  /** The response to logins. Absent: there are none. */
  readonly login?: (secret: string) => string;
  /** What requests carry that was computed from it, and must not show either: of each request that came, as it came. */
  readonly derived?: (request: Carried) => readonly string[];
}

export interface PlacedDocument {
  readonly api: Readonly<Record<string, unknown>>;
  readonly config: Readonly<Record<string, unknown>>;
  readonly [section: string]: unknown;
}

/** A request as it came. */
export interface Carried {
  readonly target: string;
  readonly headers: readonly (readonly [string, string])[];
}

const job = { endpoint: 'users', dataType: 'users' };
const attr = (key: string) => ({ attr: key });
const concat = (...args: readonly unknown[]) => ({ function: 'concat', args });
const of = (name: string, ...args: readonly unknown[]) => ({ function: name, args });

/** `#token` in `config`, and an `api` that uses it. */
const inApi =
  (api: object, more: object = {}) =>
  (token: string, baseUrl: string): PlacedDocument => ({
    api: { baseUrl, ...api },
    config: { '#token': token, jobs: [job], ...more },
  });

const authorized = (authentication: object) => inApi({ authentication });

const withLogin = (authentication: object, key = '#password') => ({
  document: (text: string, baseUrl: string): PlacedDocument => ({
    api: { baseUrl, authentication: { type: 'login', ...authentication } },
    config: { [key]: text, jobs: [job] },
  }),
});

const loginRequest = { endpoint: 'login', method: 'POST', params: { user: 'joe', password: 'none of it' } };
const oauth = (data: string, secret = 'the secret of the app') => ({
  authorization: { oauth_api: { credentials: { appKey: 'app', '#appSecret': secret, '#data': data } } },
});
const tokenReply = (token: string) => JSON.stringify({ token, expires_in: 3600 });
const headerOf = (name: string, { headers }: Carried): string =>
  headers.find(([each]) => each.toLowerCase() === name)?.[1] ?? '';
const parameterOf = (name: string, { target }: Carried): string =>
  new URL(target, 'http://h').searchParams.get(name) ?? '';
const lastWord = (text: string): string => text.split(/[ =]/).at(-1) ?? '';

export const places: readonly Place[] = [
  {
    name: 'a parameter of a job',
    holds: 'text',
    document: (text, baseUrl) => ({
      api: { baseUrl },
      config: { '#token': text, jobs: [{ ...job, params: { key: attr('#token') } }] },
    }),
  },
  {
    name: 'a parameter of a POST',
    holds: 'text',
    document: (text, baseUrl) => ({
      api: { baseUrl },
      config: { '#token': text, jobs: [{ ...job, method: 'POST', params: { key: attr('#token') } }] },
    }),
  },
  {
    name: 'a parameter of a FORM',
    holds: 'text',
    document: (text, baseUrl) => ({
      api: { baseUrl },
      config: { '#token': text, jobs: [{ ...job, method: 'FORM', params: { a: { b: [attr('#token')] } } }] },
    }),
  },
  {
    name: 'below a key that begins with #, in defaults',
    holds: 'text',
    document: (text, baseUrl) => ({
      api: { baseUrl, http: { defaultOptions: { params: { '#deep': { list: ['x', text] } } } } },
      config: { jobs: [job] },
    }),
  },
  {
    name: 'what a function makes of it',
    holds: 'token',
    document: inApi({ http: { headers: { 'X-Sign': of('sha1', concat('salt', attr('#token'))) } } }),
    derived: (request) => [headerOf('x-sign', request)],
  },
  {
    name: 'a header of the client, behind a scheme',
    holds: 'token',
    document: inApi({ http: { headers: { Authorization: concat('Bearer ', attr('#token')) } } }),
  },
  {
    name: 'a header of config.http',
    holds: 'token',
    document: (token, baseUrl) => ({
      api: { baseUrl },
      config: { http: { headers: { 'X-Key': token } }, jobs: [job] },
    }),
  },
  {
    name: 'a default header, as it stands',
    holds: 'token',
    document: (token, baseUrl) => ({
      api: { baseUrl, http: { defaultOptions: { headers: { 'X-Key': token } } } },
      config: { jobs: [job] },
    }),
  },
  {
    name: 'a header of a job, as it stands',
    holds: 'token',
    document: (token, baseUrl) => ({ api: { baseUrl }, config: { jobs: [{ ...job, headers: { 'X-Key': token } }] } }),
  },
  {
    name: 'a header as it stands, behind a scheme',
    holds: 'token',
    document: (token, baseUrl) => ({
      api: { baseUrl, http: { headers: { Authorization: `Token ${token}` } } },
      config: { jobs: [job] },
    }),
  },
  {
    name: 'a header as it stands, in Basic',
    holds: 'text',
    document: (text, baseUrl) => ({
      api: {
        baseUrl,
        http: { headers: { Authorization: `Basic ${Buffer.from(`joe:${text}`).toString('base64')}` } },
      },
      config: { jobs: [job] },
    }),
  },
  {
    name: 'a cookie as it stands',
    holds: 'token',
    document: (token, baseUrl) => ({
      api: { baseUrl, http: { headers: { Cookie: `lang=en; session=${token}; x=y` } } },
      config: { jobs: [job] },
    }),
  },
  {
    name: 'user information in the base address',
    holds: 'token',
    document: (token, baseUrl) => ({
      api: { baseUrl: baseUrl.replace('://', `://joe:${encodeURIComponent(token)}@`) },
      config: { jobs: [job] },
    }),
    derived: (request) => [lastWord(headerOf('authorization', request))],
  },
  {
    name: 'user information in an endpoint',
    holds: 'token',
    document: (token, baseUrl) => ({
      api: { baseUrl },
      config: { jobs: [{ ...job, endpoint: `${baseUrl.replace('://', `://${encodeURIComponent(token)}@`)}users` }] },
    }),
  },
  {
    name: 'the path of the base address',
    holds: 'token',
    document: (token, baseUrl) => ({
      api: { baseUrl: concat(baseUrl, attr('#token'), '/') },
      config: { '#token': token, jobs: [job] },
    }),
  },
  {
    name: 'basic',
    holds: 'text',
    document: (text, baseUrl) => ({
      api: { baseUrl, authentication: { type: 'basic' } },
      config: { '#username': 'joe', '#password': text, jobs: [job] },
    }),
    derived: (request) => [lastWord(headerOf('authorization', request))],
  },
  {
    name: 'basic, the plain keys',
    holds: 'text',
    document: (text, baseUrl) => ({
      api: { baseUrl, authentication: { type: 'basic' } },
      config: { username: 'joe', password: text, jobs: [job] },
    }),
  },
  { name: 'bearer', holds: 'token', document: authorized({ type: 'bearer', token: attr('#token') }) },
  {
    name: 'bearer, as it stands',
    holds: 'token',
    document: (token, baseUrl) => ({
      api: { baseUrl, authentication: { type: 'bearer', token } },
      config: { jobs: [job] },
    }),
  },
  {
    name: 'api-key in a header',
    holds: 'token',
    document: authorized({ type: 'api-key', name: 'X-Key', value: attr('#token') }),
  },
  {
    name: 'api-key in the query',
    holds: 'token',
    document: authorized({ type: 'api-key', in: 'query', name: 'key', value: attr('#token') }),
  },
  { name: 'query', holds: 'token', document: authorized({ type: 'query', query: { key: attr('#token') } }) },
  {
    name: 'query, signed',
    holds: 'token',
    document: authorized({ type: 'query', query: { sig: of('md5', concat(attr('#token'), { request: 'method' })) } }),
    derived: (request) => [parameterOf('sig', request)],
  },
  { name: 'url.query', holds: 'token', document: authorized({ type: 'url.query', query: { key: attr('#token') } }) },
  {
    name: 'login: what it sends as JSON',
    holds: 'text',
    ...withLogin({ loginRequest: { ...loginRequest, params: { password: attr('#password') } } }),
    login: () => '{"token":"a token"}',
  },
  {
    name: 'login: what it sends as a form, as it stands',
    holds: 'text',
    document: (text, baseUrl) => ({
      api: {
        baseUrl,
        authentication: {
          type: 'login',
          loginRequest: { ...loginRequest, method: 'FORM', params: { password: text } },
        },
      },
      config: { jobs: [job] },
    }),
    login: () => '{}',
  },
  {
    name: 'login: what it sends in a header, as Basic',
    holds: 'text',
    ...withLogin({
      loginRequest: {
        endpoint: 'login',
        headers: { Authorization: concat('Basic ', of('base64_encode', concat('joe:', attr('#password')))) },
      },
    }),
    login: () => '{}',
    derived: (request) => [lastWord(headerOf('authorization', request))],
  },
  {
    name: 'login: a token of the reply in a header',
    holds: 'token',
    ...withLogin({ loginRequest, apiRequest: { headers: { 'X-Token': { response: 'token' } } } }, 'unused'),
    login: tokenReply,
  },
  {
    name: 'login: a token of the reply in the query',
    holds: 'token',
    ...withLogin({ loginRequest, apiRequest: { query: { key: { response: 'token' } } } }, 'unused'),
    login: tokenReply,
  },
  {
    name: 'login: a reply of plain text',
    holds: 'token',
    ...withLogin(
      { loginRequest, format: 'text', apiRequest: { headers: { 'X-Token': { response: 'data' } } } },
      'unused',
    ),
    login: (token) => token,
  },
  {
    name: 'login: what a function makes of the reply',
    holds: 'token',
    ...withLogin(
      { loginRequest, apiRequest: { query: { sig: of('hash', 'sha256', { response: 'token' }) } } },
      'unused',
    ),
    login: tokenReply,
    derived: (request) => [parameterOf('sig', request)],
  },
  {
    name: 'login: a part of the reply that no one refers to',
    holds: 'token',
    ...withLogin({ loginRequest }, 'unused'),
    login: (token) => JSON.stringify({ deep: [{ refresh_token: token }] }),
  },
  {
    name: 'login: a new token with every request',
    holds: 'token',
    ...withLogin({ loginRequest, apiRequest: { headers: { 'X-Token': { response: 'token' } } }, expires: 0 }, 'unused'),
    login: tokenReply,
  },
  {
    name: 'oauth10',
    holds: 'token',
    document: (token, baseUrl) => ({
      api: { baseUrl, authentication: { type: 'oauth10' } },
      config: { jobs: [job] },
      ...oauth(JSON.stringify({ oauth_token: 'of the user', oauth_token_secret: token })),
    }),
  },
  {
    name: 'oauth10: the token that goes out, and its signature',
    holds: 'token',
    document: (token, baseUrl) => ({
      api: { baseUrl, authentication: { type: 'oauth10' } },
      config: { jobs: [job] },
      ...oauth(JSON.stringify({ oauth_token: token, oauth_token_secret: 'of the user' })),
    }),
    derived: (request) => [
      decodeURIComponent(/oauth_signature="([^"]+)"/.exec(headerOf('authorization', request))?.[1] ?? ''),
    ],
  },
  {
    name: 'oauth10: the secret of the app',
    holds: 'text',
    document: (text, baseUrl) => ({
      api: { baseUrl, authentication: { type: 'oauth10' } },
      config: { jobs: [job] },
      ...oauth('{"oauth_token":"of the user","oauth_token_secret":"too"}', text),
    }),
  },
  {
    name: 'oauth20',
    holds: 'token',
    document: (token, baseUrl) => ({
      api: {
        baseUrl,
        authentication: { type: 'oauth20', headers: { Authorization: concat('Bearer ', { authorization: 'data' }) } },
      },
      config: { jobs: [job] },
      ...oauth(token),
    }),
  },
  {
    name: 'oauth20, within JSON, in the query and signed',
    holds: 'token',
    document: (token, baseUrl) => ({
      api: {
        baseUrl,
        authentication: {
          type: 'oauth20',
          format: 'json',
          query: {
            key: { authorization: 'data.access.token' },
            sig: of('hash_hmac', 'sha256', { request: 'method' }, { authorization: 'data.access.token' }),
          },
        },
      },
      config: { jobs: [job] },
      ...oauth(JSON.stringify({ access: { token } })),
    }),
    derived: (request) => [parameterOf('sig', request)],
  },
  {
    name: 'oauth20.login: the refresh token that it sends',
    holds: 'text',
    document: (text, baseUrl) => ({
      api: {
        baseUrl,
        authentication: {
          type: 'oauth20.login',
          loginRequest: {
            endpoint: 'login',
            method: 'FORM',
            params: { refresh: { user: 'refresh_token' }, secret: { consumer: 'client_secret' } },
          },
          apiRequest: { headers: { 'X-Token': { response: 'token' } } },
        },
      },
      config: { jobs: [job] },
      ...oauth(JSON.stringify({ refresh_token: text })),
    }),
    login: () => '{"token":"another one"}',
  },
  ...(['access_token', 'refresh_token'] as const).map((key) => ({
    name: `oauth20.login: the new ${key} of the reply`,
    holds: 'token' as const,
    document: (_: string, baseUrl: string) => ({
      api: {
        baseUrl,
        authentication: {
          type: 'oauth20.login',
          loginRequest: { endpoint: 'login', method: 'FORM', params: { refresh: { user: 'refresh_token' } } },
          apiRequest: { query: { access_token: { response: 'access_token' } } },
        },
      },
      config: { jobs: [job] },
      ...oauth('{"refresh_token":"the first one"}'),
    }),
    login: (token: string) => JSON.stringify({ access_token: 'new', refresh_token: 'newer', [key]: token }),
  })),
  ...(['basic', 'body'] as const).map((clientAuthentication) => ({
    name: `oauth2: the secret of the client, ${clientAuthentication}`,
    holds: 'text' as const,
    document: (text: string, baseUrl: string): PlacedDocument => ({
      api: {
        baseUrl,
        authentication: {
          type: 'oauth2',
          grant: 'client_credentials',
          tokenEndpoint: 'login',
          clientId: 'app',
          clientSecret: attr('#secret'),
          clientAuthentication,
        },
      },
      config: { '#secret': text, jobs: [job] },
    }),
    login: () => '{"access_token":"another-token-9","token_type":"Bearer"}',
    derived: (request: Carried) => [lastWord(headerOf('authorization', request))],
  })),
  ...(['access_token', 'refresh_token', 'id_token'] as const).map((key) => ({
    name: `oauth2: the ${key} of the reply`,
    holds: 'token' as const,
    document: (_: string, baseUrl: string): PlacedDocument => ({
      api: {
        baseUrl,
        authentication: {
          type: 'oauth2',
          grant: 'refresh_token',
          tokenEndpoint: 'login',
          clientId: 'app',
          refreshToken: attr('#refresh'),
        },
      },
      config: { '#refresh': 'the first one', jobs: [job] },
    }),
    login: (token: string) => JSON.stringify({ access_token: 'new', token_type: 'Bearer', [key]: token }),
  })),
  ...(['#secretKey', '#sessionToken'] as const).map((key) => ({
    name: `aws: ${key}`,
    holds: 'token' as const,
    document: (token: string, baseUrl: string) => ({
      api: { baseUrl },
      config: { jobs: [job] },
      aws: {
        signature: {
          credentials: {
            accessKeyId: 'AKIDEXAMPLE',
            '#secretKey': 'another secret key',
            serviceName: 'es',
            regionName: 'eu-central-1',
            [key]: token,
          },
        },
      },
    }),
    derived: (request: Carried) => [/Signature=(\w+)/.exec(headerOf('authorization', request))?.[1] ?? ''],
  })),
  {
    name: 'a variable of the environment, under a plain key',
    holds: 'text',
    document: (_, baseUrl) => ({
      api: { baseUrl },
      config: { jobs: [{ ...job, params: { key: { env: 'KEY' } } }] },
    }),
    env: (text) => ({ KEY: text }),
  },
  {
    name: 'a variable of the environment with a line break behind it, in a header',
    holds: 'token',
    document: (_, baseUrl) => ({
      api: { baseUrl, http: { headers: { Authorization: concat('Bearer ', attr('key')) } } },
      config: { key: { env: 'KEY' }, jobs: [job] },
    }),
    env: (token) => ({ KEY: `${token}\n` }),
  },
  {
    name: 'an iteration',
    holds: 'text',
    document: (text, baseUrl) => ({
      api: { baseUrl },
      config: { jobs: [{ ...job, params: { key: attr('#token') } }] },
      iterations: [{ '#token': text }],
    }),
  },
];
