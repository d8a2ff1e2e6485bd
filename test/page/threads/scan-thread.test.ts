/** One real worker thread: its start, its scans side by side, its end and its death. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { type ScanThread, startScanThread } from '../../../src/page/threads/scan-thread.js';
import { createRandom } from '../../fuzz/random.js';
import { rejection } from '../../sinks/lib.js';
import { defaults } from '../scanner-run.js';
import { type RandomPage, randomPage, type Seen, seenHere, seenIn } from './lib.js';

const seed = Number(process.env.FC_SEED ?? Math.floor(Math.random() * 2 ** 31));
console.log(`seed ${seed} (set FC_SEED to repeat)`);

const unexpected = (reason: string): never => {
  throw new Error(`the thread ended: ${reason}`);
};

/** A started thread, closed at the end. */
async function withThread(work: (thread: ScanThread) => Promise<void>): Promise<void> {
  const thread = startScanThread(unexpected);
  await thread.started;
  try {
    await work(thread);
    assert.is(thread.active(), 0);
  } finally {
    await thread.close();
  }
}

/** Pages whose failures do not depend on chunks. */
const pages = (count: number): readonly RandomPage[] =>
  Array.from({ length: count }, (_, number) => {
    const page = randomPage(createRandom(seed + number));
    return { ...page, options: { ...page.options, maxItemBytes: 1 << 20, maxCaptureBytes: 1 << 16 } };
  });

function same(there: Seen, page: RandomPage, number: number): void {
  const here = seenHere(page);
  assert.equal(there.end, here.end, `FC_SEED=${seed + number}`);
  if (!('code' in Object(here.end))) assert.is(there.items, here.items, `FC_SEED=${seed + number}`);
}

test('scans one page after the other as the main thread does', () =>
  withThread(async (thread) => {
    for (const [number, page] of pages(60).entries()) same(await seenIn(thread, page), page, number);
  }));

test('scans eight pages at once, at the pace of each', () =>
  withThread(async (thread) => {
    const waiting = [...pages(48).entries()];
    const lane = async (turns: number) => {
      for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
        const [number, page] = next;
        same(await seenIn(thread, page, { turns }), page, number);
      }
    };
    await Promise.all([0, 1, 2, 3, 0, 5, 8, 13].map(lane));
  }));

const large = Buffer.from(
  JSON.stringify(Array.from({ length: 40_000 }, (_, id) => ({ id, name: 'a name of an item' }))),
);

test('a page that no one reads does not hold up the others, nor does memory grow', () =>
  withThread(async (thread) => {
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    const slow = thread.start({ ...defaults, batchBytes: 1000 });
    let taken = 0;
    slow.connect(
      () => {
        taken += 1;
        return held;
      },
      () => undefined,
    );
    let isFull = true;
    const feeding = Promise.resolve(slow.feed(large)).then(() => {
      isFull = false;
    });
    const page = { body: large, chunks: [large], options: defaults };
    for (let number = 0; number < 5; number += 1) same(await seenIn(thread, page), page, number);
    assert.equal([isFull, taken], [true, 1]);
    release();
    await feeding;
    await slow.end();
    assert.is(slow.count, 40_000);
    slow.dispose();
  }));

test('a scan that is dropped in the middle leaves its lane', () =>
  withThread(async (thread) => {
    for (let number = 0; number < 20; number += 1) {
      const scan = thread.start(defaults);
      scan.connect(
        () => undefined,
        () => undefined,
      );
      scan.feed(large.subarray(0, 100_000));
      scan.dispose();
      await new Promise(setImmediate);
    }
    const page = { body: large, chunks: [large], options: defaults };
    same(await seenIn(thread, page), page, 0);
  }));

/** Starts the text of a module as a thread. */
const startModule = (text: string, onEnd: (reason: string) => void): ScanThread =>
  startScanThread(onEnd, new URL(`data:text/javascript,${encodeURIComponent(text)}`));

test('a thread that cannot start takes nothing, and says why', async () => {
  const reasons: string[] = [];
  const thread = startModule('throw new Error("no memory")', (reason) => reasons.push(reason));
  await thread.started;
  assert.equal([thread.hasRoom(), reasons], [false, ['no memory']]);
  await thread.close();
});

const dying = (what: string) => `import { parentPort } from 'node:worker_threads';
parentPort.postMessage('ready');
parentPort.on('message', () => { ${what} });`;

for (const [what, reason] of [
  ['throw new Error("out of memory")', 'out of memory'],
  ['process.exit(1)', 'it has ended'],
] as const) {
  test(`the pages of a thread that dies fail: ${what}`, async () => {
    const reasons: string[] = [];
    const thread = startModule(dying(what), (each) => reasons.push(each));
    await thread.started;
    const scans = [thread.start(defaults), thread.start(defaults)] as const;
    let left = 0;
    for (const scan of scans) {
      scan.connect(
        () => undefined,
        () => {
          left += 1;
        },
      );
    }
    const pending = (async () => scans[0].feed(Buffer.alloc(1 << 20)))();
    const message = new RegExp(`the thread that scans pages ended: ${reason}.*--threads 1`);
    await rejection(pending, 'ERR_INTERNAL', message);
    await rejection(scans[1].end(), 'ERR_INTERNAL', message);
    assert.equal([reasons, left, thread.hasRoom()], [[reason], 1, false]);
    await thread.close();
  });
}

test('a thread can be closed at any time, and more than once', async () => {
  const starting = startScanThread(unexpected);
  await Promise.all([starting.close(), starting.close()]);
  assert.is(starting.hasRoom(), false);
  const running = startScanThread(unexpected);
  await running.started;
  await Promise.all([running.close(), running.close()]);
  await running.close();
  assert.is(running.hasRoom(), false);
});

test.run();
