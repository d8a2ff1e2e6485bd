import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { bearer } from '../../src/auth/bearer.js';
import type { ExtractError } from '../../src/core/errors/errors.js';
import { create, get, headersOf } from './auth-context.js';

const config = { '#token': 'tok-123456', empty: '', broken: 'a\nb' };
const sent = (written: object) => headersOf(create(bearer, written, { config }).authorize(get('http://h.example/')));

test('the token is sent after Bearer', () => {
  assert.equal(sent({ token: { attr: '#token' } }), { Authorization: 'Bearer tok-123456' });
});

test('another word can precede the token', () => {
  assert.equal(sent({ token: 'plain', scheme: 'Token' }), { Authorization: 'Token plain' });
});

test('a token can be computed', () => {
  const token = { function: 'concat', args: ['v1-', { attr: '#token' }] };
  assert.equal(sent({ token }), { Authorization: 'Bearer v1-tok-123456' });
});

test('a configured Authorization header is replaced', () => {
  const request = get('http://h.example/', { headers: new Map([['AUTHORIZATION', ['Basic x']]]) });
  const { authorize } = create(bearer, { token: 'plain' });
  assert.equal(headersOf(authorize(request)), { Authorization: 'Bearer plain' });
});

test('a token is a secret, even as a literal', () => {
  assert.is(create(bearer, { token: 'plain-token' }).secrets.mask('got plain-token'), 'got ***');
});

const refused: readonly (readonly [rule: string, token: unknown, message: string])[] = [
  [
    'that is empty',
    { attr: 'empty' },
    'api.authentication.token: expected a non-empty string, the expression gives an empty string',
  ],
  [
    'that no header can hold',
    { attr: 'broken' },
    'api.authentication.token: the value contains a character that is not allowed in a header',
  ],
  [
    'that is not there',
    { attr: '#tokn' },
    'api.authentication.token: there is no attr "#tokn"; did you mean "#token"?',
  ],
];

for (const [rule, token, message] of refused) {
  test(`a token ${rule} is refused before any request`, () => {
    assert.throws(
      () => create(bearer, { token }, { config }),
      (error: ExtractError) => error.code === 'ERR_FUNCTION' && error.message === message,
    );
  });
}

test.run();
