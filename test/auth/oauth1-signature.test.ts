import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { oauth1Header, oauth1Signature, signatureBase } from '../../src/auth/oauth1-signature.js';
import type { HttpRequest } from '../../src/core/model/request.js';

const form = new Map([['Content-Type', ['application/x-www-form-urlencoded']]]);

const get = (url: string, more: Partial<HttpRequest> = {}): HttpRequest => ({
  method: 'GET',
  url,
  headers: new Map(),
  ...more,
});

/** The third part of a base string, decoded: the signed parameters. */
const parametersOf = (request: HttpRequest) => decodeURIComponent(signatureBase(request, []).split('&')[2] ?? '');

const addressOf = (request: HttpRequest) => decodeURIComponent(signatureBase(request, []).split('&')[1] ?? '');

test('the base string is that of RFC 5849 3.4.1.1', () => {
  const request: HttpRequest = {
    method: 'POST',
    url: 'http://example.com/request?b5=%3D%253D&a3=a&c%40=&a2=r%20b',
    headers: form,
    body: 'c2&a3=2+q',
  };
  const oauth = [
    ['oauth_consumer_key', '9djdj82h48djs9d2'],
    ['oauth_token', 'kkk9d7dh3k39sjv7'],
    ['oauth_signature_method', 'HMAC-SHA1'],
    ['oauth_timestamp', '137131201'],
    ['oauth_nonce', '7d8f3e4a'],
  ] as const;
  assert.is(
    signatureBase(request, oauth),
    [
      'POST&http%3A%2F%2Fexample.com%2Frequest&a2%3Dr%2520b%26a3%3D2%2520q%26a3%3Da%26b5%3D%253D%25253D%26c%2540%3D%26c2%3D',
      '%26oauth_consumer_key%3D9djdj82h48djs9d2%26oauth_nonce%3D7d8f3e4a%26oauth_signature_method%3DHMAC-SHA1',
      '%26oauth_timestamp%3D137131201%26oauth_token%3Dkkk9d7dh3k39sjv7',
    ].join(''),
  );
});

test('the signature is that of the worked example, RFC 5849 1.2', () => {
  const oauth = [
    ['oauth_consumer_key', 'dpf43f3p2l4k3l03'],
    ['oauth_token', 'nnch734d00sl2jdk'],
    ['oauth_signature_method', 'HMAC-SHA1'],
    ['oauth_timestamp', '137131202'],
    ['oauth_nonce', 'chapoH'],
  ] as const;
  const base = signatureBase(get('http://photos.example.net/photos?file=vacation.jpg&size=original'), oauth);
  const secrets = { consumerSecret: 'kd94hf93k423kf44', tokenSecret: 'pfkkdhi9sl3r4s00' };
  assert.is(oauth1Signature(base, secrets), 'MdpQcU8iPSUjWoN/UDMsK2sui9I=');
});

const addresses: readonly (readonly [rule: string, request: HttpRequest, address: string])[] = [
  ['leaves out the default port', get('http://EXAMPLE.com:80/r%20v/X?id=123'), 'http://example.com/r%20v/X'],
  ['leaves out 443 where it is https', get('https://h.example:443/a'), 'https://h.example/a'],
  ['keeps any other port', get('https://www.example.net:8080/?q=1'), 'https://www.example.net:8080/'],
  ['has a path where there is none', get('http://h.example?q=1'), 'http://h.example/'],
  ['has no user information', get('http://me:pass@h.example/a'), 'http://h.example/a'],
  [
    'has the host that the request names in a header',
    get('http://127.0.0.1:8080/a', { headers: new Map([['host', ['API.example:80']]]) }),
    'http://api.example/a',
  ],
];

for (const [rule, request, address] of addresses) {
  test(`the address that is signed ${rule}`, () => {
    assert.is(addressOf(request), address);
  });
}

const parameters: readonly (readonly [rule: string, query: string, signed: string])[] = [
  ['a space is %20, however it came', 'a=x+y&b=x%20y', 'a=x%20y&b=x%20y'],
  ['a plus sign is encoded', 'a=1%2B1', 'a=1%2B1'],
  ['a tilde stays, also where it came encoded', 'a=~&b=%7E', 'a=~&b=~'],
  ['other marks are encoded', `a=!*'()`, 'a=%21%2A%27%28%29'],
  ['letters outside ASCII are their UTF-8 bytes', 'n%C3%A9=%E2%82%AC', 'n%C3%A9=%E2%82%AC'],
  ['bytes that are no UTF-8 stay', 'a=%FF%00', 'a=%FF%00'],
  ['hexadecimal digits are upper case', 'a=%c3%a9', 'a=%C3%A9'],
  ['brackets of a name are encoded', 'f[a]=1&f%5Bb%5D=2', 'f%5Ba%5D=1&f%5Bb%5D=2'],
  ['a repeated name is sorted by value', 'a=2&a=10&a=1', 'a=1&a=10&a=2'],
  ['a name without a value has an empty one', 'b&a=', 'a=&b='],
  ['a value may have equals signs', 'a=b=c', 'a=b%3Dc'],
  ['names are sorted by their bytes, upper case first', 'b=1&B=1&a=1&%C3%A9=1&_=1', '%C3%A9=1&B=1&_=1&a=1&b=1'],
  ['pairs without anything are left out', 'a=1&&b=2&', 'a=1&b=2'],
];

for (const [rule, query, signed] of parameters) {
  test(`of the signed text, ${rule}`, () => {
    const encoded = signatureBase(get(`http://h.example/?${query}`), []).split('&')[2] ?? '';
    assert.is(decodeURIComponent(encoded), signed);
    const request = get('http://h.example/', { method: 'POST', headers: form, body: query });
    assert.is(parametersOf(request), signed, 'in a form');
  });
}

test('a form is signed, with its content type in any spelling', () => {
  const typed = (type: string) =>
    parametersOf(get('http://h.example/?b=2', { headers: new Map([['content-type', [type]]]), body: 'a=1' }));
  assert.is(typed('Application/X-WWW-Form-Urlencoded; charset=UTF-8'), 'a=1&b=2');
  assert.is(typed('application/json'), 'b=2');
  assert.is(typed('application/x-www-form-urlencoded-not'), 'b=2');
});

test('the header has all parameters of the protocol in alphabetical order, encoded and quoted', () => {
  const keys = { consumerKey: 'key ü', consumerSecret: 'sec&ret', token: 'to"ken', tokenSecret: 'other%secret' };
  const url = 'https://api.example/r?x=a%20b';
  const { line } = oauth1Header(get(url), keys, { nonce: '0123456789abcdef', timestamp: '1700000000' });
  assert.equal(line.replace(/^OAuth /, '').split(', '), [
    'oauth_consumer_key="key%20%C3%BC"',
    'oauth_nonce="0123456789abcdef"',
    'oauth_signature="wxZXExmQMVve5959odDFZlsyLgw%3D"',
    'oauth_signature_method="HMAC-SHA1"',
    'oauth_timestamp="1700000000"',
    'oauth_token="to%22ken"',
    'oauth_version="1.0"',
  ]);
});

test.run();
