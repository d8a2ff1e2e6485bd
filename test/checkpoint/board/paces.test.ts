/** Paces: how many rows make a task of about five seconds. */
import { asyncScheduler } from 'rxjs';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { createPaces } from '../../../src/checkpoint/board/paces.js';

/** Paces of tasks that take as long as they say. */
function measured() {
  const paces = createPaces();
  const { now } = asyncScheduler;
  const task = (row: number, count: number, { children = [0], name = 'a', start = 0 } = {}) => {
    let time = 0;
    asyncScheduler.now = () => time;
    try {
      const measure = paces.begin({ name }, { job: 0, children, count });
      time += start;
      for (let page = 0; page < count; page += 1) {
        time += row;
        measure.page();
      }
      measure.done();
    } finally {
      asyncScheduler.now = now;
    }
  };
  const rows = (pageMs: number, children: readonly number[] = [0], name = 'a') =>
    paces.sizeOf({ name }).rowsOf(0, children, pageMs);
  return { paces, task, rows };
}

test('a run can say how many rows a task has: a page below a row with less than half of them is no task', () => {
  const { least, rowsOf } = createPaces().sizeOf({ name: 'a', block: 25 });
  assert.equal([least, rowsOf(0, [1], 60_000)], [12.5, 25]);
});

test('before a task was measured, a row takes as long as the page, and a task has 10 to 100 rows', () => {
  const { paces, rows } = measured();
  assert.is(paces.sizeOf({ name: 'a' }).least, 20);
  assert.equal([rows(200), rows(7000), rows(0), rows(40)], [25, 10, 100, 100]);
});

test('tasks have as many rows as take five seconds', () => {
  const { task, rows } = measured();
  task(10, 100);
  assert.is(rows(200), 500);
  task(30, 100);
  assert.is(rows(200), 250, 'the mean of the last one and those before it');
  for (let count = 0; count < 12; count += 1) task(0, 2);
  assert.is(rows(200), 10_000);
  for (let count = 0; count < 12; count += 1) task(9000, 2);
  assert.is(rows(200), 1);
});

test('what a task needs to start is no time of its rows, unless it has one row', () => {
  const { task, rows } = measured();
  task(50, 3, { start: 900 });
  assert.is(rows(200), 100);
  task(50, 1, { start: 900, name: 'b' });
  assert.is(rows(200, [0], 'b'), 5);
});

test('each child job and each run has a pace of its own', () => {
  const { task, rows } = measured();
  task(500, 2, { children: [0] });
  task(50, 2, { children: [0, 1] });
  assert.equal([rows(250, [0]), rows(250, [0, 1]), rows(250, [1]), rows(250, [0], 'b')], [10, 100, 20, 20]);
});

test('the paces that were measured longest ago are forgotten', () => {
  const { task, rows } = measured();
  task(1000, 2, { name: 'old' });
  for (let run = 0; run < 999; run += 1) task(50, 2, { name: `run ${run}` });
  assert.is(rows(250, [0], 'old'), 5);
  task(50, 2, { name: 'last' });
  assert.equal([rows(250, [0], 'old'), rows(250, [0], 'last')], [20, 100]);
});

test.run();
