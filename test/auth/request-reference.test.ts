import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { requestReferences, requestRoot } from '../../src/auth/request-reference.js';
import type { ExtractError } from '../../src/core/errors/errors.js';
import type { FieldReference } from '../../src/core/model/field-reference.js';
import type { HttpRequest } from '../../src/core/model/request.js';
import { createSecrets } from '../../src/core/secrets/secrets.js';
import { get } from './auth-context.js';

function look(request: HttpRequest, name: FieldReference, key: string, secrets = createSecrets()) {
  const found = requestReferences(request, secrets).references.get(name)?.(key);
  if (found === undefined) throw new Error(`no ${name}`);
  return { ...found, value: String(found.value) };
}

const request = get('https://api.example:8443/v1/us%20ers?filter%5Bstate%5D=on+off&n=%C3%A9');

const parts: readonly (readonly [key: string, value: string])[] = [
  ['url', 'https://api.example:8443/v1/us%20ers?filter%5Bstate%5D=on+off&n=%C3%A9'],
  ['path', '/v1/us%20ers'],
  ['queryString', 'filter%5Bstate%5D=on+off&n=%C3%A9'],
  ['method', 'GET'],
  ['hostname', 'api.example'],
  ['port', '8443'],
  ['resource', '/v1/us%20ers?filter%5Bstate%5D=on+off&n=%C3%A9'],
];

for (const [key, value] of parts) {
  test(`request.${key} is a part of the address as it is sent`, () => {
    assert.is(look(request, 'request', key).value, value);
  });
}

test('there are no other parts', () => {
  assert.equal(
    [...requestRoot.keys()],
    parts.map(([key]) => key),
  );
});

test('the port is that of the scheme if the address has none', () => {
  assert.is(look(get('http://h.example/'), 'request', 'port').value, '80');
  assert.is(look(get('https://h.example/'), 'request', 'port').value, '443');
});

test('an IPv6 address keeps its brackets', () => {
  assert.is(look(get('http://[::1]:8080/'), 'request', 'hostname').value, '[::1]');
  assert.is(look(get('http://[::1]/'), 'request', 'hostname').value, '[::1]');
});

test('without a query its text is empty, and the resource is the path', () => {
  assert.is(look(get('http://h.example'), 'request', 'queryString').value, '');
  assert.is(look(get('http://h.example'), 'request', 'resource').value, '/');
});

const queries: readonly (readonly [rule: string, query: string, key: string, value: string])[] = [
  ['is decoded', 'q=a+b%20c%2B', 'q', 'a b c+'],
  ['has brackets as part of its name', 'filter%5Ba%5D=1', 'filter[a]', '1'],
  ['may have dots in its name', 'a.b=1', 'a.b', '1'],
  ['that is repeated has numbers', 'a=x&b=y&a=z', 'a.1', 'z'],
  ['without a value is empty', 'debug', 'debug', ''],
  ['has the name that is encoded', '%C3%A9=1', 'é', '1'],
];

for (const [rule, query, key, value] of queries) {
  test(`a query parameter ${rule}`, () => {
    assert.is(look(get(`http://h.example/?${query}`), 'query', key).value, value);
  });
}

const refused: readonly (readonly [name: FieldReference, key: string, message: string])[] = [
  ['query', 'pge', 'there is no query "pge"; did you mean "page"?'],
  ['query', 'ids', 'the query "ids" is a list, expected a single value'],
  ['request', 'ur', 'there is no request "ur"; did you mean "url"?'],
];

for (const [name, key, message] of refused) {
  test(`${name} "${key}" has its own error`, () => {
    assert.throws(
      () => look(get('http://h.example/?page=1&ids=1&ids=2'), name, key),
      (error: ExtractError) => error.code === 'ERR_FUNCTION' && error.message === message,
    );
  });
}

test('a value that contains a secret is secret, others are not', () => {
  const secrets = createSecrets();
  secrets.add('hidden');
  secrets.add('7');
  const asked = get('http://h.example/a?token=hidden&pin=7&page=1');
  const isSecret = (name: FieldReference, key: string) => look(asked, name, key, secrets).secret;
  assert.equal(
    [isSecret('query', 'token'), isSecret('query', 'pin'), isSecret('request', 'url'), isSecret('request', 'resource')],
    [true, true, true, true],
  );
  assert.equal([isSecret('query', 'page'), isSecret('request', 'path')], [false, false]);
});

test.run();
