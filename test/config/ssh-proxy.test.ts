import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { inspect } from '../../src/config/parse-config.js';
import { fromPlain } from '../../src/core/json/exact.js';
import { documentOf, problemsOf } from './fakes.js';

const whole = { host: 'bastion', port: 2222, user: 'me', '#privateKey': 'a secret key' };
const digits = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQ';

const withProxy = (sshProxy: unknown) => new Map([...documentOf({}), ['sshProxy', fromPlain(sshProxy)] as const]);
const read = (sshProxy: unknown) => inspect(withProxy(sshProxy)).configs?.map((config) => config.sshProxy);
const problems = (sshProxy: unknown) => problemsOf(withProxy(sshProxy));

test('all that belongs to it is read', () => {
  const { '#privateKey': privateKey, ...server } = whole;
  assert.equal(read(whole), [{ ...server, privateKey, path: 'sshProxy' }]);
  assert.equal(read({ ...whole, port: '22', '#passphrase': 'open', hostFingerprint: `SHA256:${digits}=` }), [
    { ...server, port: 22, privateKey, passphrase: 'open', hostFingerprint: `SHA256:${digits}`, path: 'sshProxy' },
  ]);
});

test('it belongs to every iteration, and knows its path', () => {
  const parameters = fromPlain({
    api: { baseUrl: 'https://api.example/' },
    config: { jobs: [{ endpoint: 'x' }] },
    iterations: [{ a: 1 }, { a: 2 }],
    sshProxy: whole,
  });
  const { configs } = inspect(new Map([['parameters', parameters]]));
  assert.equal(
    configs?.map(({ sshProxy }) => sshProxy?.path),
    ['parameters.sshProxy', 'parameters.sshProxy'],
  );
});

test('null counts as absent', () => {
  assert.equal(read(null), [undefined]);
});

const required = [
  'sshProxy.host: required: expected a non-empty string',
  'sshProxy.port: required: expected a port from 1 to 65535',
  'sshProxy.user: required: expected a non-empty string',
  'sshProxy.#privateKey: required: expected a non-empty string',
];

const cases: readonly (readonly [string, unknown, readonly string[]])[] = [
  ['nothing in it', {}, required],
  ['one that is missing', { ...whole, user: null }, required.slice(2, 3)],
  [
    'an empty key',
    { ...whole, '#privateKey': '' },
    ['sshProxy.#privateKey: expected a non-empty string, found an empty string'],
  ],
  ['a port too high', { ...whole, port: 65536 }, ['sshProxy.port: expected a port from 1 to 65535, found a number']],
  [
    'a fingerprint of another kind',
    { ...whole, hostFingerprint: 'MD5:00' },
    ['sshProxy.hostFingerprint: expected "SHA256:" and 43 characters, as ssh-keygen -l shows it, found a string'],
  ],
  ['a text', 'ssh://bastion', ['sshProxy: expected an object, found a string']],
];

for (const [name, sshProxy, expected] of cases) {
  test(`reports what is wrong with ${name}`, () => {
    assert.equal(problems(sshProxy), expected);
  });
}

test('a key that it does not know is a warning', () => {
  const { notices } = inspect(withProxy({ ...whole, '#privatekey': 'x' }));
  assert.equal(
    notices.map(({ message }) => message),
    ['sshProxy.#privatekey: unknown key, not used; did you mean "#privateKey"?'],
  );
});

test.run();
