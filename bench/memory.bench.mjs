// How much memory does a run need: one page of 1 GB, and 100,000 pages? Also 1,500 pages of 1,000 items, next to a
// careful loop, and the same in gzip: the page of 1 GB is 20 MB of it. Peak resident set of the command's own process,
// Node included.
import { stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { configurationFor } from '../src/tools/bench/generated-api.js';
import { defaultShape } from '../src/tools/bench/shape.js';
import { command, machine, measure, megabytes, program, scratch, withServer, withWires } from './harness.mjs';

export const question = 'How much memory does a run need: one page of 1 GB, and 100,000 pages?';

const huge = ['--set', 'config.jobs[0].endpoint=huge?bytes=1000000000'];
const variants = {
  'one page of 1 GB': { shape: { pages: 1 }, job: huge },
  '100,000 pages': { shape: { pages: 100_000, items: 1, paging: 'cursor' } },
  '1,500 pages of 1,000 items': { shape: { pages: 1500, items: 1000 } },
};
const packed = {
  'one page of 1 GB, gzip': { shape: { pages: 1, items: 10 }, job: huge },
  '1,500 pages of 1,000 items, gzip': { shape: { pages: 1500, items: 1000 } },
};

export async function run() {
  const rows = [];
  for (const [variant, each] of Object.entries(variants)) rows.push({ variant, ...(await pull(each)) });
  rows.push({
    variant: '1,500 pages of 1,000 items, hand-written loop, page',
    ...(await pull({ shape: { pages: 1500 }, isLoop: true })),
  });
  for (const [variant, each] of Object.entries(packed)) rows.push({ variant, ...(await pullPacked(each)) });
  return rows;
}

function pull({ shape, job = [], isLoop = false }) {
  return withServer(
    shape,
    ({ dir, config, origin }) => {
      const loop = isLoop ? [program('hand-loop.mjs'), origin, join(dir, 'items.ndjson'), 'page'] : undefined;
      return rowOf(loop ?? wordsOf(dir, config, job), dir, shape);
    },
    { pagination: paginationOf(shape) },
  );
}

/** The same from the server of compressed bodies. */
const pullPacked = ({ shape, job = [] }) =>
  scratch((dir) =>
    withWires({ ...shape, encoding: 'gzip' }, async ({ http }) => {
      const config = join(dir, 'config.json');
      const whole = configurationFor(`${http}/${shape.pages}`, { ...defaultShape, ...shape, paging: 'page' });
      const pagination = { ...whole.api.pagination, ...paginationOf(shape) };
      await writeFile(config, JSON.stringify({ ...whole, api: { ...whole.api, pagination } }));
      return rowOf(wordsOf(dir, config, job), dir, shape);
    }),
  );

const paginationOf = ({ pages }) => (pages === 1 ? { method: 'none' } : {});

const wordsOf = (dir, config, job) => [
  ...[command, 'run', config, '--quiet', '--allow', 'round-end'],
  ...['--to', `ndjson:${dir}`, ...job],
];

async function rowOf(words, dir, { pages }) {
  const { seconds, peak } = await measure(words);
  const { size } = await stat(join(dir, 'items.ndjson'));
  return {
    'peak MB': megabytes(peak),
    'file MB': megabytes(size),
    seconds: +seconds.toFixed(1),
    'pages/s': Math.round(pages / seconds),
  };
}

const peak = (rows, variant) => rows.find((row) => row.variant === variant)?.['peak MB'];

/** The bound of each row, in MB. */
const bounds = {
  'one page of 1 GB': 120,
  'one page of 1 GB, gzip': 120,
  '100,000 pages': 150,
  '1,500 pages of 1,000 items': 115,
  '1,500 pages of 1,000 items, gzip': 115,
};

export const goals = (rows) =>
  Object.entries(bounds)
    .map(([variant, goal]) => ({ what: `${variant}, MB`, goal, value: peak(rows, variant), isLess: true }))
    .filter(({ value }) => value !== undefined);

export function reading(rows) {
  const packed = peak(rows, 'one page of 1 GB, gzip');
  const inGzip = packed === undefined ? '' : ` In gzip, a page of 1 GB needs ${packed} MB.`;
  return [
    `Memory: one page of 1 GB needs ${peak(rows, 'one page of 1 GB')} MB, 100,000 pages need ${peak(rows, '100,000 pages')} MB.${inGzip} Programs that parse a whole body need several times the size of the page.`,
  ];
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  console.log(machine());
  console.table(await run());
}
