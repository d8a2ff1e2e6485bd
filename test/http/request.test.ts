/** The merge rules, from a page to a request. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { type ExactObject, emptyObject, fromPlain, isObject } from '../../src/core/json/exact.js';
import type { Headers, Method, PageRequest } from '../../src/core/model/request.js';
import { createSecrets } from '../../src/core/secrets/secrets.js';
import { createOrigins } from '../../src/core/url/origins.js';
import { buildLoginRequest, buildRequest, mergeParams, type RequestRules } from '../../src/http/request.js';

const exact = (value: Record<string, unknown>): ExactObject => {
  const made = fromPlain(value);
  return isObject(made) ? made : emptyObject;
};
const headers = (value: Record<string, string>): Headers =>
  new Map(Object.entries(value).map(([name, text]) => [name, [text]]));
const page = (given: Partial<PageRequest> = {}): PageRequest => ({
  endpoint: 'users',
  params: emptyObject,
  headers: new Map(),
  ...given,
});
const baseUrl = 'https://h/1/';
const rules = (given: Partial<RequestRules> = {}): RequestRules => ({
  baseUrl,
  defaultOptions: { method: 'GET', params: emptyObject, headers: new Map() },
  clientHeaders: new Map(),
  userAgent: 'rxtract/1.2.3',
  origins: createOrigins({ baseUrl, endpoints: [] }, () => undefined),
  secrets: createSecrets(),
  ...given,
});
const plain = (map: Headers) => Object.fromEntries([...map].map(([name, values]) => [name, values.join('|')]));

test('a plain job is a GET with a User-Agent and nothing else', () => {
  const request = buildRequest(page(), rules());
  assert.equal(request, {
    method: 'GET',
    url: 'https://h/1/users',
    headers: headers({ 'User-Agent': 'rxtract/1.2.3' }),
  });
});

const wire: readonly (readonly [method: Method, sent: string, url: string, body?: string, type?: string])[] = [
  ['GET', 'GET', 'https://h/1/users?a=x+y'],
  ['HEAD', 'HEAD', 'https://h/1/users?a=x+y'],
  ['POST', 'POST', 'https://h/1/users', '{"a":"x y"}', 'application/json'],
  ['PUT', 'PUT', 'https://h/1/users', '{"a":"x y"}', 'application/json'],
  ['PATCH', 'PATCH', 'https://h/1/users', '{"a":"x y"}', 'application/json'],
  ['DELETE', 'DELETE', 'https://h/1/users', '{"a":"x y"}', 'application/json'],
  ['FORM', 'POST', 'https://h/1/users', 'a=x+y', 'application/x-www-form-urlencoded'],
];

for (const [method, sent, url, body, type] of wire) {
  test(`${method} carries its parameters in the ${body === undefined ? 'query' : 'body'}`, () => {
    const request = buildRequest(page({ method, params: exact({ a: 'x y' }) }), rules());
    assert.equal([request.method, request.url, request.body], [sent, url, body]);
    assert.is(plain(request.headers)['Content-Type'], type);
  });
}

test('a POST without parameters has the body []', () =>
  assert.is(buildRequest(page({ method: 'POST' }), rules()).body, '[]'));

test('a POST leaves the query of its endpoint alone', () => {
  const request = buildRequest(page({ method: 'POST', endpoint: 'x?a=~+%20', params: exact({ b: 1 }) }), rules());
  assert.is(request.url, 'https://h/1/x?a=~+%20');
});

test('the default method serves jobs that name none', () => {
  const api = rules({ defaultOptions: { method: 'POST', params: emptyObject, headers: new Map() } });
  assert.is(buildRequest(page(), api).method, 'POST');
  assert.is(buildRequest(page({ method: 'GET' }), api).method, 'GET');
});

const overlays: readonly (readonly [
  string,
  Record<string, unknown>,
  Record<string, unknown>,
  Record<string, unknown>,
])[] = [
  ['default-only names come first, a job value wins', { b: 1, a: 2 }, { c: 3, a: 4 }, { b: 1, a: 4, c: 3 }],
  ['lists merge by index', { l: ['a', 'b', 'c'] }, { l: ['x'] }, { l: ['x', 'b', 'c'] }],
  ['lists in lists merge by index', { l: [['a', 'b'], 'c'] }, { l: [['x']] }, { l: [['x', 'b'], 'c'] }],
  ['an object replaces an object', { o: { a: 1, b: 2 } }, { o: { a: 3 } }, { o: { a: 3 } }],
  ['a null takes a default away', { a: 1, b: 2 }, { a: null }, { a: null, b: 2 }],
  ['a value replaces a list', { l: ['a', 'b'] }, { l: 'x' }, { l: 'x' }],
];

for (const [rule, defaults, params, result] of overlays) {
  test(rule, () => assert.equal([...mergeParams(exact(defaults), exact(params))], [...exact(result)]));
}

test('defaults override parameters of a link', () => {
  const api = rules({ defaultOptions: { method: 'GET', params: exact({ limit: 5 }), headers: new Map() } });
  assert.is(buildRequest(page({ endpoint: '/x?limit=9&page=2' }), api).url, 'https://h/x?limit=5&page=2');
});

const everySource = () =>
  rules({
    defaultOptions: { method: 'GET', params: emptyObject, headers: headers({ D: 'default', J: 'default' }) },
    clientHeaders: headers({ c: 'client', d: 'client', 'user-agent': 'client', 'content-type': 'text/plain' }),
  });

test('a job header wins over a default, a default over a client header', () => {
  const request = buildRequest(page({ headers: headers({ J: 'job' }) }), everySource());
  assert.equal(plain(request.headers), {
    D: 'default',
    J: 'job',
    c: 'client',
    'user-agent': 'client',
    'content-type': 'text/plain',
  });
});

test('the type of a body wins over every configured Content-Type', () => {
  const request = buildRequest(page({ method: 'POST', headers: headers({ 'CONTENT-type': 'x/y' }) }), everySource());
  assert.equal(
    [...request.headers].filter(([name]) => name.toLowerCase() === 'content-type'),
    [['Content-Type', ['application/json']]],
  );
});

test('job and default headers meet by exact spelling', () => {
  const request = buildRequest(page({ headers: headers({ d: 'job' }) }), everySource());
  assert.equal([plain(request.headers).D, plain(request.headers).d], ['default', 'job']);
});

test('a login request has no defaults, but client headers', () => {
  const api = rules({
    defaultOptions: { method: 'POST', params: exact({ a: 1 }), headers: headers({ D: 'default' }) },
    clientHeaders: headers({ C: 'client' }),
  });
  const request = buildLoginRequest(page({ endpoint: 'login', params: exact({ b: 2 }) }), api);
  assert.equal(request, {
    method: 'GET',
    url: 'https://h/1/login?b=2',
    headers: headers({ C: 'client', 'User-Agent': 'rxtract/1.2.3' }),
  });
});

test('names from a link are distinguished from parameters', () => {
  const api = rules({ defaultOptions: { method: 'GET', params: exact({ d: 1 }), headers: new Map() } });
  const request = buildRequest(page({ endpoint: '/x?token=old&d=2&p=3', params: exact({ p: 4 }), link: true }), api);
  assert.equal([...(request.linkNames ?? [])], ['token']);
  assert.is(buildRequest(page({ endpoint: 'x?token=job' }), api).linkNames, undefined);
});

test('names that a link brought as parameters are reported too, but for those that have a default', () => {
  const api = rules({ defaultOptions: { method: 'GET', params: exact({ d: 1 }), headers: new Map() } });
  const params = exact({ d: 2, token: 'old', p: 4 });
  const request = buildRequest(page({ endpoint: 'x?q=1', params, linkNames: ['d', 'token'] }), api);
  assert.is(request.url, 'https://h/1/x?q=1&d=2&token=old&p=4');
  assert.equal([...(request.linkNames ?? [])], ['token']);
});

test('a request to an origin that is not trusted carries nothing configured', () => {
  const secrets = createSecrets();
  secrets.add('TopSecret');
  const api = rules({
    secrets,
    defaultOptions: { method: 'GET', params: exact({ key: 'default' }), headers: headers({ D: 'default' }) },
    clientHeaders: headers({ C: 'client', 'User-Agent': 'mine' }),
  });
  const params = exact({ type: 'a', key: 'TopSecret', nested: { deep: ['x TopSecret'] } });
  const request = buildRequest(page({ endpoint: 'https://other/x', params, headers: headers({ J: 'job' }) }), api);
  assert.equal(request, {
    method: 'GET',
    url: 'https://other/x?type=a',
    headers: headers({ 'User-Agent': 'rxtract/1.2.3' }),
  });
});

test.run();
