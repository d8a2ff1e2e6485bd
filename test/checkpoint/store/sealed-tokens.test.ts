/** Encrypted tokens: which keys are taken, and what cannot be read. */
import { randomBytes } from 'node:crypto';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { readKey, seal, unseal } from '../../../src/checkpoint/store/sealed-tokens.js';
import { rejection } from '../../sinks/lib.js';

const key = randomBytes(32);

test('a text can be read with its key alone, and each time it is another one', async () => {
  const [one, other] = [seal('secret \u00e9', key), seal('secret \u00e9', key)];
  assert.is.not(one, other);
  assert.is(unseal(one, key, 'a place'), 'secret \u00e9');
  assert.not.match(Buffer.from(one, 'base64').toString('latin1'), 'secret');
  const error = await rejection(
    () => unseal(one, randomBytes(32), 'a place'),
    'ERR_TOKEN_STORE',
    /in "a place" cannot be decrypted/,
  );
  assert.match(error.where.remedy ?? '', /^Set RXTRACT_KEY to the key that wrote them/);
});

test('a text that was changed, or is none, cannot be read', async () => {
  const sealed = seal('secret', key);
  const changed = [...Buffer.from(sealed, 'base64').keys()].map((at) => {
    const bytes = Buffer.from(sealed, 'base64');
    bytes[at] = (bytes[at] ?? 0) ^ 1;
    return bytes.toString('base64');
  });
  for (const each of [...changed, '', 'AAAA', sealed.slice(0, 20)]) {
    await rejection(() => unseal(each, key, 'a place'), 'ERR_TOKEN_STORE', /cannot be decrypted/);
  }
});

test('a key has 32 bytes in base64, also in that of URLs, and a newline at its end', () => {
  for (const text of [key.toString('base64'), key.toString('base64url'), `${key.toString('base64')}\n`]) {
    assert.equal([...readKey(text)], [...key]);
  }
});

for (const text of [
  undefined,
  'short',
  randomBytes(31).toString('base64'),
  randomBytes(33).toString('base64'),
  '!'.repeat(44),
]) {
  test(`no key: ${text === undefined ? 'absent' : text.length}`, async () => {
    const error = await rejection(() => readKey(text), 'ERR_TOKEN_STORE', /the variable RXTRACT_KEY/);
    assert.match(error.where.remedy ?? '', /openssl rand -base64 32/);
    assert.not.match(error.message, text ?? 'openssl');
  });
}

test.run();
