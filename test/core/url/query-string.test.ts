/** Parameters on the wire, byte for byte; literals are what Generic Extractor sent. */
import fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { type Exact, ExactNumber, type ExactObject, fromPlain, isObject } from '../../../src/core/json/exact.js';
import {
  encodeForm,
  encodeQuery,
  mergeEndpointQuery,
  mergeLoginQuery,
  mergeQuery,
  queryNames,
} from '../../../src/core/url/query-string.js';

const exact = (value: Record<string, unknown>): ExactObject => {
  const made = fromPlain(value);
  return isObject(made) ? made : new Map();
};
const number = (text: string): Exact => new ExactNumber(text);

const encoded: readonly (readonly [params: ExactObject, text: string])[] = [
  [exact({}), ''],
  [exact({ a: 'x y', b: '' }), 'a=x+y&b='],
  [exact({ at: '2017-04-19 12:46:46' }), 'at=2017-04-19+12%3A46%3A46'],
  [exact({ k: "aZ09-_.~!*'()/?&=+%#é😀" }), 'k=aZ09-_.%7E%21%2A%27%28%29%2F%3F%26%3D%2B%25%23%C3%A9%F0%9F%98%80'],
  [exact({ k: ['a', 'b'] }), 'k%5B0%5D=a&k%5B1%5D=b'],
  [
    exact({ filter: { field: 'type', operator: 'equal', value: 'active' }, return: { fields: ['id', 'name'] } }),
    'filter%5Bfield%5D=type&filter%5Boperator%5D=equal&filter%5Bvalue%5D=active&return%5Bfields%5D%5B0%5D=id&return%5Bfields%5D%5B1%5D=name',
  ],
  [exact({ t: true, f: false, n: null, l: [], o: {}, deep: { n: null, l: [] }, z: 0 }), 't=1&f=0&z=0'],
  [exact({ l: [null, 'b'] }), 'l%5B1%5D=b'],
  [
    new Map([
      ['n', number('1.0')],
      ['big', number('1234567890123456789')],
      ['e', number('1E+2')],
    ]),
    'n=1.0&big=1234567890123456789&e=1E%2B2',
  ],
  [
    new Map([
      ['10', 'a'],
      ['9', 'b'],
    ]),
    '10=a&9=b',
  ],
  [exact({ 'a b': { 'c&d': 1 } }), 'a+b%5Bc%26d%5D=1'],
];

for (const [params, text] of encoded) {
  test(`parameters are written as ${text || 'nothing'}`, () => {
    assert.is(encodeForm(params), text);
    assert.is(encodeQuery(params), text);
  });
}

test('a GET drops top-level names that are empty or 0, a form does not', () => {
  const params = exact({ '': 'x', 0: 'y', a: { 0: 'z' } });
  assert.is(encodeQuery(params), 'a%5B0%5D=z');
  assert.is(encodeForm(params), '0=y&=x&a%5B0%5D=z');
});

const merged: readonly (readonly [endpoint: string, params: ExactObject, result: string])[] = [
  ['users', exact({}), 'users'],
  ['users?a=~%20+', exact({}), 'users?a=~%20+'],
  ['users', exact({ a: 1 }), 'users?a=1'],
  ['users', exact({ a: null }), 'users'],
  ['users?page=2', exact({ account: 123 }), 'users?page=2&account=123'],
  ['users?page=2&x=1', exact({ page: 3, y: 4 }), 'users?page=3&x=1&y=4'],
  ['users?page=2&x=1', exact({ page: null, y: 4 }), 'users?x=1&y=4'],
  ['users?a=1&b=2&a=3', exact({ c: 4 }), 'users?a=3&b=2&c=4'],
  ['users?flag', exact({ c: 4 }), 'users?flag=&c=4'],
  ['users?a=x%20y+z~%FF', exact({ c: 4 }), 'users?a=x+y+z%7E%FF&c=4'],
  ['users?a=b=c', exact({ d: 1 }), 'users?a=b%3Dc&d=1'],
  ['users?f%5Ba%5D=1&g[b]=2', exact({ c: 4 }), 'users?f%5Ba%5D=1&g%5Bb%5D=2&c=4'],
  ['//host/x?a=1', exact({ b: 2 }), '//host/x?a=1&b=2'],
  ['users?a=1#fragment', exact({ b: 2 }), 'users?a=1&b=2'],
  ['?a=1', exact({ b: 2 }), '?a=1&b=2'],
  ['users?', exact({ b: 2 }), 'users?b=2'],
  ['users?=z&&a=1', exact({ b: 2 }), 'users?a=1&b=2'],
];

for (const [endpoint, params, result] of merged) {
  test(`${endpoint} and ${encodeForm(params) || 'no parameters'} make ${result}`, () =>
    assert.is(mergeEndpointQuery(endpoint, params), result));
}

const rebuilt: readonly (readonly [url: string, query: ExactObject, result: string])[] = [
  ['https://h/x', exact({}), 'https://h/x'],
  ['https://h/x', exact({ 'api-token': 2267709 }), 'https://h/x?api-token=2267709'],
  ['https://h/x?a=b+c%7E&flag&d=', exact({}), 'https://h/x?a=b%20c~&flag&d='],
  ['https://h/x?a=1&t=2&b=3', exact({ t: 'new', u: 'x y' }), 'https://h/x?a=1&t=new&b=3&u=x%20y'],
  ['https://h/x?a=%FF&a=2', exact({}), 'https://h/x?a=%FF&a=2'],
  [
    'https://h/items?type=users',
    exact({ apiToken: '1234', signature: 'd822' }),
    'https://h/items?type=users&apiToken=1234&signature=d822',
  ],
];

for (const [url, query, result] of rebuilt) {
  test(`an authentication's query makes ${url} ${result}`, () => assert.is(mergeQuery(url, query), result));
}

test('a login value is sent beside a parameter of the same name, after all others', () => {
  assert.is(
    mergeLoginQuery(
      'http://h/users?debug=1&secretKey=none&orderBy=userName&customerId=234',
      exact({ apiToken: 987654, secretKey: 'a1b2c3d435f6', customerId: 'abc' }),
    ),
    'http://h/users?debug=1&orderBy=userName&apiToken=987654&secretKey%5B0%5D=none&secretKey%5B1%5D=a1b2c3d435f6&customerId%5B0%5D=234&customerId%5B1%5D=abc',
  );
});

test('a login value that equals the parameter is sent beside it too', () => {
  assert.is(mergeLoginQuery('http://h/?k=v', exact({ k: 'v' })), 'http://h/?k%5B0%5D=v&k%5B1%5D=v');
});

test('a login value without a namesake is a plain parameter', () => {
  assert.is(
    mergeLoginQuery('http://h/users', exact({ secretKey: 'a1b2c3d435f6', tokenId: 123 })),
    'http://h/users?secretKey=a1b2c3d435f6&tokenId=123',
  );
});

test('a login rebuilds the query even when it adds nothing', () => {
  assert.is(mergeLoginQuery('http://h/?a=b+c%7E&flag', exact({})), 'http://h/?a=b%20c~&flag');
});

test('a login value replaces a name that only a link brought', () => {
  const url = 'http://h/?token=old&page=2';
  assert.is(mergeLoginQuery(url, exact({ token: 'new' }), queryNames(url)), 'http://h/?token=new&page=2');
});

test('a login value replaces itself in a pair that a link echoes', () => {
  const url = 'http://h/?k%5B0%5D=job&k%5B1%5D=old';
  assert.is(mergeLoginQuery(url, exact({ k: 'new' }), queryNames(url)), 'http://h/?k%5B0%5D=job&k%5B1%5D=new');
});

const seed = Number(process.env.SEED ?? Math.floor(Math.random() * 2 ** 31));

/** Reads a form the way servers do. */
function decodeForm(text: string): readonly (readonly [string, string])[] {
  const value = (part: string) => decodeURIComponent(part.replaceAll('+', '%20'));
  return text === ''
    ? []
    : text.split('&').map((pair) => [value(pair.split('=')[0] ?? ''), value(pair.split('=')[1] ?? '')]);
}

test(`any text survives encoding and decoding (SEED=${seed})`, () => {
  const name = fc.string({ unit: 'binary', minLength: 1 }).filter((text) => text !== '0');
  fc.assert(
    fc.property(
      fc.uniqueArray(fc.tuple(name, fc.string({ unit: 'binary' })), { selector: ([key]) => key }),
      (pairs) => {
        const params: ExactObject = new Map(pairs);
        assert.match(encodeQuery(params), /^[\w\-.+%&=]*$/);
        assert.equal(decodeForm(encodeQuery(params)), pairs);
        assert.equal(decodeForm(mergeQuery(`http://h/?${encodeQuery(params)}`, new Map()).split('?')[1] ?? ''), pairs);
      },
    ),
    { seed, numRuns: 300 },
  );
});

test.run();
