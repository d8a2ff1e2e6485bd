import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { table } from '../../src/cli/table.js';

test('columns have one width, those of numbers end together', () => {
  const rows = [
    ['job', 'items', 'stop'],
    ['a', '1,000', 'an empty page'],
    ['users', '7', 'failed'],
  ];
  assert.equal(table(rows, new Set([1])), [
    'job    items  stop',
    'a      1,000  an empty page',
    'users      7  failed',
  ]);
});

test('a character outside the first plane counts as one', () => {
  assert.equal(
    table(
      [
        ['\u{1F600}', 'x'],
        ['ab', 'x'],
      ],
      new Set(),
    ),
    ['\u{1F600}   x', 'ab  x'],
  );
});

test('no rows are no lines', () => assert.equal(table([], new Set()), []));

test.run();
