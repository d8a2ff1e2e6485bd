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
  { what: 'another value', before: { a: { b: 1 } }, now: { a: { b: 2 } }, found: ['a.b differs'] },
  { what: 'another number of the same value', before: { a: 1 }, now: { a: '1' }, found: ['a differs'] },
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
  assert.equal(before, { header: 'secret' });
  assert.equal(differences(before, marks({ header: 'Bearer two' }, ['Bearer two'])), []);
});

test.run();
