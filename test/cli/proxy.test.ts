/** `--proxy` on the command line: whose password shows where, and a true process through a proxy of HTTPS. */
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: variables in addresses are the subject.
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { commandHere, inTemporary, ownCommand } from '../blackbox/command.js';
import { type Api, json, startApi } from '../loopback/api.js';
import { makeCertificates, opensslMissing } from '../loopback/certificates.js';
import { startHttpProxy, type TestProxy } from '../loopback/proxies.js';

const password = 'open-sesame';
const documentOf = (origin: string, api: object = {}) =>
  JSON.stringify({ api: { baseUrl: `${origin}/`, ...api }, config: { debug: true, jobs: [{ endpoint: 'users' }] } });

/** Starts an API behind a proxy that requires the user joe and a password. */
async function behind(work: (api: Api, proxy: TestProxy) => Promise<void>): Promise<void> {
  const [api, proxy] = await Promise.all([startApi(() => json([1])), startHttpProxy({ demands: `joe:${password}` })]);
  try {
    await work(api, proxy);
  } finally {
    await Promise.all([api.close(), proxy.close()]);
  }
}

const start = (origin: string, words: readonly string[], env: Record<string, string> = {}) =>
  commandHere(['run', '-', '--to', 'stdout:', ...words], { stdin: documentOf(origin), env });

test('a password of the environment is used without a message', () =>
  behind(async ({ origin }, proxy) => {
    const words = ['--strict', '--proxy', `http://joe:\${SECRET}@${proxy.host}`];
    const { exit, stdout, stderr } = await start(origin, words, { SECRET: password });
    assert.equal([exit, stdout, proxy.users], [0, '1\n', [`joe:${password}`]]);
    assert.not.match(stderr, /warning|sesame/);
  }));

test('a password that is written out is a warning, which names no password', () =>
  behind(async ({ origin }, proxy) => {
    for (const log of ['text', 'json']) {
      const { exit, stderr } = await start(origin, ['--log', log, '--proxy', `http://joe:${password}@${proxy.host}`]);
      assert.is(exit, 0);
      assert.match(stderr, 'password-in-arguments');
      assert.not.match(stderr, 'sesame');
    }
  }));

test('under --strict that is an error, unless it is allowed', () =>
  behind(async ({ origin }, proxy) => {
    const words = ['--strict', '--proxy', `http://joe:${password}@${proxy.host}`];
    const refused = await start(origin, words);
    assert.equal([refused.exit, proxy.asked], [1, []]);
    assert.match(refused.stderr, 'ERR_STRICT');
    const allowed = await start(origin, [...words, '--allow', 'password-in-arguments']);
    assert.is(allowed.exit, 0, allowed.stderr);
    assert.not.match(refused.stderr + allowed.stderr, 'sesame');
  }));

test('neither an error nor its stack shows the password, wherever it was', () =>
  behind(async ({ origin }, proxy) => {
    const wrong = 'let me in/now';
    const env = { SECRET: wrong, HTTP_PROXY: `http://joe:let%20me%20in%2Fnow@${proxy.host}`, RXTRACT_DEBUG: '1' };
    for (const given of [
      'env',
      `http://joe:\${SECRET}@${proxy.host}`,
      `http://joe:let%20me%20in%2Fnow@${proxy.host}`,
    ]) {
      const { exit, stderr } = await start(origin, ['--proxy', given], env);
      assert.is(exit, 1);
      assert.match(stderr, `the proxy http://${proxy.host} rejects the user and password (407)`);
      assert.match(stderr, 'ERR_PROXY');
      assert.not.match(stderr, /let.me|let%20me|bGV0IG/);
      assert.not.match(stderr, Buffer.from(`joe:${wrong}`).toString('base64'));
    }
  }));

test('a password in a word that is misplaced does not show', async () => {
  const address = `http://joe:${password}@proxy.example.com:3128`;
  for (const words of [
    ['run', 'config.json', address],
    ['run', 'config.json', `--porxy=${address}`],
    ['run', 'config.json', '--log', address],
    ['run', 'config.json', '--to', address],
    ['run', 'config.json', '--max-duration', address],
    ['run', '--data-dir', 'data', address],
    [address],
    ['run', address],
    ['help', address],
  ]) {
    const { exit, stderr } = await commandHere(words);
    assert.is.not(exit, 0, words.join(' '));
    assert.not.match(stderr, 'sesame', words.join(' '));
  }
});

test('a proxy without a value is a wrong command line', async () => {
  for (const words of [['--proxy='], ['--proxy'], ['--proxy', 'socks4://x']]) {
    const { exit, stderr } = await commandHere(['run', '-', ...words], { stdin: documentOf('http://127.0.0.1:1') });
    assert.is(exit, 1);
    assert.match(stderr, 'ERR_USAGE');
  }
});

/** Lends an API of TLS. */
async function startTlsApi() {
  const server = createServer(makeCertificates().server, (_, response) => response.end('[2]'));
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo; // it listens on a port
  const close = async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  };
  return { origin: `https://localhost:${port}`, close };
}

if (opensslMissing === undefined) {
  test('a process requests plain and TLS hosts through an HTTPS proxy, and ends', () =>
    inTemporary(async (dir) => {
      const { ca, server } = makeCertificates();
      const demands = `joe:${password}`;
      const [api, secure, proxy] = [
        await startApi(() => json([1])),
        await startTlsApi(),
        await startHttpProxy({ tls: server, demands }),
      ];
      try {
        await writeFile(join(dir, 'ca.pem'), ca);
        const env = { NODE_EXTRA_CA_CERTS: join(dir, 'ca.pem'), SECRET: password };
        for (const [origin, line] of [
          [api.origin, '1\n'],
          [secure.origin, '2\n'],
        ] as const) {
          const words = ['run', '-', '--to', 'stdout:', '--proxy', `https://joe:\${SECRET}@${proxy.host}`];
          const { exit, stdout, stderr } = await ownCommand(words, { stdin: documentOf(origin), env });
          assert.equal([exit, stdout], [0, line], stderr);
        }
        assert.equal(proxy.asked, [`GET ${api.origin}/users`, `CONNECT ${secure.origin.replace('https://', '')}`]);
        assert.equal(proxy.users, [demands, demands]);
      } finally {
        await Promise.all([api.close(), secure.close(), proxy.close()]);
      }
    }));
} else {
  console.error(`not tested, ${opensslMissing}: a process through a proxy of HTTPS`);
}

test.run();
