/** Counts, places and notices of refused items: those of pages that are committed, and of no others. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { batchOf } from '../../../sinks/batch.js';
import { createRefusals } from '../../../sinks/decorators/refusals.js';
import type { Notice } from '../../../src/core/model/notice.js';

function scene() {
  const notices: Notice[] = [];
  const refusals = createRefusals('out', { notify: (notice) => notices.push(notice) });
  return { refusals, notices };
}

const page = (number: number, count = 2, dataType = 'users') =>
  batchOf(
    dataType,
    Array.from({ length: count }, (_, id) => ({ id })),
    { page: number },
  );

test('refused items count when their page is committed', () => {
  const { refusals } = scene();
  refusals.add(page(0), 1, 'too long');
  assert.equal(refusals.summary(), []);
  refusals.count('orders');
  refusals.count('users');
  refusals.count('users');
  const [found] = refusals.summary();
  assert.equal([found?.name, found?.items], ['out', 1]);
  const [place] = found?.places ?? [];
  assert.equal([place?.dataType, place?.page, place?.item, place?.error], ['users', 0, 1, 'too long']);
});

test('a page that is rolled back is forgotten, and other data types are not', () => {
  const { refusals } = scene();
  refusals.add(page(0), 0, 'a');
  refusals.add(page(0, 2, 'orders'), 0, 'b');
  refusals.drop('users');
  refusals.count('users');
  refusals.count('orders');
  assert.equal(
    refusals.summary().map(({ items, places }) => [items, places.map(({ error }) => error)]),
    [[1, ['b']]],
  );
});

test('the first 100 have places, within a page and over pages; all count', () => {
  const { refusals, notices } = scene();
  for (const [number, count] of [
    [0, 70],
    [1, 70],
    [2, 130],
  ] as const) {
    for (let index = 0; index < count; index++) refusals.add(page(number, count), index, 'no');
    refusals.count('users');
  }
  const [found] = refusals.summary();
  assert.equal([found?.items, found?.places.length], [270, 100]);
  assert.equal([found?.places[69]?.page, found?.places[70]?.page, found?.places[99]?.item], [0, 1, 29]);
  assert.is(notices.length, 10);
  assert.not.match(notices[8]?.message ?? '', /summary/);
  assert.match(notices[9]?.message ?? '', /: no; further items are counted in the summary$/);
});

test.run();
