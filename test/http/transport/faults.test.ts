/** Real sockets: the bytes of a request, and answers that break in every way. */
import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { ErrorCode } from '../../../src/core/errors/error-codes.js';
import type { HttpRequest } from '../../../src/core/model/request.js';
import { createSecrets } from '../../../src/core/secrets/secrets.js';
import { createOrigins } from '../../../src/core/url/origins.js';
import { transportCode } from '../../../src/http/transport/transport-error.js';
import { failure } from '../../support/failure.js';
import { createSender, type Reply, type SenderOptions, statusError } from '../sender.js';

interface Talk {
  readonly url: string;
  /** What the server was sent, byte for byte. */
  readonly received: string[];
  readonly sockets: readonly Socket[];
  request(given?: Partial<HttpRequest>, signal?: AbortSignal): Promise<Reply>;
}

/** Lends a server that answers the first bytes of each connection by hand. */
async function talk(
  serve: (socket: Socket) => void,
  work: (talk: Talk) => Promise<void>,
  timeouts: Pick<SenderOptions, 'headersTimeout' | 'idleTimeout' | 'requestTimeout'> = {},
) {
  const received: string[] = [];
  const sockets: Socket[] = [];
  const server = createServer((socket) => {
    sockets.push(socket);
    socket.on('error', () => undefined);
    socket.on('data', (bytes) => {
      received.push(bytes.toString('latin1'));
      serve(socket);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const url = `http://127.0.0.1:${address !== null && typeof address === 'object' ? address.port : 0}`;
  const origins = createOrigins({ baseUrl: url, endpoints: [] }, () => undefined);
  const door = createSender({
    origins,
    secrets: createSecrets(),
    userAgent: 'x',
    ...timeouts,
    unreadTimeout: 500,
  });
  const never = new AbortController().signal;
  const request: Talk['request'] = (given = {}, signal = never) =>
    door.send({ method: 'GET', url: `${url}/x`, headers: new Map(), ...given }, (same) => same, signal);
  try {
    await work({ url, received, sockets, request });
  } finally {
    await door.close();
    for (const socket of sockets) socket.destroy();
    server.close();
  }
}

async function read({ body }: Reply): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of body) chunks.push(chunk);
  return Buffer.concat(chunks);
}

const allClosed = (sockets: readonly Socket[]) =>
  Promise.all(sockets.map((socket) => socket.closed || new Promise((resolve) => socket.once('close', resolve))));

const ok = 'HTTP/1.1 200 OK\r\n';
const close = 'Connection: close\r\n';
const chunked = 'Transfer-Encoding: chunked\r\n';
const answer = (headers: string, body: Buffer) =>
  Buffer.concat([Buffer.from(`${ok}${headers}Content-Length: ${body.length}\r\n\r\n`), body]);

test('target, header names and header bytes go out as they are', async () => {
  await talk(
    (socket) => socket.end(answer(close, Buffer.from('{}'))),
    async ({ url, received, request }) => {
      const headers = new Map([
        ['X-CamelCase', ['one', ' two\n']],
        ['x-utf8', ['é']],
        ['Host', ['other.example']],
        ['User-Agent', ['mine']],
      ]);
      const target = `/a%2fb/%C3%A9~!$&'()*+,;=:@?q=a%20b+c&d[]=~/?`;
      await read(await request({ url: `${url}${target}`, headers }));
      const lines = (received[0] ?? '').split('\r\n');
      assert.is(lines[0], `GET ${target} HTTP/1.1`);
      assert.equal(lines.slice(1).sort(), [
        '',
        '',
        'User-Agent: mine',
        'X-CamelCase: one',
        'X-CamelCase: two',
        'connection: keep-alive',
        'host: other.example',
        'x-utf8: Ã©',
      ]);
    },
  );
});

test('a request right after the end of a body uses its connection', async () => {
  await talk(
    (socket) => socket.write(`${ok}Content-Length: 5\r\n\r\n[1`),
    async ({ request, sockets }) => {
      for (let turn = 0; turn < 5; turn += 1) {
        const reading = (await request()).start();
        sockets.at(-1)?.write(',2]');
        await reading;
      }
      assert.is(sockets.length, 1);
    },
  );
});

test('a body is sent with its length, and no further headers', async () => {
  await talk(
    (socket) => socket.end(answer(close, Buffer.from('{}'))),
    async ({ received, request }) => {
      await read(await request({ method: 'POST', body: 'a=%C3%A9' }));
      assert.match(received[0] ?? '', /content-length: 8\r\n\r\na=%C3%A9$/);
      assert.not.match(received[0] ?? '', /accept|expect|user-agent/i);
    },
  );
});

for (const name of ['X A', 'Transfer-Encoding', 'Expect']) {
  test(`a header ${name} cannot be sent`, async () => {
    await talk(
      () => undefined,
      async ({ request }) => {
        const error = await failure(request({ headers: new Map([[name, ['value-1']]]) }));
        assert.is(error.code, 'ERR_REQUEST');
        assert.not.match(error.message, 'value-1');
      },
    );
  });
}

const noAnswer: readonly (readonly [what: string, serve: (socket: Socket) => void, transport: number])[] = [
  ['an answer that never comes', () => undefined, 28],
  ['a connection closed without an answer', (socket) => socket.end(), 52],
  ['a connection that is reset', (socket) => socket.resetAndDestroy(), 56],
  ['an answer that is no HTTP', (socket) => socket.end('hello\r\n\r\n'), 8],
];

for (const [what, serve, transport] of noAnswer) {
  test(`${what} is transport failure ${transport}`, async () => {
    const timeouts = transport === 28 ? { headersTimeout: 50 } : {};
    const work = async ({ request, url }: Talk) => {
      const error = await failure(request());
      assert.equal([error.code, transportCode(error)], ['ERR_TRANSPORT', transport]);
      assert.is(error.where.request, `GET ${url}/x`);
      assert.is(transportCode(error.at({ job: 'users' })), transport);
    };
    await talk(serve, work, timeouts);
  });
}

test('a refused connection is transport failure 7, an unknown host 6', async () => {
  const origins = { trusts: () => true, warn: () => undefined };
  const { send, close } = createSender({ origins, secrets: createSecrets(), userAgent: 'x' });
  const ask = (url: string) =>
    failure(send({ method: 'GET', url, headers: new Map() }, (same) => same, new AbortController().signal));
  assert.is(transportCode(await ask('http://127.0.0.1:1/')), 7);
  assert.is(transportCode(await ask('http://host.invalid/')), 6);
  await close();
});

const gzipped = gzipSync(Buffer.alloc(20_000, 'abcdefg1234'));
const brotli = brotliCompressSync(Buffer.alloc(20_000, 'abcdefg1234'));
const cutGzip = gzipped.subarray(0, -9);

const broken: readonly (readonly [what: string, bytes: Buffer | string, code: ErrorCode, transport: number])[] = [
  ['a body shorter than its length', `${ok}Content-Length: 10\r\n\r\nabc`, 'ERR_BODY_CUT', 18],
  ['a last body shorter than its length', `${ok}${close}Content-Length: 10\r\n\r\nabc`, 'ERR_BODY_CUT', 18],
  ['a chunk cut short', `${ok}${chunked}\r\n5\r\nabc`, 'ERR_BODY_CUT', 18],
  ['a chunked body without its end', `${ok}${close}${chunked}\r\n5\r\nabcde\r\n`, 'ERR_BODY_CUT', 18],
  ['a gzip body cut short', answer('Content-Encoding: gzip\r\n', cutGzip), 'ERR_BODY_CUT', 18],
  ['a brotli body cut short', answer('Content-Encoding: br\r\n', brotli.subarray(0, -2)), 'ERR_BODY_CUT', 18],
  [
    'a gzip body whose connection closes',
    Buffer.concat([Buffer.from(`${ok}Content-Encoding: gzip\r\nContent-Length: ${gzipped.length}\r\n\r\n`), cutGzip]),
    'ERR_BODY_CUT',
    18,
  ],
  [
    'a body that is not the gzip it claims',
    answer('Content-Encoding: gzip\r\n', Buffer.from('{}')),
    'ERR_TRANSPORT',
    61,
  ],
  [
    'a body that is not the brotli it claims',
    answer('Content-Encoding: br\r\n', Buffer.from('{"a":1}')),
    'ERR_TRANSPORT',
    61,
  ],
  ['a content encoding that no one knows', answer('Content-Encoding: zip\r\n', Buffer.from('{}')), 'ERR_TRANSPORT', 61],
  [
    'a content encoding in four layers',
    answer('Content-Encoding: br,br,br,br\r\n', Buffer.from('{}')),
    'ERR_TRANSPORT',
    61,
  ],
];

for (const [what, bytes, code, transport] of broken) {
  test(`${what} is ${code} (${transport})`, async () => {
    await talk(
      (socket) => socket.end(bytes),
      async ({ request, url }) => {
        const error = await failure(read(await request()));
        assert.equal([error.code, transportCode(error), error.where.request], [code, transport, `GET ${url}/x`]);
      },
    );
  });
}

test('a body that stalls is transport failure 28', async () => {
  await talk(
    (socket) => socket.write(`${ok}Content-Length: 10\r\n\r\nabc`),
    async ({ request }) => {
      const error = await failure(read(await request()));
      assert.equal([error.code, transportCode(error)], ['ERR_TRANSPORT', 28]);
    },
    { idleTimeout: 50 },
  );
});

const patience: readonly (readonly [
  what: string,
  timeouts: Parameters<typeof talk>[2],
  code: ErrorCode | 'an answer',
])[] = [
  ['the time for its head alone is short', { headersTimeout: 900, idleTimeout: 20_000 }, 'an answer'],
  [
    'the time for silence is shorter than that for the whole',
    { idleTimeout: 30, requestTimeout: 20_000 },
    'ERR_TRANSPORT',
  ],
  [
    'the time for silence is longer than that for the whole',
    { idleTimeout: 20_000, requestTimeout: 30 },
    'ERR_TRANSPORT',
  ],
];

for (const [what, timeouts, outcome] of patience) {
  test(`a body that pauses where ${what} is ${outcome}`, async () => {
    const serve = (socket: Socket) => {
      socket.write(`${ok}Content-Length: 4\r\n\r\n[`);
      setTimeout(() => socket.end('12]'), outcome === 'an answer' ? 1200 : 20_000).unref();
    };
    const work = async ({ request }: Talk) => {
      const reading = request().then(read);
      if (outcome === 'an answer') assert.is((await reading).toString(), '[12]');
      else assert.equal([(await failure(reading)).code], [outcome]);
    };
    await talk(serve, work, timeouts);
  });
}

test('the time for silence does not bound how long the head may take', async () => {
  const serve = (socket: Socket) => void setTimeout(() => socket.end(answer(close, Buffer.from('[1]'))), 120);
  await talk(serve, async ({ request }) => assert.is((await read(await request())).toString(), '[1]'), {
    idleTimeout: 30,
  });
});

const plain = Buffer.alloc(20_000, 'abcdefg1234');
const decoded: readonly (readonly [encoding: string, body: Buffer])[] = [
  ['gzip', gzipped],
  ['X-GZIP', gzipped],
  ['br', brotli],
  ['deflate', deflateSync(plain)],
  ['deflate', deflateRawSync(plain)],
  ['identity', plain],
  ['br, gzip', gzipSync(brotli)],
];

for (const [encoding, body] of decoded) {
  test(`a body that comes as ${encoding} is decoded`, async () => {
    await talk(
      (socket) => socket.end(answer(`Content-Encoding: ${encoding}\r\n`, body)),
      async ({ request }) => assert.ok((await read(await request())).equals(plain)),
    );
  });
}

const drip =
  (ms: number) =>
  (socket: Socket): void => {
    socket.write(`${ok}${chunked}\r\n`);
    const timer = setInterval(() => socket.write('1\r\na\r\n'), ms);
    socket.once('close', () => clearInterval(timer));
  };

const late: readonly (readonly [what: string, serve: (socket: Socket) => void])[] = [
  ['an answer that does not begin within the time for a request', () => undefined],
  ['a body that keeps coming beyond the time for a request', drip(5)],
];

for (const [what, serve] of late) {
  test(`${what} is transport failure 28`, () => {
    const work = async ({ request, url, sockets }: Talk) => {
      const error = await failure(request().then(read));
      assert.equal([error.code, transportCode(error), error.where.request], ['ERR_TRANSPORT', 28, `GET ${url}/x`]);
      await allClosed(sockets);
    };
    return talk(serve, work, { headersTimeout: 20_000, idleTimeout: 20_000, requestTimeout: 60 });
  });
}

test('a body that keeps coming may take longer than a silence', () => {
  const work = async ({ request }: Talk) => {
    let chunks = 0;
    for await (const chunk of (await request()).body) {
      chunks += chunk.length;
      if (chunks > 30) break;
    }
  };
  return talk(drip(40), work, { idleTimeout: 900 });
});

test('an empty body may name an encoding', async () => {
  await talk(
    (socket) => socket.end(answer('Content-Encoding: gzip\r\n', Buffer.alloc(0))),
    async ({ request }) => assert.is((await read(await request())).length, 0),
  );
});

/** Reads on only after everything that the server does has arrived and been noticed. */
async function readSlowly({ body }: Reply, settled: Promise<unknown>): Promise<number> {
  let length = 0;
  for await (const chunk of body) {
    if (length === 0) await settled;
    length += chunk.length;
    // Lets the end of the connection be noticed while the reader is busy.
    for (let turn = 0; turn < 20; turn += 1) await new Promise(setImmediate);
  }
  return length;
}

const large = Buffer.alloc(400_000, 'a');
const slow: readonly (readonly [what: string, headers: string, outcome: number | ErrorCode])[] = [
  ['a body that ends with its connection', `${ok}\r\n`, large.length],
  ['the last body of a connection', `${ok}${close}Content-Length: ${large.length}\r\n\r\n`, large.length],
  ['a last body cut short', `${ok}${close}Content-Length: ${large.length + 1}\r\n\r\n`, 'ERR_BODY_CUT'],
  ['a last chunk cut short', `${ok}${close}${chunked}\r\n${(large.length + 1).toString(16)}\r\n`, 'ERR_BODY_CUT'],
];

for (const [what, headers, outcome] of slow) {
  test(`a slow reader of ${what} gets ${outcome}`, async () => {
    let sent: Promise<unknown> = Promise.resolve();
    const serve = (socket: Socket) => {
      sent = once(socket, 'finish');
      socket.write(headers);
      socket.end(large);
    };
    await talk(serve, async ({ request }) => {
      const reply = await request();
      if (typeof outcome === 'number') assert.is(await readSlowly(reply, sent), outcome);
      else assert.is((await failure(readSlowly(reply, sent))).code, outcome);
    });
  });
}

for (const [what, headers] of [
  ['a connection that would be kept', ''],
  ['a connection that would be closed', close],
] as const) {
  test(`a slow reader gets the reset of ${what}`, async () => {
    const serve = (socket: Socket) =>
      socket.write(`${ok}${headers}Content-Length: 9000000\r\n\r\n${'a'.repeat(300_000)}`);
    await talk(serve, async ({ request, sockets }) => {
      const reply = await request();
      let chunks = 0;
      const error = await failure(
        (async () => {
          for await (const _ of reply.body) {
            chunks += 1;
            if (chunks === 1) for (const socket of sockets) socket.resetAndDestroy();
            for (let turn = 0; turn < 20; turn += 1) await new Promise(setImmediate);
          }
        })(),
      );
      assert.is(error.code, 'ERR_BODY_CUT');
    });
  });
}

test('leaving a body early closes its connection', async () => {
  await talk(
    (socket) => socket.write(`${ok}Content-Length: 9000000\r\n\r\n${'a'.repeat(300_000)}`),
    async ({ request, sockets }) => {
      const reply = await request();
      for await (const _ of reply.body) break;
      await allClosed(sockets);
    },
  );
});

test('leaving a decoded body early closes its connection, also when it has stalled', async () => {
  await talk(
    (socket) =>
      socket.write(
        Buffer.concat([Buffer.from(`${ok}Content-Encoding: gzip\r\nContent-Length: 9000000\r\n\r\n`), gzipped]),
      ),
    async ({ request, sockets }) => {
      const reply = await request();
      for await (const _ of reply.body) break;
      await allClosed(sockets);
    },
  );
});

test('an abort within a body is ERR_ABORTED and closes the connection', async () => {
  await talk(
    (socket) => socket.write(`${ok}Content-Length: 10\r\n\r\nabc`),
    async ({ request, sockets }) => {
      const controller = new AbortController();
      const reply = await request({}, controller.signal);
      const work = async () => {
        for await (const _ of reply.body) controller.abort();
      };
      assert.is((await failure(work())).code, 'ERR_ABORTED');
      await allClosed(sockets);
    },
  );
});

test('an abort before a body is read is met by its reader alone', async () => {
  await talk(
    (socket) => socket.write(`${ok}Content-Length: 10\r\n\r\nabc`),
    async ({ request, sockets }) => {
      const controller = new AbortController();
      const reply = await request({}, controller.signal);
      controller.abort();
      await allClosed(sockets);
      assert.is((await failure(read(reply))).code, 'ERR_ABORTED');
    },
  );
});

test('consecutive requests use one connection', async () => {
  await talk(
    (socket) => socket.write(answer('', Buffer.from('{}'))),
    async ({ request, received, sockets }) => {
      await (await request()).discard();
      await read(await request());
      await read(await request());
      assert.equal([received.length, sockets.length], [3, 1]);
    },
  );
});

test('discarding a body that breaks is no error', async () => {
  await talk(
    (socket) => socket.end(`${ok}Content-Length: 10\r\n\r\nabc`),
    async ({ request }) => (await request()).discard(),
  );
});

test('a status error shows the received part of a broken body', async () => {
  await talk(
    (socket) => socket.end('HTTP/1.1 500 No\r\nContent-Length: 10\r\n\r\nabc'),
    async ({ request, url }) => {
      const error = await statusError(await request());
      assert.is(error.message, `GET ${url}/x failed with status 500: abc`);
    },
  );
});

test('a status error reads a bounded part of an endless body', async () => {
  const serve = (socket: Socket) => {
    socket.write('HTTP/1.1 500 No\r\n\r\n');
    const more = () => {
      while (socket.writable && socket.write('a'.repeat(65_536)));
    };
    socket.on('drain', more);
    more();
  };
  await talk(serve, async ({ request }) => {
    const error = await statusError(await request());
    assert.match(error.message, /500: a{120}\.\.\.$/);
  });
});

test('an endless error body is shown as far as it arrived, and its connection is closed', () =>
  talk(
    (socket) => socket.write(`HTTP/1.1 500 No\r\n${chunked}\r\n7\r\ntrouble\r\n`),
    async ({ request, sockets }) => {
      const error = await statusError(await request());
      assert.match(error.message, 'failed with status 500: trouble');
      await allClosed(sockets);
    },
  ));

test('a redirect with an endless body is followed', () => {
  let asked = 0;
  return talk(
    (socket) => {
      asked += 1;
      if (asked === 1) socket.write(`HTTP/1.1 302 Go\r\nLocation: /y\r\n${chunked}\r\n2\r\nno\r\n`);
      else socket.end(answer(close, Buffer.from('yes')));
    },
    async ({ request, sockets }) => {
      assert.is((await read(await request())).toString(), 'yes');
      await allClosed(sockets);
    },
  );
});

const ends = [
  { method: 'GET', head: `${ok}${close}`, isOpenEnded: true },
  { method: 'GET', head: `${ok}${close}Content-Length: 0\r\n`, isOpenEnded: false },
  { method: 'GET', head: 'HTTP/1.1 204 No\r\n', isOpenEnded: false },
  { method: 'HEAD', head: `${ok}${close}`, isOpenEnded: false },
] as const;

for (const { method, head, isOpenEnded } of ends) {
  test(`a body ${isOpenEnded ? 'ends' : 'does not end'} with its connection: ${method}, ${head.replaceAll('\r\n', ', ')}`, () =>
    talk(
      (socket) => socket.end(`${head}\r\n`),
      async ({ request }) => {
        const reply = await request({ method });
        assert.is(reply.isOpenEnded, isOpenEnded);
        await reply.discard();
      },
    ));
}

for (const [status, headers] of [
  ['099 Odd', 'Content-Length: 2\r\n\r\n[]'],
  ['000 None', 'Content-Length: 0\r\n\r\n'],
  ['012 Odd', `${close}\r\n[]`],
] as const) {
  test(`a status below 100 is no valid HTTP, and nothing else fails: ${status}`, async () => {
    await talk(
      (socket) => socket.end(`HTTP/1.1 ${status}\r\n${headers}`),
      async ({ request, sockets }) => {
        const error = await failure(request());
        assert.equal([error.code, transportCode(error)], ['ERR_TRANSPORT', 8]);
        assert.match(error.message, /: the response is not valid HTTP \(HPE_INVALID_STATUS\)$/);
        await allClosed(sockets);
      },
    );
  });
}

test.run();
