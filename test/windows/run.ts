/**
 * 500 windows over 2,000,000 rows, of which the API gives 1,000 for a query: `npm run windows [-- --record]`. Checks
 * that each row is there once, and prints the sums. `--record` keeps them in bench/results/windows.json.
 */
import { parseArgs } from 'node:util';
import type { Batch } from '../../src/core/model/batch.js';
import type { Notice } from '../../src/core/model/notice.js';
import { run } from '../../src/run/extract.js';
import { startApi } from '../loopback/api.js';
import { cappedApi } from '../run/walk/capped-api.js';
import { keepRecord } from '../support/keep-record.js';
import { mulberry32 } from '../support/mulberry32.js';
import { unchecked } from '../unchecked.js';

const { values } = parseArgs({
  options: {
    rows: { type: 'string', default: '2000000' },
    windows: { type: 'string', default: '500' },
    cap: { type: 'string', default: '1000' },
    seed: { type: 'string', default: String(Math.floor(Math.random() * 2 ** 31)) },
    concurrency: { type: 'string', default: '4' },
    record: { type: 'boolean', default: false },
  },
});
const [count, windows, cap, seed] = [values.rows, values.windows, values.cap, values.seed].map(Number);
const random = mulberry32(seed ?? 0);

/** A row every ten seconds on average, most of them in bursts. */
let at = 0;
const rows = Array.from({ length: count ?? 0 }, (_, id) => {
  at += random() % 50 === 0 ? random() % 900 : random() % 3;
  return { id, at };
});
const end = at + 1;

const api = await startApi(cappedApi({ rows, pageSize: 500, cap: cap ?? 0, shows: 'total' }));
let next = 0;
let isBroken = false;
const to = (batch: Batch) => {
  for (const item of batch.values()) {
    isBroken ||= (item as { id: number }).id !== next; // the API has only such rows
    next += 1;
  }
};
const notices: Notice[] = [];
const startedAt = performance.now();
const step = Math.ceil(end / (windows ?? 1));
const range = { from: 0, to: end, step: `${step}s`, params: { from: 'start', to: 'end' }, split: true };
const { jobs } = await run(
  unchecked({
    api: { baseUrl: `${api.origin}/`, pagination: { method: 'pagenum', limit: 500 } },
    config: { jobs: [{ endpoint: 'rows', dataField: 'items', windows: range }] },
  }),
  { to, concurrency: Number(values.concurrency), notify: (notice) => void notices.push(notice) },
);
await api.close();

const splits = notices.filter(({ code }) => code === 'window-split').length;
const outcome = {
  seed,
  rows: count,
  arrived: next,
  inOrder: !isBroken,
  windows,
  splits,
  warnings: notices.filter(({ level }) => level === 'warning').length,
  requests: api.requests.length,
  seconds: Math.round((performance.now() - startedAt) / 100) / 10,
  peakMegabytes: Math.round(process.resourceUsage().maxRSS / 1000),
  stop: jobs[0]?.stop,
};
console.log(JSON.stringify(outcome));
const isWhole = next === count && !isBroken && outcome.warnings === 0;
if (values.record) keepRecord('windows', { windows: outcome });
process.exitCode = isWhole ? 0 : 1;
