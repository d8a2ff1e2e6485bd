import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { FoundRequest } from '../../../src/tools/init/found-request.js';
import { secretPlaces } from '../../../src/tools/init/secret-places.js';

const request = (over: Partial<FoundRequest>): FoundRequest => ({
  method: 'GET',
  url: new URL('https://api.example/v1/users'),
  headers: [],
  secrets: [],
  source: 'the test',
  ...over,
});

test('finds nothing in a request of harmless values', () => {
  const url = new URL('https://api.example/v1/users?page=1&per_page=100&sort=-created_at&active=true&flat');
  const headers = [['Accept', 'application/json']] as const;
  const body = { kind: 'json', text: '{"limit":100,"sorts":["createdate"],"archived":false,"none":null}' } as const;
  assert.equal(secretPlaces(request({ url, headers, body })), []);
});

const authorizations: readonly (readonly [value: string, prefix: string | undefined, env: string])[] = [
  ['Bearer abc', 'Bearer ', 'API_TOKEN'],
  ['token abc', 'token ', 'API_TOKEN'],
  ['Basic YWRhOnB3', 'Basic ', 'API_CREDENTIALS'],
  ['Klaviyo-API-Key pk_1', 'Klaviyo-API-Key ', 'API_TOKEN'],
  ['abcdef', undefined, 'API_TOKEN'],
  ['correct horse battery', undefined, 'API_TOKEN'],
];
for (const [value, prefix, env] of authorizations) {
  test(`names the secret of Authorization: ${value}`, () => {
    const [place] = secretPlaces(
      request({
        headers: [
          ['Accept', '*/*'],
          ['authorization', value],
        ],
      }),
    );
    assert.equal(place, { in: 'header', index: 1, env, ...(prefix === undefined ? {} : { prefix }) });
  });
}

test('names values of each place, and counts pairs and segments in their order', () => {
  const url = new URL(
    'https://ada:p%40ss@api.example/v1/f47ac10b58cc4372/users?page=1&&api_key=k1&q=x%20y&state=Zq8vT2mKx9LrW4pN',
  );
  const body = { kind: 'form', text: 'limit=10&client_secret=s2' } as const;
  const headers = [
    ['Cookie', 'sid=1'],
    ['X-Api-Key', 'k3'],
  ] as const;
  assert.equal(secretPlaces(request({ method: 'POST', url, body, headers })), [
    { in: 'user', env: 'API_USER' },
    { in: 'password', env: 'API_PASSWORD' },
    { in: 'path', index: 2, env: 'API_PATH_2' },
    { in: 'query', index: 2, env: 'API_KEY' },
    { in: 'query', index: 4, env: 'API_STATE' },
    { in: 'header', index: 0, env: 'COOKIE' },
    { in: 'header', index: 1, env: 'X_API_KEY' },
    { in: 'form', index: 1, env: 'CLIENT_SECRET' },
  ]);
});

test('names values of a JSON body by their nearest member', () => {
  const text =
    '{"filter":{"and":[{"property":"Status","equals":"Zq8vT2mKx9LrW4pN"}]},"pins":[{"pin":1234}],"query":"{ a { b } }"}';
  assert.equal(secretPlaces(request({ method: 'POST', body: { kind: 'json', text } })), [
    { in: 'json', path: ['filter', 'and', 0, 'equals'], env: 'API_EQUALS' },
    { in: 'json', path: ['pins', 0, 'pin'], env: 'API_PIN' },
  ]);
});

test('gives equal values one name, and other values of that name a number', () => {
  const url = new URL('https://api.example/?token=a1b2c&secret=b2&page=1');
  const headers = [
    ['X-Other', 'a1b2c'],
    ['Token', 'c3'],
  ] as const;
  assert.equal(
    secretPlaces(request({ url, headers })).map(({ env }) => env),
    ['API_TOKEN', 'API_SECRET', 'API_TOKEN', 'API_TOKEN_2'],
  );
});

test('finds a value that contains a secret of another place, in any encoding', () => {
  const url = new URL('https://api.example/a1b2c/users?token=a1b2c&next=/users?t=%2561%2531b2c&x=ada');
  const body = { kind: 'json', text: '{"note":"see a1b2c","user":"ada"}' } as const;
  assert.equal(
    secretPlaces(request({ method: 'POST', url, body })).map((place) => [place.in, place.env]),
    [
      ['path', 'API_TOKEN'],
      ['query', 'API_TOKEN'],
      ['query', 'API_NEXT'],
      ['json', 'API_NOTE'],
    ],
  );
});

test('uses the names of variables that values came from, also in harmless places', () => {
  const names = new Map([
    ['s3cret', 'MY_TOKEN'],
    ['open', 'STATE'],
    ['acme', 'ORG'],
  ]);
  const url = new URL('https://api.example/orgs/acme/issues?state=open');
  const headers = [
    ['Authorization', 'Bearer s3cret'],
    ['X-Key', 's3cret'],
  ] as const;
  assert.equal(secretPlaces(request({ url, headers }), names), [
    { in: 'path', index: 2, env: 'ORG' },
    { in: 'query', index: 0, env: 'STATE' },
    { in: 'header', index: 0, env: 'MY_TOKEN', prefix: 'Bearer ' },
    { in: 'header', index: 1, env: 'MY_TOKEN' },
  ]);
});

test('takes no name that a system or Node reads, and none without letters', () => {
  const [one, two, three] = ['Zq8vT2mKx9LrW4pN', 'Yp7uS1lJw8KqV3oM', 'Xo6tR0kIv7JpU2nL'];
  const url = new URL(`https://api.example/?path=${one}&2fa_code=x4y5&http_proxy=${two}&%C3%A9=${three}`);
  assert.equal(
    secretPlaces(request({ url })).map(({ env }) => env),
    ['API_PATH', 'API_2FA_CODE', 'API_HTTP_PROXY', 'API_VALUE'],
  );
});

test('does not fail at a path or user that is not encoded well', () => {
  const url = new URL('https://a%ZZ@api.example/%ZZ');
  assert.equal(
    secretPlaces(request({ url })).map((place) => place.in),
    ['user'],
  );
});

test('refuses a word without a value that may be a secret', () => {
  const url = new URL('https://api.example/?9f8e7d6c5b4a3210');
  assert.throws(() => secretPlaces(request({ url })), /^the query has a word without a value that may be a secret/);
});

test.run();
