/** Requests on the wire, redirects, and who gets credentials: a closed network. */

import { MockAgent } from 'undici';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Notice } from '../../../src/core/model/notice.js';
import type { HttpRequest } from '../../../src/core/model/request.js';
import { createSecrets } from '../../../src/core/secrets/secrets.js';
import { withHeader } from '../../../src/core/url/headers.js';
import { createOrigins } from '../../../src/core/url/origins.js';
import { mergeLoginQuery } from '../../../src/core/url/query-string.js';
import { failure } from '../../support/failure.js';
import { createSender, statusError } from '../sender.js';

interface Seen {
  readonly path: string;
  readonly headers: Record<string, string>;
  readonly body: unknown;
}

const home = 'https://api.example';
const other = 'https://other.example';

/** A closed network that returns responses in order and records requests. */
function network(credentialOrigins: readonly string[] = []) {
  const agent = new MockAgent();
  agent.disableNetConnect();
  const seen: Seen[] = [];
  const notices: Notice[] = [];
  const secrets = createSecrets();
  const origins = createOrigins({ baseUrl: home, endpoints: [], credentialOrigins }, (notice) => notices.push(notice));
  const { send } = createSender({ dispatcher: agent, origins, secrets, userAgent: 'rxtract/0' });
  function answer(origin: string, method: string, path: string, status: number, headers = {}, body = 'done') {
    agent
      .get(origin)
      .intercept({ path, method })
      .reply(
        status,
        (request) => {
          const pairs = Array.isArray(request.headers) ? request.headers : [];
          seen.push({ path, body: request.body, headers: flat(pairs.length > 0 ? pairs : request.headers) });
          return body;
        },
        { headers },
      );
  }
  return { agent, seen, notices, secrets, answer, send };
}

/** Header lines by name, from what MockAgent hands out. */
function flat(headers: unknown): Record<string, string> {
  if (!Array.isArray(headers)) return Object.fromEntries(Object.entries(headers ?? {}).map(([k, v]) => [k, String(v)]));
  return Object.fromEntries(
    headers.flatMap((name, index) => (index % 2 === 0 ? [[String(name), String(headers[index + 1])]] : [])),
  );
}

const get = (path: string, given: Partial<HttpRequest> = {}): HttpRequest => ({
  method: 'GET',
  url: `${home}${path}`,
  headers: new Map([['X-Job', ['configured']]]),
  ...given,
});
const never = new AbortController().signal;
const same = (request: HttpRequest) => request;
const withToken = (request: HttpRequest): HttpRequest => ({
  ...request,
  url: mergeLoginQuery(request.url, new Map([['token', 'secret-token']]), request.linkNames),
  headers: withHeader(request.headers, 'Authorization', 'Bearer secret-token'),
});

async function text(body: AsyncIterable<Uint8Array>): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of body) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

test('any status is a response', async () => {
  const { send, answer } = network();
  for (const status of [200, 204, 304, 404, 500]) {
    answer(home, 'GET', '/x', status, {}, '');
    const reply = await send(get('/x'), same, never);
    assert.is(reply.status, status);
    await reply.discard();
  }
});

for (const [status, method, body, then] of [
  [301, 'POST', 'b', 'GET'],
  [302, 'POST', 'b', 'GET'],
  [303, 'POST', 'b', 'GET'],
  [303, 'PUT', 'b', 'GET'],
  [302, 'HEAD', undefined, 'HEAD'],
  [307, 'POST', 'b', 'POST'],
  [308, 'POST', 'b', 'POST'],
  [307, 'GET', undefined, 'GET'],
] as const) {
  test(`${status} makes a ${method} a ${then}`, async () => {
    const { send, answer, seen, agent } = network();
    answer(home, method, '/a', status, { location: 'b?c=1' });
    answer(home, then, '/b?c=1', 200);
    const headers = new Map([['Content-Type', ['text/plain']]]);
    const request = get('/a', body === undefined ? { method } : { method, body, headers });
    const reply = await send(request, same, never);
    await reply.discard();
    const keeps = status >= 307 && body !== undefined;
    assert.is(seen[1]?.body ?? undefined, keeps ? body : undefined);
    assert.is(seen[1]?.headers['Content-Type'], keeps ? 'text/plain' : undefined);
    assert.is(reply.url, `${home}/b?c=1`);
    agent.assertNoPendingInterceptors();
  });
}

test('a redirect without a target is a response', async () => {
  const { send, answer } = network();
  answer(home, 'GET', '/a', 302, {}, 'here');
  const reply = await send(get('/a'), same, never);
  assert.equal([reply.status, await text(reply.body)], [302, 'here']);
});

test('follows 5 redirects, not 6', async () => {
  const { send, answer } = network();
  for (let hop = 0; hop < 5; hop += 1) answer(home, 'GET', `/${hop}`, 302, { location: `/${hop + 1}` });
  answer(home, 'GET', '/5', 200);
  let requests = 0;
  const onRequest = () => {
    requests += 1;
  };
  const reply = await send(get('/0'), same, never, { onRequest });
  assert.equal([requests, await text(reply.body)], [6, 'done']);
  for (let hop = 0; hop < 6; hop += 1) answer(home, 'GET', `/${hop}`, 302, { location: `/${hop + 1}` });
  assert.is((await failure(send(get('/0'), same, never))).code, 'ERR_REDIRECT');
});

test('credentials are applied anew on each hop within a trusted origin', async () => {
  const { send, answer, seen } = network();
  answer(home, 'GET', '/a?k=1&token=secret-token', 302, { location: '/b?k=1&token=secret-token' });
  answer(home, 'GET', '/b?k=1&token=secret-token', 200);
  const reply = await send(get('/a?k=1'), withToken, never);
  await reply.discard();
  assert.equal(
    seen.map(({ headers }) => headers.Authorization),
    ['Bearer secret-token', 'Bearer secret-token'],
  );
});

test('a redirect to a foreign origin carries nothing configured, with one warning', async () => {
  const { send, answer, seen, notices } = network();
  answer(home, 'POST', '/a?token=secret-token', 303, { location: 'https://evil.example/x?y' });
  answer('https://evil.example', 'GET', '/x?y', 200);
  const headers = new Map([
    ['X-Job', ['configured']],
    ['Host', ['api.example']],
    ['User-Agent', ['configured']],
  ]);
  const reply = await send(get('/a', { method: 'POST', body: 'b', headers }), withToken, never);
  await reply.discard();
  assert.equal(seen[1]?.headers, { 'User-Agent': 'rxtract/0' });
  assert.is(notices.length, 1);
  assert.match(notices[0]?.message ?? '', 'api.http.credentialOrigins');
});

test('a hop back to a trusted origin has credentials again', async () => {
  const { send, answer, seen } = network();
  answer(home, 'GET', '/a?token=secret-token', 302, { location: 'https://cdn.example/x' });
  answer('https://cdn.example', 'GET', '/x', 302, { location: `${home}/b` });
  answer(home, 'GET', '/b?token=secret-token', 200);
  await (await send(get('/a'), withToken, never)).discard();
  assert.equal(
    seen.map(({ headers }) => [headers.Authorization, headers['X-Job']]),
    [
      ['Bearer secret-token', 'configured'],
      [undefined, undefined],
      ['Bearer secret-token', 'configured'],
    ],
  );
});

test('a configured Host is for the origin of the first request, not for a trusted one after a redirect', async () => {
  const { send, answer, seen } = network([other]);
  answer(home, 'GET', '/a', 302, { location: '/b' });
  answer(home, 'GET', '/b', 302, { location: `${other}/c` });
  answer(other, 'GET', '/c', 200);
  const headers = new Map([
    ['X-Job', ['configured']],
    ['Host', ['api.example']],
  ]);
  await (await send(get('/a', { headers }), same, never)).discard();
  const both = { 'X-Job': 'configured', Host: 'api.example' };
  assert.equal(
    seen.map(({ headers }) => headers),
    [both, both, { 'X-Job': 'configured' }],
  );
});

for (const status of [307, 308]) {
  test(`${status} does not take a body to a foreign origin`, async () => {
    const { send, answer, seen } = network();
    answer(home, 'POST', '/a', status, { location: 'https://evil.example/x' });
    const error = await failure(send(get('/a', { method: 'POST', body: 'TopSecret' }), same, never));
    assert.is(error.code, 'ERR_ORIGIN');
    assert.match(error.message, 'https://evil.example');
    assert.is(error.where.request, `POST ${home}/a`);
    assert.is(seen.length, 1);
  });
}

test('a first request to a foreign origin carries nothing configured either', async () => {
  const { send, answer, seen } = network();
  answer('https://evil.example', 'POST', '/x', 200);
  const headers = new Map([
    ['X-Job', ['configured']],
    ['Content-Type', ['application/json']],
  ]);
  const request = { method: 'POST', url: 'https://evil.example/x', headers, body: '[]' };
  await (await send(request, withToken, never)).discard();
  assert.equal(seen[0]?.headers, { 'User-Agent': 'rxtract/0', 'Content-Type': 'application/json' });
});

test('a redirect to an invalid address fails', async () => {
  const { send, answer } = network();
  answer(home, 'GET', '/a', 302, { location: 'ftp://h/x' });
  assert.is((await failure(send(get('/a'), same, never))).code, 'ERR_REDIRECT');
});

test('user information in an address becomes a Basic authorization', async () => {
  const { send, answer, seen } = network();
  answer(home, 'GET', '/a', 200);
  await (await send(get('/a', { url: 'https://john:p%40+s@api.example/a' }), same, never)).discard();
  assert.is(seen[0]?.headers.Authorization, `Basic ${Buffer.from('john:p@+s').toString('base64')}`);
});

for (const [name, value] of [
  ['X-A', 'a\nb'],
  ['X-A', 'a\0b'],
] as const) {
  test(`a header that cannot be sent is an error: ${JSON.stringify(name)}, ${JSON.stringify(value)}`, async () => {
    const error = await failure(network().send(get('/a', { headers: new Map([[name, [value]]]) }), same, never));
    assert.is(error.code, 'ERR_REQUEST');
    assert.not.match(error.message, value);
  });
}

test('an aborted request is ERR_ABORTED', async () => {
  const { send, answer } = network();
  answer(home, 'GET', '/a', 200);
  assert.is((await failure(send(get('/a'), same, AbortSignal.abort()))).code, 'ERR_ABORTED');
});

test('a status error shows status, request and the start of the body, masked', async () => {
  const { send, answer, secrets } = network();
  secrets.add('secret-token');
  answer(home, 'GET', '/a?token=secret-token', 403, {}, `{"error":\n"no secret-token"}${'x'.repeat(500)}`);
  const error = await statusError(await send(get('/a'), withToken, never), secrets);
  assert.equal([error.code, error.where.status], ['ERR_STATUS', 403]);
  assert.is(error.message, `GET ${home}/a?token=*** failed with status 403: {"error": "no ***"}${'x'.repeat(101)}...`);
  assert.is(error.where.request, `GET ${home}/a?token=***`);
});

test('a status error shows that a body is empty', async () => {
  const { send, answer, secrets } = network();
  answer(home, 'GET', '/a', 500, {}, '');
  const error = await statusError(await send(get('/a'), same, never), secrets);
  assert.is(error.message, `GET ${home}/a failed with status 500: the body is empty`);
});

test.run();
