/** The server of the page: what it answers, and to whom. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { ExtractError } from '../../../src/core/errors/errors.js';
import { servedPage } from '../../../src/tools/ui/page-html.js';
import { type PageRoute, type PageServer, servePage } from '../../../src/tools/ui/page-server.js';
import { failure } from '../../support/failure.js';
import { askPage, callPage, tokenIn } from './page-client.js';

const files = { script: 'const a = 1;', style: 'p { color: red }' };

async function* lines() {
  yield { a: 1 };
  yield { text: 'x'.repeat(1_000_000) };
  throw new ExtractError('ERR_USAGE', 'secret words');
}

const routes = new Map<string, PageRoute>([
  ['/api/echo', async (input) => ({ input })],
  ['/api/lines', lines],
  ['/api/fault', () => Promise.reject(new ExtractError('ERR_USAGE', 'secret words'))],
  ['/api/crash', () => Promise.reject(new TypeError('secret words'))],
]);

async function withServer(work: (server: PageServer, host: string) => Promise<void>): Promise<void> {
  const server = await servePage({
    port: 0,
    page: (token) => servedPage(files, { title: '<a>', mode: 'build', token }),
    routes,
    mask: (text) => text.replace('secret', '***'),
  });
  try {
    await work(server, new URL(server.address).host);
  } finally {
    await server.close();
  }
}

test('the page opens with its token alone', () =>
  withServer(async ({ address }) => {
    const token = tokenIn(address);
    assert.ok(token.length >= 32);
    for (const query of ['', '?token=', `?token=${token}x`, `?token=${token.slice(1)}`, '?token=&token']) {
      assert.is((await askPage(address, { path: `/${query}` })).status, 401, query);
    }
    const { status, headers, text } = await askPage(address, { path: `/?token=${token}` });
    assert.is(status, 200);
    assert.is(headers['content-type'], 'text/html; charset=utf-8');
    assert.match(text, '<title>&#60;a&#62;</title>');
    assert.match(text, 'const a = 1;');
  }));

test('an answer is not kept, framed, guessed or passed on, and loads nothing from elsewhere', () =>
  withServer(async ({ address }) => {
    const page = await askPage(address, { path: `/?token=${tokenIn(address)}` });
    const [, nonce] = /<script nonce="([^"]+)">/.exec(page.text) ?? [];
    const policy = String(page.headers['content-security-policy']);
    assert.match(policy, "default-src 'none'");
    assert.match(policy, `script-src 'nonce-${nonce}'`);
    assert.not.match(policy, /unsafe|https?:|\*/);
    assert.not.match(page.text, /(?:src|href)="(?!data:)/);
    const others = [await callPage(address, '/api/echo'), await askPage(address, { path: '/' })];
    for (const { headers } of [page, ...others]) {
      assert.is(headers['cache-control'], 'no-store');
      assert.is(headers['referrer-policy'], 'no-referrer');
      assert.is(headers['x-content-type-options'], 'nosniff');
      assert.match(String(headers['content-security-policy']), "frame-ancestors 'none'");
      assert.is(headers['cross-origin-resource-policy'], 'same-origin');
      assert.is(headers['access-control-allow-origin'], undefined);
    }
  }));

test('another name of this machine is refused, with a token too', () =>
  withServer(async ({ address }, host) => {
    const path = `/?token=${tokenIn(address)}`;
    const [, port = ''] = host.split(':');
    const names = [
      'evil.example',
      `evil.example:${port}`,
      '127.0.0.1',
      '127.0.0.1:1',
      `[::1]:${port}`,
      `127.0.0.1:${port}.`,
    ];
    for (const name of names) {
      assert.is((await askPage(address, { path, headers: { host: name } })).status, 403, name);
    }
    assert.is((await askPage(address, { path, headers: { host: `localhost:${port}` } })).status, 200);
  }));

test('requests of other sites are refused, with a token too', () =>
  withServer(async ({ address }, host) => {
    const headers = { 'content-type': 'application/json', authorization: `Bearer ${tokenIn(address)}` };
    const send = async (more: Readonly<Record<string, string>>) =>
      (await askPage(address, { method: 'POST', path: '/api/echo', headers: { ...headers, ...more }, body: '{}' }))
        .status;
    assert.is(await send({}), 200);
    assert.is(await send({ origin: `http://${host}`, 'sec-fetch-site': 'same-origin' }), 200);
    for (const origin of [
      'http://evil.example',
      'null',
      'http://127.0.0.1:1',
      `https://${host}`,
      `http://${host}.evil.example`,
    ]) {
      assert.is(await send({ origin }), 403, origin);
    }
    for (const site of ['cross-site', 'same-site']) assert.is(await send({ 'sec-fetch-site': site }), 403, site);
    const page = { path: `/?token=${tokenIn(address)}`, headers: { 'sec-fetch-site': 'cross-site' } };
    assert.is((await askPage(address, page)).status, 403);
  }));

test('routes need the token in a header, not in the address or a cookie', () =>
  withServer(async ({ address }) => {
    const token = tokenIn(address);
    const send = (path: string, headers: Readonly<Record<string, string>>) =>
      askPage(address, {
        method: 'POST',
        path,
        headers: { 'content-type': 'application/json', ...headers },
        body: '{}',
      });
    assert.is((await send('/api/echo', {})).status, 401);
    assert.is((await send(`/api/echo?token=${token}`, {})).status, 401);
    assert.is((await send('/api/echo', { cookie: `token=${token}` })).status, 401);
    assert.is((await send('/api/echo', { authorization: `Bearer ${token}x` })).status, 401);
    assert.is((await send('/api/echo', { authorization: `Bearer ${token}` })).status, 200);
  }));

test('there are no other paths, whatever they lead through', () =>
  withServer(async ({ address }) => {
    const headers = { authorization: `Bearer ${tokenIn(address)}` };
    const paths = [
      '/package.json',
      '/../../etc/passwd',
      '/..%2f..%2fetc%2fpasswd',
      '/api/../../etc/passwd',
      '//etc/passwd',
      '/%00',
      '/api/',
      '/.',
    ];
    for (const path of paths) {
      assert.is((await askPage(address, { path, headers })).status, path === '/.' ? 401 : 404, path);
      assert.is((await askPage(address, { path })).status, 401, path);
    }
  }));

test('a target that is no path ends no server', () =>
  withServer(async ({ address }) => {
    for (const path of ['//', 'http://[', '/\\x:y']) assert.is((await askPage(address, { path })).status, 400, path);
    assert.is((await askPage(address, { path: '/' })).status, 401);
  }));

test('a request is a POST of a JSON object', () =>
  withServer(async ({ address }) => {
    const authorization = `Bearer ${tokenIn(address)}`;
    const json = { authorization, 'content-type': 'application/json' };
    const send = async (method: string, headers: Readonly<Record<string, string>>, body: string) =>
      (await askPage(address, { method, path: '/api/echo', headers, body })).status;
    assert.is(await send('GET', json, ''), 400);
    assert.is(await send('PUT', json, '{}'), 400);
    assert.is(await send('POST', { authorization, 'content-type': 'text/plain' }, '{}'), 400);
    for (const body of ['', '[]', 'null', '1', '{']) assert.is(await send('POST', json, body), 400, body);
    assert.is(await send('POST', json, JSON.stringify({ a: 'x'.repeat(17_000_000) })), 400);
    assert.is((await callPage(address, '/api/echo', { a: 1 })).text, '{"input":{"a":1}}');
  }));

test('errors have a code, and no secret', () =>
  withServer(async ({ address }) => {
    const fault = await callPage(address, '/api/fault');
    assert.is(fault.status, 400);
    assert.equal(JSON.parse(fault.text), { code: 'ERR_USAGE', message: '*** words' });
    const crash = await callPage(address, '/api/crash');
    assert.is(crash.status, 500);
    assert.not.match(crash.text, 'secret');
  }));

test('a stream is an object a line, and ends with its fault', () =>
  withServer(async ({ address }) => {
    const { status, text } = await callPage(address, '/api/lines');
    const [first, second, third] = text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    assert.is(status, 200);
    assert.equal(first, { a: 1 });
    assert.is(second.text.length, 1_000_000);
    assert.equal(third, { fault: { code: 'ERR_USAGE', message: '*** words' } });
  }));

test('the address for a program opens the page once', () =>
  withServer(async (server) => {
    const address = server.addressOnce();
    assert.is.not(tokenIn(address), tokenIn(server.address));
    const path = `/?token=${tokenIn(address)}`;
    assert.is((await askPage(address, { path })).status, 200);
    assert.is((await askPage(address, { path })).status, 401);
    assert.is((await callPage(server.addressOnce(), '/api/echo')).status, 401);
  }));

test('a port that is taken is an error', () =>
  withServer(async ({ address }) => {
    const port = Number(new URL(address).port);
    const options = { port, page: () => ({ html: '', policy: '' }), routes, mask: String };
    assert.match((await failure(servePage(options))).message, `cannot listen on 127.0.0.1:${port}`);
  }));

test.run();
