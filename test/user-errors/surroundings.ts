/**
 * User errors that need more than a configuration and answers: a folder, a sink, a server that is not there or not to
 * be trusted.
 */
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { createServer as createHttps } from 'node:https';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { join } from 'node:path';
import * as assert from 'uvu/assert';
import { memory } from '../../sinks/index.js';
import type { Notice } from '../../src/core/model/notice.js';
import { run } from '../../src/run/extract.js';
import { commandHere, filesIn, inTemporary } from '../blackbox/command.js';
import { makeKeys } from '../http/transport/keys.js';
import { items, json, startApi } from '../loopback/api.js';
import { makeCertificates, opensslMissing } from '../loopback/certificates.js';
import { rejection } from '../sinks/lib.js';
import { startClock } from '../support/virtual-clock.js';
import { unchecked } from '../unchecked.js';

export interface Surrounding {
  readonly rule: string;
  /** Why it cannot be tested here; undefined: it can. */
  readonly missing?: string | undefined;
  readonly provoke: () => Promise<void>;
}

const documentFor = (baseUrl: string, api: object = {}, more: object = {}) =>
  unchecked({
    api: { baseUrl, retryConfig: { maxRetries: 0 }, ...api },
    config: { jobs: [{ endpoint: 'users', dataType: 'users' }] },
    ...more,
  });

/** Lends the port of a server that listens on loopback. */
async function listening<T>(server: Server, use: (port: number) => Promise<T>): Promise<T> {
  await once(server.listen(0, '127.0.0.1'), 'listening');
  try {
    return await use((server.address() as AddressInfo).port); // a server of TCP has one
  } finally {
    server.close();
  }
}

/** A port of loopback at which no server listens. */
const closedPort = () => listening(createServer(), async (port) => port);

/** A failed request: its number in curl, and what the message names. */
async function mustFail(document: ReturnType<typeof unchecked>, transport: number, says: RegExp): Promise<void> {
  const error = await rejection(run(document, { to: memory() }), 'ERR_TRANSPORT', says);
  assert.equal([error.where.job, error.where.transport], ['users', transport], error.message);
}

async function stalled(): Promise<void> {
  const silent = createServer((socket) => {
    const end = setTimeout(() => socket.destroy(), 30_000).unref(); // were it waited for
    socket.on('close', () => clearTimeout(end)).on('error', () => undefined);
  });
  await listening(silent, (port) =>
    mustFail(documentFor(`http://127.0.0.1:${port}/`, { http: { headersTimeout: 0.05 } }), 28, /no answer|time/i),
  );
}

async function distrusted(): Promise<void> {
  const { server } = makeCertificates();
  await listening(
    createHttps(server, (_, response) => response.end('[1]')),
    (port) => mustFail(documentFor(`https://localhost:${port}/`), 60, /the certificate of the server was rejected/),
  );
}

/** A run through an SSH server at the port. */
const tunnelTo = (port: number, privateKey: string) =>
  unchecked({
    parameters: {
      ...documentFor('http://localhost:1/'),
      sshProxy: { host: '127.0.0.1', port, user: 'me', '#privateKey': privateKey },
    },
  });

async function unopened(): Promise<void> {
  const port = await closedPort();
  const clock = startClock();
  const retries: string[] = [];
  const notify = ({ code, message }: Notice) => {
    if (code !== 'tunnel-retry') return;
    retries.push(message);
    clock.passSoon(8_000);
  };
  try {
    const says = new RegExp(`SSH tunnel through 127\\.0\\.0\\.1:${port}: the connection was refused`);
    await rejection(run(tunnelTo(port, makeKeys().open), { to: memory(), notify }), 'ERR_TUNNEL', says);
    assert.is(retries.length, 4, retries.join('\n'));
  } finally {
    clock.stop();
  }
}

async function withoutKey(): Promise<void> {
  const error = await rejection(run(tunnelTo(22, 'no key'), { to: memory() }), 'ERR_CONFIG', /expected a private key/);
  assert.equal(
    error.problems.map(({ path }) => path),
    ['parameters.sshProxy.#privateKey'],
  );
}

async function unpublished(): Promise<void> {
  const answers = { 'GET /users?page=1': json(items(1, 1)), 'GET /users?page=2': json({}, { status: 500 }) };
  const server = await startApi(answers);
  try {
    await inTemporary(async (directory) => {
      const out = join(directory, 'out');
      const config = join(directory, 'config.json');
      await writeFile(config, JSON.stringify(documentFor(`${server.origin}/`, { pagination: { method: 'pagenum' } })));
      const { exit, stderr } = await commandHere(['run', config, '--to', `ndjson:${out}`]);
      assert.is(exit, 1, stderr);
      assert.equal(Object.keys(await filesIn(out)), ['users.ndjson.partial']);
    });
  } finally {
    await server.close();
  }
}

export const surroundings: readonly Surrounding[] = [
  {
    rule: '1.1, 8.1: no config.json in the data folder: exit 2',
    provoke: () =>
      inTemporary(async (directory) => {
        const { exit, stderr } = await commandHere(['run', '--data-dir', directory]);
        assert.is(exit, 2, stderr);
        assert.match(stderr, /config\.json: cannot be read[\s\S]*ERR_DATA_FOLDER/);
      }),
  },
  { rule: 'a tunnel that cannot be opened is tried five times', provoke: unopened },
  { rule: 'a private key that is none is refused before anything is opened', provoke: withoutKey },
  { rule: 'a certificate that no one trusts', missing: opensslMissing, provoke: distrusted },
  {
    rule: 'a host that is unknown',
    provoke: () => mustFail(documentFor('http://no-such-host.invalid/'), 6, /no-such-host\.invalid/),
  },
  {
    rule: 'a connection that is refused',
    provoke: async () => mustFail(documentFor(`http://127.0.0.1:${await closedPort()}/`), 7, /refused/),
  },
  { rule: 'an answer that does not come', provoke: stalled },
  { rule: 'a run that failed publishes nothing: exit 1', provoke: unpublished },
];
