/** Requests through real proxies on loopback: which pass, what the proxies receive, and what happens when they fail. */
import { once } from 'node:events';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { MockAgent } from 'undici';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { memory } from '../../../sinks/memory.js';
import { run } from '../../../src/run/extract.js';
import type { RunOptions } from '../../../src/run/options.js';
import { type Answer, headerOf, json, startApi } from '../../loopback/api.js';
import { makeCertificates, opensslMissing } from '../../loopback/certificates.js';
import { startHttpProxy, startSocks, type TestProxy } from '../../loopback/proxies.js';
import { failure } from '../../support/failure.js';

const whenTls: (name: string, work: () => Promise<void>) => void =
  opensslMissing === undefined ? test : (name) => console.error(`not tested, ${opensslMissing}: ${name}`);

interface Closing {
  close(): Promise<void>;
}

/** Hands started servers to the work, and closes them after it. */
async function using<T extends readonly Closing[]>(
  starting: readonly [...{ [K in keyof T]: Promise<T[K]> }],
  work: (...started: T) => Promise<void>,
) {
  const started = (await Promise.all(starting)) as unknown as T; // of the same shape, which TypeScript loses
  try {
    await work(...started);
  } finally {
    await Promise.all(started.map((each) => each.close()));
  }
}

/** An API that is called by a name only the proxy can resolve. */
const namedOrigin = (origin: string): string => origin.replace('127.0.0.1', 'api.internal.test');

const noRetries = { maxRetries: 0 };
const configOf = (origin: string, api: object = {}, endpoint = 'users') => ({
  api: { baseUrl: `${origin}/`, retryConfig: noRetries, ...api },
  config: { jobs: [{ endpoint, dataType: 'users' }] },
});

const login = {
  authentication: {
    type: 'login',
    loginRequest: { endpoint: 'login', method: 'POST', params: { a: 1 } },
    apiRequest: { headers: { 'X-Token': { response: 'token' } } },
  },
};

const users: Answer = ({ target, headers }) => {
  if (target === '/login') return json({ token: 'token-of-the-login' });
  const isKnown = headers.some(([name, value]) => name.toLowerCase() === 'x-token' && value === 'token-of-the-login');
  return isKnown ? json([{ id: 1 }, { id: 2 }]) : json({}, { status: 401 });
};

interface Kind {
  readonly scheme: 'http' | 'socks5';
  start(demands?: string): Promise<TestProxy>;
}
const kinds: readonly Kind[] = [
  { scheme: 'http', start: (demands) => startHttpProxy(demands === undefined ? {} : { demands }) },
  { scheme: 'socks5', start: (demands) => startSocks(demands === undefined ? {} : { demands }) },
];

for (const { scheme, start } of kinds) {
  test(`${scheme}: logins and pages pass it, and it resolves the names`, () =>
    using([startApi(users), start()], async (api, proxy) => {
      const to = memory();
      const origin = namedOrigin(api.origin);
      await run(configOf(origin, login), { to, proxy: `${scheme}://${proxy.host}` });
      assert.equal(to.items('users'), [{ id: 1 }, { id: 2 }]);
      const host = origin.replace('http://', '');
      assert.equal(
        proxy.asked,
        scheme === 'http' ? [`POST ${origin}/login`, `GET ${origin}/users`] : [`SOCKS ${host}`],
      );
      assert.equal(
        api.requests.map((request) => [request.target, headerOf(request, 'Host')]),
        [
          ['/login', host],
          ['/users', host],
        ],
      );
    }));

  test(`${scheme}: user and password reach the proxy, and not the API`, () =>
    using([startApi(() => json([1])), start('joe:p@ss:/w%rd #é')], async (api, proxy) => {
      const env = { SECRET: 'p@ss:/w%rd #é' };
      const to = memory();
      await run(configOf(api.origin), { to, env, proxy: `${scheme}://joe:\${SECRET}@${proxy.host}` });
      assert.equal([to.items('users'), proxy.users], [[1], ['joe:p@ss:/w%rd #é']]);
      assert.equal(
        api.requests.map((request) => headerOf(request, 'Proxy-Authorization')),
        [undefined],
      );
    }));

  for (const [what, userinfo] of [
    ['a wrong password', 'joe:wrong-password@'],
    ['no user', ''],
  ]) {
    test(`${scheme}: ${what} is an error that names the proxy without its password, and is not retried`, () =>
      using([startApi(() => json([1])), start('joe:right')], async (api, proxy) => {
        const notices: string[] = [];
        const given = `${scheme}://${userinfo}${proxy.host}`;
        const error = await failure(
          run(configOf(api.origin, { retryConfig: {} }), {
            proxy: given,
            notify: ({ message }) => void notices.push(message),
          }),
        );
        assert.is(error.code, 'ERR_PROXY');
        assert.match(error.message, `GET ${api.origin}/users: the proxy ${scheme}://${proxy.host} `);
        assert.match(
          error.message,
          userinfo === '' ? 'requires a user and a password' : 'rejects the user and password',
        );
        assert.not.match(`${error.stack}${JSON.stringify(error)}`, 'wrong-password');
        assert.equal([notices, api.requests.length], [[], 0]);
      }));
  }

  test(`${scheme}: a proxy that is not there is an error that names it`, async () => {
    const { host, close } = await start();
    await close();
    const error = await failure(run(configOf('http://127.0.0.1:1'), { proxy: `${scheme}://joe:pass-word@${host}` }));
    assert.equal([error.code, error.where.transport, error.where.unsent], ['ERR_PROXY', 7, true]);
    assert.is(
      error.message,
      `GET http://127.0.0.1:1/users: the proxy ${scheme}://${host} cannot be reached: the connection was refused (ECONNREFUSED)`,
    );
  });

  test(`${scheme}: requests go side by side`, () =>
    using([startApi(() => json([1])), start()], async (api, proxy) => {
      const jobs = Array.from({ length: 6 }, (_, index) => ({ endpoint: `users/${index}`, dataType: 'users' }));
      const to = memory();
      const base = configOf(api.origin);
      await run({ ...base, config: { jobs } }, { to, concurrency: 4, proxy: `${scheme}://${proxy.host}` });
      assert.is(to.items('users').length, 6);
    }));

  test(`${scheme}: a sink that is slow gets a whole body`, () =>
    using(
      [startApi(() => json(Array.from({ length: 40_000 }, (_, id) => ({ id, text: 'x'.repeat(50) })))), start()],
      async (api, proxy) => {
        let count = 0;
        const to = async (batch: { readonly count: number }) => {
          await new Promise((resolve) => setImmediate(resolve));
          count += batch.count;
        };
        await run(configOf(api.origin), { to, proxy: `${scheme}://${proxy.host}` });
        assert.is(count, 40_000);
      },
    ));

  test(`${scheme}: hosts are allowed by their names`, () =>
    using([startApi(() => json([1])), start()], async (api, proxy) => {
      const document = (host: string) => ({
        ...configOf(namedOrigin(api.origin)),
        image_parameters: { allowed_hosts: [{ host }] },
      });
      const proxied = { proxy: `${scheme}://${proxy.host}` };
      await run(document('api.internal.test'), proxied);
      assert.is((await failure(run(document('127.0.0.1'), proxied))).code, 'ERR_CONFIG');
      assert.is(proxy.asked.length, 1);
    }));
}

test('a forwarded request keeps every header, repeated ones too', () =>
  using([startApi(() => json([1])), startHttpProxy()], async (api, proxy) => {
    const document = configOf(api.origin);
    const headers = { 'X-One': ['a', 'b'], 'Proxy-Authorization': 'Basic mine' };
    const jobs = [{ endpoint: 'users', headers }];
    await run({ ...document, config: { jobs } }, { proxy: `http://joe:secret@${proxy.host}` });
    const [flat = []] = proxy.headers;
    const values = (name: string) =>
      flat.filter((_, index) => flat[index - 1]?.toLowerCase() === name && index % 2 === 1);
    assert.equal([values('x-one'), values('host')], [['a', 'b'], [api.origin.replace('http://', '')]]);
    assert.equal(proxy.users, ['joe:secret']);
  }));

/** A TLS API; `demand`: it rejects clients without a certificate. */
async function startTlsApi(demand: 'demand' | 'take all') {
  const { ca, server: pair } = makeCertificates();
  const names: string[] = [];
  const demands = demand === 'demand' ? { requestCert: true, rejectUnauthorized: true, ca } : {};
  const server = createTlsServer({ ...pair, ...demands }, (request, response) => {
    names.push(String((request.socket as TLSSocket).getPeerCertificate().subject?.CN ?? '')); // a server of TLS has no other
    response.end('[1]');
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo; // it listens on a port
  const close = async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  };
  return { names, host: `localhost:${port}`, origin: `https://localhost:${port}`, close };
}

for (const { scheme, start } of kinds) {
  whenTls(`${scheme}: TLS is agreed with the API, through a tunnel`, () =>
    using([startTlsApi('demand'), start('joe:secret')], async (api, proxy) => {
      const { ca, client } = makeCertificates();
      const to = memory();
      const certificates = { caCertificate: ca, '#clientCertificate': `${client.cert}${client.key}` };
      await run(configOf(api.origin, certificates), { to, proxy: `${scheme}://joe:secret@${proxy.host}` });
      assert.equal([to.items('users'), api.names], [[1], ['client']]);
      assert.equal(proxy.asked, [`${scheme === 'http' ? 'CONNECT' : 'SOCKS'} ${api.host}`]);
    }),
  );

  whenTls(`${scheme}: the certificate of the API is verified`, () =>
    using([startTlsApi('take all'), start()], async (api, proxy) => {
      const error = await failure(run(configOf(api.origin), { proxy: `${scheme}://${proxy.host}` }));
      assert.equal([error.code, error.where.transport, api.names], ['ERR_TRANSPORT', 60, []]);
    }),
  );

  whenTls(`${scheme}: a wrong password for a tunnel is an error that names the proxy`, () =>
    using([startTlsApi('take all'), start('joe:right')], async (api, proxy) => {
      const error = await failure(
        run(configOf(api.origin, { retryConfig: {} }), { proxy: `${scheme}://joe:wrong-password@${proxy.host}` }),
      );
      assert.is(error.code, 'ERR_PROXY');
      const number = scheme === 'http' ? ' (407)' : '';
      assert.match(error.message, `: the proxy ${scheme}://${proxy.host} rejects the user and password${number}`);
    }),
  );

  whenTls(`${scheme}: a redirect from plain to TLS takes the way of each`, () =>
    using([startTlsApi('take all'), start()], async (secure, proxy) => {
      const api = await startApi(() => ({ status: 302, headers: { location: `${secure.origin}/users` } }));
      try {
        const { ca } = makeCertificates();
        const to = memory();
        await run(configOf(api.origin, { caCertificate: ca }), { to, proxy: `${scheme}://${proxy.host}` });
        assert.equal(to.items('users'), [1]);
        assert.is(proxy.asked.length, 2);
      } finally {
        await api.close();
      }
    }),
  );
}

whenTls('the certificate of an HTTPS proxy is verified', () =>
  using(
    [startApi(() => json([1])), startTlsApi('take all'), startHttpProxy({ tls: makeCertificates().server })],
    async (api, secure, proxy) => {
      for (const origin of [api.origin, secure.origin]) {
        // Of the authority that the configuration vouches for: that is for the API, and not for the proxy.
        const document = configOf(origin, { caCertificate: makeCertificates().ca });
        const error = await failure(run(document, { proxy: `https://${proxy.host}` }));
        assert.equal([error.code, error.where.transport], ['ERR_PROXY', 60]);
        assert.match(error.message, `the proxy https://${proxy.host}: the certificate of the server was rejected`);
      }
      assert.equal(proxy.asked, []);
    },
  ),
);

const answers: readonly (readonly [what: string, answer: string, transport: number | undefined, message: RegExp])[] = [
  ['closes without an answer', '', 52, /the server closed the connection without a response/],
  ['answers with what is no HTTP', 'SSH-2.0-OpenSSH_9.6\r\n', 8, /the response is not valid HTTP/],
  ['says no', 'HTTP/1.1 403 Forbidden\r\n\r\n', undefined, /does not connect to this host \(403\)/],
  ['finds no one there', 'HTTP/1.1 502 Bad Gateway\r\n\r\n', 7, /could not connect to the host \(502\)/],
];
for (const [what, connectAnswer, transport, message] of answers) {
  test(`a proxy that ${what} is an error, after one connection`, () =>
    using([startHttpProxy({ connectAnswer })], async (proxy) => {
      const error = await failure(run(configOf('https://127.0.0.1:1'), { proxy: `http://${proxy.host}` }));
      assert.match(error.message, message);
      assert.match(error.message, `the proxy http://${proxy.host}`);
      assert.equal([error.where.transport, proxy.connections()], [transport, 1]);
    }));
}

for (const [reply, code, transport] of [
  [1, 'ERR_TRANSPORT', 7],
  [2, 'ERR_PROXY', undefined],
  [4, 'ERR_TRANSPORT', 7],
  [5, 'ERR_TRANSPORT', 7],
  [8, 'ERR_PROXY', undefined],
] as const) {
  test(`reply ${reply} of SOCKS5 is ${code} ${transport}`, () =>
    using([startSocks({ reply })], async (proxy) => {
      const error = await failure(run(configOf('http://api.internal.test'), { proxy: `socks5://${proxy.host}` }));
      assert.equal([error.code, error.where.transport, proxy.connections()], [code, transport, 1]);
      assert.match(error.message, `the proxy socks5://${proxy.host} `);
    }));
}

test('a SOCKS5 proxy that closes is noticed at once', () =>
  using([startSocks({ closes: 'at once' })], async (proxy) => {
    const error = await failure(run(configOf('http://api.internal.test'), { proxy: `socks5://${proxy.host}` }));
    assert.equal([error.code, error.where.transport], ['ERR_PROXY', 52]);
  }));

test('a proxy of another type than stated is an error', () =>
  using([startHttpProxy()], async (proxy) => {
    const error = await failure(run(configOf('http://api.internal.test'), { proxy: `socks5://${proxy.host}` }));
    assert.is(error.code, 'ERR_PROXY');
    assert.match(error.message, 'does not respond according to SOCKS5');
  }));

test('the environment lists hosts for direct requests', () =>
  using([startApi(() => json([1])), startHttpProxy()], async (api, proxy) => {
    const env = { HTTP_PROXY: `http://${proxy.host}`, NO_PROXY: '127.0.0.1' };
    await run(configOf(api.origin), { proxy: 'env', env });
    assert.equal([proxy.asked, api.requests.length], [[], 1]);
    await run(configOf(namedOrigin(api.origin)), { proxy: 'env', env });
    assert.equal([proxy.asked.length, api.requests.length], [1, 2]);
  }));

test('an environment without a proxy is reported', () =>
  using([startApi(() => json([1]))], async (api) => {
    const notices: string[] = [];
    const notify: RunOptions['notify'] = ({ code, level }) => void notices.push(`${level} ${code}`);
    await run(configOf(api.origin), { proxy: 'env', env: {}, notify });
    assert.equal(notices, ['info no-proxy']);
  }));

test('without the option the environment leads nowhere', () =>
  using([startApi(() => json([1])), startHttpProxy()], async (api, proxy) => {
    await run(configOf(api.origin), { env: { HTTP_PROXY: `http://${proxy.host}` } });
    assert.equal([proxy.asked, api.requests.length], [[], 1]);
  }));

const sshProxy = { host: '127.0.0.1', port: 1, user: 'joe', '#privateKey': 'key' };
test('a proxy cannot be combined with sshProxy or a dispatcher', async () => {
  const document = { ...configOf('http://api.internal.test'), sshProxy };
  const beside = await failure(run(document, { proxy: 'http://127.0.0.1:1' }));
  assert.equal([beside.code, beside.message.includes('sshProxy')], ['ERR_USAGE', true]);
  const dispatcher = new MockAgent();
  const other = await failure(run(configOf('http://api.internal.test'), { proxy: 'http://127.0.0.1:1', dispatcher }));
  assert.equal([other.code, other.message], ['ERR_USAGE', 'proxy: cannot be used with dispatcher']);
  await dispatcher.close();
});

test('the platform prints no warning', () =>
  using([startApi(() => json([1])), startSocks()], async (api, proxy) => {
    const warnings: Error[] = [];
    const hear = (warning: Error) => void warnings.push(warning);
    process.on('warning', hear);
    await run(configOf(api.origin), { proxy: `socks5://${proxy.host}` });
    await new Promise((resolve) => setImmediate(resolve));
    process.off('warning', hear);
    assert.equal(warnings, []);
  }));

test.run();
