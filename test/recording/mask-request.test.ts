/** What a recording keeps of requests, and the differences that a replay shows. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { createSecrets } from '../../src/core/secrets/secrets.js';
import { differences, isSameTarget, maskRequest } from '../../src/recording/mask-request.js';

const secrets = createSecrets();
for (const value of ['s3cret-token', 'pin', '12']) secrets.add(value);

const masked = (url: string, body?: string, headers: Readonly<Record<string, string>> = {}) =>
  maskRequest(
    {
      method: body === undefined ? 'GET' : 'POST',
      url,
      headers: new Map(Object.entries(headers).map(([name, value]) => [name, [value]])),
      ...(body === undefined ? {} : { body }),
    },
    secrets,
  );

test('headers that may identify the sender keep their names, cookies nothing', () => {
  const headers = { 'X-Key': 'any', Accept: 'text/s3cret-token', Cookie: 'a=b', 'Content-Type': 'text/plain' };
  assert.equal(masked('http://h/', undefined, headers).headers, {
    accept: ['text/***'],
    'content-type': ['text/plain'],
    'x-key': ['***'],
  });
});

test('addresses and bodies are masked, short secrets as whole values', () => {
  assert.is(masked('http://u:p@h/s3cret-token?a=pin&b=pins&c=%2A%2A%2A').url, 'http://***@h/***?a=***&b=pins&c=***');
  assert.is(masked('http://h/', 'a=pin&b=s3cret-token').body, 'a=***&b=***');
  assert.is(
    masked('http://h/', '{"a":["pin","pins",12,123],"b":{"c":"a s3cret-token"},"d":null}').body,
    '{"a":["***","pins","***",123],"b":{"c":"a ***"},"d":null}',
  );
});

const targets: readonly [recorded: string, request: string, isSame: boolean][] = [
  ['http://h/a?b=1', 'http://h/a?b=1', true],
  ['http://h/a?b=1', 'http://h/a?b=2', false],
  ['http://h/a?b=***', 'http://h/a?b=2', true],
  ['http://h/a?b=***&c=3', 'http://h/a?b=2&c=3', true],
  ['http://h/a?b=***&c=3', 'http://h/a?b=2&c=4', false],
  ['***/a', 'http://h/a', true],
  ['***/a/***/b', 'http://h/a/1/c', false],
  ['http://h/***', 'http://i/a', false],
  ['http://h/a***a', 'http://h/a', false],
];

for (const [recorded, request, isSame] of targets) {
  test(`${recorded} is ${isSame ? '' : 'not '}${request}`, () => {
    const of = (url: string) => ({ method: 'GET', url, headers: {} });
    assert.is(isSameTarget(of(recorded), of(request)), isSame);
  });
}

test('differences name method, address, parameters, headers and members of a body', () => {
  const get = masked('http://h/a?x=1&y=2&y=3', undefined, { Accept: 'a', 'User-Agent': 'old' });
  const other = masked('http://i/a?x=2&z', undefined, { Origin: 'o', 'User-Agent': 'new' });
  assert.equal(differences(get, get), []);
  assert.equal(differences(get, other), [
    'address: http://i/a, recorded http://h/a',
    'parameter "x": 2, recorded 1',
    'parameter "y": none, recorded 2&3',
    'parameter "z": , recorded none',
    'header "accept": none, recorded a',
    'header "origin": o, recorded none',
  ]);
  const post = masked('http://h/', '{"a":1,"b":[2]}');
  assert.equal(differences(post, masked('http://h/', '{"a":1,"b":[3]}')), ['body "b": [3], recorded [2]']);
  assert.equal(differences(masked('http://h/', 'a=1'), masked('http://h/', 'a=2')), ['body "a": 2, recorded 1']);
  assert.equal(differences(masked('http://h/', '{"a":1}'), masked('http://h/')), [
    'method: GET, recorded POST',
    'body: none, recorded {"a":1}',
  ]);
  const broken = { ...post, body: '{"a":***4}' };
  assert.equal(differences(broken, masked('http://h/', '{"a":14}')), []);
  assert.equal(differences(broken, masked('http://h/', `{"a":"${'x'.repeat(300)}"}`)), [
    `body: {"a":"${'x'.repeat(194)}..., recorded {"a":***4}`,
  ]);
});

test.run();
