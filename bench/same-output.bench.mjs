// Is the output the same, however it is requested? Each seed is an API of random size, latency, failures (503, 429) and
// connections that break in the middle of a body. It is pulled sequentially, and in each other way:
// requests ahead, overlapping pages. The items must be the same bytes. Ten seeds run at a time, because they mostly
// wait. `npm run bench -- same-output --rounds 1000` is a thousand seeds; runs that are killed and resumed: `npm run
// chaos`.
import { createHash } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { run as pull } from 'rxtract';
import { machine, startServer } from './harness.mjs';

export const question = 'Is the output the same with requests ahead and overlap, over random APIs that fail?';

const atOnce = 10;

export async function run({ rounds = 40, seed = 1 } = {}) {
  const sums = Object.fromEntries(
    Object.keys(variants).map((name) => [name, { pages: 0, items: 0, retries: 0, different: [] }]),
  );
  const seeds = Array.from({ length: rounds }, (_, index) => seed + index);
  const lanes = Array.from({ length: atOnce }, async () => {
    for (let next = seeds.shift(); next !== undefined; next = seeds.shift()) await compare(next, sums);
  });
  await Promise.all(lanes);
  return Object.entries(sums).map(([variant, { pages, items, retries, different }]) => {
    if (different.length > 0) throw new Error(`${variant}: other output for the seeds ${different.join(', ')}`);
    return { variant, seeds: rounds, 'first seed': seed, pages, items, retries, different: 0 };
  });
}

/** By name: the way of paging, and what is added to pagination and options. */
const variants = {
  sequential: { paging: 'page' },
  'prefetch 8': { paging: 'page', options: { prefetch: 8 } },
  'prefetch 4, offset': { paging: 'offset', options: { prefetch: 4 } },
  overlap: { paging: 'cursor', pagination: { overlap: true } },
};

const pick = (seed, salt, list) => list[createHash('sha256').update(`${seed} ${salt}`).digest()[0] % list.length];

async function compare(seed, sums) {
  const shape = {
    seed,
    pages: pick(seed, 'pages', [1, 2, 3, 8, 9, 20, 50]),
    items: pick(seed, 'items', [1, 2, 10, 100, 1000]),
    item: pick(seed, 'item', ['customer', 'tiny', 'text', 'numbers']),
    latency: pick(seed, 'latency', [0, 1, 5]),
    jitter: pick(seed, 'jitter', [0, 5, 20]),
    body: pick(seed, 'body', [0, 0, 10]),
    cursor: pick(seed, 'cursor', ['first', 'last']),
    failures: pick(seed, 'failures', [0, 0.01, 0.03]),
    limited: pick(seed, 'limited', [0, 0.01]),
    cuts: pick(seed, 'cuts', [0, 0.01, 0.03]),
  };
  let expected;
  for (const [name, variant] of Object.entries(variants)) {
    const { digest, jobs } = await outputOf({ ...shape, paging: variant.paging }, variant);
    expected ??= digest;
    const sum = sums[name];
    for (const key of ['pages', 'items', 'retries']) sum[key] += jobs[0][key];
    if (digest !== expected) sum.different.push(seed);
  }
}

async function outputOf(shape, { pagination, options }) {
  const server = await startServer(shape);
  try {
    const { api, config } = server.configuration;
    const hash = createHash('sha256');
    let written = [];
    const to = {
      recovery: 'none',
      write: ({ bytes }) => void written.push(Buffer.from(bytes)),
      commit() {
        for (const each of written) hash.update(each);
        written = [];
      },
      rollback() {
        written = [];
      },
      close() {},
      abort() {},
    };
    const whole = { api: { ...api, pagination: { ...api.pagination, ...pagination } }, config };
    const { jobs } = await pull(whole, { to, ...options });
    return { digest: hash.digest('hex'), jobs };
  } finally {
    server.stop();
  }
}

export const goals = (rows) => [
  {
    what: 'seeds with other output than the sequential run',
    goal: 0,
    value: rows.reduce((sum, row) => sum + row.different, 0),
    isLess: true,
  },
];

export const reading = (rows) => [
  `The same output: over ${rows[0].seeds} random APIs that fail, slow down and break connections, ${rows.length} ways to pull gave the same bytes (${rows.map(({ variant }) => variant).join('; ')}).`,
];

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  console.log(machine());
  console.table(await run());
}
