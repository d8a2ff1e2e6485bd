import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { createTotals } from '../src/totals.js';
import type { Receipt } from '../src/types.js';

const jobs = [
  { name: 'users', dataType: 'people' },
  { name: 'orders', dataType: 'orders' },
];

const receipt: Receipt = {
  job: 'users',
  dataType: 'people',
  index: 0,
  count: 3,
  bytes: 30,
  delivered: true,
  requests: 2,
  retries: 1,
};

const none = { requests: 0, pages: 0, items: 0, bytes: 0, retries: 0 };

test('lists every job from the start', () => {
  assert.equal(createTotals(jobs).jobs(), [
    { job: 'users', dataType: 'people', ...none, stop: 'not started' },
    { job: 'orders', dataType: 'orders', ...none, stop: 'not started' },
  ]);
});

test('adds up receipts; a page that was not delivered counts with its request alone', () => {
  const totals = createTotals(jobs);
  totals.start('users');
  totals.add(receipt);
  assert.is(totals.jobs()[0]?.stop, 'running');
  totals.add({ ...receipt, index: 1, count: 0, bytes: 0, delivered: false, stop: 'repeated' });
  const sums = { requests: 4, pages: 1, items: 3, bytes: 30, retries: 2, stop: 'repeated' };
  assert.equal(totals.jobs()[0], { job: 'users', dataType: 'people', ...sums });
  assert.is(totals.jobs()[1]?.requests, 0);
});

test('adds what a page cost that came to nothing', () => {
  const totals = createTotals(jobs);
  totals.start('users');
  totals.lose('users', { requests: 11, retries: 10 });
  const sums = { ...none, requests: 11, retries: 10, stop: 'running' };
  assert.equal(totals.jobs()[0], { job: 'users', dataType: 'people', ...sums });
});

test('halts the jobs that were running, and no others', () => {
  const totals = createTotals([...jobs, { name: 'items', dataType: 'items' }]);
  totals.start('users');
  totals.start('orders');
  totals.add({ ...receipt, stop: 'a short page' });
  totals.halt('failed');
  totals.halt('interrupted');
  assert.equal(
    totals.jobs().map(({ stop }) => stop),
    ['a short page', 'failed', 'not started'],
  );
});

test('hands out what does not change any more', () => {
  const totals = createTotals(jobs);
  const before = totals.jobs();
  totals.add(receipt);
  assert.is(before[0]?.items, 0);
});

test('ignores a job that it does not know', () => {
  const totals = createTotals([]);
  totals.add(receipt);
  assert.equal(totals.jobs(), []);
});

test.run();
