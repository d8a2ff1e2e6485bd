/** When a request counts as sent: when it is written to an open connection, whatever proxies or tunnels are used. */
import { connect as connectTcp, createServer as createTcpServer, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { Agent, type Dispatcher, interceptors, MockAgent } from 'undici';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { HttpRequest } from '../../../src/core/model/request.js';
import { createSecrets } from '../../../src/core/secrets/secrets.js';
import { createOrigins } from '../../../src/core/url/origins.js';
import type { RateLimiter } from '../../../src/http/rate-limiter.js';
import type { Tunnel } from '../../../src/http/transport/tunnel.js';
import { type Answer, json, startApi } from '../../loopback/api.js';
import { failure } from '../../support/failure.js';
import { createSender, type SenderOptions } from '../sender.js';

type Word = 'pass' | 'begin' | 'give back';

/** Lets all through; `words` is what became of their slots, first words alone. */
function listeningGate() {
  const words: Word[] = [];
  const gate: RateLimiter = {
    async pass() {
      words.push('pass');
      let isSettled = false;
      const settle = (word: Word) => () => {
        if (!isSettled) words.push(word);
        isSettled = true;
      };
      return { begin: settle('begin'), giveBack: settle('give back') };
    },
    around: (work) => work(),
  };
  return { words, gate };
}

const never = new AbortController().signal;

function senderTo(origin: string, options: Partial<SenderOptions> = {}) {
  const { words, gate } = listeningGate();
  const origins = createOrigins({ baseUrl: origin, endpoints: [], credentialOrigins: [] }, () => undefined);
  const { send, close } = createSender({ origins, secrets: createSecrets(), userAgent: 'rxtract/0', gate, ...options });
  const get: HttpRequest = { method: 'GET', url: `${origin}/a`, headers: new Map() };
  const ask = async (signal: AbortSignal = never) => (await send(get, (request) => request, signal)).discard();
  return { words, ask, send, get, close };
}

async function onLoopback(answer: Answer, work: (origin: string) => Promise<void>): Promise<void> {
  const api = await startApi(answer);
  try {
    await work(api.origin);
  } finally {
    await api.close();
  }
}

/** A tunnel to loopback that opens on demand. */
function heldTunnel() {
  const asked = deferred<void>();
  const opened = deferred<void>();
  const tunnel: Tunnel = {
    check: async () => undefined,
    ready: async () => undefined,
    async connect(host, port): Promise<Duplex> {
      asked.resolve();
      await opened.promise;
      return connected(connectTcp(port, host));
    },
    close: () => undefined,
  };
  return { tunnel, asked: asked.promise, open: opened.resolve };
}

function deferred<T>() {
  let resolve: (value: T) => void = () => undefined;
  const promise = new Promise<T>((done) => {
    resolve = done;
  });
  return { promise, resolve };
}

const connected = (socket: Socket): Promise<Socket> =>
  new Promise((resolve, reject) => socket.once('connect', () => resolve(socket)).once('error', reject));

test('a request that waits for its connection is not sent yet', () =>
  onLoopback(
    () => json([]),
    async (origin) => {
      const { tunnel, asked, open } = heldTunnel();
      const { words, ask, close } = senderTo(origin, { tunnel });
      const answered = ask();
      await asked;
      await new Promise(setImmediate);
      assert.equal(words, ['pass']);
      open();
      await answered;
      assert.equal(words, ['pass', 'begin']);
      await ask();
      assert.equal(words, ['pass', 'begin', 'pass', 'begin'], 'and the next goes out on the same connection');
      await close();
    },
  ));

test('aborted while it waits for its connection it is never sent', () =>
  onLoopback(
    () => json([]),
    async (origin) => {
      const { tunnel, asked, open } = heldTunnel();
      const { words, ask, close } = senderTo(origin, { tunnel });
      const leaving = new AbortController();
      const failed = failure(ask(leaving.signal));
      await asked;
      leaving.abort();
      open();
      assert.is((await failed).code, 'ERR_ABORTED');
      assert.equal(words, ['pass', 'give back']);
      await close();
    },
  ));

test('each hop of a redirect is sent anew', () =>
  onLoopback(
    ({ target }) => (target === '/a' ? { status: 302, headers: { Location: '/b' } } : json([])),
    async (origin) => {
      const { words, ask, close } = senderTo(origin);
      await ask();
      assert.equal(words, ['pass', 'begin', 'pass', 'begin']);
      await close();
    },
  ));

test('a request without a connection was not sent', async () => {
  const server = createTcpServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  await new Promise((resolve) => server.close(resolve));
  const { words, ask, close } = senderTo(`http://127.0.0.1:${port}`);
  assert.is((await failure(ask())).code, 'ERR_TRANSPORT');
  assert.equal(words, ['pass', 'give back']);
  await close();
});

test('one whose credentials could not be put on was not sent', async () => {
  const { words, send, get } = senderTo('http://127.0.0.1:1');
  const refuse = () => {
    throw new Error('no');
  };
  await send(get, refuse, never).catch(() => undefined);
  assert.equal(words, ['pass', 'give back']);
});

test('a request whose connection broke before the response was sent', () =>
  onLoopback(
    () => ({ body: (response) => void response.socket?.resetAndDestroy() }),
    async (origin) => {
      const { words, ask, close } = senderTo(origin);
      assert.is((await failure(ask())).code, 'ERR_TRANSPORT');
      assert.equal(words, ['pass', 'begin']);
      await close();
    },
  ));

/** Passes on the response alone, as a dispatcher of another maker may. */
const silent: Dispatcher.DispatcherComposeInterceptor = (dispatch) => (options, handler) =>
  dispatch(options, {
    onRequestStart: () => undefined,
    onResponseStart(...given) {
      handler.onResponseStart?.(...given);
    },
    onResponseData: (...given) => handler.onResponseData?.(...given),
    onResponseEnd: (...given) => handler.onResponseEnd?.(...given),
    onResponseError: (...given) => handler.onResponseError?.(...given),
  });

const dispatchers: Readonly<Record<string, () => Dispatcher>> = {
  'an agent': () => new Agent(),
  'interceptors of undici': () => new Agent().compose(interceptors.retry(), interceptors.decompress()),
  'a dispatcher that does not tell: as it is answered': () => new Agent().compose(silent),
};

for (const [what, create] of Object.entries(dispatchers)) {
  test(`it is reported through a dispatcher of the caller: ${what}`, () =>
    onLoopback(
      () => json([1]),
      async (origin) => {
        const dispatcher = create();
        const { words, ask } = senderTo(origin, { dispatcher });
        await ask();
        assert.equal(words, ['pass', 'begin']);
        await dispatcher.close();
      },
    ));
}

test('it is reported by a closed network', async () => {
  const dispatcher = new MockAgent();
  dispatcher.disableNetConnect();
  dispatcher.get('http://api.example').intercept({ path: '/a' }).reply(200, '[]');
  const { words, ask } = senderTo('http://api.example', { dispatcher });
  await ask();
  assert.equal(words, ['pass', 'begin']);
  assert.is((await failure(ask())).code, 'ERR_TRANSPORT');
  assert.equal(words.slice(2), ['pass', 'give back'], 'an address that no one answers for');
  dispatcher.assertNoPendingInterceptors();
});

test.run();
