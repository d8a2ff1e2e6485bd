/**
 * The long form: `npm run ahead -- --runs 1000 [--seed 1] [--record]`. Prints each seed whose run differs from a
 * sequential one, and the sums. `--record` keeps them in bench/results/ahead.json.
 */
import { parseArgs } from 'node:util';
import { keepRecord } from '../support/keep-record.js';
import { runOne } from './run-one.js';

const { values } = parseArgs({
  options: {
    runs: { type: 'string', default: '1000' },
    seed: { type: 'string', default: String(Math.floor(Math.random() * 2 ** 31)) },
    record: { type: 'boolean', default: false },
  },
});
const seed = Number(values.seed);
const sums = { runs: 0, broken: 0, requests: 0, retries: 0, interruptions: 0 };

for (let turn = 0; turn < Number(values.runs); turn += 1) {
  const outcome = await runOne(seed + turn);
  sums.runs += 1;
  sums.requests += outcome.requests;
  sums.retries += outcome.retries;
  sums.interruptions += outcome.interruptions;
  if (outcome.broken.length > 0) {
    sums.broken += 1;
    console.log(`seed ${outcome.seed}:\n  ${outcome.broken.join('\n  ')}`);
  }
  if (sums.runs % 100 === 0) console.log(JSON.stringify(sums));
}
console.log(`ahead, seed ${seed}: ${JSON.stringify(sums)}`);
if (values.record) keepRecord('ahead', { ahead: { seed, ...sums } });
process.exitCode = sums.broken === 0 ? 0 : 1;
