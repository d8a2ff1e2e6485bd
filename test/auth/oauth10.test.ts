import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { oauth10 } from '../../src/auth/oauth10.js';
import type { ExtractError } from '../../src/core/errors/errors.js';
import type { HttpRequest } from '../../src/core/model/request.js';
import { startClock } from '../support/virtual-clock.js';
import { create, get, headersOf } from './auth-context.js';

const credentials = {
  appKey: 'app',
  '#appSecret': 'app-secret',
  '#data': '{"oauth_token":"tok","oauth_token_secret":"tok-secret"}',
};

/** The `Authorization` headers of the requests, which are signed five seconds apart. */
function signed(...requests: readonly HttpRequest[]): readonly string[] {
  const clock = startClock();
  try {
    const { authorize } = create(oauth10, {}, { credentials });
    return requests.map((request) => {
      const { Authorization = '' } = headersOf(authorize(request));
      clock.pass(5000);
      return Authorization;
    });
  } finally {
    clock.stop();
  }
}

/** What another implementation (oauthlib 3 for Python) makes of the same requests at the same moment. */
const known: readonly (readonly [rule: string, request: HttpRequest, signature: string])[] = [
  ['a GET is signed with its query', get('https://api.example/items?page=1&q=a%20b'), 'sAORzLd5AVVTqv8WT72QKxWmQm0%3D'],
  [
    'a form is signed with its body and its query',
    get('https://api.example/items?x=~', {
      method: 'POST',
      headers: new Map([['Content-Type', ['application/x-www-form-urlencoded']]]),
      body: 'a=1&b=x+y%7E&a=%C3%A9',
    }),
    'Hy1eYb0M4Tstc5ygSxGZN%2FNqI7c%3D',
  ],
];

for (const [rule, request, signature] of known) {
  test(rule, () => {
    assert.equal(signed(request), [
      `OAuth oauth_consumer_key="app", oauth_nonce="0000000000000001", oauth_signature="${signature}", oauth_signature_method="HMAC-SHA1", oauth_timestamp="1000000000", oauth_token="tok", oauth_version="1.0"`,
    ]);
  });
}

test('each request has its own nonce, timestamp and signature', () => {
  const request = get('https://api.example/items');
  const lines = signed(request, request);
  assert.equal(
    lines.map((line) => [...line.matchAll(/(?:nonce|signature|timestamp)="([^"]+)"/g)].map(([, value]) => value)),
    [
      ['0000000000000001', 'qpMTvY%2BnUpW86YNTH%2FMcXmkbNwA%3D', '1000000000'],
      ['0000000000000002', 'NlN7RUrUCn%2F4X9rDKtbSJ4kzrVk%3D', '1000000005'],
    ],
  );
});

test('a JSON body is not signed, and is sent unchanged', () => {
  const { authorize } = create(oauth10, {}, { credentials });
  const headers = new Map([['Content-Type', ['application/json']]]);
  const request = get('https://api.example/items', { method: 'POST', headers, body: '{"a":1}' });
  const { url, body } = authorize(request);
  assert.equal([url, body], [request.url, request.body]);
});

test('token and secrets are not shown', () => {
  const { secrets } = create(oauth10, {}, { credentials });
  assert.is(secrets.mask('app-secret, tok-secret'), '***, ***');
  assert.ok(secrets.isSecret('tok'));
});

test('a signature is not shown, neither encoded nor as it was made', () => {
  const { authorize, secrets } = create(oauth10, {}, { credentials });
  const { Authorization = '' } = headersOf(authorize(get('https://api.example/items')));
  const [, sent = ''] = /oauth_signature="([^"]+)"/.exec(Authorization) ?? [];
  assert.is(secrets.mask(`${sent} ${decodeURIComponent(sent)}`), '*** ***');
});

const tokens: readonly (readonly [rule: string, data: string, problem: string])[] = [
  ['without a secret', '{"oauth_token":"tok"}', '#data.oauth_token_secret: required: expected a string in the JSON'],
  [
    'under another name',
    '{"oauth_tokn":"hidden","oauth_token_secret":"x"}',
    '#data.oauth_token: required: expected a string in the JSON; "oauth_tokn" exists there: did you mean "oauth_token"?',
  ],
  ['that is no object', '["hidden"]', '#data: expected a JSON object in the string, found a list'],
];

for (const [rule, data, problem] of tokens) {
  test(`a token ${rule} is refused`, () => {
    assert.throws(
      () => create(oauth10, {}, { credentials: { ...credentials, '#data': data } }),
      (error: ExtractError) =>
        error.code === 'ERR_CONFIG' && error.message === `authorization.oauth_api.credentials.${problem}`,
    );
  });
}

test.run();
