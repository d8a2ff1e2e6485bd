/** When a log shows progress, in virtual time. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { DisplayRow } from '../../../src/tools/live/model.js';
import { createProgressLog, type ProgressLog } from '../../../src/tools/live/progress-log.js';
import { receiptOf } from '../../cli/receipts.js';
import { startClock, type VirtualClock } from '../../support/virtual-clock.js';

interface Scene {
  readonly log: ProgressLog;
  readonly clock: VirtualClock;
  readonly stops: { users: string };
  /** `job pages items rate share leftMs` of each row that was written, since it was read last. */
  written(): readonly string[];
  readonly tasks: readonly string[];
}

const start = 1e12;

function onClock(play: (scene: Scene) => void, isTimed = true): () => void {
  return () => {
    const clock = startClock();
    const rows: DisplayRow[] = [];
    const stops = { users: 'running' };
    const tasks: string[] = [];
    const log = createProgressLog((row) => void rows.push(row), {
      isTimed,
      writeTasks: (text) => void tasks.push(text),
    });
    log.onReceipt(receiptOf(0), start);
    log.show(() => [
      { job: 'users', stop: stops.users },
      { job: 'orders', stop: 'not started' },
    ]);
    const written = () =>
      rows
        .splice(0)
        .map(({ name, pages, items, rate, share, leftMs }) =>
          [name, pages, items, rate, share, leftMs].join(' ').trim(),
        );
    try {
      play({ log, clock, stops, written, tasks });
    } finally {
      log.end();
      clock.stop();
    }
  };
}

const outlook = { job: 'users', index: 0, items: 1000, itemsLeft: 9000, pagesLeft: Number.POSITIVE_INFINITY };

test(
  'a run that is done within 10 seconds has none',
  onClock(({ log, clock, written }) => {
    log.onReceipt(receiptOf(0), start);
    clock.pass(9999);
    log.end();
    clock.pass(60_000);
    assert.equal(written(), []);
  }),
);

test(
  'each job that runs is shown every 10 seconds, also while no page arrives',
  onClock(({ log, clock, stops, written }) => {
    log.onReceipt(receiptOf(0), start);
    clock.pass(10_000);
    assert.equal(written(), ['users 1 1000 100']);
    log.onReceipt(receiptOf(1), start + 10_000);
    clock.pass(10_000);
    assert.equal(written(), ['users 2 2000 100']);
    clock.pass(10_000);
    assert.equal(written(), ['users 2 2000 0']);
    stops.users = 'an empty page';
    clock.pass(10_000);
    assert.equal(written(), []);
  }),
);

test(
  'what is left is estimated from the first page on',
  onClock(({ log, clock, written }) => {
    log.onOutlook(outlook);
    log.onReceipt(receiptOf(0), start);
    clock.pass(5000);
    log.onOutlook({ ...outlook, index: 1, items: 2000, itemsLeft: 8000 });
    log.onReceipt(receiptOf(1), start + 5000);
    clock.pass(5000);
    assert.equal(written(), ['users 2 2000 200 0.2 80000']);
  }),
);

test(
  'beside a recording there is no timer: the first page after 10 seconds shows it',
  onClock(({ log, clock, written }) => {
    clock.pass(60_000);
    assert.equal(written(), []);
    log.onReceipt(receiptOf(0), start + 9999);
    assert.equal(written(), []);
    log.onReceipt(receiptOf(1), start + 10_000);
    assert.equal(written(), ['users 2 2000']);
    log.onReceipt(receiptOf(2), start + 19_999);
    assert.equal(written(), []);
    log.onReceipt(receiptOf(3), start + 20_000);
    assert.equal(written(), ['users 4 4000 200']);
  }, false),
);

test(
  'of a shared run the counts of its jobs are shown, its tasks and its workers',
  onClock(({ log, clock, written, tasks }) => {
    const progress = {
      totals: [{ job: 'users', pages: 3, items: 30, bytes: 90, retries: 1 }],
      tasks: { ready: 12, leased: 3, done: 1310, failed: 1 },
      workers: [
        { name: 'host-a/1', tasks: 2 },
        { name: 'host-b/2', tasks: 1 },
      ],
    };
    log.onShared(progress);
    clock.pass(10_000);
    assert.equal(written(), ['users 3 30 3']);
    const workers = Array.from({ length: 12 }, (_, index) => ({ name: `w${index}`, tasks: 1 }));
    log.onShared({ ...progress, tasks: { ready: 1, leased: 0, done: 0, failed: 0 }, workers: [] });
    clock.pass(10_000);
    log.onShared({ ...progress, workers });
    clock.pass(10_000);
    assert.equal(tasks, [
      '1,310 of 1,326 tasks done, 3 at work, 12 ready, 1 failed; 2 workers: host-a/1, host-b/2',
      '0 of 1 task done, 1 ready; no worker has one',
      '1,310 of 1,326 tasks done, 3 at work, 12 ready, 1 failed; 12 workers: w0, w1, w2, w3, w4, w5, w6, w7, w8, w9 and 2 more',
    ]);
  }),
);

test.run();
