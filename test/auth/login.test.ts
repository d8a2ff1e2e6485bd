import { lastValueFrom, type Observable, of } from 'rxjs';
import { TestScheduler } from 'rxjs/testing';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { login } from '../../src/auth/login.js';
import { createRefreshTokens } from '../../src/auth/refresh-tokens.js';
import type { Credentials, LoginAuthenticator, LoginReply, LoginRequest } from '../../src/auth/types.js';
import { ExtractError } from '../../src/core/errors/errors.js';
import { type ExactObject, emptyObject, fromPlain, isObject, stringifyExact } from '../../src/core/json/exact.js';
import type { Notice } from '../../src/core/model/notice.js';
import type { HttpRequest } from '../../src/core/model/request.js';
import { createSecrets } from '../../src/core/secrets/secrets.js';
import { optionsOf } from '../support/options.js';

const config = objectOf({ '#login': 'JohnDoe', '#password': 'TopSecret', region: 'eu', '#pin': '12' });

function objectOf(value: object): ExactObject {
  const exact = fromPlain(value);
  if (!isObject(exact)) throw new TypeError('expected an object');
  return exact;
}

/** Creates an authentication from its configuration, with the secrets and notices it adds. */
function create(written: object) {
  const options = optionsOf(login.fields, { loginRequest: { endpoint: 'login' }, ...written });
  const secrets = createSecrets();
  const notices: Notice[] = [];
  const needs = {
    attr: config,
    authorization: emptyObject,
    nonce: () => '',
    refreshTokens: createRefreshTokens(),
    secrets,
    notify: (notice: Notice) => notices.push(notice),
  };
  return { authentication: login.create(options, needs), secrets, notices };
}

const replyOf = (body: string | Uint8Array): LoginReply => ({
  status: 200,
  body: typeof body === 'string' ? Buffer.from(body) : body,
});

const obtain = (authentication: LoginAuthenticator, body: string | Uint8Array): Promise<Credentials> =>
  lastValueFrom(authentication.login.obtain(() => of(replyOf(body))));

/** The request that an authentication logs in with. */
async function requestOf(authentication: LoginAuthenticator): Promise<LoginRequest> {
  const requests: LoginRequest[] = [];
  const send = (request: LoginRequest): Observable<LoginReply> => {
    requests.push(request);
    return of(replyOf('{}'));
  };
  await lastValueFrom(authentication.login.obtain(send));
  const [request] = requests;
  if (request === undefined) throw new Error('nothing was sent');
  return request;
}

async function refused(written: object, body: string | Uint8Array, message: RegExp) {
  try {
    await obtain(create(written).authentication, body);
  } catch (thrown) {
    assert.instance(thrown, ExtractError);
    if (!(thrown instanceof ExtractError)) return;
    assert.is(thrown.code, 'ERR_LOGIN');
    assert.match(thrown.message, message);
    assert.not.match(thrown.message, /hidden/);
    return;
  }
  assert.unreachable('the reply was taken');
}

const header = (credentials: Credentials, name = 'X-Token') => credentials.headers.get(name);
const tokenFrom = (value: unknown) => ({ apiRequest: { headers: { 'X-Token': value } } });

test('the login request is as in loginRequest, with GET as the default method', async () => {
  const { authentication } = create({ loginRequest: { endpoint: 'login', headers: { 'X-Login': 'JohnDoe' } } });
  assert.equal(await requestOf(authentication), {
    endpoint: 'login',
    method: 'GET',
    params: emptyObject,
    headers: new Map([['X-Login', ['JohnDoe']]]),
  });
});

test('expressions of the login request see attr, and number text is kept', async () => {
  const { authentication } = create({
    loginRequest: {
      endpoint: 'login',
      method: 'form',
      params: { user: { attr: '#login' }, id: 12345678901234567890n, nested: { region: { attr: 'region' } } },
      headers: {
        Authorization: {
          function: 'base64_encode',
          args: [{ function: 'concat', args: [{ attr: '#login' }, ':', { attr: '#password' }] }],
        },
      },
    },
  });
  const request = await requestOf(authentication);
  assert.is(request.method, 'FORM');
  assert.is(stringifyExact(request.params), '{"user":"JohnDoe","id":12345678901234567890,"nested":{"region":"eu"}}');
  assert.equal(request.headers.get('Authorization'), ['Sm9obkRvZTpUb3BTZWNyZXQ=']);
});

test('a fault in the login request is found before anything is sent', () => {
  assert.throws(
    () => create({ loginRequest: { endpoint: 'login', params: { user: { attr: '#lgin' } } } }),
    (error: ExtractError) =>
      error.code === 'ERR_FUNCTION' &&
      error.message === 'api.authentication.loginRequest.params.user: there is no attr "#lgin"; did you mean "#login"?',
  );
  assert.throws(
    () => create({ loginRequest: { endpoint: 'login', headers: { 'X-A': { b: 'c' } } } }),
    /api\.authentication\.loginRequest\.headers\.X-A: a header is a string, found an object/,
  );
});

test('each subscription logs in once', () => {
  let sent = 0;
  const credentials = create({}).authentication.login.obtain(() => {
    sent += 1;
    return of(replyOf('{}'));
  });
  assert.is(sent, 0);
  credentials.subscribe();
  credentials.subscribe();
  assert.is(sent, 2);
});

test('names the endpoint that it requests', () => {
  for (const endpoint of ['login', 'http://other/login']) {
    assert.equal(create({ loginRequest: { endpoint } }).authentication.endpoints, [endpoint]);
  }
});

const renewals = [
  [undefined, 'once'],
  [null, 'once'],
  ['', 'once'],
  [false, 'once'],
  [[], 'once'],
  [{}, 'once'],
  [0, 'each request'],
  ['0', 'each request'],
  [3600, 'on expiry'],
  ['3600.0', 'on expiry'],
  ['-1', 'on expiry'],
  [{ response: 'until' }, 'on expiry'],
  [{ response: 'until', relative: true }, 'on expiry'],
  [{ response: 'until', relative: 1 }, 'on expiry'],
] as const;

for (const [expires, renewal] of renewals) {
  test(`expires ${JSON.stringify(expires)} renews ${renewal}`, () => {
    assert.is(create({ expires }).authentication.login.renewal, renewal);
  });
}

for (const expires of [
  'soon',
  1.5,
  true,
  [1],
  { relative: true },
  { response: '' },
  { response: 'a', relative: 'false' },
]) {
  test(`expires ${JSON.stringify(expires)} is refused`, () => {
    assert.throws(() => create({ expires }));
  });
}

const formats = [
  ['json', '{"data": "token-1"}', 'token-1'],
  ['json', '\uFEFF{"data": "token-1"}', 'token-1'],
  ['json', '"token-1"', 'token-1'],
  ['json', '12345678901234567890', '12345678901234567890'],
  ['json', 'true', '1'],
  ['text', 'token-1', 'token-1'],
  ['text', '{"a": 1}', '{"a": 1}'],
  ['text', 'token-1\n', 'token-1'],
  ['text', '', ''],
] as const;

for (const [format, body, expected] of formats) {
  test(`a reply ${JSON.stringify(body)} as ${format} is found under "data"`, async () => {
    const credentials = await obtain(create({ format, ...tokenFrom({ response: 'data' }) }).authentication, body);
    assert.equal(header(credentials), [expected]);
  });
}

const replies = [
  ['json', '["hidden"]', /^the login response is a list, expected an object or a single value$/],
  ['json', 'null', /^the login response is null, expected/],
  ['json', 'hidden', /^the login response is not JSON: .*byte 0.*set `format` to "text"$/],
  ['json', '', /not JSON/],
  ['json', '{"token": "hidden"', /not JSON/],
  ['json', Buffer.from([0x22, 0xff, 0x22]), /not JSON: .*UTF-8 at byte 1/],
  ['text', Buffer.from([0x61, 0xff]), /not a string: .*UTF-8 at byte 1/],
] as const;

for (const [format, body, message] of replies) {
  test(`a reply ${JSON.stringify(String(body))} as ${format} is refused`, () => refused({ format }, body, message));
}

test('paths lead through lists (080), and computed values into headers (118)', async () => {
  const { authentication } = create({
    apiRequest: {
      query: {
        secretKey: { response: 'authentication.0.secret' },
        tokenId: { response: 'authentication.1.token.id' },
        region: { attr: 'region' },
      },
      headers: { 'X-Token': { function: 'sha1', args: [{ response: 'authentication.0.secret' }] } },
    },
  });
  const credentials = await obtain(
    authentication,
    '{"authentication": [{"secret": "a1b2c3d435f6"}, {"token": {"id": 123}}]}',
  );
  assert.is(stringifyExact(credentials.query), '{"secretKey":"a1b2c3d435f6","tokenId":123,"region":"eu"}');
  assert.equal(header(credentials), ['75fa403962f71e0268697c69a5a5c6159599c725']);
});

test('a string that is a path of the response refers to it, else it is literal (100); computed values never refer', async () => {
  const { authentication } = create({
    apiRequest: {
      headers: {
        found: 'token',
        deep: 'auth.id',
        object: 'auth',
        absent: 'tokn',
        nothing: 'none',
        computed: { function: 'concat', args: ['tok', 'en'] },
        member: { response: 'name' },
        list: ['token'],
      },
    },
  });
  const { headers } = await obtain(
    authentication,
    '{"token": "reply-token", "auth": {"id": 7}, "none": null, "name": "token"}',
  );
  assert.equal(Object.fromEntries(headers), {
    found: ['reply-token'],
    deep: ['7'],
    object: ['auth'],
    absent: ['tokn'],
    nothing: ['none'],
    computed: ['token'],
    member: ['token'],
    list: ['token'],
  });
});

const paths = [
  [
    'tokn',
    /^api\.authentication\.apiRequest\.headers\.X-Token: there is no value in the login response at "tokn"; did you mean "token"\?$/,
  ],
  ['auth', /"auth" is an object/],
  ['none', /"none" is null/],
] as const;

for (const [path, message] of paths) {
  test(`a reference to ${path} fails by its path`, () =>
    refused(tokenFrom({ response: path }), '{"token": "hidden", "auth": {"id": "hidden"}, "none": null}', message));
}

test('a header from the reply cannot smuggle in another', async () => {
  const { authentication } = create(tokenFrom({ response: 'token' }));
  try {
    await obtain(authentication, '{"token": "hidden\\r\\nX-Admin: 1"}');
    assert.unreachable('the header was taken');
  } catch (thrown) {
    assert.match(String(thrown), /apiRequest\.headers\.X-Token: the value contains a character/);
    assert.not.match(String(thrown), /hidden/);
  }
});

test('expiry counts from the virtual now', () => {
  const found: number[] = [];
  const cases = [
    [{}, Number.POSITIVE_INFINITY],
    [{ expires: 3600 }, 3_600_000],
    [{ expires: { response: 'ttl', relative: true } }, 3_570_000],
  ] as const;
  new TestScheduler(assert.equal).run(() => {
    for (const [written] of cases) {
      create(written)
        .authentication.login.obtain(() => of(replyOf('{"ttl": 3600}')))
        .subscribe(({ expiresAt }) => found.push(expiresAt));
    }
  });
  assert.equal(
    found,
    cases.map(([, expected]) => expected),
  );
});

test('an expiry in the past is reported and does not fail', async () => {
  const { authentication, notices } = create({ expires: { response: 'until' } });
  await obtain(authentication, '{"until": "2000-01-01 hidden"}').then(
    () => assert.unreachable('a date with a rest was taken'),
    (thrown: unknown) => assert.not.match(String(thrown), /hidden/),
  );
  const credentials = await obtain(authentication, '{"until": "2000-01-01"}');
  assert.is(credentials.expiresAt, Date.parse('2000-01-01'));
  assert.equal(
    notices.map(({ level, code }) => [level, code]),
    [['warning', 'expired-at-login']],
  );
});

test('values sent with the login, returned, or computed from either are secret', async () => {
  const { authentication, secrets } = create({
    loginRequest: {
      endpoint: 'login',
      params: { user: 'plain-user', deep: { list: ['plain-deep'] }, pin: { attr: '#pin' }, grant: 'abc' },
      headers: { Authorization: 'Bearer plain-bearer' },
    },
    apiRequest: {
      query: { id: { response: 'id' }, signed: { function: 'concat', args: ['x', { response: 'token' }] } },
    },
  });
  for (const secret of ['plain-user', 'plain-deep', '12', 'Bearer plain-bearer', 'plain-bearer']) {
    assert.ok(secrets.isSecret(secret), secret);
  }
  assert.not(secrets.isSecret('abc'));
  await obtain(
    authentication,
    '{"id": 9876543, "token": "reply-token", "other": ["reply-other"], "on": true, "s": "abc"}',
  );
  for (const secret of ['9876543', 'reply-token', 'reply-other', 'xreply-token'])
    assert.ok(secrets.isSecret(secret), secret);
  assert.not(secrets.isSecret('abc'));
});

const request: HttpRequest = {
  method: 'GET',
  url: 'http://h/users?debug=1&key=none',
  headers: new Map([
    ['x-token', ['configured']],
    ['Accept', ['*/*']],
  ]),
};

test('authorize replaces headers of the same name in any case and merges the query (081)', () => {
  const { authentication } = create({});
  const credentials = {
    headers: new Map([['X-Token', ['fresh']]]),
    query: objectOf({ token: 'a b', key: 'abc' }),
    expiresAt: 0,
  };
  const authorized = authentication.authorize(request, credentials);
  assert.equal(
    [...authorized.headers],
    [
      ['Accept', ['*/*']],
      ['X-Token', ['fresh']],
    ],
  );
  assert.is(authorized.url, 'http://h/users?debug=1&token=a%20b&key%5B0%5D=none&key%5B1%5D=abc');
  assert.is(request.url, 'http://h/users?debug=1&key=none');
});

test('authorize replaces parameters that only a link has', () => {
  const { authentication } = create({});
  const credentials = { headers: new Map(), query: objectOf({ key: 'abc' }), expiresAt: 0 };
  const authorized = authentication.authorize({ ...request, linkNames: new Set(['key']) }, credentials);
  assert.is(authorized.url, 'http://h/users?debug=1&key=abc');
});

test('without apiRequest nothing is added', async () => {
  const { authentication } = create({});
  const credentials = await obtain(authentication, '{}');
  assert.equal(authentication.authorize(request, credentials), request);
});

test('the example of the reference page is valid', () => {
  assert.not.throws(() => optionsOf(login.fields, JSON.parse(login.example)));
});

test.run();
