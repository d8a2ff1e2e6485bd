import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { startsMidList } from '../../../src/pagination/truncation/walk-evidence.js';
import { objectOf } from '../walk.js';

const cases: readonly (readonly [boolean, string, object])[] = [
  [true, 'a', { offset: 5 }],
  [true, 'a', { offset: '5' }],
  [true, 'a', { $skip: 1 }],
  [true, 'a', { startAt: 50 }],
  [true, 'a', { page: 2 }],
  [true, 'a', { cursor: 'x' }],
  [true, 'a?start=10', {}],
  [false, 'a', { offset: 0, page: 1 }],
  [false, 'a', { page: 0, cursor: '' }],
  [false, 'a', { from: '2024-01-01', start: '2024-01-01' }],
  [false, 'a', { limit: 100, q: 'page' }],
  [false, 'a?page=1', { page: { size: 5 } }],
];

for (const [expected, endpoint, params] of cases) {
  test(`${endpoint} ${JSON.stringify(params)}: ${expected}`, () => {
    assert.is(startsMidList({ endpoint, params: objectOf(params) }), expected);
  });
}

test.run();
