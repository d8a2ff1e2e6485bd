import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { createSecrets, describeRequest } from '../../../src/core/secrets/secrets.js';
import { shownAddress } from '../../../src/core/secrets/shown-address.js';

test('an address of 500 characters is shown as it is, of a longer one so many', () => {
  assert.is(shownAddress('x'.repeat(500)), 'x'.repeat(500));
  assert.is(shownAddress('x'.repeat(501)), `${'x'.repeat(500)}...`);
});

test('no character is cut in two', () => {
  assert.is(shownAddress(`${'x'.repeat(499)}\u{1f600}`), `${'x'.repeat(499)}...`);
});

test('wherever the cut falls, no part of a secret shows', () => {
  const secret = 'abcdefghijklmnopqrstuvwxyz';
  const secrets = createSecrets();
  secrets.add(secret);
  for (let before = 440; before <= 500; before += 1) {
    const start = 'https://api.example.com/'.padEnd(before, '-');
    const shown = describeRequest({ method: 'GET', url: `${start}${secret}${'-'.repeat(100)}` }, secrets);
    assert.not.match(shown, /abc|bcd|xyz/);
    assert.ok(shown.length <= 'GET ...'.length + 500, shown);
  }
});

test.run();
