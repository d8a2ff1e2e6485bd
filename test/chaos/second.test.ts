/** Rows that change between pulls arrive once each, although pulls are killed. The long form: `npm run second`. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { pullOften } from './pull-often.js';
import type { PullTargetName } from './pull-targets.js';

const seed = Number(process.env.CHAOS_SEED ?? Math.floor(Math.random() * 2 ** 31));
console.log(`seed ${seed} (set CHAOS_SEED to repeat)`);

const names: readonly PullTargetName[] = ['ndjson', 'ndjson-append', 'duckdb-merge', 'duckdb-mirror', 'duckdb-history'];
for (const name of names) {
  test(`eight pulls into ${name} end with the rows of the API`, async () => {
    const { broken } = await pullOften(seed, 8, name);
    assert.equal({ seed, broken }, { seed, broken: [] });
  });
}

test.run();
