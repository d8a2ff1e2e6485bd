import { createHash } from 'node:crypto';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { query } from '../../src/auth/query.js';
import type { ExtractError } from '../../src/core/errors/errors.js';
import { create, get } from './auth-context.js';

const config = { '#token': 'tok-123456', region: 'eu' };
const token = { attr: '#token' };
const concat = (...args: readonly unknown[]) => ({ function: 'concat', args });

const sent = (written: object, url: string) => create(query, { query: written }, { config }).authorize(get(url)).url;

const merges: readonly (readonly [rule: string, written: object, url: string, sent: string])[] = [
  [
    'new names follow in their order',
    { b: token, a: 'x y' },
    'http://h.example/?z=1',
    'http://h.example/?z=1&b=tok-123456&a=x%20y',
  ],
  [
    'a name that is there is replaced in its place',
    { a: token },
    'http://h.example/?a=1&b=2&a=3',
    'http://h.example/?a=tok-123456&b=2',
  ],
  [
    'the query is written anew',
    { k: '1' },
    'http://h.example/?a=x+y&t=%7E&flag',
    'http://h.example/?a=x%20y&t=~&flag&k=1',
  ],
  ['without a query there is one then', { k: '~' }, 'http://h.example/a', 'http://h.example/a?k=~'],
  [
    'objects are written in brackets',
    { k: { in: { attr: 'region' } } },
    'http://h.example/',
    'http://h.example/?k%5Bin%5D=eu',
  ],
];

for (const [rule, written, url, expected] of merges) {
  test(rule, () => {
    assert.is(sent(written, url), expected);
  });
}

test('a signature can go over parameters and parts of the request', () => {
  const signature = { function: 'sha1', args: [concat(token, { query: 'type' }, { request: 'path' })] };
  const digest = createHash('sha1').update('tok-123456users/v1/items').digest('hex');
  assert.is(
    sent({ signature }, 'http://h.example/v1/items?type=users'),
    `http://h.example/v1/items?type=users&signature=${digest}`,
  );
});

test('no parameter sees another one of these', () => {
  const added = { first: token, second: { request: 'queryString' } };
  assert.is(sent(added, 'http://h.example/?page=1'), 'http://h.example/?page=1&first=tok-123456&second=page%3D1');
  assert.throws(
    () => sent({ first: token, second: { query: 'first' } }, 'http://h.example/?page=1'),
    (error: ExtractError) =>
      error.code === 'ERR_FUNCTION' &&
      error.message.startsWith('api.authentication.query.second: there is no query "first"'),
  );
});

test('a POST has the parameters in its address', () => {
  const { authorize } = create(query, { query: { k: token } }, { config });
  const request = get('http://h.example/', { method: 'POST', body: '{"a":1}' });
  assert.equal(authorize(request), { ...request, url: 'http://h.example/?k=tok-123456' });
});

test('added values are masked, values of the original request are not', () => {
  const written = {
    key: 'literal-key',
    sum: concat(token, '-', { query: 'page' }),
    copy: { query: 'page' },
    via: { request: 'method' },
  };
  const { authorize, secrets } = create(query, { query: written }, { config });
  secrets.add('tok-123456'); // As it is known from the configuration.
  const { url } = authorize(get('http://h.example/items?page=page-one', { method: 'POST' }));
  assert.is(
    `POST ${secrets.maskUrl(url)}`,
    'POST http://h.example/items?page=page-one&key=***&sum=***&copy=page-one&via=POST',
  );
});

test('an address that holds a secret is masked there alone', () => {
  const { authorize, secrets } = create(query, { query: { sum: { function: 'sha1', args: [{ request: 'url' }] } } });
  secrets.add('hidden');
  const url = 'http://h.example/items?t=hidden';
  const signed = authorize(get(url));
  assert.is(secrets.maskUrl(signed.url), 'http://h.example/items?t=***&sum=***');
});

test.run();
