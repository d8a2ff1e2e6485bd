/** Private hosts: an API reaches none that the configuration does not name, by no way, in no form. */
import { connect } from 'node:net';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { memory } from '../../sinks/memory.js';
import { createSecrets } from '../../src/core/secrets/secrets.js';
import { run } from '../../src/run/extract.js';
import { createSender } from '../http/sender.js';
import { type Api, json as reply, startApi } from '../loopback/api.js';
import { startHttpProxy, startSocks } from '../loopback/proxies.js';
import { rejection } from '../sinks/lib.js';
import { configOf, json, login, type MockRoutes, onNetwork, password } from '../support/mock-network.js';
import { withNames } from '../support/names.js';
import { unchecked } from '../unchecked.js';

const refusal = 'this host is private, and the configuration does not name it';
const reads = { endpoint: 'a', dataField: 'items' };
const nextLink = { pagination: { method: 'response.url', urlKey: 'next' } };
const moved = (location: string) => ({ status: 302, headers: { location } });
const child = (endpoint: string) => ({
  endpoint,
  dataType: 'children',
  placeholders: { link: 'link' },
});

interface Way {
  readonly jobs: readonly object[];
  readonly api?: object;
  readonly config?: object;
  readonly routes: (target: string) => MockRoutes;
}

/** By what a response of a public API leads to a URL. */
const ways: Readonly<Record<string, Way>> = {
  'a next link': {
    jobs: [reads],
    api: nextLink,
    routes: (next) => ({ 'GET /a': json({ items: [1], next }) }),
  },
  'a Link header': {
    jobs: [reads],
    api: { pagination: { method: 'link-header' } },
    routes: (next) => ({ 'GET /a': json({ items: [1] }, { headers: { link: `<${next}>; rel="next"` } }) }),
  },
  'a redirect': { jobs: [reads], routes: (target) => ({ 'GET /a': moved(target) }) },
  'a redirect of another public host': {
    jobs: [reads],
    routes: (target) => ({
      'GET /a': moved('https://cdn.example/a'),
      'GET https://cdn.example/a': moved(target),
    }),
  },
  'a redirect of a login': {
    jobs: [reads],
    api: login(),
    config: password,
    routes: (target) => ({ 'POST /login': moved(target) }),
  },
  'a placeholder': {
    jobs: [{ ...reads, children: [child('{link}')] }],
    routes: (link) => ({ 'GET /a': json({ items: [{ link }] }) }),
  },
};

const forms = [
  'http://127.0.0.1/x',
  'http://127.0.0.1:6379/x',
  'http://2130706433/x',
  'http://0x7f.0.0.1/x',
  'http://017700000001/x',
  'http://127.1/x',
  'http://0/x',
  'http://[::1]/x',
  'http://[::]/x',
  'http://[::ffff:127.0.0.1]/x',
  'http://[::ffff:a9fe:a9fe]/x',
  'http://[64:ff9b::169.254.169.254]/x',
  'http://[fd00:ec2::254]/x',
  'http://[fe80::1]/x',
  'http://169.254.169.254/x',
  'http://100.100.100.200/x',
  'http://10.0.0.1/x',
  'http://172.16.0.1/x',
  'https://192.168.0.1:8443/x',
  'http://localhost/x',
  'http://LOCALHOST./x',
  'http://api.localhost/x',
  'http://metadata.google.internal/x',
  'http://joe:secret@10.0.0.1/x',
];

for (const [what, way] of Object.entries(ways)) {
  test(`${what} leads to no private host, in no form`, async () => {
    for (const form of forms) {
      await onNetwork(way.routes(form), async ({ dispatcher }) => {
        const config = configOf(way.jobs, { retryConfig: { maxRetries: 0 }, ...way.api }, way.config);
        const error = await rejection(run(config, { dispatcher }), 'ERR_PRIVATE_HOST');
        assert.ok(error.message.endsWith(`/x: ${refusal}`), `${form}: ${error.message}`);
        assert.not.match(error.message, 'secret');
      })();
    }
  });
}

test('digits of another script are digits', () =>
  onNetwork({ 'GET /a': json({ items: [1], next: 'http://１２７.０.０.１/x' }) }, async ({ dispatcher }) => {
    await rejection(run(configOf([reads], nextLink), { dispatcher }), 'ERR_PRIVATE_HOST', /127\.0\.0\.1/);
  })());

test('the error names job, page and request, and what to do', () =>
  onNetwork({ 'GET /a': json({ items: [1], next: 'http://10.0.0.1/2?key=correct+horse' }) }, async ({ dispatcher }) => {
    const error = await rejection(
      run(configOf([{ ...reads, dataType: 'users' }], nextLink, password), { dispatcher }),
      'ERR_PRIVATE_HOST',
    );
    assert.is(error.message, `GET http://10.0.0.1/2?key=***: ${refusal}`);
    assert.equal(error.where, { job: 'users', page: 1, request: 'GET http://10.0.0.1/2?key=***' });
  })());

test('a refusal is not retried, and not ignored as a failure of the connection', () =>
  onNetwork({ 'GET /a': moved('http://10.0.0.1/') }, async ({ dispatcher }) => {
    const http = { ignoreErrors: [0, 302] };
    await rejection(run(configOf([reads], { http }), { dispatcher }), 'ERR_PRIVATE_HOST');
  })());

/** How a configuration names a host. */
const namings: Readonly<Record<string, (url: string) => { readonly api?: object; readonly beside?: object }>> = {
  'api.http.credentialOrigins': (url) => ({ api: { http: { credentialOrigins: [new URL(url).origin] } } }),
  'image_parameters.allowed_hosts': (url) => ({
    beside: {
      image_parameters: { allowed_hosts: [{ host: 'api.example' }, { host: new URL(url).hostname }] },
    },
  }),
};
for (const [key, naming] of Object.entries(namings)) {
  for (const host of ['10.0.0.5', '[fd00::5]', 'localhost', 'db']) {
    test(`${host} may be requested if ${key} names it`, () =>
      onNetwork(
        {
          'GET /a': json({ items: [1], next: `http://${host}:8080/2` }),
          [`GET http://${host}:8080/2`]: json({ items: [] }),
        },
        async ({ dispatcher, lines }) => {
          const { api, beside } = naming(`http://${host}`);
          await run(unchecked({ ...configOf([reads], { ...nextLink, ...api }), ...beside }), { dispatcher });
          assert.is(lines().length, 2);
        },
      )());
  }
}

test('endpoints of jobs and logins that are written as URLs name their hosts', () =>
  onNetwork(
    {
      'POST http://192.168.0.1/login': json({ token: 't' }),
      'GET http://10.0.0.5/a': moved('http://192.168.0.1/moved'),
      'GET http://192.168.0.1/moved': json({ items: [1] }),
    },
    async ({ dispatcher, lines }) => {
      const loginRequest = { endpoint: 'http://192.168.0.1/login', method: 'POST' };
      await run(configOf([{ ...reads, endpoint: 'http://10.0.0.5/a' }], login({ loginRequest })), { dispatcher });
      assert.is(lines().length, 3);
    },
  )());

test('an endpoint with a placeholder in its host names none', () =>
  onNetwork({ 'GET /a': json({ items: [{ link: '5' }] }) }, async ({ dispatcher }) => {
    const config = configOf([{ ...reads, children: [child('http://10.0.0.{link}/b')] }]);
    await rejection(run(config, { dispatcher }), 'ERR_PRIVATE_HOST', /10\.0\.0\.5/);
  })());

const pages =
  (api: { next: string }) =>
  ({ target }: { readonly target: string }) =>
    reply(target === '/a' ? { items: [1], next: api.next } : { items: [2] });

/** Runs on a real API, whose first page leads to `next`. */
async function onApi(
  host: string,
  next: (port: string) => string,
  work: (config: object, api: Api) => Promise<void>,
): Promise<void> {
  const link = { next: '' };
  const api = await startApi(pages(link));
  const { port } = new URL(api.origin);
  link.next = next(port);
  const { config, api: section } = configOf([reads], { ...nextLink, retryConfig: { maxRetries: 0 } }) as {
    readonly api: object;
    readonly config: object;
  };
  try {
    await work({ api: { ...section, baseUrl: `http://${host}:${port}/` }, config }, api);
  } finally {
    await api.close();
  }
}

const evil = (port: string) => `http://evil.example:${port}/b`;

test('a name that leads to a private address is refused at its connection, which is not made', () =>
  onApi('api.example', evil, async (config, api) => {
    await withNames({ 'api.example': [['127.0.0.1']], 'evil.example': [['127.0.0.1', '::1']] }, async () => {
      const error = await rejection(run(unchecked(config)), 'ERR_PRIVATE_HOST');
      assert.match(
        error.message,
        /evil\.example:\d+\/b: the host has a private address \(127\.0\.0\.1, ::1\), and the configuration does not name it$/,
      );
      assert.equal([error.where.page, api.requests.length], [1, 1]);
    });
  }));

test('a name that the configuration gives may lead to a private address', () =>
  onApi(
    'api.example',
    (port) => `http://api.example:${port}/b`,
    async (config, api) => {
      await withNames({ 'api.example': [['127.0.0.1']] }, async () => {
        const to = memory();
        await run(unchecked(config), { to });
        assert.equal([to.items('a'), api.requests.length], [[1, 2], 2]);
      });
    },
  ));

for (const [host, next] of [
  ['localhost', '127.0.0.1'],
  ['127.0.0.1', 'localhost'],
  ['127.0.0.1', '0x7f.1'],
] as const) {
  test(`loopback is one host: ${host} leads to ${next}`, () =>
    onApi(
      host,
      (port) => `http://${next}:${port}/b`,
      async (config, api) => {
        await run(unchecked(config), { to: memory() });
        assert.is(api.requests.length, 2);
      },
    ));
}

test('a private API leads to no other private host', () =>
  onApi(
    '127.0.0.1',
    () => 'http://169.254.169.254/latest/meta-data/',
    async (config, api) => {
      await rejection(run(unchecked(config)), 'ERR_PRIVATE_HOST');
      assert.is(api.requests.length, 1);
    },
  ));

for (const [scheme, start] of [
  ['http', startHttpProxy],
  ['socks5', startSocks],
] as const) {
  test(`${scheme}: a proxy resolves names, so they are judged as they are written`, async () => {
    const proxy = await start();
    try {
      for (const host of ['10.0.0.1', '0x7f.1', 'localhost', 'db', 'metadata.google.internal']) {
        const next = (port: string) => `http://${host}:${port}/b`;
        await onApi('api.example', next, async (config, api) => {
          await rejection(run(unchecked(config), { proxy: `${scheme}://${proxy.host}` }), 'ERR_PRIVATE_HOST');
          assert.is(api.requests.length, 1);
        });
      }
      await onApi('api.example', evil, async (config, api) => {
        await run(unchecked(config), { proxy: `${scheme}://${proxy.host}`, to: memory() });
        assert.is(api.requests.length, 2);
      });
    } finally {
      await proxy.close();
    }
  });
}

test('a tunnel resolves names: the addresses of its connections are not judged', async () => {
  const api = await startApi(() => reply([1]));
  const judged: string[] = [];
  const { send, close } = createSender({
    origins: { trusts: () => true, warn: () => undefined },
    privateHosts: {
      allowsAddress: (host) => judged.push(host) === 0,
      reached: (host) => void judged.push(host),
    },
    secrets: createSecrets(),
    userAgent: 'rxtract/0',
    tunnel: {
      check: async () => undefined,
      ready: async () => undefined,
      connect: async (_, port) => connect(port, '127.0.0.1'),
      close: () => undefined,
    },
  });
  const url = `http://only-there.example:${new URL(api.origin).port}/`;
  const request = { method: 'GET', url, headers: new Map() };
  const response = await send(request, (each) => each, new AbortController().signal);
  await response.discard();
  assert.equal([response.status, judged], [200, []]);
  await close();
  await api.close();
});

test('a dispatcher of code connects by itself: names are judged as they are written', () =>
  onNetwork(
    {
      'GET /a': json({ items: [1], next: 'https://other.example/2' }),
      'GET https://other.example/2': json({ items: [2] }),
    },
    async ({ dispatcher, lines }) => {
      await withNames({ 'other.example': [['10.0.0.1']] }, () => run(configOf([reads], nextLink), { dispatcher }));
      assert.equal(lines(), ['GET /a', 'GET https://other.example/2']);
    },
  )());

test.run();
