import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { finds } from './finding.js';

const secret = `pläntéd "s3cr&t"/+ <x>\\y`;
const base64 = (text: string) => Buffer.from(text).toString('base64');

const found: readonly (readonly [how: string, text: string])[] = [
  ['as it is', secret],
  ['in part', secret.slice(3, 12)],
  ['percent-encoded', encodeURIComponent(secret)],
  ['percent-encoded in lower case', encodeURIComponent(secret).toLowerCase()],
  ['in a form', new URLSearchParams([['k', secret]]).toString()],
  ['in base64', base64(secret)],
  ['in base64 for addresses', Buffer.from(secret).toString('base64url')],
  ['within Basic', `Basic ${base64(`joe:${secret}`)}`],
  ['at each place within base64', ['', 'a', 'ab'].map((before) => base64(`${before}${secret}z`)).join(' ')],
  ['in JSON', JSON.stringify({ secret })],
  ['in JSON in ASCII', JSON.stringify(secret).replace(/[^ -~]/g, (unit) => `\\u00${unit.charCodeAt(0).toString(16)}`)],
  ['in JSON within JSON', JSON.stringify(JSON.stringify(secret))],
  ['in HTML', secret.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&#34;')],
  ['read as Latin-1', Buffer.from(secret).toString('latin1')],
  ['percent-encoded base64', encodeURIComponent(base64(secret))],
];

for (const [how, text] of found) {
  test(`a secret is found ${how}`, () => assert.ok(finds(`before ${text} after`, secret)));
}

test('nothing is found in texts without secrets', () => {
  assert.not.ok(finds(`before *** after ${base64('something else entirely')} pläntéd`, secret));
});

test.run();
