/** Every rule of the specification as a black box: configuration and replies in, requests and files out. A row a rule. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { pool } from './command.js';
import { check, play } from './row.js';
import { expiresRows } from './rows/expires.js';
import { jobRows } from './rows/jobs.js';
import { loginRows } from './rows/login.js';
import { pagenumRows } from './rows/pagenum.js';
import { responseParamRows } from './rows/response-param.js';
import { responseRows } from './rows/responses.js';

const rows = [...jobRows, ...loginRows, ...expiresRows, ...pagenumRows, ...responseParamRows, ...responseRows];
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
