import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { createProgress } from '../../src/cli/progress.js';
import { receiptOf } from './receipts.js';

/** The lines that pages of the jobs at these milliseconds bring. */
function linesAt(pages: readonly (readonly [job: string, at: number])[]): readonly (string | undefined)[] {
  const progress = createProgress();
  return pages.map(([job, at], index) => progress(receiptOf(index, { job }), 1_000_000 + at));
}

test('a run that is done within 2 seconds shows nothing', () => {
  assert.equal(
    linesAt([
      ['users', 0],
      ['users', 1000],
      ['users', 1999],
    ]),
    [undefined, undefined, undefined],
  );
});

test('a job is shown once in 2 seconds, with all that came until then', () => {
  assert.equal(
    linesAt([
      ['users', 0],
      ['users', 2000],
      ['users', 3999],
      ['users', 4000],
    ]),
    [undefined, 'users: 2 pages, 2,000 items, 680.0 kB', undefined, 'users: 4 pages, 4,000 items, 1.4 MB'],
  );
});

test('each job has a pace of its own', () => {
  assert.equal(
    linesAt([
      ['a', 0],
      ['a', 2000],
      ['b', 2500],
      ['a', 2600],
      ['b', 2700],
    ]),
    [undefined, 'a: 2 pages, 2,000 items, 680.0 kB', 'b: 1 page, 1,000 items, 340.0 kB', undefined, undefined],
  );
});

test('a page that repeats the one before it does not count', () => {
  const progress = createProgress();
  progress(receiptOf(0), 0);
  const repeated = receiptOf(1, { delivered: false, count: 0, bytes: 0 });
  assert.is(progress(repeated, 2000), 'users: 1 page, 1,000 items, 340.0 kB');
});

test.run();
