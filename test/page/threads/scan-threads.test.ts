/** Which pages get a thread, and when one starts. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Notice } from '../../../src/core/model/notice.js';
import type { ScanThread } from '../../../src/page/threads/scan-thread.js';
import {
  areScanThreads,
  createScanThreads,
  createThreads,
  type ThreadRules,
  threadRules,
} from '../../../src/page/threads/scan-threads.js';
import type { ThreadScan } from '../../../src/page/threads/thread-scan.js';
import { defaults } from '../scanner-run.js';
import { localThread } from './lib.js';

const rules: ThreadRules = { most: 1, fromBytes: 100, startBytes: 250, waitBytes: 1000 };

/** Threads that the test starts, fills and ends. */
function setUp(given: Partial<ThreadRules> = {}) {
  const notices: Notice[] = [];
  const started: { run(): void; die(reason: string): void; active: number; isClosed: boolean }[] = [];
  const start = (onEnd: (reason: string) => void): ScanThread => {
    let isRunning = false;
    let settle = () => {};
    const begun = new Promise<void>((resolve) => {
      settle = resolve;
    });
    const thread = {
      active: 0,
      isClosed: false,
      run() {
        isRunning = true;
        settle();
      },
      die(reason: string) {
        isRunning = false;
        onEnd(reason);
        settle();
      },
    };
    started.push(thread);
    return {
      started: begun,
      hasRoom: () => isRunning && thread.active < 2,
      active: () => thread.active,
      start(options): ThreadScan {
        thread.active += 1;
        return localThread().start(options);
      },
      async close() {
        thread.isClosed = true;
      },
    };
  };
  const threads = createThreads({ ...rules, ...given }, { notify: (notice) => notices.push(notice), start });
  return { threads, started, notices };
}

test('small bodies get no thread, and start none', () => {
  const { threads, started } = setUp();
  for (let body = 0; body < 100; body += 1) assert.is(threads.choose(99), undefined);
  assert.is(started.length, 0);
});

test('a thread starts after enough bytes, and is used once it runs', () => {
  const { threads, started } = setUp();
  assert.equal([threads.choose(100), threads.choose(100), started.length], [undefined, undefined, 0]);
  assert.equal([threads.choose(100), threads.choose(100), started.length], [undefined, undefined, 1]);
  started[0]?.run();
  assert.type(threads.choose(100), 'function');
  assert.is(threads.choose(99), undefined);
});

test('a huge body waits for the thread', async () => {
  const { threads, started } = setUp();
  const waiting = threads.choose(1000);
  assert.instance(waiting, Promise);
  started[0]?.run();
  assert.type(await waiting, 'function');
});

test('a second thread starts when the first is at work, and the freest gets the page', async () => {
  const { threads, started } = setUp({ most: 2, startBytes: 0 });
  threads.choose(100);
  started[0]?.run();
  const first = await threads.choose(100);
  assert.is(started.length, 1);
  first?.(defaults);
  threads.choose(100);
  assert.is(started.length, 2);
  started[1]?.run();
  const second = await threads.choose(100);
  second?.(defaults);
  assert.equal(
    started.map(({ active }) => active),
    [1, 1],
  );
});

test('a thread without room leaves the page to the main thread', async () => {
  const { threads, started } = setUp({ startBytes: 0 });
  threads.choose(100);
  started[0]?.run();
  const start = await threads.choose(100);
  assert.ok(start?.(defaults));
  assert.ok(start?.(defaults));
  assert.is(start?.(defaults), undefined);
  assert.is(threads.choose(100), undefined);
});

test('after a thread has died, none starts again, with one notice', async () => {
  const { threads, started, notices } = setUp({ startBytes: 0 });
  const waiting = threads.choose(1000);
  started[0]?.die('no memory');
  assert.is(await waiting, undefined);
  assert.is(await threads.choose(1000), undefined);
  assert.equal(
    [started.length, notices],
    [
      1,
      [
        {
          level: 'info',
          code: 'no-scan-thread',
          message: 'large pages are scanned in the main thread, as a thread ended: no memory',
        },
      ],
    ],
  );
});

test('closing ends the threads, and none starts after it', async () => {
  const { threads, started } = setUp({ startBytes: 0 });
  threads.choose(100);
  await threads.close();
  assert.is(started[0]?.isClosed, true);
  threads.choose(100);
  assert.is(started.length, 1);
});

test('the option counts the main thread; without it a second processor is needed', () => {
  assert.is(threadRules(1, 8).most, 0);
  assert.equal([threadRules(2, 1).most, threadRules(4, 1).most], [1, 3]);
  assert.equal([threadRules(undefined, 3).most, threadRules(undefined, 4).most], [0, 1]);
  assert.ok(threadRules(undefined, 4).startBytes > threadRules(2).startBytes);
});

test('numbers that are not valid are refused', () => {
  for (const threads of [0, 1.5, 65])
    assert.throws(() => createScanThreads({ threads }), /^threads: expected a whole number from 1 to 64/);
  assert.throws(() => createScanThreads({ fromBytes: -1 }), /^fromBytes: expected a number of bytes/);
});

test('threads of the caller are known from other objects', async () => {
  const threads = createScanThreads();
  if (!areScanThreads(threads)) throw new Error('not known');
  assert.equal([areScanThreads({}), areScanThreads(undefined)], [false, false]);
  assert.is(threads.choose(1), undefined);
  await threads.close();
});

test.run();
