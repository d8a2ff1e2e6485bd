/** Which private hosts may be requested: those that the configuration names. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { createPrivateHosts } from '../../../src/core/url/private-hosts.js';

const rows: readonly (readonly [named: string, url: string, allowed: boolean])[] = [
  ['https://api.example.com', 'https://api.example.com/2', true],
  ['https://api.example.com', 'https://other.example.com/2', true],
  ['https://api.example.com', 'http://localhost/2', false],
  ['https://api.example.com', 'http://169.254.169.254/latest', false],
  ['https://api.example.com', 'http://0xa9fea9fe/latest', false],
  ['https://api.example.com', 'http://user:pass@[::ffff:10.0.0.1]:8080/', false],
  ['https://api.example.com', 'http://redis:6379/', false],
  ['http://10.0.0.5', 'http://10.0.0.5:9000/', true],
  ['http://10.0.0.5', 'https://10.5/', true],
  ['http://10.0.0.5', 'http://10.0.0.6/', false],
  ['http://10.0.0.5', 'http://127.0.0.1/', false],
  ['http://api:8080', 'http://api:8080/2', true],
  ['http://api:8080', 'http://API.:8080/2', true],
  ['http://api:8080', 'http://db:8080/2', false],
  ['http://localhost:8080', 'http://127.0.0.1:8080/2', true],
  ['http://localhost:8080', 'http://[::1]:9090/2', true],
  ['http://127.0.0.1:8080', 'http://0.0.0.0:8080/2', true],
  ['http://localhost:8080', 'http://192.168.0.1/', false],
  ['http://[fd00::5]', 'http://[fd00:0:0::5]/2', true],
];
for (const [named, url, allowed] of rows) {
  test(`${named} ${allowed ? 'allows' : 'refuses'} ${url}`, () => {
    assert.is(createPrivateHosts([named]).allows(url), allowed);
  });
}

test('a listed host is named too', () => {
  const { allows } = createPrivateHosts(['https://api.example.com'], ['10.0.0.5', '[fd00::5]']);
  assert.equal(['http://10.0.0.5/', 'http://[fd00::5]/', 'http://10.0.0.6/'].map(allows), [true, true, false]);
});

test('a name that is not named may lead to public addresses, and to private ones that are named', () => {
  const { allowsAddress } = createPrivateHosts(['https://api.example.com', 'http://10.0.0.5']);
  const addresses = ['93.184.216.34', '10.0.0.5', '10.0.0.6', '127.0.0.1', '::1', '::ffff:10.0.0.6'];
  assert.equal(
    addresses.map((address) => allowsAddress('other.example.com', address)),
    [true, true, false, false, false, false],
  );
});

test('a name that is named may lead anywhere, until it was reached at a public address', () => {
  const { allowsAddress, reached } = createPrivateHosts(['https://api.example.com']);
  const name = 'api.example.com';
  assert.ok(allowsAddress(name, '10.0.0.5'));
  reached(name, '10.0.0.5');
  assert.ok(allowsAddress(name, '10.0.0.6'));
  reached(name, '2a00:1450:4001::5');
  assert.equal(
    [allowsAddress(name, '10.0.0.6'), allowsAddress('API.example.com.', '::1'), allowsAddress(name, '8.8.8.8')],
    [false, false, true],
  );
});

test('what was reached does not count for other names', () => {
  const { allowsAddress, reached } = createPrivateHosts(['https://a.example.com', 'https://b.example.com']);
  reached('a.example.com', '8.8.8.8');
  reached('c.example.com', '8.8.8.8');
  assert.ok(allowsAddress('b.example.com', '10.0.0.5'));
});

test.run();
