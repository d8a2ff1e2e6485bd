// Pulls of rows that change, killed at random, for as long as wanted (after npm run build):
//   npm run second -- --pulls 200 [--seed 1] [--to duckdb-merge,postgres-history]
// Without --to it takes all targets of pull-targets.ts; those with a server need it (npm run test:servers).
// Ends with what was seen, and 1 when a row was lost or doubled, or too much was requested. --record keeps it in
// bench/results/second.json.
import { parseArgs } from 'node:util';
import { keepRecord } from '../support/keep-record.ts';
import { pullOften } from './pull-often.ts';
import { pullTargets } from './pull-targets.ts';

const { values } = parseArgs({
  options: {
    pulls: { type: 'string', default: '200' },
    seed: { type: 'string', default: String(Math.floor(Math.random() * 2 ** 31)) },
    to: { type: 'string' },
    record: { type: 'boolean', default: false },
  },
});
for (const name of values.to?.split(',') ?? Object.keys(pullTargets)) {
  const { broken, ...seen } = await pullOften(Number(values.seed), Number(values.pulls), name);
  console.log(`${name}: ${JSON.stringify({ ...seen, broken: broken.length })}`);
  for (const line of broken.slice(0, 20)) console.log(`  ${line}`);
  if (broken.length > 0) process.exitCode = 1;
  else if (values.record) keepRecord('second', { [name]: { ...seen, broken: 0 } });
}
