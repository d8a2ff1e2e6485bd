/** Pages whose scan is in another thread, against the same pages without: results, failures, rollbacks. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Sink } from '../../../sinks/contract.js';
import { memory, ndjson } from '../../../sinks/index.js';
import type { Envelope } from '../../../src/core/model/page.js';
import { type ByteSource, sourceOf } from '../../../src/core/util/byte-source.js';
import type { PageRead } from '../../../src/page/page-result.js';
import { type PageOptions, readPage } from '../../../src/page/read-page.js';
import { type ScanThread, startScanThread } from '../../../src/page/threads/scan-thread.js';
import { createRandom } from '../../fuzz/random.js';
import { calm, inFolder, pageEnd, rejection } from '../../sinks/lib.js';
import { failure } from '../../support/failure.js';
import { pageOptions, writerOf } from '../lib.js';
import { randomPage } from './lib.js';

const seed = Number(process.env.FC_SEED ?? Math.floor(Math.random() * 2 ** 31));
console.log(`seed ${seed} (set FC_SEED to repeat)`);

let thread: ScanThread;
test.before(async () => {
  thread = startScanThread((reason) => {
    throw new Error(reason);
  });
  await thread.started;
});
test.after(() => thread.close());

const inThread = (options: Partial<PageOptions> = {}): PageOptions => ({
  ...pageOptions,
  startThread: (scanning, early) => thread.start(scanning, early),
  ...options,
});

const read = (body: ByteSource, sink: Sink, options: Partial<PageOptions> = {}): Promise<PageRead> =>
  readPage(body, writerOf({ sink }), inThread(options));

/** A source whose chunks come in turns of the loop, and that can be left. */
function leaving(chunks: Iterable<Uint8Array>) {
  const seen = { given: 0, isLeft: false };
  const left = new Error('the rest is not wanted');
  const source: ByteSource = {
    async read(take) {
      for (const chunk of chunks) {
        if (seen.isLeft) throw left;
        seen.given += 1;
        await take(chunk);
        await new Promise(setImmediate);
      }
      while (!seen.isLeft) await new Promise(setImmediate);
      throw left;
    },
  };
  const leave = () => {
    seen.isLeft = true;
  };
  return { source, seen, leave };
}

test('random pages give the same results and items', async () => {
  for (let number = 0; number < 80; number += 1) {
    const { chunks, options } = randomPage(createRandom(seed + number));
    const { dataField, batchBytes, fingerprint } = options;
    const captures = options.captures.map((segments) => ({ text: segments.join('.'), segments }));
    const shared = { dataField, batchBytes, fingerprint, captures };
    const isOpenEnded = number % 2 === 0;
    const outcomes = [{ ...pageOptions, ...shared, isOpenEnded }, inThread({ ...shared, isOpenEnded })].map(
      async (each) => {
        const sink = memory();
        const result = await readPage(sourceOf(chunks), writerOf({ sink }), each).catch((error) => ({
          error: [error.code, error.message, error.where],
        }));
        return [result, sink.items()];
      },
    );
    const [here, there] = await Promise.all(outcomes);
    assert.equal(there, here, `FC_SEED=${seed + number}`);
  }
});

test('a blank body is no body', async () => {
  const { found, count } = await read(sourceOf([Buffer.from(' \n')]), memory());
  assert.equal([found, count], ['no body', 0]);
});

test('other formats than JSON stay in the main thread', async () => {
  const refuse = () => {
    throw new Error('no thread');
  };
  const sink = memory();
  const options = { contentType: 'application/x-ndjson', startThread: refuse };
  await read(sourceOf([Buffer.from('{"id":1}\n')]), sink, options);
  assert.equal(sink.items(), [{ id: 1 }]);
});

test('if no thread has room, the page is scanned here', async () => {
  const sink = memory();
  await read(sourceOf([Buffer.from('[1]')]), sink, { startThread: () => undefined });
  assert.equal(sink.items(), [1]);
});

test('memory of one page is used again by the next, and no item changes', async () => {
  const sink = memory();
  for (let page = 0; page < 20; page += 1) {
    await read(sourceOf([Buffer.from(JSON.stringify([page, `page ${page}`]))]), sink, { batchBytes: 1 << 20 });
    await sink.commit?.(pageEnd('people'), calm);
  }
  assert.equal(sink.items(), Array.from({ length: 20 }, (_, page) => [page, `page ${page}`]).flat());
});

test(
  'files get the memory itself, and hold the same',
  inFolder(async (dir) => {
    const sink = ndjson(dir);
    const text = 'x'.repeat(100_000);
    for (let page = 0; page < 20; page += 1) {
      await read(sourceOf([Buffer.from(JSON.stringify([page, text]))]), sink, { batchBytes: 1 << 20 });
      await sink.commit?.(pageEnd('people'), calm);
    }
    await sink.close();
    const { readFile } = await import('node:fs/promises');
    const expected = Array.from({ length: 20 }, (_, page) => `${page}\n"${text}"\n`).join('');
    assert.is(await readFile(`${dir}/people.ndjson`, 'utf8'), expected);
  }),
);

test('a page that equals the one before is repeated, and held back', async () => {
  const body = () => sourceOf([Buffer.from('{"data":[{"id":1},{"id":2},{"id":3}]}')]);
  const sink = memory();
  const first = await read(body(), sink);
  await sink.commit?.(pageEnd('people'), calm);
  const again = await read(body(), sink, { previous: first.chain });
  assert.equal([again.repeated, again.count, sink.items().length], [true, 0, 3]);
  const other = Buffer.from('{"data":[{"id":1},{"id":2},{"id":4}]}');
  const changed = await read(sourceOf([other]), sink, { previous: first.chain });
  assert.equal([changed.repeated, changed.count, sink.items().length], [false, 3, 6]);
});

test('a sink that fails ends the body, also while nothing arrives', async () => {
  const { source, seen, leave } = leaving([Buffer.from('["a long enough item", 1')]);
  const write = async () => {
    throw new Error('disk full');
  };
  await rejection(read(source, { ...memory(), write }, { leave }), 'ERR_SINK', /disk full/);
  assert.equal([seen.given, seen.isLeft], [1, true]);
});

test('a document that is not JSON ends the body, also while nothing arrives', async () => {
  const { source, seen, leave } = leaving([Buffer.from('["a long enough item", ?')]);
  const sink = memory();
  const { code, where } = await rejection(read(source, sink, { leave }), 'ERR_JSON');
  assert.equal([code, where.offset, seen.isLeft], ['ERR_JSON', 23, true]);
  assert.equal(sink.items(), []);
});

test('a source that cannot be left fails at its next chunk', async () => {
  let given = 0;
  async function* endless() {
    for (;;) {
      given += 1;
      yield Buffer.from('?');
      await new Promise(setImmediate);
    }
  }
  await rejection(read(sourceOf(endless()), memory()), 'ERR_JSON');
  assert.ok(given > 0);
});

/** Chunks, then a fault of the connection. */
async function* cut(...chunks: readonly string[]) {
  for (const chunk of chunks) yield Buffer.from(chunk);
  throw Object.assign(new Error('reset'), { code: 'ECONNRESET' });
}

test('a body that fails is rolled back after its items so far were written', async () => {
  const order: string[] = [];
  let items = 0;
  const sink: Sink = {
    ...memory(),
    async write({ count }) {
      await new Promise(setImmediate);
      items += count;
      order.push('write');
    },
    rollback: () => void order.push('rollback'),
  };
  const { message } = await failure(read(sourceOf(cut('["a long enough item",', '"another long one",')), sink));
  assert.is(message, 'reset');
  assert.equal([items, order.at(0), order.at(-1)], [2, 'write', 'rollback']);
});

test('a fault in the bytes before comes before that of the connection', async () => {
  await rejection(read(sourceOf(cut('["a long enough item", ?')), memory()), 'ERR_JSON');
});

test('a sink that fails after the body has failed comes first', async () => {
  const write = async () => {
    await new Promise(setImmediate);
    throw new Error('disk full');
  };
  await rejection(read(sourceOf(cut('["a long enough item",')), { ...memory(), write }), 'ERR_SINK');
});

test('captured values are reported while the body still arrives, once', async () => {
  const captures = ['next', 'total', 'after'].map((text) => ({ text, segments: [text] }));
  const seen: unknown[] = [];
  let tell = () => {};
  const found = new Promise<void>((resolve) => {
    tell = resolve;
  });
  async function* waiting() {
    yield Buffer.from('{"next":"c1",');
    yield Buffer.from('"total":7,"data":[1');
    await found;
    yield Buffer.from('],"after":1}');
  }
  const onFound = (envelope: Envelope) => {
    seen.push([...envelope].map(([name, { value }]) => [name, String(value)]));
    tell();
  };
  await read(sourceOf(waiting()), memory(), { captures, early: { count: 2, onFound } });
  assert.equal(seen, [
    [
      ['next', 'c1'],
      ['total', '7'],
    ],
  ]);
  await read(sourceOf([Buffer.from('[]')]), memory(), { captures, early: { count: 2, onFound } });
  assert.is(seen.length, 1);
  await read(sourceOf([Buffer.from('[]')]), memory(), { captures, early: { count: 0, onFound } });
  assert.equal(seen[1], []);
});

test('an incomplete document of an open-ended body can be asked for again', async () => {
  const { where } = await rejection(
    read(sourceOf([Buffer.from('[1,2')]), memory(), { isOpenEnded: true }),
    'ERR_BODY_CUT',
  );
  assert.is(where.transport, 18);
});

test.run();
