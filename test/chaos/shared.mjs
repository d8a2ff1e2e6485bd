// Runs that several workers share, shaken, for as many as wanted (after npm run build):
//   npm run shared -- --runs 200 [--seed 1]
// It needs PostgreSQL, as `npm run test:servers`. Ends with what was seen, and 1 when an item was lost or doubled, the
// rate was exceeded, or there were more logins than needed. --record keeps it in bench/results/shared.json.
import { parseArgs } from 'node:util';
import { keepRecord } from '../support/keep-record.ts';
import { shareOnce } from './share-often.ts';

const { values } = parseArgs({
  options: {
    runs: { type: 'string', default: '200' },
    seed: { type: 'string', default: String(Math.floor(Math.random() * 2 ** 31)) },
    record: { type: 'boolean', default: false },
  },
});
const [runs, seed] = [Number(values.runs), Number(values.seed)];
const counted = [
  'jobs',
  'workers',
  'tasks',
  'items',
  'seconds',
  'kills',
  'suspensions',
  'cuts',
  'crashes',
  'requests',
  'requestsAlone',
  'logins',
];
const sums = Object.fromEntries(counted.map((name) => [name, 0]));
let [broken, mostOfRate] = [0, 0];
for (let run = 0; run < runs; run += 1) {
  const { broken: found, ...seen } = await shareOnce(seed + run);
  for (const name of counted) sums[name] += seen[name];
  mostOfRate = Math.max(mostOfRate, seen.fullestSecond / seen.rate);
  if (found.length > 0) broken += 1;
  console.log(JSON.stringify(seen));
  for (const line of found.slice(0, 20)) console.log(`  BROKEN ${line}`);
}
const result = {
  seed,
  runs,
  ...sums,
  seconds: Math.round(sums.seconds),
  mostOfRate: Math.round(mostOfRate * 1000) / 1000,
  broken,
};
console.log(JSON.stringify(result));
if (broken > 0) process.exitCode = 1;
else if (values.record) keepRecord('shared', { shared: result });
