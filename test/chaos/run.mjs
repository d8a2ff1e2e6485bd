// Chaos for as long as wanted:
//   npm run chaos -- --runs 1000 [--seed 1] [--at-once 2]     faults and kills, resumed
//   npm run chaos -- --runs 100 --sink cut+ids                the same over sinks of examples/sinks, one a recovery
//   npm run chaos -- --runs 100 --sink each                   the four recoveries and four pairs of them in turn
//   npm run chaos -- --runs 100 --sink nats                   a real broker, killed and restarted: nats, redis,
//                                                             nats-transactions, redis-pipelined, kafka,
//                                                             kafka-transactions, postgres, postgres-log, rabbitmq,
//                                                             s3, s3-gzip;
//                                                             or redis+cut; or files, of which only the process is
//                                                             killed: csv, parquet, ndjson-gzip, ndjson-rotate,
//                                                             duckdb, duckdb-append, duckdb-lists, csv-lists
//   npm run chaos -- --runs 35 --sink lists                   tables of lists after an earlier run, read back and
//                                                             compared with the items: tables, duckdb-lists-merge,
//                                                             duckdb-lists-mirror, postgres-lists,
//                                                             postgres-lists-merge, postgres-lists-mirror
//   npm run chaos -- --runs 3 --sink redis --items 200000     the same with two long lists
//   npm run chaos -- --tokens 60 [--seed 1]                   a hundred jobs on tokens of one second, for 60 seconds
//   npm run chaos -- --limits 60 [--seed 1]                   thirty jobs under 40/s and 100/3s, for 60 seconds
// Ends with what was lost, and 1 when anything was, or when a promise was not kept. --record keeps it in
// bench/results/chaos.json.
import { parseArgs } from 'node:util';
import { keepRecord } from '../support/keep-record.ts';
import { createDice } from './dice.ts';
import { rush } from './limits.ts';
import { runOne } from './run-one.ts';
import { compileChild, runSinks } from './sink-run.ts';
import { weather } from './tokens.ts';

const { values } = parseArgs({
  options: {
    runs: { type: 'string', default: '100' },
    seed: { type: 'string', default: String(Math.floor(Math.random() * 2 ** 31)) },
    'at-once': { type: 'string', default: '2' },
    tokens: { type: 'string' },
    limits: { type: 'string' },
    sink: { type: 'string' },
    items: { type: 'string' },
    record: { type: 'boolean', default: false },
  },
});
const seed = Number(values.seed);

function tell(kind, seen) {
  console.log(`${kind}, seed ${seed}: ${JSON.stringify(seen)}`);
  if (values.record) keepRecord('chaos', { [kind]: { seed, ...seen } });
}

async function tokens(seconds) {
  const storm = { jobs: 100, lifetime: 1, grace: 0, isOver: (_, passed) => passed > seconds * 1000 };
  const seen = await weather(storm, createDice(seed));
  tell('tokens', { seconds, ...seen, failedJobs: 0 });
  return seen.loginsAtOnce === 1 && seen.needlessLogins === 0;
}

async function limits(seconds) {
  const rates = [
    { text: '40/s', most: 40, ms: 1000 },
    { text: '100/3s', most: 100, ms: 3000 },
  ];
  const storm = { jobs: 30, rates, pages: Number.POSITIVE_INFINITY, ms: seconds * 1000, slowest: 1500 };
  const seen = await rush(storm, createDice(seed));
  tell('limits', { seconds, ...seen, used: Number(seen.used.toFixed(4)) });
  return seen.used >= 0.95 && rates.every(({ text, most }) => seen.sent[text] <= most);
}

/** Runs so many worlds, a few at once, and adds up what they say. True: every promise was kept. */
async function repeat(runs, atOnce, keys, runWorld) {
  const sums = Object.fromEntries(['runs', 'broken', ...keys].map((key) => [key, 0]));
  let turn = 0;
  const lane = async () => {
    while (turn < runs) {
      const outcome = await runWorld(seed + turn++);
      sums.runs += 1;
      for (const key of keys) sums[key] += outcome[key];
      if (outcome.broken.length > 0) {
        sums.broken += 1;
        console.log(`seed ${outcome.seed}:\n  ${outcome.broken.join('\n  ')}`);
      }
      if (sums.runs % 50 === 0) console.log(JSON.stringify(sums));
    }
  };
  await Promise.all(Array.from({ length: atOnce }, lane));
  return sums;
}

const isKept = ({ broken, lost, duplicated }) => broken === 0 && lost === 0 && duplicated === 0;

async function kills(runs, atOnce) {
  const keys = ['processes', 'kills', 'faults', 'requests', 'logins', 'items', 'lost', 'duplicated'];
  const sums = await repeat(runs, atOnce, keys, runOne);
  tell('kills', sums);
  return isKept(sums);
}

/** Single sinks and pairs, as `--sink each` runs them in turn. */
const everySink = [
  ...['none', 'ids', 'cut', 'transaction'],
  ...['cut+transaction', 'transaction+transaction', 'transaction+none', 'cut+ids'],
];

/** As `--sink lists` runs them in turn. */
const listSinks = [
  ...['tables', 'duckdb-lists-merge', 'duckdb-lists-mirror'],
  ...['postgres-lists', 'postgres-lists-merge', 'postgres-lists-mirror'],
];

const groups = { each: everySink, lists: listSinks };

async function sinks(named, runs, atOnce) {
  compileChild();
  const items = values.items === undefined ? undefined : Number(values.items);
  const keys = ['processes', 'kills', 'failures', 'faults', 'items', 'lost', 'duplicated', 'repeated'];
  let kept = true;
  for (const each of groups[named] ?? [named]) {
    const sums = await repeat(runs, atOnce, keys, (world) => runSinks(world, each.split('+'), items));
    tell(items === undefined ? `sink ${each}` : `sink ${each}, ${items} items`, sums);
    kept &&= isKept(sums);
  }
  return kept;
}

const kind = {
  limits: () => limits(Number(values.limits)),
  tokens: () => tokens(Number(values.tokens)),
  sink: () => sinks(values.sink, Number(values.runs), Number(values['at-once'])),
  runs: () => kills(Number(values.runs), Number(values['at-once'])),
};
const held = await kind[Object.keys(kind).find((name) => values[name] !== undefined)]();
process.exitCode = held ? 0 : 1;
