/** The methods and stopping conditions of pagination as a black box: configuration and replies in, requests and files out. A row a rule. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { pool } from './command.js';
import { check, play } from './row.js';
import { cursorRows } from './rows/cursor.js';
import { linkRows } from './rows/links.js';
import { offsetRows } from './rows/offset.js';
import { stopRows } from './rows/stops.js';

const rows = [...offsetRows, ...linkRows, ...cursorRows, ...stopRows];
const outcomes = pool(rows, 3, play);

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

test.run();
