import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { basic } from '../../src/auth/basic.js';
import { create, get, headersOf } from './auth-context.js';

const authorizationFor = (config: object) =>
  headersOf(create(basic, {}, { config }).authorize(get('http://h.example/'))).Authorization;

const encoded = (text: string) => `Basic ${Buffer.from(text).toString('base64')}`;

const pairs: readonly (readonly [rule: string, config: object, sent: string])[] = [
  ['user and password are sent in base64', { username: 'Ada', password: 'engine' }, 'Basic QWRhOmVuZ2luZQ=='],
  ['keys with # will do', { '#username': 'Ada', '#password': 'engine' }, encoded('Ada:engine')],
  [
    'the plain key wins where both are set',
    { username: 'Ada', '#username': 'x', password: 'engine', '#password': 'y' },
    encoded('Ada:engine'),
  ],
  [
    'the other key is taken where the plain one is empty',
    { username: '0', '#username': 'Ada', password: '', '#password': 'engine' },
    encoded('Ada:engine'),
  ],
  ['a password may have colons', { username: 'Ada', '#password': 'a:b' }, encoded('Ada:a:b')],
  ['letters outside ASCII are their UTF-8 bytes', { username: 'Zoë', '#password': 'pä€s' }, 'Basic Wm/Dqzpww6Tigqxz'],
  ['a number is its digits', { username: 12345678901234567890n, '#password': 7 }, encoded('12345678901234567890:7')],
];

for (const [rule, config, sent] of pairs) {
  test(rule, () => {
    assert.is(authorizationFor(config), sent);
  });
}

test('a configured Authorization header is replaced, in any spelling', () => {
  const { authorize } = create(basic, {}, { config: { username: 'Ada', '#password': 'engine' } });
  const request = get('http://h.example/', { headers: new Map([['authorization', ['Bearer x']]]) });
  assert.equal(headersOf(authorize(request)), { Authorization: encoded('Ada:engine') });
});

test('neither user nor password nor their base64 is shown', () => {
  const { secrets } = create(basic, {}, { config: { username: 'Lovelace', password: 'x1' } });
  const line = encoded('Lovelace:x1');
  assert.is(secrets.mask(`user Lovelace with ${line}`), 'user *** with Basic ***');
  assert.ok(secrets.isSecret('x1'));
});

test('without a password nothing is made', () => {
  assert.throws(() => create(basic, {}, { config: { username: 'Ada' } }), /config\.password: required/);
});

test.run();
