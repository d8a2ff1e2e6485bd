// How much memory does a run need: one page of 1 GB, and 100,000 pages? Also 1,500 pages of 1,000 items, next to a
// careful loop. Peak resident set of the command's own process, Node included.
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { command, machine, measure, megabytes, program, withServer } from './harness.mjs';

export const question = 'How much memory does a run need: one page of 1 GB, and 100,000 pages?';

const huge = ['--set', 'config.jobs[0].endpoint=huge?bytes=1000000000'];
const variants = {
  'one page of 1 GB': { shape: { pages: 1 }, job: huge },
  '100,000 pages': { shape: { pages: 100_000, items: 1, paging: 'cursor' } },
  '1,500 pages of 1,000 items': { shape: { pages: 1500, items: 1000 } },
};

export async function run() {
  const rows = [];
  for (const [variant, each] of Object.entries(variants)) rows.push({ variant, ...(await pull(each)) });
  rows.push({
    variant: '1,500 pages of 1,000 items, hand-written loop, page',
    ...(await pull({ shape: { pages: 1500 }, isLoop: true })),
  });
  return rows;
}

function pull({ shape, job = [], isLoop = false }) {
  const pagination = shape.pages === 1 ? { method: 'none' } : {};
  return withServer(
    shape,
    async ({ dir, config, origin }) => {
      const file = join(dir, 'items.ndjson');
      const own = [command, 'run', config, '--quiet', '--allow', 'round-end', '--to', `ndjson:${dir}`, ...job];
      const words = isLoop ? [program('hand-loop.mjs'), origin, file, 'page'] : own;
      const { seconds, peak } = await measure(words);
      const { size } = await stat(file);
      return {
        'peak MB': megabytes(peak),
        'file MB': megabytes(size),
        seconds: +seconds.toFixed(1),
        'pages/s': Math.round(shape.pages / seconds),
      };
    },
    { pagination },
  );
}

const peak = (rows, variant) => rows.find((row) => row.variant === variant)?.['peak MB'];

export const goals = (rows) => [
  { what: 'one page of 1 GB, MB', goal: 120, value: peak(rows, 'one page of 1 GB'), isLess: true },
  { what: '100,000 pages, MB', goal: 150, value: peak(rows, '100,000 pages'), isLess: true },
  { what: '1,500 pages of 1,000 items, MB', goal: 115, value: peak(rows, '1,500 pages of 1,000 items'), isLess: true },
];

export const reading = (rows) => [
  `Memory: one page of 1 GB needs ${peak(rows, 'one page of 1 GB')} MB, 100,000 pages need ${peak(rows, '100,000 pages')} MB. Programs that parse a whole body need several times the size of the page.`,
];

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  console.log(machine());
  console.table(await run());
}
