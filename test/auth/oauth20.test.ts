import { createHmac } from 'node:crypto';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { oauth20 } from '../../src/auth/oauth20.js';
import type { ExtractError } from '../../src/core/errors/errors.js';
import { startClock } from '../support/virtual-clock.js';
import { create, get, headersOf } from './auth-context.js';

const keys = { appKey: 'app', '#appSecret': 'app-secret' };
const text = { ...keys, '#data': 'token-123456' };
const json = {
  ...keys,
  '#data': '{"access_token":"acc-123456","mac":{"keys":["k-0","k-1-secret"]},"id":12345678901234567890}',
};
const authorization = (key: string) => ({ authorization: key });
const concat = (...args: readonly unknown[]) => ({ function: 'concat', args });

test('a token that is a string is data', () => {
  const headers = { Authorization: concat('Bearer ', authorization('data')) };
  const { authorize } = create(oauth20, { headers }, { credentials: text });
  assert.equal(headersOf(authorize(get('http://h.example/'))), { Authorization: 'Bearer token-123456' });
});

test('a token that is JSON is referred into, its numbers kept', () => {
  const query = {
    token: authorization('data.access_token'),
    key: authorization('data.mac.keys.1'),
    id: authorization('data.id'),
  };
  const { authorize } = create(oauth20, { format: 'json', query }, { credentials: json });
  assert.is(
    authorize(get('http://h.example/?token=old&a=1')).url,
    'http://h.example/?token=acc-123456&a=1&key=k-1-secret&id=12345678901234567890',
  );
});

test('a token that is one JSON value is data', () => {
  const { authorize } = create(
    oauth20,
    { format: 'json', query: { t: authorization('data') } },
    { credentials: { ...keys, '#data': '"tok"' } },
  );
  assert.is(authorize(get('http://h.example/')).url, 'http://h.example/?t=tok');
});

test('the key of the client is public, its secret is not', () => {
  const { authorize } = create(oauth20, { query: { id: authorization('clientId') } }, { credentials: text });
  assert.is(authorize(get('http://h.example/')).url, 'http://h.example/?id=app');
  const { authorize: refused } = create(
    oauth20,
    { query: { s: authorization('clientSecret') } },
    { credentials: text },
  );
  assert.throws(
    () => refused(get('http://h.example/')),
    (error: ExtractError) =>
      error.code === 'ERR_FUNCTION' &&
      error.message === 'api.authentication.query.s: there is no authorization "clientSecret"',
  );
});

test('nonce and timestamp are new for each request, and the same in all that is added to it', () => {
  const clock = startClock();
  try {
    const added = { nonce: authorization('nonce'), ts: authorization('timestamp') };
    const headers = { 'X-Once': concat(authorization('nonce'), '@', authorization('timestamp')) };
    const { authorize } = create(oauth20, { query: added, headers }, { credentials: text });
    const shown = () => {
      const signed = authorize(get('http://h.example/'));
      clock.pass(1500);
      return [signed.url, headersOf(signed)['X-Once']];
    };
    assert.equal(shown(), ['http://h.example/?nonce=0000000000000001&ts=1000000000', '0000000000000001@1000000000']);
    assert.equal(shown(), ['http://h.example/?nonce=0000000000000002&ts=1000000001', '0000000000000002@1000000001']);
  } finally {
    clock.stop();
  }
});

test('a MAC over parts of the request is made of expressions', () => {
  const clock = startClock();
  const lines = ['timestamp', 'nonce'].map(authorization);
  const parts = ['method', 'resource', 'hostname', 'port'].map((key) => ({ request: key }));
  const base = { function: 'implode', args: ['\n', [...lines, ...parts]] };
  const mac = { function: 'hash_hmac', args: ['sha256', base, authorization('data.mac.keys.1')] };
  const headers = { Authorization: concat('MAC ts="', authorization('timestamp'), '", mac="', mac, '"') };
  try {
    const { authorize } = create(oauth20, { format: 'json', headers }, { credentials: json });
    const signedText = '1000000000\n0000000000000001\nPOST\n/items?page=1\nh.example\n443';
    const digest = createHmac('sha256', 'k-1-secret').update(signedText).digest('hex');
    assert.equal(headersOf(authorize(get('https://h.example/items?page=1', { method: 'POST' }))), {
      Authorization: `MAC ts="1000000000", mac="${digest}"`,
    });
  } finally {
    clock.stop();
  }
});

test('headers replace others of the same name, in any spelling', () => {
  const { authorize } = create(oauth20, { headers: { authorization: 'x', 'X-New': 'y' } }, { credentials: text });
  const request = get('http://h.example/', {
    headers: new Map([
      ['Authorization', ['old']],
      ['Accept', ['a/b']],
    ]),
  });
  assert.equal(headersOf(authorize(request)), { Accept: 'a/b', authorization: 'x', 'X-New': 'y' });
});

test('headers do not see additions to the query', () => {
  const headers = { 'X-Query': { request: 'queryString' } };
  const { authorize } = create(oauth20, { headers, query: { t: authorization('data') } }, { credentials: text });
  assert.is(headersOf(authorize(get('http://h.example/?a=1')))['X-Query'], 'a=1');
});

test('a header that is an object is rejected with its path', () => {
  const { authorize } = create(
    oauth20,
    { headers: { 'X-A': { a: authorization('data'), b: '1' } } },
    { credentials: text },
  );
  assert.throws(
    () => authorize(get('http://h.example/')),
    (error: ExtractError) => error.message === 'api.authentication.headers.X-A: a header is a string, found an object',
  );
});

test('without headers and query a request is unchanged', () => {
  const { authorize } = create(oauth20, {}, { credentials: text });
  const request = get('http://h.example/?a=1');
  assert.equal(authorize(request), request);
});

test('nothing of the token is shown', () => {
  const { secrets } = create(oauth20, { format: 'json' }, { credentials: json });
  assert.is(secrets.mask('acc-123456, k-1-secret'), '***, ***');
});

test.run();
