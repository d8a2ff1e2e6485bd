import { test } from 'uvu';
import * as assert from 'uvu/assert';
import {
  findOAuthCredentials,
  jsonToken,
  oauthCredentials,
  objectToken,
  type TokenReader,
  textToken,
} from '../../src/auth/oauth-credentials.js';
import type { ExtractError } from '../../src/core/errors/errors.js';
import { type ExactObject, fromPlain, isObject, stringifyExact } from '../../src/core/json/exact.js';

const whole = { appKey: 'key', '#appSecret': 'hidden', '#data': 'hidden token' };

function authorization(credentials: unknown): ExactObject {
  const exact = fromPlain({ oauth_api: { credentials } });
  if (!isObject(exact)) throw new TypeError('expected an object');
  return exact;
}

const problemsOf = (credentials: unknown, reader: TokenReader<unknown> = textToken) =>
  findOAuthCredentials(authorization(credentials), reader).problems.map(({ path, message }) => `${path}: ${message}`);

const at = 'authorization.oauth_api.credentials';

test('a key, a secret and a token are found', () => {
  assert.equal(findOAuthCredentials(authorization(whole), textToken), {
    credentials: { appKey: 'key', appSecret: 'hidden', data: 'hidden token' },
    problems: [],
  });
});

test('the key of the application may be a number, whose digits are kept', () => {
  const { appKey } = oauthCredentials(authorization({ ...whole, appKey: 12345678901234567890n }), textToken);
  assert.is(appKey, '12345678901234567890');
});

test('every missing key is reported with its path', () => {
  assert.equal(problemsOf({ version: 1 }), [
    `${at}.appKey: required: expected a string or a number, the key of the application`,
    `${at}.#appSecret: required: expected a string, the secret of the application`,
    `${at}.#data: required: expected a string, the token`,
  ]);
});

const wrong: readonly (readonly [rule: string, credentials: object, problem: string])[] = [
  [
    'an empty secret',
    { ...whole, '#appSecret': '' },
    '#appSecret: required: expected a string, the secret of the application',
  ],
  [
    'a key that is zero',
    { ...whole, appKey: 0 },
    'appKey: required: expected a string or a number, the key of the application',
  ],
  [
    'a token that is an object',
    { ...whole, '#data': { a: 'hidden' } },
    '#data: expected a string, the token, found an object',
  ],
  [
    'a token under a name without #',
    { appKey: 'key', '#appSecret': 'hidden', data: 'hidden' },
    '#data: required: expected a string, the token; "data" exists there: did you mean "#data"?',
  ],
];

for (const [rule, credentials, problem] of wrong) {
  test(`${rule} is refused`, () => {
    assert.equal(problemsOf(credentials), [`${at}.${problem}`]);
  });
}

test('a section that is missing is named by how far the path leads', () => {
  const found = (value: object) => {
    const exact = fromPlain(value);
    if (!isObject(exact)) throw new TypeError('expected an object');
    return findOAuthCredentials(exact, textToken).problems.map(({ path, message }) => `${path}: ${message}`);
  };
  const expected = 'required: expected an object, the OAuth credentials';
  assert.equal(found({}), [`authorization.oauth_api: ${expected}`]);
  assert.equal(found({ oauth_api: { credential: whole } }), [
    `${at}: ${expected}; "credential" exists there: did you mean "credentials"?`,
  ]);
  assert.equal(found({ oauth_api: { credentials: {} } }), [`${at}: ${expected}`]);
  assert.equal(found({ oauth_api: { credentials: 'hidden' } }), [
    `${at}: expected an object, the OAuth credentials, found a string`,
  ]);
});

test('a token that is JSON is read with its numbers kept', () => {
  const { data } = oauthCredentials(authorization({ ...whole, '#data': '{"id":12345678901234567890}' }), jsonToken);
  assert.is(stringifyExact(data), '{"id":12345678901234567890}');
});

test('a token that is a single JSON value is JSON, and no object', () => {
  const credentials = { ...whole, '#data': '"hidden"' };
  assert.equal(problemsOf(credentials, jsonToken), []);
  assert.equal(problemsOf(credentials, objectToken), [
    `${at}.#data: expected a JSON object in the string, found a string`,
  ]);
});

test('a token that is no JSON is rejected where JSON is needed, without being quoted', () => {
  for (const reader of [jsonToken, objectToken]) {
    assert.equal(problemsOf({ ...whole, '#data': '{"hidden' }, reader), [
      `${at}.#data: expected a string of JSON, found a string that is not JSON`,
    ]);
  }
});

test('problems of a reader have paths below the token', () => {
  const reader: TokenReader<never> = () => ({ faults: [{ key: 'oauth_token', message: 'required' }] });
  assert.equal(problemsOf(whole, reader), [`${at}.#data.oauth_token: required`]);
});

test('reading invalid credentials throws all problems at once', () => {
  assert.throws(
    () => oauthCredentials(authorization({ appKey: 'key' }), textToken),
    (error: ExtractError) =>
      error.code === 'ERR_CONFIG' && error.problems.length === 2 && !error.message.includes('hidden'),
  );
});

test.run();
