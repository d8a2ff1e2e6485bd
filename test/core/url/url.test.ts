/** Addresses, to the byte. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { ExtractError } from '../../../src/core/errors/errors.js';
import { bareAddress, createResolver, isHttpUrl, originOf, resolveUrl, splitUrl } from '../../../src/core/url/url.js';

const resolved: readonly (readonly [base: string, endpoint: string, url: string])[] = [
  ['https://h/3.0/', 'campaign', 'https://h/3.0/campaign'],
  ['https://h/3.0/', 'campaign/', 'https://h/3.0/campaign/'],
  ['https://h/3.0/', '/1.0/campaign', 'https://h/1.0/campaign'],
  ['https://h/3.0/', 'https://other/x', 'https://other/x'],
  ['https://h/3.0', 'campaign', 'https://h/campaign'],
  ['https://h', 'campaign', 'https://h/campaign'],
  ['https://h/3.0/', '?page=2', 'https://h/3.0/?page=2'],
  ['https://h', '?page=2', 'https://h/?page=2'],
  ['https://h/3.0/?k=v', 'campaign', 'https://h/3.0/campaign'],
  ['https://h/a/', '../b', 'https://h/b'],
  ['https://h/a/', '../../../b', 'https://h/b'],
  ['https://h/a/b/', '..', 'https://h/a/'],
  ['https://h/a/', './users:search', 'https://h/a/users:search'],
  ['https://h/a/', '/users:search', 'https://h/users:search'],
  ['https://h/a/', 'users/1:2', 'https://h/a/users/1:2'],
  ['https://h/a/', 'b//c', 'https://h/a/b//c'],
  ['https://h/3.0/', '//other/x', 'https://other/x'],
  ['https://h/', 'x#fragment', 'https://h/x'],
  ['https://h/', 'x?a=1#fragment?b', 'https://h/x?a=1'],
  ['https://h/', 'a b/é', 'https://h/a%20b/%C3%A9'],
  ['https://h/', '{x}[0]|"', 'https://h/%7Bx%7D%5B0%5D%7C%22'],
  ['https://h/', "/-._~!$&'()*+,;=:@", "https://h/-._~!$&'()*+,;=:@"],
  ['https://h/', 'a%2fb%2Fc', 'https://h/a%2fb%2Fc'],
  ['https://h/', '100%', 'https://h/100%25'],
  ['https://h/', 'x?f[a]=b c&u=/?:@%20', 'https://h/x?f%5Ba%5D=b%20c&u=/?:@%20'],
  ['https://h/', '..%2f..', 'https://h/..%2f..'],
  ['HTTPS://H.example:443/A/', 'B', 'https://h.example/A/B'],
  ['http://mock-server:80/079/', 'login', 'http://mock-server/079/login'],
  ['http://snake_case:8080/', 'x', 'http://snake_case:8080/x'],
  ['http://[::1]:8080/', 'x', 'http://[::1]:8080/x'],
  ['https://user:p%40ss@h/', 'x', 'https://user:p%40ss@h/x'],
  ['https://h/', '//münchen.example/x', 'https://xn--mnchen-3ya.example/x'],
];

for (const [base, endpoint, url] of resolved) {
  test(`${base} and ${endpoint} make ${url}`, () => assert.is(resolveUrl(base, endpoint), url));
}

const refused: readonly (readonly [base: string, endpoint: string, said: RegExp])[] = [
  ['https://h/', 'users:search', /read as a URL scheme/],
  ['https://h/', 'ftp://h/x', /read as a URL scheme/],
  ['https://h/', 'javascript:alert(1)', /read as a URL scheme/],
  ['https://h/', 'http:x', /expected a host/],
  ['https://h/', 'https:///x', /no valid host/],
  ['https://h/', 'https://a b/x', /no valid host/],
  ['https://h/', 'https://good\\@evil/x', /no valid host/],
  ['https://h/', 'https://h:99999/x', /no valid host/],
  ['https://h/', `https://${'h'.repeat(256)}/`, /no valid host/],
  ['/relative/', 'x', /expected an http or https URL/],
  ['h/', 'x', /expected an http or https URL/],
];

for (const [base, endpoint, said] of refused) {
  test(`${base} and ${endpoint} make no address`, () => {
    assert.throws(
      () => resolveUrl(base, endpoint),
      (thrown: unknown) => thrown instanceof ExtractError && thrown.code === 'ERR_REQUEST' && said.test(thrown.message),
    );
  });
}

test('a rejected address is not repeated in the message', () => {
  try {
    resolveUrl('https://h/', 'token-1234:x');
    assert.unreachable();
  } catch (thrown) {
    assert.not.match(String(thrown), 'token-1234');
  }
});

test('spellings of one origin are equal', () => {
  const spellings = ['https://h', 'HTTPS://H/', 'https://h:443/x?y', 'https://u:p@h:0443/'];
  assert.equal([...new Set(spellings.map(originOf))], ['https://h']);
  assert.is.not(originOf('http://h'), originOf('https://h'));
  assert.is.not(originOf('https://h:8443'), originOf('https://h'));
});

test('the origin of an address with user information is that of its host', () => {
  assert.is(originOf('https://trusted.example@evil.example/'), 'https://evil.example');
});

test('splits an address into the parts of a connection', () => {
  assert.equal(splitUrl('https://u:p@h:8443?a=%20+'), {
    origin: 'https://h:8443',
    target: '/?a=%20+',
    userinfo: 'u:p',
  });
});

test('distinguishes addresses from other text', () => {
  assert.ok(isHttpUrl('https://h'));
  assert.not(isHttpUrl('users'));
  assert.not(isHttpUrl('mailto:x@h'));
});

for (const [url, bare] of [
  ['https://u:p@H:443/a/b?x=1#y', 'https://h/a/b'],
  ['http://h:8080', 'http://h:8080/'],
  ['https://h/a%20b?', 'https://h/a%20b'],
] as const) {
  test(`${url} without user information and query is ${bare}`, () => assert.is(bareAddress(url), bare));
}

const endpoints = [
  '',
  'x',
  '/x',
  'x y/../z',
  '?a=1',
  'x?',
  'x?a=1',
  'x?a=ö b&c=%zz',
  '/x?a=1#f',
  'x#f?a=1',
  '//o/x?y',
  'http://o/x?y',
];

for (const base of ['https://u:p@h/a/b?base=1', 'http://h']) {
  test(`a resolver returns what resolveUrl returns, the first time and later: ${base}`, () => {
    const resolve = createResolver(base);
    for (const endpoint of [...endpoints, ...endpoints]) {
      assert.is(resolve(endpoint), resolveUrl(base, endpoint), endpoint);
      assert.is(resolve(`${endpoint}&more`), resolveUrl(base, `${endpoint}&more`), endpoint);
    }
    assert.throws(() => resolve('ftp://h/x?y'), /http or https/);
  });
}

test.run();
