/** Requests through the tunnel of a true sshd: what goes through, what breaks, and how it is opened again. */
import dns from 'node:dns';
import { once } from 'node:events';
import { createServer as createHttp } from 'node:http';
import { createServer as createHttps } from 'node:https';
import { createServer, type Server, type Socket } from 'node:net';
import { mock } from 'node:test';
import { createServer as createTls } from 'node:tls';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { SshProxy } from '../../../src/config/ssh-proxy.js';
import type { Notice } from '../../../src/core/model/notice.js';
import { createSecrets } from '../../../src/core/secrets/secrets.js';
import { createOrigins } from '../../../src/core/url/origins.js';
import { createTunnel, type Tunnel } from '../../../src/http/transport/tunnel.js';
import { makeCertificates, opensslMissing, type Pair } from '../../loopback/certificates.js';
import { type Sshd, sshdMissing, startSshd } from '../../loopback/sshd.js';
import { failure } from '../../support/failure.js';
import { startClock } from '../../support/virtual-clock.js';
import { testWhere } from '../../where.js';
import { createSender, type Reply, type Sender, type SenderOptions } from '../sender.js';

const when = testWhere(sshdMissing ?? opensslMissing);

interface Bench {
  readonly sshd: Sshd;
  readonly tunnel: Tunnel;
  readonly notices: readonly Notice[];
  readonly door: Sender;
  get(url: string, signal?: AbortSignal): Promise<Reply>;
}

interface Setting {
  readonly sshd?: readonly string[];
  readonly proxy?: (sshd: Sshd) => Partial<SshProxy>;
  readonly send?: Partial<SenderOptions>;
  /** Collects each notice. */
  readonly hear?: () => void;
}

const never = new AbortController().signal;

/** Starts an sshd, and a transport through it. */
async function through(setting: Setting, work: (bench: Bench) => Promise<void>): Promise<void> {
  const sshd = await startSshd(setting.sshd);
  const notices: Notice[] = [];
  const proxy = { ...sshd.proxy, ...setting.proxy?.(sshd) };
  const notify = (notice: Notice) => {
    notices.push(notice);
    setting.hear?.();
  };
  const tunnel = createTunnel(proxy, { notify });
  const door = createSender({
    origins: createOrigins({ baseUrl: 'http://localhost', endpoints: [] }, () => undefined),
    secrets: createSecrets(),
    userAgent: 'x',
    tunnel,
    ...setting.send,
  });
  const get: Bench['get'] = (url, signal = never) =>
    door.send({ method: 'GET', url, headers: new Map() }, (same) => same, signal);
  try {
    await work({ sshd, tunnel, notices, door, get });
  } finally {
    await door.close();
    tunnel.close();
    await sshd.stop();
  }
}

/** Lends a server on loopback, and its port. */
async function serving(server: Server, work: (port: number) => Promise<void>): Promise<void> {
  const sockets: Socket[] = [];
  server.on('connection', (socket) => sockets.push(socket));
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const address = server.address();
  try {
    await work(address !== null && typeof address === 'object' ? address.port : 0);
  } finally {
    for (const socket of sockets) socket.destroy();
    server.close();
  }
}

const echo = () => createHttp((request, response) => response.end(`asked ${request.url}`));

/** A server of bytes: calls `say` for each connection after the first data. */
const saying = (say: (socket: Socket, connection: number) => void) => {
  let connections = 0;
  return createServer((socket) => {
    connections += 1;
    const connection = connections;
    socket.on('error', () => undefined);
    socket.on('data', () => say(socket, connection));
  });
};

/** The same with TLS. */
const secured = (own: Pair, say: (socket: Socket) => void) =>
  createTls(own, (socket) => {
    socket.on('error', () => undefined);
    socket.on('data', () => say(socket));
  });

async function read({ body }: Reply): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of body) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

when('requests share one tunnel, and one connection in it', async () => {
  await through({}, ({ sshd, get }) =>
    serving(echo(), async (port) => {
      assert.is(await read(await get(`http://127.0.0.1:${port}/1`)), 'asked /1');
      assert.is(await read(await get(`http://127.0.0.1:${port}/2`)), 'asked /2');
      assert.is(sshd.connections.length, 1);
      assert.is(sshd.log().split('server_request_direct_tcpip').length - 1, 1);
    }),
  );
});

when('names are resolved at the far side alone', async () => {
  await through({}, ({ sshd, get }) =>
    serving(echo(), async (port) => {
      const lookup = mock.method(dns, 'lookup', () => {
        throw new Error('asked for a name here');
      });
      try {
        assert.is(await read(await get(`http://localhost:${port}/x`)), 'asked /x');
        assert.is(lookup.mock.callCount(), 0);
        assert.match(sshd.log(), `target localhost port ${port}`);
      } finally {
        lookup.mock.restore();
      }
    }),
  );
});

when('https is agreed with the host behind the tunnel, by the certificates that are configured', async () => {
  const { ca, server, client } = makeCertificates();
  const asked: (string | undefined)[] = [];
  const https = createHttps(
    {
      ...server,
      ca,
      requestCert: true,
      rejectUnauthorized: true,
      SNICallback: (name, done) => {
        asked.push(name);
        done(null);
      },
    },
    (_, response) => response.end('private'),
  );
  const origins = { trusts: () => true, warn: () => undefined };
  await through({ send: { origins, tls: { ca, ...client } } }, ({ get }) =>
    serving(https, async (port) => {
      assert.is(await read(await get(`https://localhost:${port}/`)), 'private');
      assert.equal(asked, ['localhost']);
    }),
  );
});

when('a certificate that no one vouches for is refused, as without a tunnel', async () => {
  const { server } = makeCertificates();
  await through({}, ({ get }) =>
    serving(
      createHttps(server, (_, response) => response.end('?')),
      async (port) => {
        const error = await failure(get(`https://localhost:${port}/`));
        assert.is(error.code, 'ERR_TRANSPORT');
        assert.is(error.where.transport, 60);
      },
    ),
  );
});

when('a tunnel that was killed between two requests is opened again for the second', async () => {
  await through({}, ({ sshd, get }) =>
    serving(echo(), async (port) => {
      await read(await get(`http://127.0.0.1:${port}/1`));
      sshd.connections[0]?.resetAndDestroy();
      await gone(sshd, get, port);
      assert.is(await read(await get(`http://127.0.0.1:${port}/2`)), 'asked /2');
      assert.is(sshd.connections.length, 2);
    }),
  );
});

/** Asks until the client has noticed that its tunnel is gone, or has opened the next one. */
async function gone(sshd: Sshd, get: Bench['get'], port: number): Promise<void> {
  while (sshd.connections.length < 2) {
    await get(`http://127.0.0.1:${port}/again`).then(read, (error) => assert.is(error.where.transport, 56));
  }
}

for (const [name, scheme] of [
  ['http', 'http'],
  ['https', 'https'],
] as const) {
  when(`a tunnel that breaks cuts a body that has no length of its own: ${name}`, async () => {
    const { ca, server } = makeCertificates();
    const speak = (socket: Socket) => socket.write('HTTP/1.1 200 OK\r\nConnection: close\r\n\r\nthe beginning');
    const plain = saying(speak);
    const secure = secured(server, speak);
    await through({ send: { tls: { ca } } }, ({ sshd, get }) =>
      serving(scheme === 'https' ? secure : plain, async (port) => {
        const reply = await get(`${scheme}://localhost:${port}/`);
        const chunks = reply.body[Symbol.asyncIterator]();
        assert.is(Buffer.from((await chunks.next()).value).toString(), 'the beginning');
        sshd.connections[0]?.end();
        const error = await failure(chunks.next());
        assert.is(error.code, 'ERR_BODY_CUT');
        assert.is(error.where.transport, 56);
        assert.match(error.message, 'the SSH tunnel broke before the body was complete');
      }),
    );
  });
}

when('a tunnel that breaks while TLS is being agreed fails the request, which may be tried again', async () => {
  const silent = createServer((socket) => socket.on('error', () => undefined));
  await through({}, ({ sshd, get }) =>
    serving(silent, async (port) => {
      const reached = once(silent, 'connection');
      const waiting = failure(get(`https://localhost:${port}/`));
      const [socket] = await reached;
      await once(socket, 'data');
      sshd.connections[0]?.end();
      assert.is((await waiting).where.transport, 56);
    }),
  );
});

when('a server that was there and is gone is waited for as `retryConfig` says', async () => {
  const clock = startClock();
  try {
    await through({ hear: () => clock.passSoon(8_000) }, ({ sshd, tunnel, get }) =>
      serving(echo(), async (port) => {
        await read(await get(`http://127.0.0.1:${port}/`));
        await sshd.stop();
        tunnel.close();
        const error = await failure(get(`http://127.0.0.1:${port}/`));
        assert.is(error.code, 'ERR_TUNNEL');
        assert.equal([error.where.transport, error.where.final], [7, undefined]);
      }),
    );
  } finally {
    clock.stop();
  }
});

when('a body that the host cuts is cut, and the tunnel goes on', async () => {
  const server = saying((socket, connection) =>
    connection === 1
      ? socket.end('HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\nthe beginning')
      : socket.end('HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nall'),
  );
  await through({}, ({ sshd, get }) =>
    serving(server, async (port) => {
      const error = await failure(get(`http://127.0.0.1:${port}/`).then(read));
      assert.is(error.code, 'ERR_BODY_CUT');
      assert.is(error.where.transport, 18);
      assert.is(await read(await get(`http://127.0.0.1:${port}/`)), 'all');
      assert.is(sshd.connections.length, 1);
    }),
  );
});

for (const [scheme, size] of [
  ['http', 900_000],
  ['http', 6_000_000],
  ['https', 900_000],
] as const) {
  when(
    `a body of ${size} bytes that ends with its connection is whole however slowly it is read: ${scheme}`,
    async () => {
      const { ca, server } = makeCertificates();
      const speak = (socket: Socket) => socket.end(`HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n${'x'.repeat(size)}`);
      await through({ send: { tls: { ca } } }, ({ get }) =>
        serving(scheme === 'https' ? secured(server, speak) : saying(speak), async (port) => {
          let length = 0;
          for await (const chunk of (await get(`${scheme}://localhost:${port}/`)).body) {
            length += chunk.length;
            for (let turn = 0; turn < 50; turn += 1) await new Promise(setImmediate);
          }
          assert.is(length, size);
        }),
      );
    },
  );
}

when('a slow reader holds the host back', async () => {
  let sent = 0;
  const chunk = Buffer.alloc(64 * 1024, 'x');
  const server = saying((socket) => {
    socket.write('HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n');
    const more = () => {
      while (socket.write(chunk)) sent += chunk.length;
      sent += chunk.length;
    };
    socket.on('drain', more);
    more();
  });
  await through({}, ({ get }) =>
    serving(server, async (port) => {
      const reply = await get(`http://127.0.0.1:${port}/`);
      let before = -1;
      for (let turns = 0; before !== sent || turns < 2_000; turns += 1) {
        before = sent;
        await new Promise((resolve) => setImmediate(resolve));
      }
      assert.ok(sent < 32 * 1024 * 1024, `${sent} bytes were taken from the host`);
      await reply.discard();
    }),
  );
});

when('a host that no one listens at is 7, one without a name is 6, as without a tunnel', async () => {
  const free = createServer();
  let port = 0;
  await serving(free, async (lent) => {
    port = lent;
  });
  await through({}, async ({ get }) => {
    const refused = await failure(get(`http://127.0.0.1:${port}/`));
    assert.is(refused.code, 'ERR_TRANSPORT');
    assert.is(refused.where.transport, 7);
    assert.match(refused.message, 'the SSH server could not connect to the host');
    const unnamed = await failure(get(`http://${'x'.repeat(64)}.invalid/`));
    assert.is(unnamed.code, 'ERR_TRANSPORT');
    assert.is(unnamed.where.transport, 6);
  });
});

when('a server that does not forward is an error of the tunnel, which is not tried again', async () => {
  await through({ sshd: ['AllowTcpForwarding no'] }, async ({ get }) => {
    const error = await failure(get('http://127.0.0.1:9/'));
    assert.is(error.code, 'ERR_TUNNEL');
    assert.is(error.where.transport, undefined);
    assert.match(error.message, 'does not allow forwarding to this address');
  });
});

when('a key that the server does not know is refused at once', async () => {
  const other = await startSshd();
  await other.stop();
  await through({ proxy: () => ({ privateKey: other.proxy.privateKey }) }, async ({ sshd, notices, get }) => {
    const error = await failure(get('http://127.0.0.1:9/'));
    assert.is(error.code, 'ERR_TUNNEL');
    assert.match(error.message, 'rejects `user` with `#privateKey`');
    assert.is(sshd.connections.length, 1);
    assert.equal(
      notices.map(({ code }) => code),
      ['tunnel-host-key'],
    );
  });
});

when('the fingerprint that was shown can be configured, and then nothing is shown', async () => {
  await through({ proxy: ({ hostFingerprint }) => ({ hostFingerprint }) }, ({ notices, get }) =>
    serving(echo(), async (port) => {
      await read(await get(`http://127.0.0.1:${port}/`));
      assert.equal(notices, []);
    }),
  );
  await through({}, ({ sshd, notices, get }) =>
    serving(echo(), async (port) => {
      await read(await get(`http://127.0.0.1:${port}/`));
      assert.equal(
        notices.map(({ level, code }) => `${level} ${code}`),
        ['info tunnel-host-key'],
      );
      assert.match(notices[0]?.message ?? '', sshd.hostFingerprint);
    }),
  );
});

when('a server with another fingerprint is refused before anyone logs in', async () => {
  const hostFingerprint = `SHA256:${'A'.repeat(43)}`;
  await through({ proxy: () => ({ hostFingerprint }) }, async ({ sshd, get }) => {
    const error = await failure(get('http://127.0.0.1:9/'));
    assert.is(error.code, 'ERR_TUNNEL');
    assert.match(error.message, sshd.hostFingerprint);
    assert.match(error.message, 'not the key in sshProxy.hostFingerprint');
    assert.is(sshd.connections.length, 1);
    assert.not.match(sshd.log(), 'userauth-request');
  });
});

when('interrupting a request leaves the tunnel to the others', async () => {
  const server = saying(() => undefined);
  await through({}, ({ sshd, get }) =>
    serving(server, async (port) => {
      const controller = new AbortController();
      const asked = once(server, 'connection');
      const waiting = failure(get(`http://127.0.0.1:${port}/`, controller.signal));
      await asked;
      controller.abort();
      assert.is((await waiting).code, 'ERR_ABORTED');
      await serving(echo(), async (other) => {
        assert.is(await read(await get(`http://127.0.0.1:${other}/`)), 'asked /');
      });
      assert.is(sshd.connections.length, 1);
    }),
  );
});

when('a tunnel that was closed is opened again by the next request', async () => {
  await through({}, ({ sshd, tunnel, get }) =>
    serving(echo(), async (port) => {
      await read(await get(`http://127.0.0.1:${port}/`));
      tunnel.close();
      await read(await get(`http://127.0.0.1:${port}/`));
      assert.is(sshd.connections.length, 2);
    }),
  );
});

test('a tunnel that was never opened can be closed', () => {
  const proxy = { host: 'bastion', port: 22, user: 'me', privateKey: 'key', path: 'sshProxy' };
  assert.not.throws(() => createTunnel(proxy, { notify: () => undefined }).close());
});

test.run();
