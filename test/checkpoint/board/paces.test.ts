/** Paces: how many rows make a task of about five seconds. */
import { asyncScheduler } from 'rxjs';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { createPaces } from '../../../src/checkpoint/board/paces.js';

/** Paces of tasks that take as long as they say. */
function measured() {
  const paces = createPaces();
  const { now } = asyncScheduler;
  const task = (ms: number, count: number, children: readonly number[] = [0], name = 'a') => {
    let time = 0;
    asyncScheduler.now = () => time;
    try {
      const end = paces.begin({ name }, { job: 0, children, count });
      time += ms;
      end();
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

test('before a task was measured, a row takes as long as the page, and a task has 100 rows at most', () => {
  const { paces, rows } = measured();
  assert.is(paces.sizeOf({ name: 'a' }).least, 20);
  assert.equal([rows(200), rows(7000), rows(0), rows(40)], [25, 1, 100, 100]);
});

test('tasks have as many rows as take five seconds', () => {
  const { task, rows } = measured();
  task(1000, 100);
  assert.is(rows(200), 500);
  task(3000, 100);
  assert.is(rows(200), 250, 'the mean of the last one and those before it');
  task(0, 1);
  task(0, 1);
  for (let count = 0; count < 9; count += 1) task(0, 1);
  assert.is(rows(200), 10_000);
});

test('each child job and each run has a pace of its own', () => {
  const { task, rows } = measured();
  task(500, 1, [0]);
  task(50, 1, [0, 1]);
  assert.equal([rows(1000, [0]), rows(1000, [0, 1]), rows(1000, [1]), rows(1000, [0], 'b')], [10, 100, 5, 5]);
});

test('the paces that were measured longest ago are forgotten', () => {
  const { task, rows } = measured();
  task(500, 1, [0], 'old');
  for (let run = 0; run < 999; run += 1) task(50, 1, [0], `run ${run}`);
  assert.is(rows(1000, [0], 'old'), 10);
  task(50, 1, [0], 'last');
  assert.equal([rows(1000, [0], 'old'), rows(1000, [0], 'last')], [5, 100]);
});

test.run();
