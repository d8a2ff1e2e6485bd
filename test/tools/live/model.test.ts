import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Outlook } from '../../../src/core/model/outlook.js';
import { createModel, type DisplayRow } from '../../../src/tools/live/model.js';
import { receiptOf } from '../../cli/receipts.js';
import { activityOf } from './activities.js';

const start = 1_000_000;
const only = (rows: readonly DisplayRow[]): DisplayRow => {
  const [row] = rows;
  if (row === undefined) throw new Error('there is no row');
  return row;
};

test('jobs are in listed order and wait until their first event', () => {
  const board = createModel([{ job: 'users' }, { job: 'orders' }]);
  board.onActivity(activityOf('answer', { job: 'orders' }), start);
  assert.equal(
    board.rows(start + 500).map(({ name, phase, elapsedMs }) => [name, phase, elapsedMs]),
    [
      ['users', 'waiting', undefined],
      ['orders', 'running', 500],
    ],
  );
});

test('a page counts while it arrives, once', () => {
  const board = createModel([{ job: 'users' }]);
  board.onReceipt(receiptOf(0), start);
  board.onActivity(activityOf('sink', { page: 1, items: 300, bytes: 9000 }), start);
  assert.equal(pick(only(board.rows(start))), [1, 1300, 349_000]);
  board.onReceipt(receiptOf(1), start);
  assert.equal(pick(only(board.rows(start))), [2, 2000, 680_000]);
});

test('rolled back items no longer count', () => {
  const board = createModel([{ job: 'users' }]);
  board.onActivity(activityOf('sink', { items: 300, bytes: 9000 }), start);
  board.onActivity(activityOf('retry', { ms: 4000 }), start);
  assert.equal(pick(only(board.rows(start))), [0, 0, 0]);
});

test('a page that repeats the one before it is no page', () => {
  const board = createModel([{ job: 'users' }]);
  board.onReceipt(receiptOf(0, { delivered: false, count: 0, bytes: 0, stop: 'a repeat' }), start);
  assert.equal(pick(only(board.rows(start))), [0, 0, 0]);
});

test('a retry counts when its wait begins, and not again with the receipt', () => {
  const board = createModel([{ job: 'users' }]);
  board.onActivity(activityOf('retry', { ms: 4000 }), start);
  board.onActivity(activityOf('retry', { ms: 8000 }), start + 4000);
  assert.is(only(board.rows(start)).retries, 2);
  board.onReceipt(receiptOf(0, { retries: 2 }), start + 13_000);
  assert.is(only(board.rows(start)).retries, 2);
  board.onActivity(activityOf('retry', { page: 1, ms: 4000 }), start + 14_000);
  assert.is(only(board.rows(start)).retries, 3);
});

test('the time since the last event is known', () => {
  const board = createModel([{ job: 'users' }]);
  board.onActivity(activityOf('answer'), start);
  assert.is(only(board.rows(start + 7000)).activity?.quietMs, 7000);
  board.onActivity(activityOf('page'), start + 7000);
  assert.is(only(board.rows(start + 7500)).activity?.quietMs, 500);
});

test('a finished job shows its reason, and its clock stops', () => {
  const board = createModel([{ job: 'users' }]);
  board.onActivity(activityOf('answer'), start);
  board.onReceipt(receiptOf(0, { stop: 'an empty page' }), start + 2000);
  assert.is(only(board.rows(start + 2000)).phase, 'running', 'a last page does not tell');
  board.settle([{ job: 'users', stop: 'an empty page' }], start + 2000);
  board.settle([{ job: 'users', stop: 'an empty page' }], start + 3000);
  const { phase, stop, elapsedMs, rate, activity } = only(board.rows(start + 60_000));
  assert.equal([phase, stop, elapsedMs, rate, activity], ['done', 'an empty page', 2000, 500, undefined]);
});

test('a job with children is known, and runs on after its last page', () => {
  const board = createModel([{ job: 'users' }, { job: 'orders', parent: 'users' }]);
  board.onReceipt(receiptOf(0, { stop: 'no pagination' }), start);
  board.onActivity(activityOf('answer', { job: 'orders' }), start);
  board.settle(
    [
      { job: 'users', stop: 'running' },
      { job: 'orders', stop: 'running' },
    ],
    start,
  );
  assert.equal(
    board.rows(start + 500).map(({ phase, hasChildren, elapsedMs }) => [phase, hasChildren, elapsedMs]),
    [
      ['running', true, 500],
      ['running', false, 500],
    ],
  );
});

test('a job with children ends when that is settled: their pages count for its time', () => {
  const board = createModel([{ job: 'users' }, { job: 'orders', parent: 'users' }]);
  board.onReceipt(receiptOf(0), start);
  board.settle([{ job: 'users', stop: 'an empty page' }], start + 5000);
  assert.equal(
    board.rows(start + 9000).map(({ name, elapsedMs, isChild }) => [name, elapsedMs, isChild]),
    [
      ['users', 5000, false],
      ['orders', undefined, true],
    ],
  );
});

test('a job that was never walked is done when that is settled, and one that begins anew runs again', () => {
  const board = createModel([{ job: 'orders' }]);
  const settle = (stop: string) => {
    board.settle([{ job: 'orders', stop }], start);
    return only(board.rows(start)).phase;
  };
  assert.equal(['not started', 'its parent had no items', 'running'].map(settle), ['waiting', 'done', 'running']);
});

/** Pages of so many items, one a second, each second sampled. */
function ratesOf(perSecond: readonly number[]): readonly (number | undefined)[] {
  const board = createModel([{ job: 'users' }]);
  board.onActivity(activityOf('answer'), start);
  return perSecond.map((count, index) => {
    const at = start + (index + 1) * 1000;
    board.onReceipt(receiptOf(index, { count }), at);
    board.sample(at);
    return only(board.rows(at)).rate;
  });
}

test('the rate is that of the last ten seconds', () => {
  assert.equal(ratesOf([100, 300]), [100, 200]);
  assert.equal(
    ratesOf([...Array(10).fill(100), ...Array(10).fill(300)]).slice(9, 20),
    [100, 120, 140, 160, 180, 200, 220, 240, 260, 280, 300],
  );
  assert.is(ratesOf([1000, ...Array(10).fill(0)]).at(-1), 0);
});

test('no rate is known before the first second, and none is below zero', () => {
  const board = createModel([{ job: 'users' }]);
  board.onActivity(activityOf('sink', { items: 500 }), start);
  assert.is(only(board.rows(start + 999)).rate, undefined);
  board.onActivity(activityOf('sink', { items: 5000 }), start + 5000);
  for (let second = 1; second <= 15; second += 1) board.sample(start + second * 1000);
  board.onActivity(activityOf('retry', { ms: 1000 }), start + 15_000);
  assert.is(only(board.rows(start + 15_000)).rate, 0);
});

const pick = ({ pages, items, bytes }: DisplayRow) => [pages, items, bytes];

/** After each page of 1,000 items, one a second. */
const outlookOf = (index: number, more: Partial<Outlook>): Outlook => ({
  ...{ job: 'users', index, items: (index + 1) * 1000 },
  ...{ itemsLeft: Number.POSITIVE_INFINITY, pagesLeft: Number.POSITIVE_INFINITY, ...more },
});

/** `share leftMs` after each page. */
function estimates(lefts: readonly Partial<Outlook>[]): readonly (readonly (number | undefined)[])[] {
  const board = createModel([{ job: 'users' }]);
  board.onActivity(activityOf('answer'), start);
  return lefts.map((left, index) => {
    const at = start + (index + 1) * 1000;
    board.onOutlook(outlookOf(index, left), at);
    board.onReceipt(receiptOf(index), at);
    board.sample(at);
    const { share, leftMs } = only(board.rows(at));
    return [share, leftMs];
  });
}

test('the share follows the items that are left, and the time left the speed since the first page', () => {
  assert.equal(estimates([9000, 8000, 7000, 6000].map((itemsLeft) => ({ itemsLeft }))), [
    [0.1, undefined],
    [0.2, undefined],
    [0.3, 7000],
    [0.4, 6000],
  ]);
});

test('pages that are left count where items are not known, and where they end sooner', () => {
  assert.equal(estimates([{ pagesLeft: 3 }]), [[0.25, undefined]]);
  assert.equal(estimates([{ pagesLeft: 3, itemsLeft: 9000 }]), [[0.25, undefined]]);
  assert.equal(estimates([{ pagesLeft: 3, itemsLeft: 0 }]), [[1, undefined]]);
});

test('without a known end there is no estimate, and a job that waits has no time left', () => {
  assert.equal(estimates([{}]), [[undefined, undefined]]);
  const board = createModel([{ job: 'users' }]);
  board.onOutlook(outlookOf(0, { itemsLeft: 9000 }), start);
  board.onReceipt(receiptOf(0), start);
  const { share, leftMs } = only(board.rows(start + 30_000));
  assert.equal([share, leftMs], [0.1, undefined]);
});

test('items of the next page count while it arrives', () => {
  const board = createModel([{ job: 'users' }]);
  board.onActivity(activityOf('sink', { items: 1000 }), start);
  board.onOutlook(outlookOf(0, { itemsLeft: 9000 }), start);
  assert.is(only(board.rows(start)).share, 0.1);
  board.onReceipt(receiptOf(0), start);
  board.onActivity(activityOf('sink', { page: 1, items: 500 }), start);
  assert.is(only(board.rows(start)).share, 0.15);
});

test('the time left follows the speed of the last minute', () => {
  const board = createModel([{ job: 'users' }]);
  for (let index = 0; index < 100; index += 1) {
    const at = start + (index < 20 ? index * 100 : 2000 + (index - 20) * 1000);
    board.onOutlook(outlookOf(index, { itemsLeft: (199 - index) * 1000 }), at);
    board.onReceipt(receiptOf(index), at);
    board.sample(at);
  }
  assert.is(only(board.rows(start + 81_000)).leftMs, 100_000);
});

test.run();
