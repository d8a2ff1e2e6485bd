import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { differences, fingerprintOf } from '../../src/checkpoint/config-fingerprint.js';
import { fromPlain } from '../../src/core/json/exact.js';

const marks = (value: unknown, secrets: readonly string[] = []) =>
  fingerprintOf(fromPlain(value), (text) => secrets.includes(text));

const pairs: readonly {
  readonly what: string;
  readonly before: unknown;
  readonly now: unknown;
  readonly found: readonly string[];
}[] = [
  { what: 'the same', before: { a: [1, { b: null }], c: {} }, now: { c: {}, a: [1, { b: null }] }, found: [] },
  { what: 'another value', before: { a: { b: 1 } }, now: { a: { b: 2 } }, found: ['a.b was 1 and is 2'] },
  { what: 'another number of the same value', before: { a: 1 }, now: { a: '1' }, found: ['a was 1 and is "1"'] },
  { what: 'a member more', before: { a: 1 }, now: { a: 1, b: 2 }, found: ['b is new'] },
  { what: 'an element less', before: { a: [1, 2] }, now: { a: [1] }, found: ['a[1] is gone'] },
  {
    what: 'an object that is none any more',
    before: { a: { b: 1 } },
    now: { a: [] },
    found: ['a is new', 'a.b is gone'],
  },
  {
    what: 'another secret',
    before: { '#a': 'x', b: { '#c': [1] } },
    now: { '#a': 'y', b: { '#c': [2, 3] } },
    found: [],
  },
  { what: 'a secret less', before: { '#a': 'x' }, now: { b: 1 }, found: ['b is new', '#a is gone'] },
  {
    what: 'another password in the clear',
    before: { api: { authentication: { loginRequest: { endpoint: 'x', params: { password: 'a' } } } } },
    now: { api: { authentication: { loginRequest: { endpoint: 'y', params: { password: 'b' } } } } },
    found: ['api.authentication.loginRequest.endpoint differs'],
  },
  { what: 'another word', before: { a: 'users' }, now: { a: 'orders' }, found: ['a was "users" and is "orders"'] },
  { what: 'a value in the place of null', before: { a: null }, now: { a: 7 }, found: ['a was none and is 7'] },
  {
    what: 'texts that look like secrets, by name, by chance or by place, and long ones',
    before: {
      api_key: 'a',
      pin: 1,
      q: 'Zq8vT2mKx9LrW4pN',
      api: { http: { headers: { A: 'b' } } },
      long: 'a '.repeat(99),
    },
    now: { api_key: 'b', pin: 2, q: 'b', api: { http: { headers: { A: 'c' } } }, long: 'b' },
    found: ['api_key differs', 'pin differs', 'q differs', 'api.http.headers.A differs', 'long differs'],
  },
  {
    what: 'a URL with a token',
    before: { url: 'http://h/?a=1&token=x' },
    now: { url: 'http://h/?a=2&token=x' },
    found: ['url differs'],
  },
  { what: 'a variable in the place of a value', before: { a: 'x', b: 1 }, now: { a: { env: 'A' }, b: 1 }, found: [] },
  { what: 'a value in the place of a variable', before: { a: { env: 'A' } }, now: { a: 'x' }, found: [] },
  { what: 'another variable', before: { a: { env: 'A' } }, now: { a: { env: 'B' } }, found: [] },
];

for (const { what, before, now, found } of pairs) {
  test(`${what}: ${found.join(', ') || 'nothing differs'}`, () => {
    assert.equal(differences(marks(before), marks(now)), found);
  });
}

test('a secret that is known by its value leaves no digest, and may change', () => {
  const before = marks({ header: 'Bearer one' }, ['Bearer one']);
  assert.equal(before, { marks: { header: 'secret' }, values: {} });
  assert.equal(differences(before, marks({ header: 'Bearer two' }, ['Bearer two'])), []);
});

test('a state of an earlier build has digests only: what differs is named', () => {
  const { marks: earlier } = marks({ a: 1 });
  assert.equal(differences({ marks: earlier }, marks({ a: 2 })), ['a differs']);
});

test.run();
