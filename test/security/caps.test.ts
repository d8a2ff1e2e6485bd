/** What a response may cost: size, items, headers, depth, growth, time. An endless server tests each limit. */
import { once } from 'node:events';
import { brotliCompressSync, constants, createGzip, gzipSync } from 'node:zlib';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { nullSink } from '../../sinks/index.js';
import { parseDocument } from '../../src/config/document.js';
import type { ErrorCode } from '../../src/core/errors/error-codes.js';
import { run } from '../../src/run/extract.js';
import type { RunOptions } from '../../src/run/options.js';
import { rejection } from '../sinks/lib.js';
import { unchecked } from '../unchecked.js';
import { type Endless, ok, type Serving, startEndless } from './endless.js';

const MiB = 2 ** 20;
/** What sockets and streams hold between a server that pours and a client that has stopped. */
const betweenBytes = 24 * MiB;

async function against(serve: (line: string) => Serving, work: (server: Endless) => Promise<void>): Promise<void> {
  const server = await startEndless(serve);
  try {
    await work(server);
  } finally {
    server.close();
  }
}

const configOf = ({ origin }: Endless, api: object = {}) => ({
  api: { baseUrl: `${origin}/`, retryConfig: { maxRetries: 0 }, ...api },
  config: { jobs: [{ endpoint: 'users', dataField: 'data' }] },
});

interface Case {
  readonly what: string;
  readonly serving: Serving;
  readonly api?: object;
  readonly options?: RunOptions;
  readonly code: ErrorCode;
  readonly says?: RegExp;
}

const json = `${ok}\r\n`;
const lines = json.replace('application/json', 'application/x-ndjson');
const paged = { pagination: { method: 'response.param', responseParam: 'next', queryParam: 'at' } };
const login = {
  authentication: {
    type: 'login',
    loginRequest: { endpoint: 'login' },
    apiRequest: { headers: { T: { response: 't' } } },
  },
};
const piece = (text: string) => text.repeat(Math.ceil(65536 / text.length));
const small = { maxBodyBytes: 2 * MiB };
const smallItems = { maxItemBytes: MiB };

const endless: readonly Case[] = [
  {
    what: 'a body of items',
    serving: { head: json, begin: '{"data":[0', piece: piece(',{"id":1}') },
    options: small,
    code: 'ERR_BODY_SIZE',
    says: /larger than 2097152 bytes \(`maxBodyBytes`\)/,
  },
  { what: 'a body of blanks', serving: { head: json, piece: piece(' ') }, options: small, code: 'ERR_BODY_SIZE' },
  {
    what: 'one item',
    serving: { head: json, begin: '{"data":["', piece: piece('x') },
    options: smallItems,
    code: 'ERR_ITEM_SIZE',
  },
  {
    what: 'one number',
    serving: { head: json, begin: '{"data":[1', piece: piece('0') },
    options: smallItems,
    code: 'ERR_ITEM_SIZE',
  },
  {
    what: 'one line',
    serving: { head: lines, begin: '"', piece: piece('x') },
    options: smallItems,
    code: 'ERR_ITEM_SIZE',
  },
  {
    what: 'the name of a member beside the items',
    serving: { head: json, begin: '{"', piece: piece('x') },
    options: small,
    code: 'ERR_BODY_SIZE',
  },
  {
    what: 'a value that pagination reads',
    serving: { head: json, begin: '{"next":"', piece: piece('x') },
    api: paged,
    code: 'ERR_ITEM_SIZE',
    says: /the value at 'next' is larger than 65536 bytes/,
  },
  { what: 'lists within lists', serving: { head: json, begin: '{"data":', piece: piece('[') }, code: 'ERR_DEPTH' },
  { what: 'objects within objects', serving: { head: json, piece: piece('{"a":') }, code: 'ERR_DEPTH' },
  {
    what: 'a header',
    serving: { head: ok, begin: 'X-Long: ', piece: piece('x') },
    code: 'ERR_TRANSPORT',
    says: /response headers are too large/,
  },
  {
    what: 'headers',
    serving: { head: ok, piece: piece('X-A: b\r\n') },
    code: 'ERR_TRANSPORT',
    says: /response headers are too large/,
  },
  {
    what: 'the body of an error',
    serving: { head: json.replace('200 OK', '403 No'), piece: piece('no, ') },
    code: 'ERR_STATUS',
    says: /status 403: no, no/,
  },
  {
    what: 'the body of a redirect, again and again',
    serving: {
      head: json.replace('200 OK', '302 There').replace('\r\n\r\n', '\r\nLocation: /there\r\n\r\n'),
      piece: piece('there'),
    },
    code: 'ERR_REDIRECT',
  },
  {
    what: 'the reply to a login',
    serving: { head: json, begin: '"', piece: piece('x') },
    api: login,
    code: 'ERR_LOGIN',
  },
];

for (const { what, serving, api, options, code, says = /./ } of endless) {
  test(`${what} without end is ${code}, and the server is not read to its end`, () =>
    against(
      () => serving,
      async (server) => {
        const error = await rejection(run(configOf(server, api), { to: nullSink(), ...options }), code);
        assert.match(error.message, says);
        assert.ok(server.sent() < betweenBytes + 16 * MiB, `${server.sent()} bytes`);
      },
    ));
}

const slow = (given: Partial<Serving>): Serving => ({ head: json, begin: '{"data":[', piece: ' ', every: 5, ...given });

for (const { what, serving, http, says } of [
  {
    what: 'a body, within requestTimeout',
    serving: slow({}),
    http: { requestTimeout: 0.2 },
    says: /not complete in time/,
  },
  {
    what: 'a head, within headersTimeout',
    serving: slow({ head: ok, begin: 'X-Slow: ', piece: 'x' }),
    http: { headersTimeout: 0.2, connectTimeout: 1 },
    says: /no response in time|not complete in time/,
  },
  {
    what: 'interim answers, within connectTimeout and headersTimeout',
    serving: slow({ head: '', begin: '', piece: 'HTTP/1.1 102 Processing\r\n\r\n' }),
    http: { headersTimeout: 0.2, connectTimeout: 1 },
    says: /not complete in time/,
  },
  {
    what: 'a body that has stopped, within idleTimeout',
    serving: slow({ every: 60_000 }),
    http: { idleTimeout: 0.2 },
    says: /stalled/,
  },
]) {
  test(`byte by byte: ${what}`, () =>
    against(
      () => serving,
      async (server) => {
        const error = await rejection(run(configOf(server, { http })), 'ERR_TRANSPORT');
        assert.is(error.where.transport, 28);
        assert.match(error.message, says);
      },
    ));
}

/** Bytes of one kind, compressed. */
async function gzipped(bytes: number, char: string): Promise<Buffer> {
  const gzip = createGzip({ level: 9 });
  const block = Buffer.alloc(MiB, char);
  const chunks: Buffer[] = [];
  gzip.on('data', (chunk: Buffer) => void chunks.push(chunk));
  for (let at = 0; at < bytes; at += MiB) await new Promise((resolve) => gzip.write(block, resolve));
  gzip.end();
  await once(gzip, 'end');
  return Buffer.concat(chunks);
}

const quick = { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } };
const brotli = (bytes: Uint8Array) => brotliCompressSync(bytes, quick);
const sent = (coding: string, body: Uint8Array): Serving => ({
  head: `${ok}Content-Encoding: ${coding}\r\nContent-Length: ${body.length}\r\n\r\n`,
  begin: body,
});

for (const [what, coding, make] of [
  ['gzip', 'gzip', () => gzipped(80 * MiB, ' ')],
  ['brotli', 'br', async () => brotli(Buffer.alloc(80 * MiB, ' '))],
  ['gzip within gzip', 'gzip, gzip', async () => gzipSync(await gzipped(80 * MiB, ' '))],
] as const) {
  test(`a bomb of ${what} is ERR_BODY_SIZE`, async () => {
    const body = await make();
    assert.ok(body.length < MiB, `${body.length} bytes`);
    await against(
      () => sent(coding, body),
      async (server) => {
        const error = await rejection(run(configOf(server)), 'ERR_BODY_SIZE');
        assert.match(error.message, 'the body decompresses to more than 1000 times its compressed size');
      },
    );
  });
}

test('repetitive but legal data is no bomb: sparse rows, 70 MiB of them', async () => {
  const row = (id: number) => `[${id}${',null'.repeat(1000)}]`;
  const rows = Array.from({ length: 15_000 }, (_, id) => row(id)).join(',');
  const body = gzipSync(`{"data":[${rows}]}`);
  assert.ok(rows.length > 70 * MiB && body.length * 100 < rows.length, `${rows.length} from ${body.length}`);
  await against(
    () => sent('gzip', body),
    async (server) => {
      const { jobs } = await run(configOf(server));
      assert.is(jobs[0]?.items, 15_000);
    },
  );
});

test('a small body may grow as it likes', async () => {
  const body = await gzipped(MiB, ' ');
  await against(
    () => sent('gzip', Buffer.concat([body, gzipSync('{"data":[1]}')])),
    async (server) => assert.is((await run(configOf(server))).jobs[0]?.items, 1),
  );
});

const million = 1_000_000;
for (const [what, text] of [
  ['lists', '['.repeat(million) + ']'.repeat(million)],
  ['objects', '{"a":'.repeat(million)],
  ['comments', '/*'.repeat(million)],
] as const) {
  test(`a configuration of a million nested ${what} is reported in a line`, () => {
    assert.throws(
      () => parseDocument(text, 'config.json'),
      (error: Error) => 'code' in error && error.code === 'ERR_CONFIG_SYNTAX' && error.message.length < 200,
    );
  });
}

test('a configuration in code that is circular, or deeper than 1,000 levels, is ERR_CONFIG', async () => {
  const circle: Record<string, unknown> = {};
  circle.api = circle;
  let deep: unknown = 1;
  for (let level = 0; level < 100_000; level += 1) deep = [deep];
  for (const configuration of [circle, { api: deep, config: {} }])
    await rejection(run(unchecked(configuration)), 'ERR_CONFIG');
});

test('a reply to a login a million levels deep is ERR_LOGIN', () =>
  against(
    () => ({ head: json, begin: '[['.repeat(million) }),
    async (server) => {
      const error = await rejection(run(configOf(server, login)), 'ERR_LOGIN');
      assert.ok(error.message.length < 300, error.message);
    },
  ));

test.run();
