/**
 * Bodies that are cut, by every kind of server and at every byte: asked for again, and no item comes twice or not at
 * all.
 */
import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Sink } from '../../sinks/contract.js';
import { memory } from '../../sinks/index.js';
import type { Batch } from '../../src/core/model/batch.js';
import { run } from '../../src/run/extract.js';
import { configOf } from '../support/mock-network.js';
import { mulberry32 } from '../support/mulberry32.js';
import { startClock } from '../support/virtual-clock.js';

const seed = Number(process.env.FC_SEED ?? Math.floor(Math.random() * 2 ** 31));
console.log(`seed ${seed} (set FC_SEED to repeat)`);

/** Numbers from 0 up to below 1, the same for the same seed. */
function randoms(start: number): () => number {
  const next = mulberry32(start);
  return () => next() / 2 ** 32;
}

/** How a body is framed, and what becomes of its connection at the cut. */
interface Way {
  readonly name: string;
  readonly head: (length: number) => string;
  readonly frame: (body: Buffer) => Buffer;
  readonly end: (socket: Socket) => void;
  /** The first cut that can be detected. */
  readonly from: number;
}

const same = (body: Buffer): Buffer => body;
const finish = (socket: Socket): void => void socket.end();
const reset = (socket: Socket): void => void setImmediate(() => socket.resetAndDestroy());
const withLength = (length: number): string => `Content-Length: ${length}\r\n`;
const chunks = (body: Buffer): Buffer =>
  Buffer.concat([Buffer.from(`${body.length.toString(16)}\r\n`), body, Buffer.from('\r\n0\r\n\r\n')]);

const ways: readonly Way[] = [
  { name: 'with its length, closed', head: withLength, frame: same, end: finish, from: 0 },
  { name: 'with its length, reset', head: withLength, frame: same, end: reset, from: 0 },
  { name: 'in chunks', head: () => 'Transfer-Encoding: chunked\r\n', frame: chunks, end: finish, from: 0 },
  { name: 'until its connection ends', head: () => 'Connection: close\r\n', frame: same, end: finish, from: 1 },
];

/** A server that cuts the first answer of each pair, `cuts` in turn, and gives the second whole. */
async function withCuts(
  { head, frame, end }: Way,
  {
    body,
    cuts,
    encoding = '',
  }: { readonly body: Buffer; readonly cuts: readonly number[]; readonly encoding?: string },
  work: (origin: string) => Promise<void>,
): Promise<void> {
  let asked = 0;
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.on('data', () => {
      const cut = asked % 2 === 0 ? cuts[asked / 2] : undefined;
      asked += 1;
      const framed = frame(body);
      socket.write(`HTTP/1.1 200 OK\r\n${encoding}${head(body.length)}\r\n`);
      if (cut === undefined) {
        socket.write(framed);
        if (head(0).startsWith('Connection: close')) socket.end();
      } else if (cut === 0) end(socket);
      else socket.write(framed.subarray(0, cut), () => end(socket));
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  try {
    await work(`http://127.0.0.1:${address !== null && typeof address === 'object' ? address.port : 0}/`);
    assert.is(asked, cuts.length * 2, 'each page was asked for twice');
  } finally {
    for (const socket of sockets) socket.destroy();
    server.close();
  }
}

/** Sinks that can take back, and such that cannot. */
const sinks: readonly (readonly [
  name: string,
  make: () => { readonly sink: Sink; readonly got: () => readonly unknown[] },
])[] = [
  [
    'takes back',
    () => {
      const sink = memory();
      return { sink, got: () => sink.items() };
    },
  ],
  [
    'cannot take back',
    () => {
      const got: unknown[] = [];
      return {
        got: () => got,
        sink: { write: (batch: Batch) => void got.push(...batch.values()), close() {}, abort() {} },
      };
    },
  ],
];

/** Pulls the page as often as there are cuts, time passing at each wait. */
async function pullAll(
  origin: string,
  cuts: readonly number[],
  expected: readonly unknown[],
  make: (typeof sinks)[number][1],
  http: object = {},
) {
  const clock = startClock();
  try {
    for (const cut of cuts) {
      const { sink, got } = make();
      const { jobs } = await run(configOf([{ endpoint: 'a' }], { baseUrl: origin, http }), {
        to: sink,
        notify: ({ code }) => {
          if (code === 'retry') clock.passSoon(1000);
        },
      });
      assert.equal([got(), jobs[0]?.retries, jobs[0]?.items], [expected, 1, expected.length], `cut at ${cut}`);
    }
  } finally {
    clock.stop();
  }
}

const small = '{"next": "c1", "rows": [{"id": 1}, "ž", 3]}';
const bytes = Buffer.from(small);

for (const way of ways) {
  for (const [name, make] of sinks) {
    test(`a body ${way.name}, cut at every byte, is retried, for a sink that ${name}`, async () => {
      const whole = way.frame(bytes).length;
      const cuts = Array.from({ length: whole - way.from }, (_, at) => at + way.from);
      const { rows } = JSON.parse(small);
      await withCuts(way, { body: bytes, cuts }, (origin) => pullAll(origin, cuts, rows, make));
    });
  }
}

const stalling: Way = { name: 'that stalls', head: withLength, frame: same, end: () => undefined, from: 0 };

for (const [name, make] of sinks) {
  test(`a body that stalls is retried, for a sink that ${name}`, async () => {
    const cuts = [1, 30];
    await withCuts(stalling, { body: bytes, cuts }, (origin) =>
      pullAll(origin, cuts, JSON.parse(small).rows, make, { idleTimeout: 3 }),
    );
  });
}

const random = randoms(seed);
const items = Array.from({ length: 3_000 }, (_, id) => ({ id, noise: Array.from({ length: 24 }, () => random()) }));
const large = gzipSync(JSON.stringify(items), { level: 1 });

for (const way of ways) {
  for (const [name, make] of sinks) {
    test(`a gzip body ${way.name}, cut at random bytes, is retried, for a sink that ${name}`, async () => {
      const cuts = Array.from({ length: 3 }, () => 1 + Math.floor(random() * (large.length - 1)));
      const encoding = 'Content-Encoding: gzip\r\n';
      await withCuts(way, { body: large, cuts, encoding }, (origin) => pullAll(origin, cuts, items, make));
    });
  }
}

test.run();
