// What do small pages cost? Ten items a page, whole processes in turn, with start-up: 2,000 pages, where it counts, and
// 20,000, where V8 has optimised everything. Then an API that takes 5 ms, where requests ahead (`--prefetch 8`) pay.
// `of the loop`: the time of the variant divided by that of the careful loop in the same round.
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  interleaved,
  machine,
  measure,
  megabytes,
  middleOf,
  program,
  pullOf,
  ratioOf,
  withServer,
} from './harness.mjs';

export const question = 'What do small pages cost, next to a hand-written loop, and what do requests ahead give?';

const loop = 'hand-written loop, page';

const variants = {
  rxtract: pullOf,
  'rxtract, prefetch 8': (place, pages) => [...pullOf(place, pages), '--prefetch', '8'],
  [loop]: ({ origin, file }, pages) => [program('hand-loop.mjs'), origin, file, 'page', String(pages)],
  'got paginate': ({ origin, file }, pages) => [program('peers/peer.mjs'), 'got', origin, file, String(pages)],
};

const cases = [
  { pages: 2000, latency: 0, names: ['rxtract', loop, 'got paginate'] },
  { pages: 20_000, latency: 0, names: ['rxtract', loop] },
  { pages: 1000, latency: 5, names: ['rxtract', 'rxtract, prefetch 8', loop] },
];

export async function run({ rounds = 5 } = {}) {
  const rows = [];
  for (const each of cases) rows.push(...(await compare(each, each.pages > 2000 ? Math.min(3, rounds) : rounds)));
  return rows;
}

function compare({ pages, latency, names }, rounds) {
  return withServer({ pages, items: 10, latency }, async (place) => {
    const measured = await interleaved(names, rounds, async (name) => {
      const used = await measure(variants[name](place, pages));
      await rm(join(place.dir, 'items.ndjson'), { force: true });
      return used;
    });
    return names.map((name) => {
      const { middle, text } = ratioOf(measured[name], measured[loop], 'seconds');
      return {
        pages,
        'latency ms': latency,
        variant: name,
        seconds: +middleOf(measured[name], 'seconds').toFixed(2),
        'ms a page': +((middleOf(measured[name], 'seconds') * 1000) / pages).toFixed(2),
        'CPU s': +middleOf(measured[name], 'cpu').toFixed(2),
        'peak MB': megabytes(middleOf(measured[name], 'peak')),
        'of the loop': middle,
        quartiles: text,
      };
    });
  });
}

const ratio = (rows, pages, variant = 'rxtract') =>
  rows.find((row) => row.pages === pages && row.variant === variant)?.['of the loop'];
const ahead = 'rxtract, prefetch 8';

export const goals = (rows) => [
  { what: '2,000 pages of 10 items, time of the careful loop', goal: 1.8, value: ratio(rows, 2000), isLess: true },
  { what: '20,000 pages of 10 items, time of the careful loop', goal: 1.4, value: ratio(rows, 20_000), isLess: true },
  ...(ratio(rows, 1000, ahead) === undefined
    ? []
    : [
        {
          what: '5 ms of latency, prefetch 8, against a sequential loop',
          goal: 4,
          value: +(1 / ratio(rows, 1000, ahead)).toFixed(2),
        },
      ]),
];

export function reading(rows) {
  const [few, many, prefetched] = [ratio(rows, 2000), ratio(rows, 20_000), ratio(rows, 1000, ahead)];
  const verdict =
    Math.min(few, many) > 1 ? ' Where every page is tiny and the API responds at once, a script is faster.' : '';
  return [
    `Small pages: 2,000 pages of ten items take ${few} times the time of a careful loop, start-up included, and 20,000 pages ${many} times.${verdict}`,
    ...(prefetched === undefined
      ? []
      : [
          `Small pages with 5 ms to the first byte: \`--prefetch 8\` takes ${prefetched} of the time of a sequential loop.`,
        ]),
  ];
}

export const plot = (rows) => ({
  title: 'Pages of 10 items: time, divided by that of the careful loop (less is better)',
  bars: rows
    .filter(({ variant }) => variant !== loop)
    .map((row) => ({
      name: `${row.variant}, ${row.pages.toLocaleString('en')} pages${row['latency ms'] > 0 ? `, ${row['latency ms']} ms` : ''}`,
      value: row['of the loop'],
      isOurs: row.variant.startsWith('rxtract'),
    })),
});

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  console.log(machine());
  console.table(await run());
}
