/** TLS on loopback: which servers a configuration trusts, and which certificate it presents. */
import { once } from 'node:events';
import { createServer } from 'node:https';
import type { TLSSocket } from 'node:tls';
import { MockAgent } from 'undici';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { memory } from '../../../sinks/index.js';
import type { Notice } from '../../../src/core/model/notice.js';
import { run } from '../../../src/run/extract.js';
import { makeCertificates } from '../../loopback/certificates.js';
import { rejection } from '../../sinks/lib.js';

const { ca, server, client } = makeCertificates();

interface Host {
  readonly origin: string;
  /** The names that clients showed; empty: none. */
  readonly names: readonly string[];
}

/** Starts a server of one page; `demand`: it rejects clients without a certificate of its authority. */
async function host(demand: 'demand' | 'take all', work: (host: Host) => Promise<void>): Promise<void> {
  const names: string[] = [];
  const demands = demand === 'demand' ? { requestCert: true, rejectUnauthorized: true, ca } : {};
  const https = createServer({ ...server, ...demands }, (request, response) => {
    const { subject } = (request.socket as TLSSocket).getPeerCertificate(); // of a server of TLS, the socket is one
    names.push(String(subject?.CN ?? ''));
    response.end('[1]');
  });
  https.listen(0);
  await once(https, 'listening');
  const address = https.address();
  const port = address !== null && typeof address === 'object' ? address.port : 0;
  try {
    await work({ origin: `https://localhost:${port}/`, names });
  } finally {
    https.close();
    https.closeAllConnections();
  }
}

const configOf = ({ origin }: Host, api: object) => ({
  api: { baseUrl: origin, retryConfig: { maxRetries: 0 }, ...api },
  config: { jobs: [{ endpoint: 'users' }] },
});

test('a server of a listed authority is requested', () =>
  host('take all', async (given) => {
    const to = memory();
    await run(configOf(given, { caCertificate: ca }), { to });
    assert.equal([to.items(), given.names], [[1], ['']]);
  }));

test('a server whose authority is not listed is transport failure 60', () =>
  host('take all', async (given) => {
    for (const api of [{}, { caCertificate: server.cert }]) {
      const error = await rejection(run(configOf(given, api)), 'ERR_TRANSPORT');
      assert.is(error.where.transport, 60);
      assert.match(error.message, 'the certificate of the server was rejected');
    }
    assert.equal(given.names, []);
  }));

test('a server that demands a certificate is shown that of the configuration', () =>
  host('demand', async (given) => {
    const to = memory();
    const api = { caCertificate: ca, '#clientCertificate': `${client.cert}${client.key}` };
    await run(configOf(given, api), { to });
    assert.equal([to.items(), given.names], [[1], ['client']]);
  }));

test('a server that demands a certificate rejects clients without one', () =>
  host('demand', async (given) => {
    const error = await rejection(run(configOf(given, { caCertificate: ca })), 'ERR_TRANSPORT');
    assert.is(error.where.request, `GET ${given.origin}users`);
    assert.equal(given.names, []);
  }));

/** With the variable set, as if for other programs. */
async function unverified(work: () => Promise<void>): Promise<void> {
  const { NODE_TLS_REJECT_UNAUTHORIZED: before } = process.env;
  process.env.NODE_TLS_REJECT_UNAUTHORIZED = '0';
  try {
    await work();
  } finally {
    if (before === undefined) delete process.env.NODE_TLS_REJECT_UNAUTHORIZED;
    else process.env.NODE_TLS_REJECT_UNAUTHORIZED = before;
  }
}

test('NODE_TLS_REJECT_UNAUTHORIZED does not switch verification off, with a warning', () =>
  unverified(() =>
    host('take all', async (given) => {
      const notices: Notice[] = [];
      const notify = (notice: Notice) => void notices.push(notice);
      const error = await rejection(run(configOf(given, {}), { notify }), 'ERR_TRANSPORT');
      assert.is(error.where.transport, 60);
      assert.equal(given.names, []);
      assert.equal(
        notices.map(({ level, code }) => [level, code]),
        [['warning', 'tls-verified']],
      );
    }),
  ));

test('NODE_TLS_REJECT_UNAUTHORIZED is an error under strict, before any request', () =>
  unverified(() =>
    host('take all', async (given) => {
      const error = await rejection(run(configOf(given, { caCertificate: ca }), { strict: true }), 'ERR_STRICT');
      assert.match(error.message, /^NODE_TLS_REJECT_UNAUTHORIZED is 0/);
      assert.equal(given.names, []);
    }),
  ));

test('a server whose certificate names another host is rejected', () =>
  host('take all', async (given) => {
    const elsewhere = { ...given, origin: given.origin.replace('localhost', '127.0.0.2') };
    const error = await rejection(run(configOf(elsewhere, { caCertificate: ca })), 'ERR_TRANSPORT');
    assert.equal([error.where.transport, given.names], [60, []]);
  }));

test('certificates cannot be used with a dispatcher of the caller', async () => {
  const config = configOf({ origin: 'https://localhost/', names: [] }, { caCertificate: ca });
  const error = await rejection(run(config, { dispatcher: new MockAgent() }), 'ERR_USAGE');
  assert.is(error.message, 'dispatcher: cannot be used with api.caCertificate of the configuration');
});

test.run();
