// Children that fail at random, in processes that are killed, for as many as wanted (after npm run build):
//   npm run failing -- --children 10000 --kills 100 [--seed 1]
// Ends with what was seen, and 1 when an item was lost or doubled, or a failure is not listed. --record keeps it in
// bench/results/failing.json.
import { parseArgs } from 'node:util';
import { keepRecord } from '../support/keep-record.ts';
import { failOften } from './fail-often.ts';

const { values } = parseArgs({
  options: {
    children: { type: 'string', default: '10000' },
    kills: { type: 'string', default: '100' },
    seed: { type: 'string', default: String(Math.floor(Math.random() * 2 ** 31)) },
    record: { type: 'boolean', default: false },
  },
});
const started = performance.now();
const { broken, ...seen } = await failOften(Number(values.seed), Number(values.children), Number(values.kills));
const seconds = Math.round((performance.now() - started) / 1000);
console.log(JSON.stringify({ ...seen, seconds, broken: broken.length }));
for (const line of broken.slice(0, 20)) console.log(`  ${line}`);
if (broken.length > 0) process.exitCode = 1;
else if (values.record) keepRecord('failing', { failing: { ...seen, seconds, broken: 0 } });
