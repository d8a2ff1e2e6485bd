import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { ExtractError } from '../../../src/core/errors/errors.js';
import { checkKey } from '../../../src/http/transport/private-key.js';
import { loadSsh2 } from '../../../src/http/transport/ssh2.js';
import { makeKeys } from './keys.js';

const ssh2 = await loadSsh2();
const keys = makeKeys();
const { open, closed, passphrase } = keys;

test('a key is passed on as written', () => {
  assert.equal(checkKey(ssh2, { privateKey: open, path: 'p' }), { privateKey: open });
  assert.equal(checkKey(ssh2, { privateKey: `\n${open}\n\n`, path: 'p' }), { privateKey: `\n${open}\n\n` });
});

test('a protected key is passed on with its passphrase', () => {
  assert.equal(checkKey(ssh2, { privateKey: closed, passphrase, path: 'p' }), { privateKey: closed, passphrase });
});

const noKey = 'p.#privateKey: expected a private key in the format of ssh-keygen, PEM (RSA, EC) or PuTTY';

const cases: readonly (readonly [string, { privateKey: string; passphrase?: string }, string])[] = [
  ['a text', { privateKey: 'secret text' }, noKey],
  ['a key that was cut', { privateKey: open.slice(0, 120) }, noKey],
  ['a public key', { privateKey: keys.public }, noKey],
  ['a protected key alone', { privateKey: closed }, 'p.#passphrase: required: the private key is encrypted'],
  [
    'a protected key with another passphrase',
    { privateKey: closed, passphrase: 'does not open it' },
    'p.#passphrase: expected the passphrase of the private key',
  ],
];

for (const [name, source, message] of cases) {
  test(`${name} is no key to log in with`, () => {
    try {
      checkKey(ssh2, { ...source, path: 'p' });
    } catch (error) {
      assert.instance(error, ExtractError);
      if (!(error instanceof ExtractError)) return;
      assert.equal([error.code, error.message, error.where.final], ['ERR_CONFIG', message, true]);
      assert.equal(
        error.problems.map((problem) => `${problem.path}: ${problem.message}`),
        [message],
      );
      return;
    }
    assert.unreachable();
  });
}

test.run();
