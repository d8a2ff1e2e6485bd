/**
 * A slow sink holds back a fast server over a real socket: the server sends at most 8 MB more than the sink has
 * accepted, besides socket buffers. There is no clock: the sink continues when the server is blocked.
 */
import type { ServerResponse } from 'node:http';
import { connect, type Socket } from 'node:net';
import { setImmediate as turn } from 'node:timers/promises';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { type Batch, run } from '../../src/index.js';
import { type Api, type Reply, startApi } from '../loopback/api.js';

const megabyte = 1024 * 1024;
const itemBytes = 1024;
const itemsPerChunk = 64;
const chunks = 1024;
/** Each item is followed by a comma or bracket; one bracket opens the list. */
const pageBytes = chunks * itemsPerChunk * itemBytes + 1;
const bound = 8 * megabyte;

/** Turns of the event loop without a byte moving that count as a standstill. */
const quietTurns = 64;

interface Meter {
  /** Bytes that left the server's process: handed to the kernel, not waiting in Node's own queue. */
  sent(): number;
}

function chunkOfItems(): Buffer {
  const item = `{"text":"${'x'.repeat(itemBytes - 12)}"},`;
  return Buffer.from(item.repeat(itemsPerChunk));
}

/** A page of 64 MB, written as fast as the socket takes it; the meter watches its socket. */
function bigPage(meter: { socket?: Socket }): Reply {
  const chunk = chunkOfItems();
  const last = Buffer.from(chunk.toString().replace(/,$/, ']'));
  return {
    headers: { 'content-type': 'application/json', 'content-length': String(pageBytes) },
    body: async (response) => {
      if (response.socket !== null) meter.socket = response.socket;
      response.write('[');
      for (let index = 0; index < chunks && !response.destroyed; index += 1) {
        const hasRoom = response.write(index === chunks - 1 ? last : chunk);
        if (!hasRoom) await roomIn(response);
      }
      response.end();
    },
  };
}

/** Waits until the response takes more, or is gone. */
function roomIn(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const go = () => {
      response.off('drain', go).off('close', go);
      resolve();
    };
    response.on('drain', go).on('close', go);
  });
}

async function withBigPage<T>(use: (api: Api, meter: Meter) => Promise<T>): Promise<T> {
  const watched: { socket?: Socket } = {};
  const api = await startApi(() => bigPage(watched));
  const sent = () => (watched.socket === undefined ? 0 : watched.socket.bytesWritten - watched.socket.writableLength);
  try {
    return await use(api, { sent });
  } finally {
    await api.close();
  }
}

/** Waits until the server has sent nothing for a while, counted in turns of the event loop. */
async function standstill({ sent }: Meter): Promise<number> {
  let before = sent();
  for (let quiet = 0; quiet < quietTurns; quiet += 1) {
    await turn();
    const now = sent();
    if (now !== before) quiet = 0;
    before = now;
  }
  return before;
}

/** What the buffers of both sockets hold when a bare client stops reading, having read `bytes` at full speed first. */
function socketBuffers(bytes: number): Promise<number> {
  return withBigPage(async (api, meter) => {
    const client = connect(Number(new URL(api.origin).port), '127.0.0.1');
    let read = 0;
    try {
      client.write('GET / HTTP/1.1\r\nhost: localhost\r\n\r\n');
      await new Promise<void>((resolve) => {
        client.on('data', (data) => {
          read += data.length;
          if (read < bytes) return;
          client.pause();
          resolve();
        });
      });
      return (await standstill(meter)) - read;
    } finally {
      client.destroy();
    }
  });
}

test('the server sends at most 8 MB more than the sink has accepted, plus socket buffers', async () => {
  // The kernel grows the buffers of a fast connection; the larger of a slow and a fast start is allowed for.
  const allowance = Math.max(await socketBuffers(1), await socketBuffers(pageBytes / 2));

  const seen = { taken: 0, count: 0, inside: 0, mostInside: 0, mostAhead: 0, checkedAt: 0 };
  const sentInAll = await withBigPage(async (api, meter) => {
    const take = async ({ bytes, count }: Batch): Promise<void> => {
      seen.inside += 1;
      seen.mostInside = Math.max(seen.mostInside, seen.inside);
      if (seen.taken === 0 || seen.taken - seen.checkedAt >= megabyte) {
        seen.checkedAt = seen.taken;
        seen.mostAhead = Math.max(seen.mostAhead, (await standstill(meter)) - seen.taken);
      }
      seen.taken += bytes.length;
      seen.count += count;
      seen.inside -= 1;
    };
    const config = { api: { baseUrl: `${api.origin}/` }, config: { jobs: [{ endpoint: 'items' }] } };
    await run(config, { to: take });
    return meter.sent();
  });

  assert.is(seen.count, chunks * itemsPerChunk);
  assert.ok(sentInAll >= pageBytes, 'the whole page was sent in the end');
  assert.is(seen.mostInside, 1, 'one batch at a time');
  const measured = `${seen.mostAhead} bytes ahead, of which ${allowance} are allowed to the socket buffers`;
  assert.ok(seen.mostAhead < bound + allowance, measured);
  assert.ok(bound + allowance < pageBytes / 2, `the page is too small to show anything: ${measured}`);
});

test.run();
