/** A configuration as workers get it: secrets encrypted, references as they are. */
import { randomBytes } from 'node:crypto';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { keyOf, sealConfiguration, unsealConfiguration } from '../../../src/checkpoint/board/sealed-configuration.js';
import { type Exact, stringifyExact } from '../../../src/core/json/exact.js';
import { parseExact } from '../../../src/core/json/exact-parse.js';
import { rejection } from '../../sinks/lib.js';

const key = randomBytes(32);
const exact = (value: unknown): Exact => parseExact(Buffer.from(JSON.stringify(value)));

const document = parseExact(
  Buffer.from(`{
    "api": {"baseUrl": "https://api.example.com/", "http": {"headers": {"X-Key": {"attr": "#key"}}}},
    "config": {
      "#key": "open-sesame", "#pin": 12345678901234567890, "#empty": "", "#flag": true, "#nothing": null,
      "#env": {"env": "TOKEN"}, "#file": {"file": "/run/secrets/a"}, "#command": {"command": ["op", "read", "x"]},
      "#deep": {"a": ["hidden-one", {"env": "OTHER"}], "sealed": "hidden-two", "b": {"sealed": "hidden-three"}},
      "user": {"env": "USER"}, "plain": {"sealed": "seen"}, "jobs": [{"endpoint": "users"}]
    },
    "iterations": [{"#key": "of-the-first"}, {"#key": {"env": "SECOND"}}]
  }`),
);

test('secrets are encrypted, everything else stays as it is, and workers get the same document', () => {
  const sealed = sealConfiguration(document, key);
  const text = stringifyExact(sealed);
  for (const secret of ['open-sesame', '12345678901234567890', 'hidden', 'of-the-first']) {
    assert.not.match(text, new RegExp(secret));
  }
  const shown = ['{"env":"TOKEN"}', '{"file":"/run/secrets/a"}', '["op","read","x"]', '{"env":"OTHER"}', '"#empty":""'];
  for (const each of [...shown, '{"env":"SECOND"}', '"plain":{"sealed":"seen"}', '"#flag":true', '"#nothing":null']) {
    assert.ok(text.includes(each), each);
  }
  assert.is(stringifyExact(unsealConfiguration(sealed, key)), stringifyExact(document));
});

test('without a key, secrets that are written in the configuration are refused, with all their paths', async () => {
  const error = await rejection(
    () => sealConfiguration(document, undefined),
    'ERR_CONFIG',
    /needs the variable RXTRACT_KEY/,
  );
  assert.equal(
    error.problems?.map(({ path }) => path),
    [
      'config.#key',
      'config.#pin',
      'config.#deep.a[0]',
      'config.#deep.sealed',
      'config.#deep.b.sealed',
      'iterations[0].#key',
    ],
  );
  assert.not.match(JSON.stringify([error.message, error.problems]), /open-sesame|hidden|of-the-first/);
});

test('references need no key', () => {
  const references = exact({ config: { '#a': { env: 'A' }, '#b': { file: 'b' }, '#c': '', d: 'seen' } });
  const sealed = sealConfiguration(references, undefined);
  assert.is(stringifyExact(sealed), stringifyExact(references));
  assert.is(stringifyExact(unsealConfiguration(sealed, undefined)), stringifyExact(references));
});

test('a worker with another key, or none, names every value that it cannot read', async () => {
  const sealed = sealConfiguration(exact({ config: { '#a': 'one', b: { '#c': 'two' } } }), key);
  for (const [other, message] of [
    [randomBytes(32), /RXTRACT_KEY is another key/],
    [undefined, /there is no variable RXTRACT_KEY/],
  ] as const) {
    const error = await rejection(() => unsealConfiguration(sealed, other), 'ERR_CONFIG', message);
    assert.equal(
      error.problems?.map(({ path }) => path),
      ['config.#a', 'config.b.#c'],
    );
  }
});

test('a value that was moved to another place, or changed, is not decrypted', async () => {
  const sealed = stringifyExact(sealConfiguration(exact({ '#a': 'one' }), key));
  for (const other of [sealed.replace('#a', '#b'), sealed.replace(/"}}$/, 'AAAA"}}')]) {
    const read = () => unsealConfiguration(parseExact(Buffer.from(other)), key);
    await rejection(read, 'ERR_CONFIG', /or the value was changed/);
  }
});

test('the key is 32 bytes in base64', async () => {
  assert.equal(keyOf({ RXTRACT_KEY: key.toString('base64') }), key);
  assert.is(keyOf({}), undefined);
  const error = await rejection(() => keyOf({ RXTRACT_KEY: 'short' }), 'ERR_USAGE', /is not a key: expected 32 bytes/);
  assert.match(error.where.remedy ?? '', /^Set RXTRACT_KEY to 32 bytes in base64/);
});

test.run();
