/** The process of the generated API, over loopback. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { defaultShape, parseShape } from '../../../src/tools/bench/shape.js';
import { startServer } from '../../../src/tools/bench/start-server.js';

const json = async (url: string) => JSON.parse(await (await fetch(url)).text());

async function served<T>(shape: string, use: (origin: string) => Promise<T>): Promise<T> {
  const { origin, stop } = await startServer(parseShape([shape]));
  try {
    return await use(origin);
  } finally {
    stop();
    stop();
  }
}

test('serves pages whole, whether at once or slowly', async () => {
  await served('pages=2,items=3,latency=1,body=5', async (origin) => {
    const pages = [1, 2, 3].map((page) => json(`${origin}/items?page=${page}`));
    const lengths = (await Promise.all(pages)).map(({ data }) => data.length);
    assert.equal(lengths, [3, 3, 0]);
    const { requests, pastEnd, mostInFlight } = await json(`${origin}/stats`);
    assert.equal({ requests, pastEnd }, { requests: 3, pastEnd: 1 });
    assert.ok(mostInFlight >= 1);
  });
});

test('a body that is cut breaks its connection, and an endless one waits for its reader', async () => {
  await served('pages=50,items=2,cuts=0.9', async (origin) => {
    const read = Array.from({ length: 20 }, async (_, page) => (await fetch(`${origin}/items?page=${page}`)).text());
    const results = await Promise.allSettled(read);
    assert.ok(results.some(({ status }) => status === 'rejected'));
    const huge = await json(`${origin}/huge?bytes=20000000`);
    assert.ok(huge.data.length > 10_000);
    const left = await fetch(`${origin}/huge?bytes=20000000`);
    await left.body?.cancel();
  });
});

test('a port that is taken is reported', async () => {
  await served('pages=1', async (origin) => {
    const port = Number(new URL(origin).port);
    const failure = await startServer(defaultShape, port).catch((thrown: Error) => thrown);
    assert.match(String(failure), new RegExp(`cannot listen on port ${port}: listen EADDRINUSE`));
  });
});

test.run();
