/**
 * Type `oauth2` by its requests and replies: grants, client authentication, lifetimes, rotation, refusals. RFC 6749.
 */
import { lastValueFrom, type Observable, of } from 'rxjs';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { oauth2 } from '../../src/auth/oauth2.js';
import { createRefreshTokens } from '../../src/auth/refresh-tokens.js';
import type { LoginReply, LoginRequest } from '../../src/auth/types.js';
import { ExtractError } from '../../src/core/errors/errors.js';
import { encodeForm } from '../../src/core/url/query-string.js';
import { run } from '../../src/run/extract.js';
import { formsOf } from '../core/secrets/forms.js';
import { rejection } from '../sinks/lib.js';
import { comeAgain, configOf, json, onNetwork } from '../support/mock-network.js';
import { startClock } from '../support/virtual-clock.js';
import { type Around, create, get, headersOf } from './auth-context.js';

const config = {
  clientId: 'my:client',
  '#clientSecret': 'se cret:+%/ü',
  '#refresh': 'refresh-0',
  audience: 'orders-api',
};
const client = {
  tokenEndpoint: 'oauth/token',
  clientId: { attr: 'clientId' },
  clientSecret: { attr: '#clientSecret' },
};
const clientCredentials = { grant: 'client_credentials', ...client };
const refreshing = { grant: 'refresh_token', ...client, refreshToken: { attr: '#refresh' } };
const token = { access_token: 'token-1', token_type: 'Bearer', expires_in: 3600 };

const made = (written: object, around: Around = {}) => create(oauth2, written, { config, ...around });

type Made = ReturnType<typeof made>;

const reply = (body: unknown, status = 200): LoginReply => ({
  status,
  body: Buffer.from(typeof body === 'string' ? body : JSON.stringify(body)),
});

/** Logs in once; returns the request and the credentials. */
async function logIn({ authentication: { login } }: Made, answer: LoginReply) {
  if (login === undefined) throw new Error('there is no login');
  const sent: LoginRequest[] = [];
  const send = (request: LoginRequest): Observable<LoginReply> => {
    sent.push(request);
    return of(answer);
  };
  const credentials = await lastValueFrom(login.obtain(send));
  const [request] = sent;
  if (request === undefined || sent.length > 1) throw new Error(`${sent.length} requests were sent`);
  return { credentials, request, body: encodeForm(request.params) };
}

async function refusal(it: Made, answer: LoginReply): Promise<ExtractError> {
  try {
    await logIn(it, answer);
  } catch (thrown) {
    if (thrown instanceof ExtractError) return thrown;
    throw thrown;
  }
  throw new Error('the reply was taken');
}

const basicOf = (id: string, secret: string) => `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`;

test('a client shows itself in a header: id and secret encoded as in a form, joined, then base64', async () => {
  const { request, body } = await logIn(made(clientCredentials), reply(token));
  assert.is(request.endpoint, 'oauth/token');
  assert.is(request.method, 'FORM');
  assert.is(body, 'grant_type=client_credentials');
  assert.equal(headersOf({ ...get(''), headers: request.headers }), {
    Accept: 'application/json',
    Authorization: basicOf('my%3Aclient', 'se+cret%3A%2B%25%2F%C3%BC'),
  });
});

test('a client shows itself among the parameters', async () => {
  const { request, body } = await logIn(made({ ...clientCredentials, clientAuthentication: 'body' }), reply(token));
  assert.is(body, 'grant_type=client_credentials&client_id=my%3Aclient&client_secret=se+cret%3A%2B%25%2F%C3%BC');
  assert.not(request.headers.has('Authorization'));
});

test('a public client sends its id alone', async () => {
  const { clientSecret: _, ...known } = refreshing;
  const { request, body } = await logIn(made(known), reply(token));
  assert.is(body, 'grant_type=refresh_token&refresh_token=refresh-0&client_id=my%3Aclient');
  assert.not(request.headers.has('Authorization'));
});

test('a scope and further parameters follow the grant', async () => {
  const params = { audience: { attr: 'audience' }, resource: 'https://api.example/' };
  const { body } = await logIn(made({ ...clientCredentials, scope: 'read write', params }), reply(token));
  assert.is(
    body,
    'grant_type=client_credentials&scope=read+write&audience=orders-api&resource=https%3A%2F%2Fapi.example%2F',
  );
});

test('client, secret and refresh token can come from the document', async () => {
  const credentials = { appKey: 'app', '#appSecret': 'app-secret', '#data': '{"refresh_token":"held-1"}' };
  const written = {
    ...refreshing,
    clientId: { consumer: 'client_id' },
    clientSecret: { consumer: 'client_secret' },
    refreshToken: { user: 'refresh_token' },
  };
  const it = made(written, { credentials });
  const { request, body } = await logIn(it, reply(token));
  assert.is(body, 'grant_type=refresh_token&refresh_token=held-1');
  assert.equal(request.headers.get('Authorization'), [basicOf('app', 'app-secret')]);
  for (const secret of ['app-secret', 'held-1']) assert.ok(it.secrets.isSecret(secret), secret);
});

test('the endpoint is trusted, and the token replaces an Authorization header; the address stays as it is', async () => {
  const it = made(clientCredentials);
  assert.equal(it.authentication.endpoints, ['oauth/token']);
  const { credentials } = await logIn(it, reply(token));
  const request = get('http://h.example/?q=a+b&~', { headers: new Map([['AUTHORIZATION', ['Basic x']]]) });
  const authorized = it.authentication.authorize(request, credentials);
  assert.equal(headersOf(authorized), { Authorization: 'Bearer token-1' });
  assert.is(authorized.url, request.url);
});

for (const type of ['bearer', 'BEARER', undefined, null]) {
  test(`a token of the type ${type} is sent after Bearer`, async () => {
    const { credentials } = await logIn(made(clientCredentials), reply({ ...token, token_type: type }));
    assert.equal(credentials.headers.get('Authorization'), ['Bearer token-1']);
  });
}

const lifetimes: readonly (readonly [expires: unknown, after: number, codes: readonly string[]])[] = [
  [3600, 3_570_000, []],
  ['3600', 3_570_000, []],
  [100, 90_000, []],
  [0, 0, []],
  [-1, -1000, ['expired-at-login']],
  [null, Number.POSITIVE_INFINITY, []],
  [undefined, Number.POSITIVE_INFINITY, []],
];

for (const [expires, after, codes] of lifetimes) {
  test(`with expires_in ${JSON.stringify(expires)} a token is good for ${after} ms`, async () => {
    const clock = startClock();
    try {
      const it = made(clientCredentials);
      const { credentials } = await logIn(it, reply({ ...token, expires_in: expires }));
      assert.is(credentials.expiresAt - Date.now(), after);
      assert.equal(
        it.notices.map(({ code }) => code),
        codes,
      );
    } finally {
      clock.stop();
    }
  });
}

test('a refresh token in a response is sent from then on, and only the first change is reported', async () => {
  const it = made(refreshing);
  const sent: string[] = [];
  for (const next of ['refresh-1', 'refresh-2', undefined, 'refresh-2', 'refresh-3']) {
    const { body } = await logIn(it, reply({ ...token, refresh_token: next }));
    sent.push(body.replace('grant_type=refresh_token&refresh_token=', ''));
  }
  assert.equal(sent, ['refresh-0', 'refresh-1', 'refresh-2', 'refresh-2', 'refresh-2']);
  assert.equal(
    it.notices.map(({ level, code }) => `${level} ${code}`),
    ['info refresh-token-replaced'],
  );
});

test('an unchanged refresh token is no new one', async () => {
  const it = made(refreshing);
  await logIn(it, reply({ ...token, refresh_token: 'refresh-0' }));
  assert.equal(it.notices, []);
});

test('tokens in an error response are not shown', async () => {
  const body = { access_token: 'token-1', refresh_token: 'refresh-1', id_token: 'identity-1', why: 'not today' };
  const { message } = await refusal(made(refreshing), reply(body, 400));
  assert.match(message, '{"access_token":"***","refresh_token":"***","id_token":"***","why":"not today"}');
});

test('a refresh token is read from a response that is otherwise invalid', async () => {
  const it = made(refreshing);
  await refusal(it, reply({ refresh_token: 'refresh-1' }));
  const { body } = await logIn(it, reply(token));
  assert.is(body, 'grant_type=refresh_token&refresh_token=refresh-1');
});

test('another iteration continues with the refresh token of the one before it', async () => {
  const refreshTokens = createRefreshTokens();
  await logIn(made(refreshing, { refreshTokens }), reply({ ...token, refresh_token: 'refresh-1' }));
  const { body } = await logIn(made(refreshing, { refreshTokens }), reply(token));
  assert.is(body, 'grant_type=refresh_token&refresh_token=refresh-1');
  const other = { ...refreshing, refreshToken: 'other-0' };
  assert.match((await logIn(made(other, { refreshTokens }), reply(token))).body, /=other-0$/);
});

test('with client credentials a refresh token of the response is not used', async () => {
  const it = made(clientCredentials);
  await logIn(it, reply({ ...token, refresh_token: 'refresh-1' }));
  const { body } = await logIn(it, reply(token));
  assert.is(body, 'grant_type=client_credentials');
  assert.ok(it.secrets.isSecret('refresh-1'));
});

test('secret, header and every token are masked in each encoding of a response; the type and the scope are not', async () => {
  const it = made(refreshing);
  const replies = [1, 2].map((n) => ({
    ...token,
    access_token: `access/${n}`,
    refresh_token: `next&${n}`,
    scope: 'orders',
  }));
  for (const each of replies) await logIn(it, reply({ ...each, id_token: 'id-token' }));
  const header = basicOf('my%3Aclient', 'se+cret%3A%2B%25%2F%C3%BC').slice(6);
  for (const secret of [
    config['#clientSecret'],
    'refresh-0',
    header,
    'access/1',
    'access/2',
    'next&1',
    'next&2',
    'id-token',
  ]) {
    for (const form of formsOf(secret)) assert.is(it.secrets.mask(`<${form}>`), '<***>', form);
  }
  assert.is(
    it.secrets.mask('Bearer 3600 orders client_credentials my:client'),
    'Bearer 3600 orders client_credentials my:client',
  );
});

const refusals: readonly (readonly [rule: string, answer: LoginReply, message: string])[] = [
  [
    'an unknown client',
    reply({ error: 'invalid_client', error_description: 'no such client' }, 401),
    'the token request failed (status 401): invalid_client (no such client); check `clientId`, `clientSecret` and `clientAuthentication`',
  ],
  [
    'a refresh token that was used before, its description quoting it',
    reply({ error: 'invalid_grant', error_description: 'reused:\nrefresh-0 of se+cret%3A%2B%25%2F%C3%BC' }, 400),
    'the token request failed (status 400): invalid_grant (reused: *** of ***); the refresh token may have expired, or may have been revoked or used before',
  ],
  [
    'a code of its own',
    reply({ error: 'temporarily_out' }, 400),
    'the token request failed (status 400): temporarily_out',
  ],
  [
    'an error under status 200',
    reply({ error: 'bad_verification_code', error_description: '' }),
    'the token request failed (status 200): bad_verification_code',
  ],
  ['a refusal that is no JSON', reply('<p>Proxy</p>', 401), 'the token request failed (status 401): <p>Proxy</p>'],
  [
    'a refusal without a code',
    reply({ message: 'no' }, 400),
    'the token request failed (status 400): {"message":"no"}',
  ],
  ['a refusal without a body', reply('', 401), 'the token request failed (status 401): the body is empty'],
  ['no access token', reply({ token: 'x' }), 'the token request: the response has no string `access_token`'],
  [
    'an empty access token',
    reply({ access_token: '' }),
    'the token request: the response has no string `access_token`',
  ],
  [
    'an access token that is a number',
    reply({ access_token: 1 }),
    'the token request: the response has no string `access_token`',
  ],
  [
    'an access token of two lines',
    reply({ access_token: 'a\nb' }),
    'the token request: `access_token` contains a character that is not allowed in a token',
  ],
  [
    'a token of another type',
    reply({ ...token, token_type: 'mac' }),
    'the token request: expected a token of the type "Bearer", the response states "mac"',
  ],
  [
    'a type that is no text',
    reply({ ...token, token_type: 1 }),
    'the token request: expected a token of the type "Bearer", the response states a number',
  ],
  ['a list', reply('[]'), 'the token request: the response is a list, expected a JSON object'],
  [
    'a lifetime in words',
    reply({ ...token, expires_in: 'soon' }),
    'expected a number of seconds at "expires_in" of the login response, found a string that is not a valid time',
  ],
];

for (const [rule, answer, message] of refusals) {
  test(`${rule} is a clear error`, async () => {
    const { code, message: said } = await refusal(made(refreshing), answer);
    assert.equal([code, said], ['ERR_LOGIN', message]);
  });
}

test('a reply that is no JSON is an error with the place, and is not quoted', async () => {
  const { code, message } = await refusal(made(clientCredentials), reply('access_token=hidden&token_type=bearer'));
  assert.is(code, 'ERR_LOGIN');
  assert.match(message, /^the token request: the response is not JSON: .*byte 0/);
  assert.not.match(message, /hidden/);
});

const faults: readonly (readonly [written: object, message: string])[] = [
  [
    { clientSecret: { attr: 'empty' } },
    'clientSecret: expected a non-empty string, the expression gives an empty string',
  ],
  [{ clientId: { attr: 'clientIdd' } }, 'clientId: there is no attr "clientIdd"; did you mean "clientId"?'],
  [{ params: { audience: { attr: 'x' } } }, 'params.audience: there is no attr "x"'],
];

for (const [written, message] of faults) {
  test(`${JSON.stringify(written)} fails before anything is sent`, () => {
    assert.throws(
      () => made({ ...clientCredentials, ...written }, { config: { ...config, empty: '' } }),
      (error: ExtractError) => error.code === 'ERR_FUNCTION' && error.message === `api.authentication.${message}`,
    );
  });
}

const elsewhere = 'https://login.example/token';
const bought = json(token);

test(
  'a token endpoint at another host gets the client and its headers, and is retried while it is busy',
  onNetwork(
    { [`POST ${elsewhere}`]: [comeAgain(503), comeAgain(429), bought], 'GET /a': json([1]) },
    async ({ dispatcher, asked }) => {
      const http = { headers: { 'X-Tenant': 'eu' } };
      const authentication = { type: 'oauth2', ...clientCredentials, tokenEndpoint: elsewhere };
      const jobs = [{ endpoint: 'a' }];
      await run(configOf(jobs, { http, authentication }, config), { dispatcher });
      const header = basicOf('my%3Aclient', 'se+cret%3A%2B%25%2F%C3%BC');
      assert.equal(
        asked.map(({ headers, body }) => [headers.authorization, headers['x-tenant'], body]),
        [
          ...Array.from({ length: 3 }, () => [header, 'eu', 'grant_type=client_credentials']),
          ['Bearer token-1', 'eu', ''],
        ],
      );
    },
  ),
);

test(
  'a rejection is not retried, whatever is retried elsewhere',
  onNetwork(
    { 'POST /oauth/token': json({ error: 'invalid_scope' }, { status: 400 }) },
    async ({ dispatcher, asked }) => {
      const authentication = { type: 'oauth2', ...clientCredentials };
      const message = /^the token request failed \(status 400\): invalid_scope; check `scope`/;
      await rejection(
        run(configOf([{ endpoint: 'a' }], { authentication }, config), { dispatcher }),
        'ERR_LOGIN',
        message,
      );
      assert.is(asked.length, 1);
    },
  ),
);

test(
  'the token does not go to an origin that is not trusted',
  onNetwork(
    {
      'POST /oauth/token': bought,
      'GET /a': { status: 307, headers: { Location: 'https://other.example/b' } },
      'GET https://other.example/b': json([1]),
    },
    async ({ dispatcher, asked }) => {
      const authentication = { type: 'oauth2', ...clientCredentials };
      await run(configOf([{ endpoint: 'a' }], { authentication }, config), { dispatcher });
      assert.equal(
        asked.slice(1).map(({ headers }) => headers.authorization),
        ['Bearer token-1', undefined],
      );
    },
  ),
);

test.run();
