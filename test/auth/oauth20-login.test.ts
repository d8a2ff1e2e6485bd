/**
 * What sets `oauth20.login` apart from `login`: what its request refers to.
 * docs/reference/authentication.md#oauth20login.
 */
import { lastValueFrom, of } from 'rxjs';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { oauth20Login } from '../../src/auth/oauth20-login.js';
import type { LoginRequest } from '../../src/auth/types.js';
import { ExtractError } from '../../src/core/errors/errors.js';
import { stringifyExact } from '../../src/core/json/exact.js';
import { create, get } from './auth-context.js';

const credentials = {
  appKey: 'app-key',
  '#appSecret': 'app-secret',
  '#data': '{"refresh_token":"held-token","nested":{"ids":[12345678901234567890]}}',
};
const params = {
  client_id: { consumer: 'client_id' },
  client_secret: { consumer: 'client_secret' },
  refresh_token: { user: 'refresh_token' },
  first: { user: 'nested.ids.0' },
  region: { attr: 'region' },
  grant_type: 'refresh_token',
};

const made = (written: object, more: object = credentials) =>
  create(oauth20Login, written, { config: { region: 'eu' }, credentials: more });

async function logIn({ authentication }: ReturnType<typeof made>, body: string) {
  const requests: LoginRequest[] = [];
  const { login } = authentication;
  if (login === undefined) throw new Error('there is no login');
  const reply = { status: 200, body: Buffer.from(body) };
  const given = await lastValueFrom(
    login.obtain((request) => {
      requests.push(request);
      return of(reply);
    }),
  );
  return { requests, given };
}

test('the login request refers to the application, the token and attributes, in order (114)', async () => {
  const { requests } = await logIn(made({ loginRequest: { endpoint: 'token', method: 'FORM', params } }), '{}');
  assert.is(requests.length, 1);
  assert.is(requests[0]?.method, 'FORM');
  assert.is(
    stringifyExact(requests[0]?.params ?? null),
    `{"client_id":"app-key","client_secret":"app-secret","refresh_token":"held-token","first":12345678901234567890,"region":"eu","grant_type":"refresh_token"}`,
  );
});

test('headers of the login request refer to them too', async () => {
  const headers = { Authorization: { function: 'concat', args: ['Token ', { user: 'refresh_token' }] } };
  const { requests } = await logIn(made({ loginRequest: { endpoint: 'token', headers } }), '{}');
  assert.equal(requests[0]?.headers.get('Authorization'), ['Token held-token']);
});

test('later requests get values of the response; text and expiry work as with login', async () => {
  const apiRequest = { query: { access_token: { response: 'data' } }, headers: { 'X-Region': { attr: 'region' } } };
  const it = made({ loginRequest: { endpoint: 'token' }, format: 'text', apiRequest, expires: 0 });
  const { given } = await logIn(it, 'fresh');
  const { url, headers } = it.authentication.authorize(get('https://h/reports?a=1'), given);
  assert.is(url, 'https://h/reports?a=1&access_token=fresh');
  assert.equal(headers.get('X-Region'), ['eu']);
  assert.is(it.authentication.login?.renewal, 'each request');
});

test('application secret, texts of the token and of the response are secrets; the key is not', async () => {
  const it = made({ loginRequest: { endpoint: 'token', headers: { A: { consumer: 'client_secret' } } } });
  await logIn(it, '{"access_token":"fresh-token"}');
  for (const secret of ['app-secret', 'held-token', 'fresh-token']) assert.ok(it.secrets.isSecret(secret), secret);
  assert.not(it.secrets.isSecret('app-key'));
});

test('credentials that were not validated are rejected at creation', () => {
  assert.throws(
    () => made({ loginRequest: { endpoint: 'token' } }, {}),
    (thrown: unknown) => thrown instanceof ExtractError && thrown.code === 'ERR_CONFIG',
  );
});

test.run();
