/** What a recording keeps of the headers of responses, and of the body of a login. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { createSecrets } from '../../src/core/secrets/secrets.js';
import { maskLogin, maskLoginHeaders } from '../../src/recording/mask-login.js';
import { maskResponseHeaders } from '../../src/recording/mask-response.js';

const secrets = createSecrets();
for (const value of ['s3cret-token', 'pin']) secrets.add(value);

test('keeps places in a list, which only sound like credentials', () => {
  const kept = { 'x-next-page-token': 'c2', 'continuation-token': 'c3', nexttoken: 'c4' };
  assert.equal(maskResponseHeaders({ ...kept, 'x-page-token': 's3cret-token' }, { secrets }), {
    ...kept,
    'x-page-token': '***',
  });
  assert.equal(maskResponseHeaders({ 'x-auth-token': 'c2', 'x-next-session': 'c2' }, { secrets }), {
    'x-auth-token': '***',
    'x-next-session': '***',
  });
});

test('cookies and headers about the bytes are left out, all others are kept', () => {
  const headers = { 'set-cookie': ['a=b'], 'content-length': '7', 'x-none': undefined, 'content-type': 'text/plain' };
  assert.equal(maskResponseHeaders(headers, { secrets }), { 'content-type': 'text/plain' });
});

test('a header is masked whole by its name or if it is a secret, else where it has one', () => {
  const headers = {
    'x-session-id': '42',
    'x-api-key': ['1', '2'],
    'x-short': 'pin',
    link: ['<http://h/?t=s3cret-token>', 'pins'],
    location: 'http://u:p@h/?a=pin&b=s3cret-token',
  };
  assert.equal(maskResponseHeaders(headers, { secrets }), {
    'x-session-id': '***',
    'x-api-key': ['***', '***'],
    'x-short': '***',
    link: ['<http://h/?t=***>', 'pins'],
    location: 'http://***@h/?a=***&b=***',
  });
});

test('of a login only the headers that a run reads are kept', () => {
  const headers = { 'x-user': 'ada', date: 'Sun, 22 Nov 2026 18:00:00 GMT', 'x-ratelimit-left': '3' };
  assert.equal(maskLoginHeaders(headers, secrets), { date: headers.date, 'x-ratelimit-left': '3' });
});

const bodies: readonly (readonly [body: string, kept: string])[] = [
  ['', ''],
  ['access_token=abcdef', '***'],
  ['{"t":"eyJ-unknown","type":"Bearer","expires_in":3600}', '{"t":"***","type":"Bearer","expires_in":3600}'],
  ['[{"at":"2026-11-22T18:00:00Z"},"two words",null]', '[{"at":"2026-11-22T18:00:00Z"},"***",null]'],
];

for (const [body, kept] of bodies) {
  test(`the body ${body || 'of no bytes'} of a login is kept as ${kept || 'it is'}`, () => {
    const { line, value } = maskLogin(Buffer.from(body), secrets);
    assert.equal([line, value], ['text', kept]);
  });
}

test.run();
