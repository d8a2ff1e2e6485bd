import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Activity } from '../../../src/page/progress.js';
import { describeState } from '../../../src/tools/live/state.js';
import { activityOf, doneRow, runningRow, waitingRow } from './activities.js';

const at = (activity: Activity, quietMs = 0) =>
  describeState(runningRow('users', { activity: { ...activity, quietMs } }));

const cases: readonly (readonly [activity: Activity, quietMs: number, long: string, short: string])[] = [
  [activityOf('login'), 0, 'login', 'login'],
  [activityOf('login'), 3000, 'login, 3 s', 'login, 3 s'],
  [activityOf('turn'), 0, 'its turn', 'its turn'],
  [activityOf('answer', { page: 12 }), 1999, 'response to page 13', 'response'],
  [activityOf('answer', { page: 12 }), 2000, 'response to page 13, 2 s', 'response, 2 s'],
  [activityOf('answer'), 100_000, 'response to page 1, 1:40', 'response, 1:40'],
  [activityOf('page', { received: 12_400_000 }), 0, 'page 1, 12.4 MB so far', 'page, 12.4 MB'],
  [activityOf('page', { received: 512 }), 5000, 'page 1, 512 B so far, 5 s', 'page, 512 B, 5 s'],
  [activityOf('sink'), 0, 'sink', 'sink'],
  [activityOf('sink', { bytes: 1_200_000 }), 3000, 'sink, 1.2 MB unconfirmed, 3 s', 'sink, 3 s'],
  [activityOf('limit'), 0, 'limit', 'limit'],
  [activityOf('limit'), 12_000, 'limit, 12 s', 'limit, 12 s'],
  [activityOf('limit', { ms: 90_000 }), 500, 'limit, 90 s left', 'limit, 90 s left'],
  [activityOf('limit', { ms: 90_000 }), 89_500, 'limit, 1 s left', 'limit, 1 s left'],
  [activityOf('retry', { ms: 4000 }), 0, 'retry of page 1 in 4 s', 'retry in 4 s'],
  [activityOf('retry', { ms: 4000 }), 1, 'retry of page 1 in 4 s', 'retry in 4 s'],
  [activityOf('retry', { ms: 4000 }), 3500, 'retry of page 1 in 1 s', 'retry in 1 s'],
  [activityOf('retry', { ms: 4000 }), 4500, 'retry of page 1 in 0 s', 'retry in 0 s'],
  [activityOf('retry', { ms: 3_600_000 }), 0, 'retry of page 1 in 1:00:00', 'retry in 1:00:00'],
];

for (const [activity, quietMs, long, short] of cases) {
  test(`${activity.state} after ${quietMs} ms is "${long}", or "${short}"`, () => {
    const { texts, tone } = at(activity, quietMs);
    assert.equal(texts.slice(0, 2), [long, short]);
    assert.is(tone, activity.ms !== undefined ? 'attention' : 'plain');
  });
}

test('a stalled page says so where there is no room for its size', () => {
  assert.is(at(activityOf('page', { received: 12_400_000 }), 5000).texts.at(-1), 'page, 5 s');
});

test('a job that has not begun waits for its turn; a finished one shows its reason', () => {
  assert.equal(describeState(waitingRow('users')), { texts: ['its turn', 'its turn'], tone: 'faint' });
  assert.equal(describeState(doneRow('users')), { texts: ['done: an empty page', 'done'], tone: 'good' });
});

test('between two pages nothing is shown, except for a job whose children are walked', () => {
  const { activity, ...row } = runningRow('users');
  assert.ok(activity);
  assert.equal(describeState(row).texts, ['', '']);
  assert.equal(describeState({ ...row, hasChildren: true }).texts, ['its children', 'its children']);
});

test.run();
