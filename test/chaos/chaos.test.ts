/** Runs under faults and kills come out as unbroken ones do. The long form: `npm run chaos -- --runs 1000`. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { runOne } from './run-one.js';
import { compileChild, runSinks, type SinkKind } from './sink-run.js';

const first = Number(process.env.CHAOS_SEED ?? Math.floor(Math.random() * 2 ** 31));
console.log(`seed ${first} (set CHAOS_SEED to repeat)`);

for (const turn of [0, 1]) {
  test(`run ${turn + 1}: killed and disturbed, its output equals that of an undisturbed one`, async () => {
    const { seed, broken, lost, duplicated } = await runOne(first + turn);
    assert.equal({ seed, broken, lost, duplicated }, { seed, broken: [], lost: 0, duplicated: 0 });
  });
}

compileChild();
const sinks: readonly (readonly SinkKind[])[] = [
  ['none'],
  ['ids'],
  ['transaction'],
  ['cut', 'transaction'],
  ['csv', 'ndjson-gzip'],
  ['duckdb', 'duckdb-append'],
  ['duckdb-lists', 'csv-lists'],
  ['duckdb-lists-merge', 'tables'],
  ['duckdb-lists-mirror'],
];

for (const [turn, kinds] of sinks.entries()) {
  test(`sinks ${kinds.join(' and ')}: killed and disturbed, they have what their recovery promises`, async () => {
    const { seed, broken, lost, duplicated } = await runSinks(first + turn, kinds);
    assert.equal({ seed, broken, lost, duplicated }, { seed, broken: [], lost: 0, duplicated: 0 });
  });
}

test.run();
