/** Requests ahead under failures and interruptions. The long form: `npm run ahead -- --runs 1000`. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { runOne } from './run-one.js';

const first = Number(process.env.AHEAD_SEED ?? Math.floor(Math.random() * 2 ** 31));
const runs = 12;

test(`gives the output of sequential runs (seed ${first}, set AHEAD_SEED to repeat)`, async () => {
  for (let seed = first; seed < first + runs; seed += 1) {
    const { broken } = await runOne(seed);
    assert.equal({ seed, broken }, { seed, broken: [] });
  }
});

test.run();
