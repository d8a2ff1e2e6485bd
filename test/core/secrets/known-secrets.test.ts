import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { emptyObject, fromPlain } from '../../../src/core/json/exact.js';
import {
  addHeaderSecrets,
  addSecretKeys,
  addUserInformation,
  credentialsIn,
  ignoringNames,
} from '../../../src/core/secrets/known-secrets.js';
import { createSecrets } from '../../../src/core/secrets/secrets.js';

function learning(learn: (secrets: { add(value: string): void } & Parameters<typeof addHeaderSecrets>[1]) => void) {
  const learnt: string[] = [];
  learn({
    add: (value) => void learnt.push(value),
    scope: () => ({ add: (value) => void learnt.push(value), close: () => {} }),
    follow: () => () => {},
    find: () => [],
    isSecret: () => false,
    mask: (text) => text,
    maskUrl: (url) => url,
    excerpt: (text) => text,
  });
  return learnt;
}

const documents: readonly [what: string, document: unknown, secrets: readonly string[]][] = [
  ['a text', { config: { '#key': 'hidden' } }, ['hidden']],
  ['a number, by its digits', { '#key': 12345678901234567890n }, ['12345678901234567890']],
  ['a list, wherever it stands', { a: [{ '#keys': ['one', 2] }] }, ['one', '2']],
  ['all members below', { '#group': { user: 'ann', deep: [{ pass: 'word' }] } }, ['ann', 'word']],
  ['nothing of null and flags', { '#a': null, '#b': true }, []],
  ['nothing of other keys', { key: 'shown', 'a#': 'shown', attr: '#key' }, []],
];

for (const [what, document, secrets] of documents) {
  test(`adds values of keys that begin with #: ${what}`, () => {
    assert.equal(
      learning((store) => addSecretKeys(fromPlain(document), store)),
      secrets,
    );
  });
}

test('learns nothing of a document that is no object', () => {
  assert.equal(
    learning((store) => addSecretKeys('#key', store)),
    [],
  );
  assert.equal(
    learning((store) => addSecretKeys(emptyObject, store)),
    [],
  );
});

test('adds the values of headers, except those that do not identify the sender', () => {
  const headers = new Map([
    ['ACCEPT', ['text/html']],
    ['User-Agent', ['me']],
    ['X-Api-Key', ['one', 'two']],
    ['authorization', ['Bearer x']],
  ]);
  assert.equal(
    learning((store) => addHeaderSecrets(headers, store)),
    ['one', 'two', 'Bearer x'],
  );
});

for (const [line, parts] of [
  ['Bearer a-token', ['a-token']],
  ['Basic am9lOnBhc3M=', ['am9lOnBhc3M=', 'joe:pass', 'pass']],
  ['lang=en; session=a-session; flag', ['a-session']],
  ['a-key', []],
  ['two words and more', []],
] as const) {
  test(`of a header "${line}" ${parts.length} parts are learnt besides`, () =>
    assert.equal(credentialsIn(line), parts));
}

for (const [address, secrets] of [
  ['https://joe:p%40ss+1@h/x', ['joe:p%40ss+1', 'joe:p@ss+1', 'am9lOnBAc3MrMQ==', 'joe', 'p@ss+1']],
  ['//key@h/x', ['key', 'key', 'a2V5']],
  ['https://h/x@y?a@b', []],
  ['users/a@b', []],
] as const) {
  test(`learns the user information of ${address}`, () => {
    assert.equal(
      learning((store) => addUserInformation(address, store)),
      secrets,
    );
  });
}

const names = ['orders', 'user-list', 'v2/9f86d0/report'];

for (const [value, isLearnt] of [
  ['orders', false],
  ['list', false],
  ['order', false],
  ['9f86d0', true],
  ['user-', true],
  ['orders read', true],
] as const) {
  test(`of a login "${value}" ${isLearnt ? 'is learnt' : 'is a name or a word of one'}`, () => {
    const secrets = createSecrets();
    ignoringNames(secrets, names).add(value);
    assert.is(secrets.isSecret(value), isLearnt);
  });
}

test('a name that equals a secret key stays hidden', () => {
  const secrets = createSecrets();
  addSecretKeys(fromPlain({ '#key': 'orders' }), secrets);
  assert.is(ignoringNames(secrets, names).mask('orders'), '***');
});

test.run();
