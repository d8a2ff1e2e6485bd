/** TLS to real servers: certificates of an own authority, of a wrong one, for another host, and those of clients. */
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:https';
import { join } from 'node:path';
import { test as run } from 'uvu';
import * as assert from 'uvu/assert';
import { batchOf } from '../../sinks/batch.js';
import type { Sink } from '../../sinks/contract.js';
import { http } from '../../sinks/http/http.js';
import { nats } from '../../sinks/nats/nats.js';
import { rabbitmq } from '../../sinks/rabbitmq/rabbitmq.js';
import { redis } from '../../sinks/redis/redis.js';
import { makeCertificates, opensslMissing, type Pair } from '../loopback/certificates.js';
import { calm, earlierOf, inFolder, pageEnd, rejection } from '../sinks/lib.js';
import {
  freePort,
  natsMissing,
  rabbitMissing,
  redisMissing,
  startNats,
  startRabbit,
  startRedis,
} from '../support/servers.js';
import { testWhere } from '../where.js';

/** The TLS options of a sink. */
interface Choice {
  readonly port: number;
  readonly ca?: string;
  readonly cert?: string;
  readonly certkey?: string;
}

interface Kind {
  readonly name: string;
  readonly missing: string | undefined;
  readonly make: (choice: Choice) => Sink;
  /** Starts a server with this certificate, which may require one of the client. */
  readonly start: (pair: Pair, files: Files, isMutual: boolean) => Promise<{ port: number; close(): Promise<void> }>;
}

/** Writes a text to a file, and returns its path. */
type Files = (name: string, text: string) => string;

const kinds: readonly Kind[] = [
  {
    name: 'redis',
    missing: redisMissing,
    make: ({ port, ...tls }) => redis({ server: `127.0.0.1:${port}`, tls: true, stream: 's', ...tls }),
    async start(pair, files, isMutual) {
      const port = await freePort();
      const server = await startRedis([
        ...['--tls-port', String(port), '--tls-cert-file', files('s.crt', pair.cert)],
        ...['--tls-key-file', files('s.key', pair.key), '--tls-ca-cert-file', files('ca.crt', makeCertificates().ca)],
        ...['--tls-auth-clients', isMutual ? 'yes' : 'no'],
      ]);
      return { port, close: server.close };
    },
  },
  {
    name: 'nats',
    missing: natsMissing,
    make: ({ port, ...tls }) => nats({ servers: `127.0.0.1:${port}`, tls: true, subject: 's', stream: 'S', ...tls }),
    start: (pair, files, isMutual) =>
      startNats([
        `tls { cert_file: ${JSON.stringify(files('s.crt', pair.cert))}, key_file: ${JSON.stringify(files('s.key', pair.key))}`,
        `ca_file: ${JSON.stringify(files('ca.crt', makeCertificates().ca))}, verify: ${isMutual} }`,
      ]),
  },
  {
    name: 'amqp',
    missing: rabbitMissing,
    make: ({ port, ...tls }) => rabbitmq({ servers: `127.0.0.1:${port}`, tls: true, queue: 's', ...tls }),
    async start(pair, _, isMutual) {
      const port = await freePort();
      const server = await startRabbit({
        morePorts: [port],
        lines: [
          ...[`listeners.ssl.1 = 127.0.0.1:${port}`, 'ssl_options.certfile = {folder}/s.crt'],
          ...['ssl_options.keyfile = {folder}/s.key', 'ssl_options.cacertfile = {folder}/ca.crt'],
          `ssl_options.verify = ${isMutual ? 'verify_peer' : 'verify_none'}`,
          `ssl_options.fail_if_no_peer_cert = ${isMutual}`,
        ],
        files: { 's.crt': pair.cert, 's.key': pair.key, 'ca.crt': makeCertificates().ca },
      });
      return { port, close: server.close };
    },
  },
  {
    name: 'http',
    missing: undefined,
    make: ({ port, ...tls }) => http({ url: `https://127.0.0.1:${port}/in`, ...tls }),
    async start(pair, _, isMutual) {
      const mutual = { requestCert: isMutual, rejectUnauthorized: isMutual };
      // With TLS 1.3 the server closes the connection after the handshake, without a reason.
      const secure = { ...pair, ...mutual, ca: makeCertificates().ca, maxVersion: 'TLSv1.2' as const };
      const server = createServer(secure, (request, response) => request.resume().on('end', () => response.end()));
      const port = await freePort();
      await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
      return {
        port,
        close: () => new Promise((resolve) => server.close(() => resolve()).closeAllConnections()),
      };
    },
  },
];

async function withServer(
  { start }: Kind,
  pair: Pair,
  isMutual: boolean,
  work: (port: number, files: Files) => Promise<void>,
): Promise<void> {
  await inFolder(async (folder) => {
    const files: Files = (name, text) => {
      const path = join(folder, name);
      writeFileSync(path, text);
      return path;
    };
    const server = await start(pair, files, isMutual);
    try {
      await work(server.port, files);
    } finally {
      await server.close();
    }
  })();
}

/** A run of one page. */
async function pull(sink: Sink): Promise<void> {
  try {
    await sink.resume?.(earlierOf({ isStored: false }));
    await sink.open?.('t', 'j');
    await sink.write(batchOf('t', [{ n: 1 }]), calm);
    await sink.commit?.(pageEnd('t'), calm);
    await sink.close();
    assert.equal(
      sink.summary?.().map(({ items }) => items),
      [1],
    );
  } finally {
    await sink.abort('the test is over');
  }
}

for (const kind of kinds) {
  const test = testWhere(kind.missing ?? opensslMissing);
  const { name, make } = kind;

  test(`${name}: an own authority is trusted, from a file or as text`, () =>
    withServer(kind, makeCertificates().server, false, async (port, files) => {
      const { ca } = makeCertificates();
      await pull(make({ port, ca: files('own.crt', ca) }));
      await pull(make({ port, ca }));
    }));

  test(`${name}: another authority is an error that names the option`, () =>
    withServer(kind, makeCertificates().server, false, async (port) => {
      const message = new RegExp(
        `^${name}: cannot connect to .*: the authority of its certificate is not trusted.*ca=FILE`,
      );
      await rejection(pull(make({ port })), 'ERR_SINK', message);
      await rejection(pull(make({ port, ca: makeCertificates().client.cert })), 'ERR_SINK', message);
      const checked = make({ port });
      await rejection(Promise.resolve(checked.check?.()), 'ERR_SINK', /not trusted/);
    }));

  test(`${name}: a certificate for another host is an error`, () =>
    withServer(kind, makeCertificates().elsewhere, false, async (port) => {
      const work = pull(make({ port, ca: makeCertificates().ca }));
      await rejection(
        work,
        'ERR_SINK',
        new RegExp(`^${name}: cannot connect to .*: its certificate is for another host`),
      );
    }));

  test(`${name}: a client shows its certificate`, () =>
    withServer(kind, makeCertificates().server, true, async (port, files) => {
      const { ca, client } = makeCertificates();
      const certkey = files('client.key', client.key);
      const sink = make({ port, ca, cert: files('client.crt', client.cert), certkey });
      assert.not.match(sink.name ?? '', client.key);
      await pull(sink);
      await rejection(pull(make({ port, ca })), 'ERR_SINK', new RegExp(`^${name}: `));
    }));

  test(`${name}: a file that is missing, or is no certificate, is named`, async () => {
    await rejection(pull(make({ port: 1, ca: '/none.crt' })), 'ERR_SINK', /cannot read ca "\/none.crt": no such file/);
    await rejection(pull(make({ port: 1, ca: import.meta.filename })), 'ERR_SINK', /is not PEM/);
  });
}

testWhere(natsMissing)('nats: a server without TLS is an error if TLS is required', async () => {
  const server = await startNats();
  try {
    const sink = nats({ servers: `127.0.0.1:${server.port}`, tls: true, subject: 's', stream: 'S' });
    await rejection(pull(sink), 'ERR_SINK', /the server has no TLS, which/);
  } finally {
    await server.close();
  }
});

testWhere(redisMissing)('redis: a server without TLS is an error if TLS is required', async () => {
  const server = await startRedis();
  try {
    const sink = redis({ server: `127.0.0.1:${server.port}`, tls: true, stream: 's' });
    await rejection(pull(sink), 'ERR_SINK', /^redis: cannot connect to rediss:/);
  } finally {
    await server.close();
  }
});

run.run();
