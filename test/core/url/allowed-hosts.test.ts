/** Which addresses a list of hosts lets through, before a run and during it. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { type AllowedHost, isAllowed, mayBeAllowed } from '../../../src/core/url/allowed-hosts.js';
import { resolveUrl } from '../../../src/core/url/url.js';

const host = 'api.example';
const rows: readonly (readonly [listed: Omit<AllowedHost, 'host'>, base: string, endpoint: string, yes: boolean])[] = [
  [{}, 'https://api.example/v1/', 'users', true],
  [{}, 'http://api.example/v1/', 'users', true],
  [{}, 'https://API.example:8443', 'users', true],
  [{}, 'https://eu.api.example/', 'users', false],
  [{}, 'https://api.example.evil/', 'users', false],
  [{}, 'https://api.example@evil/', 'users', false],
  [{}, 'https://api.example/', 'https://evil/', false],
  [{}, 'https://api.example/', '//evil/users', false],
  [{}, 'https://evil/', 'https://api.example/users', true],
  [{}, 'https://user:secret@api.example/', 'users', true],
  [{ scheme: 'https' }, 'https://api.example/', 'users', true],
  [{ scheme: 'https' }, 'http://api.example/', 'users', false],
  [{ port: 8443 }, 'https://api.example:8443/', 'users', true],
  [{ port: 8443 }, 'https://api.example:8444/', 'users', false],
  [{ port: 8443 }, 'https://api.example/', 'users', false],
  [{ port: 443 }, 'https://api.example:443/', 'users', true],
  [{ endpoint: 'v1' }, 'https://api.example/v1/', 'users', true],
  [{ endpoint: '/v1/' }, 'https://api.example/v1/', 'users', true],
  [{ endpoint: 'v1/users' }, 'https://api.example/v1/', 'users?to=x', true],
  [{ endpoint: 'v1/users' }, 'https://api.example/v1/', 'users/5', true],
  [{ endpoint: 'v1/users' }, 'https://api.example/v1/', 'users5', false],
  [{ endpoint: 'v1' }, 'https://api.example/v1/', '../v2', false],
  [{ endpoint: 'v1' }, 'https://api.example/v1/', '/users', false],
  [{ endpoint: 'v1' }, 'https://api.example/v1/', '%2e%2e/v2', false],
  [{ endpoint: 'v1' }, 'https://api.example/v1/', '.%2E/v2', false],
  [{ endpoint: 'a b' }, 'https://api.example/', 'a b/c', true],
  [{ endpoint: '/' }, 'https://api.example/', 'users', true],
  [{ endpoint: '' }, 'https://api.example/', 'users', true],
];

for (const [narrow, base, endpoint, yes] of rows) {
  test(`${JSON.stringify(narrow)} ${yes ? 'allows' : 'rejects'} ${endpoint} at ${base}`, () => {
    assert.is(mayBeAllowed([{ host, ...narrow }], base, endpoint), yes);
    assert.is(isAllowed([{ host, ...narrow }], resolveUrl(base, endpoint)), yes);
  });
}

test('one of several that fits is enough', () => {
  const listed = [{ host: 'a', endpoint: 'x' }, { host: 'b' }, { host: 'a', endpoint: 'y' }];
  assert.ok(isAllowed(listed, 'http://a/y'));
  assert.ok(isAllowed(listed, 'http://b/z'));
  assert.not.ok(isAllowed(listed, 'http://a/z'));
});

test('an empty list lets everything through', () => {
  assert.ok(isAllowed([], 'http://anywhere/'));
  assert.ok(mayBeAllowed([], 'http://anywhere/', 'x'));
});

test('before a run a listed port must be written; the final address may omit that of its scheme', () => {
  const listed = [{ host, port: 443 }];
  assert.not.ok(mayBeAllowed(listed, 'https://api.example/', 'users'));
  assert.ok(isAllowed(listed, 'https://api.example/users'));
  assert.not.ok(isAllowed(listed, 'http://api.example/users'));
});

const templates: readonly (readonly [endpoint: string, yes: boolean])[] = [
  ['users/{id}', true],
  ['../v2/{id}', true],
  ['https://{host}/users', true],
  ['{link}', true],
  ['https://evil/{id}', false],
];

for (const [endpoint, yes] of templates) {
  test(`before a run ${endpoint} ${yes ? 'may be allowed' : 'is rejected'}: only its host is known`, () => {
    assert.is(mayBeAllowed([{ host, endpoint: 'v1' }], 'https://api.example/v1/', endpoint), yes);
  });
}

test('an endpoint that is no address is left to fail for that', () => {
  assert.ok(mayBeAllowed([{ host }], 'https://api.example/', 'users:search'));
});

test.run();
