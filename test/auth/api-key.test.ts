import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { apiKey } from '../../src/auth/api-key.js';
import { create, get, headersOf } from './auth-context.js';

const config = { '#key': 'k-0123456789', spaced: ' k-1 ' };
const key = { attr: '#key' };

test('the key is sent in its own header', () => {
  const { authorize } = create(apiKey, { name: 'X-Api-Key', value: key }, { config });
  assert.equal(headersOf(authorize(get('http://h.example/'))), { 'X-Api-Key': 'k-0123456789' });
});

test('a header of the same name is replaced, in any spelling', () => {
  const { authorize } = create(apiKey, { in: 'header', name: 'X-Api-Key', value: key }, { config });
  const request = get('http://h.example/', { headers: new Map([['x-api-key', ['other']]]) });
  assert.equal(headersOf(authorize(request)), { 'X-Api-Key': 'k-0123456789' });
});

test('white space around a key is gone in a header, and sent in a query', () => {
  const inHeader = create(apiKey, { name: 'X-Key', value: { attr: 'spaced' } }, { config });
  assert.equal(headersOf(inHeader.authorize(get('http://h.example/'))), { 'X-Key': 'k-1' });
  const inQuery = create(apiKey, { in: 'query', name: 'key', value: { attr: 'spaced' } }, { config });
  assert.is(inQuery.authorize(get('http://h.example/')).url, 'http://h.example/?key=%20k-1%20');
});

const addresses: readonly (readonly [rule: string, url: string, sent: string])[] = [
  ['follows what is there', 'http://h.example/a?page=1', 'http://h.example/a?page=1&api%20key=k-0123456789'],
  [
    'replaces one of the same name in its place',
    'http://h.example/?api+key=x&b=2',
    'http://h.example/?api%20key=k-0123456789&b=2',
  ],
];

for (const [rule, url, sent] of addresses) {
  test(`as a parameter the key ${rule}`, () => {
    const { authorize } = create(apiKey, { in: 'query', name: 'api key', value: key }, { config });
    const { url: address, headers } = authorize(get(url, { method: 'POST', body: '{}' }));
    assert.is(address, sent);
    assert.is(headers.size, 0);
  });
}

test('the key is a secret', () => {
  const { secrets } = create(apiKey, { in: 'query', name: 'key', value: 'k-literal' });
  assert.is(secrets.mask('GET /?key=k-literal'), 'GET /?key=***');
});

test.run();
