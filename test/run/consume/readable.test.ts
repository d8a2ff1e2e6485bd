/** Items as a Node stream: its read-ahead, how it closes, and pipelines. */
import { once } from 'node:events';
import { PassThrough, Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip, createGzip } from 'node:zlib';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { extract } from '../../../src/run/extract.js';
import { rejection, turns } from '../../sinks/lib.js';
import { configOf, json, onNetwork } from '../../support/mock-network.js';
import { deferred, jobsOf, large, pages, withHangingPage } from './pages.js';

/** Keeps all it is given. */
function collector<T>(objectMode = true) {
  const chunks: T[] = [];
  const writable = new Writable({
    objectMode,
    write(chunk, _, taken) {
      chunks.push(chunk);
      taken();
    },
  });
  return { chunks, writable };
}

test(
  'returns items, batches or bytes',
  onNetwork({ 'GET /a': [json([1, 'č']), json([1, 'č']), json([1, 'č'])] }, async ({ dispatcher }) => {
    const { readable } = extract<unknown>(configOf([{ endpoint: 'a' }]), { dispatcher });
    assert.equal(await readable().toArray(), [1, 'č']);
    const counts: number[] = [];
    for await (const { count } of readable({ as: 'batches' })) counts.push(count);
    assert.equal(counts, [2]);
    const text: string[] = [];
    for await (const chunk of readable({ as: 'bytes' })) text.push(chunk.toString());
    assert.is(text.join(''), '1\n"č"\n');
  }),
);

test(
  'passes a pipeline byte for byte',
  onNetwork(pages('a', 3), async ({ dispatcher }) => {
    const { chunks, writable } = collector<Buffer>(false);
    const source = extract(jobsOf('a'), { dispatcher }).readable({ as: 'bytes' });
    await pipeline(source, createGzip(), createGunzip(), writable);
    assert.is(Buffer.concat(chunks).toString(), '"a1"\n"a2"\n"a3"\n"a4"\n"a5"\n');
  }),
);

for (const as of ['items', 'batches', 'bytes'] as const) {
  test(
    `requests no page before a slow writable has space, reading ${as}`,
    onNetwork(pages('a', 3), async ({ dispatcher, asked }) => {
      const ahead: number[] = [];
      const seen: string[] = [];
      const slow = new Writable({
        objectMode: as !== 'bytes',
        highWaterMark: 1,
        async write(chunk, _, taken) {
          await turns();
          const text: string = as === 'batches' ? Buffer.from(chunk.bytes).toString() : String(chunk);
          seen.push(...(text.match(/a\d/g) ?? []));
          // Two items a page: the page that this chunk ends, or is a part of.
          ahead.push(asked.length - Math.ceil(seen.length / 2));
          taken();
        },
      });
      const { readable } = extract(jobsOf('a'), { dispatcher });
      await pipeline(as === 'items' ? readable() : as === 'batches' ? readable({ as }) : readable({ as }), slow);
      assert.equal(seen, ['a1', 'a2', 'a3', 'a4', 'a5']);
      assert.ok(Math.max(...ahead) <= 0, `pages ahead: ${ahead}`);
    }),
  );
}

test(
  'reads ahead as far as `highWaterMark` allows',
  onNetwork(pages('a', 4), async ({ dispatcher, asked }) => {
    const stream = extract(jobsOf('a'), { dispatcher }).readable({ as: 'batches', highWaterMark: 2 });
    await turns();
    assert.is(asked.length, 0, 'nothing before the first demand');
    stream.read(0);
    await turns(40);
    assert.is(asked.length, 2);
    assert.is(stream.readableLength, 2);
    assert.is((await stream.toArray()).length, 4);
  }),
);

for (const begins of ['short', 'with a batch'] as const) {
  test(`aborts the request in flight when it is destroyed, and closes then; its page begun ${begins}`, async () => {
    await withHangingPage(begins, async ({ config, asked, left }) => {
      const extraction = extract(config);
      const stream = extraction.readable();
      stream.resume();
      await asked;
      stream.destroy();
      await once(stream, 'close');
      assert.is(extraction.summary().jobs[0]?.stop, 'interrupted');
      await left;
    });
  });
}

test('ends a pipeline whose signal aborts, and the request with it', async () => {
  await withHangingPage('short', async ({ config, asked, left }) => {
    const controller = new AbortController();
    const piping = pipeline(extract(config).readable({ as: 'bytes' }), new PassThrough().resume(), {
      signal: controller.signal,
    });
    await asked;
    controller.abort();
    const error = await piping.catch((thrown: Error) => thrown);
    assert.is(error?.name, 'AbortError');
    await left;
  });
});

test('fails with ERR_ABORTED when its own signal aborts, also while its reader is busy', async () => {
  await withHangingPage('short', async ({ config }) => {
    const controller = new AbortController();
    const busy = deferred();
    const stuck = new Writable({ objectMode: true, highWaterMark: 1, write: () => busy.resolve() });
    const piping = pipeline(extract(config).readable({ signal: controller.signal }), stuck);
    await busy.promise;
    controller.abort('enough');
    const error = await rejection(piping, 'ERR_ABORTED');
    assert.is(error.cause, 'enough');
  });
});

test(
  'fails with the error of the run',
  onNetwork({ 'GET /a': { status: 404 } }, async ({ dispatcher }) => {
    await rejection(
      extract(configOf([{ endpoint: 'a' }]), { dispatcher })
        .readable()
        .toArray(),
      'ERR_STATUS',
    );
  }),
);

test(
  'fails for an item that is null instead of ending there',
  onNetwork({ 'GET /a': [json([1, null, 2]), json([1, null, 2])] }, async ({ dispatcher }) => {
    const { readable } = extract(configOf([{ endpoint: 'a' }]), { dispatcher });
    await rejection(readable().toArray(), 'ERR_USAGE', /null/);
    assert.is(Buffer.concat(await readable({ as: 'bytes' }).toArray()).toString(), '1\nnull\n2\n');
  }),
);

test(
  'leaves when its reader has had enough',
  onNetwork({ 'GET /a': json(large('a', 3)) }, async ({ dispatcher }) => {
    const extraction = extract(configOf([{ endpoint: 'a' }]), { dispatcher });
    const stream = extraction.readable();
    for await (const _ of stream) break;
    await new Promise<void>((resolve) => stream.once('close', () => resolve()));
    assert.is(extraction.summary().jobs[0]?.stop, 'interrupted');
  }),
);

test('rejects an unknown form', () => {
  const { readable } = extract(configOf([{ endpoint: 'a' }]));
  // @ts-expect-error: no such form
  assert.throws(() => readable({ as: 'objects' }), /items, batches, bytes/);
});

test.run();
