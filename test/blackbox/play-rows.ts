/** Makes a test of each row, three commands at a time. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { command, pool } from './command.js';
import { check, play, type Row } from './row.js';

/** Begins to play the rows at once; `test.run()` is left to the caller. */
export function playRows(rows: readonly Row[], run: typeof command = command): void {
  const outcomes = pool(rows, 3, (row) => play(row, run));

  test('no rule is written down twice', () => {
    const rules = rows.map(({ rule }) => rule);
    assert.equal([...new Set(rules)], rules);
  });

  for (const [index, row] of rows.entries()) {
    test(row.rule, async () => {
      const outcome = await outcomes[index];
      assert.ok(outcome);
      check(row, outcome);
    });
  }
}
