/** The option `proxy`: addresses, variables in them, and the rules of the environment. */
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: variables in addresses are the subject.
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { EnvironmentVariables } from '../../../src/config/env.js';
import { ExtractError } from '../../../src/core/errors/errors.js';
import { hasLiteralPassword, proxyAuthorization, readProxyOption } from '../../../src/http/transport/proxy.js';

const proxyOf = (option: string, env: EnvironmentVariables = {}, origin = 'https://api.example.com') =>
  readProxyOption(option, env).proxyOf(origin);

const addresses: readonly (readonly [given: string, address: string])[] = [
  ['http://proxy.example.com:3128', 'http://proxy.example.com:3128'],
  ['http://proxy.example.com:3128/', 'http://proxy.example.com:3128'],
  ['HTTP://Proxy.Example.com', 'http://proxy.example.com:80'],
  ['proxy.example.com:3128', 'http://proxy.example.com:3128'],
  ['joe:secret@proxy.example.com:3128', 'http://proxy.example.com:3128'],
  ['https://proxy.example.com', 'https://proxy.example.com:443'],
  ['socks5://proxy.example.com', 'socks5://proxy.example.com:1080'],
  ['socks5h://[::1]:9050', 'socks5://[::1]:9050'],
];
for (const [given, address] of addresses) {
  test(`${given} is ${address}`, () => assert.is(proxyOf(given)?.address, address));
}

const env = { USER_NAME: 'jo@e', SECRET: 'p@ss:/w%rd #é$', EMPTY: '', PAIR: 'a:b' };
const users: readonly (readonly [userinfo: string, user: string, password: string])[] = [
  ['joe:secret', 'joe', 'secret'],
  ['joe:a%40b%3Ac+d', 'joe', 'a@b:c+d'],
  ['joe:with@sign', 'joe', 'with@sign'],
  ['${USER_NAME}:${SECRET}', 'jo@e', 'p@ss:/w%rd #é$'],
  ['joe:a-${SECRET}-b', 'joe', 'a-p@ss:/w%rd #é$-b'],
  ['${PAIR}', 'a:b', ''],
  ['joe:${EMPTY}', 'joe', ''],
  ['key', 'key', ''],
];
for (const [userinfo, user, password] of users) {
  test(`${userinfo} is the user ${user} with the password ${password}`, () => {
    const proxy = proxyOf(`http://${userinfo}@proxy.example.com`, env);
    assert.equal([proxy?.user, proxy?.password], [user, password]);
    const header = `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`;
    assert.is(proxy === undefined ? '' : proxyAuthorization(proxy), header);
  });
}

test('the password, or a user without one, and their encodings are secret', () => {
  const { secrets } = readProxyOption('http://joe:${SECRET}@proxy.example.com', env);
  for (const secret of [env.SECRET, `joe:${env.SECRET}`, Buffer.from(`joe:${env.SECRET}`).toString('base64')]) {
    assert.ok(secrets.includes(secret), secret);
  }
  assert.not.ok(secrets.includes('joe'));
  assert.ok(readProxyOption('http://the-key@proxy.example.com', env).secrets.includes('the-key'));
  assert.equal(readProxyOption('http://proxy.example.com', env).secrets, []);
});

const faults: readonly (readonly [given: unknown, message: RegExp])[] = [
  ['', /expected the URL of a proxy/],
  [true, /expected the URL of a proxy/],
  ['socks4://proxy.example.com', /"socks4" is not a supported proxy type/],
  ['ftp://joe:pass-word@proxy.example.com', /"ftp" is not a supported proxy type/],
  ['http://', /expected the URL of a proxy/],
  ['http://proxy.example.com:99999', /expected the URL of a proxy/],
  ['http://proxy.example.com/path', /write nothing after its port/],
  ['http://joe:pass-word/more@proxy.example.com', /percent-encode/],
  ['http://${HOST}:3128', /only in its user information/],
  ['http://joe:${SECRT}@proxy.example.com', /no variable "SECRT" in the environment; did you mean "SECRET"\?/],
  ['socks5://joe@proxy.example.com', /both a user and a password/],
];
for (const [given, message] of faults) {
  test(`${String(given)} is rejected, without its password in the message`, () => {
    try {
      readProxyOption(given, env);
    } catch (thrown) {
      assert.instance(thrown, ExtractError);
      if (!(thrown instanceof ExtractError)) return;
      assert.equal([thrown.code, thrown.message.includes('pass-word')], ['ERR_USAGE', false]);
      assert.match(thrown.message, message);
      return;
    }
    assert.unreachable();
  });
}

const literal: readonly (readonly [given: string, isLiteral: boolean])[] = [
  ['http://joe:secret@proxy.example.com', true],
  ['joe:secret@proxy.example.com:3128', true],
  ['http://joe:a${SECRET}@proxy.example.com', true],
  ['http://joe:${SECRET}@proxy.example.com', false],
  ['http://joe:@proxy.example.com', false],
  ['http://joe@proxy.example.com', false],
  ['http://proxy.example.com:3128', false],
  ['env', false],
];
for (const [given, isLiteral] of literal) {
  test(`${given} ${isLiteral ? 'has' : 'has no'} password written out`, () =>
    assert.is(hasLiteralPassword(given), isLiteral));
}

const [first, second] = ['http://first.example.com:3128', 'http://second.example.com:3128'];
const variables: readonly (readonly [env: EnvironmentVariables, origin: string, address: string | undefined])[] = [
  [{}, 'http://api.example.com', undefined],
  [{ HTTP_PROXY: first }, 'http://api.example.com', first],
  [{ HTTP_PROXY: first }, 'https://api.example.com', first],
  [{ HTTPS_PROXY: first }, 'https://api.example.com', first],
  [{ HTTPS_PROXY: first }, 'http://api.example.com', undefined],
  [{ HTTP_PROXY: first, HTTPS_PROXY: second }, 'https://api.example.com', second],
  [{ HTTP_PROXY: first, http_proxy: second }, 'http://api.example.com', second],
  [{ HTTPS_PROXY: first, https_proxy: second }, 'https://api.example.com', second],
  [{ HTTP_PROXY: first, HTTPS_PROXY: '' }, 'https://api.example.com', first],
  [{ HTTP_PROXY: ' first.example.com:3128 ' }, 'http://api.example.com', first],
];
for (const [given, origin, address] of variables) {
  test(`${JSON.stringify(given)} leads ${origin} to ${address}`, () =>
    assert.is(proxyOf('env', given, origin)?.address, address));
}

const exceptions: readonly (readonly [list: string, origin: string, isDirect: boolean])[] = [
  ['', 'http://api.example.com', false],
  ['*', 'http://api.example.com', true],
  ['other.example, *', 'http://api.example.com', true],
  ['example.com', 'http://example.com', true],
  ['example.com', 'http://api.example.com', true],
  ['.example.com', 'http://api.example.com', true],
  ['.example.com', 'http://example.com', true],
  ['*.example.com', 'http://api.example.com', true],
  ['EXAMPLE.com', 'http://api.Example.COM', true],
  ['ample.com', 'http://api.example.com', false],
  ['api.example.com', 'http://example.com', false],
  ['localhost,127.0.0.1 10.0.0.1', 'http://127.0.0.1:8080', true],
  ['localhost,127.0.0.1 10.0.0.1', 'http://10.0.0.1', true],
  ['127.0.0.1', 'http://127.0.0.2', false],
  ['example.com:8080', 'http://example.com:8080', true],
  ['example.com:8080', 'http://example.com', false],
  ['example.com:443', 'https://example.com', true],
  ['example.com:80', 'http://example.com', true],
  ['[::1]', 'http://[::1]:8080', true],
  ['::1', 'http://[::1]', true],
  ['[::1]:8080', 'http://[::1]', false],
];
for (const [list, origin, isDirect] of exceptions) {
  test(`NO_PROXY "${list}" ${isDirect ? 'excepts' : 'does not except'} ${origin}`, () => {
    for (const name of ['NO_PROXY', 'no_proxy']) {
      assert.is(proxyOf('env', { HTTP_PROXY: first, [name]: list }, origin) === undefined, isDirect);
    }
  });
}

test('a faulty variable is named, without its value', () => {
  for (const name of ['HTTP_PROXY', 'https_proxy']) {
    assert.throws(
      () => readProxyOption('env', { [name]: 'http://joe:pass-word/x@host' }),
      (thrown: Error) =>
        thrown.message.startsWith(`proxy: the variable ${name}: expected`) && !thrown.message.includes('pass-word'),
    );
  }
});

test('a variable of the environment has no variables in it', () => {
  const found = proxyOf('env', { HTTP_PROXY: 'http://joe:${SECRET}@host', SECRET: 'x' });
  assert.is(found?.password, '${SECRET}');
});

test('in code the environment is the one that was handed in', () => {
  assert.throws(() => readProxyOption('env', undefined), /needs the option env/);
});

test.run();
