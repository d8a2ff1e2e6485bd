// Does an item cost more in a long run? 10 million items against 1 million, 1,000 a page, to `null:`. Takes minutes, so
// it runs only when it is named: npm run bench -- scale
import { fileURLToPath } from 'node:url';
import { interleaved, machine, measure, megabytes, middleOf, pullOf, ratioOf, withServer } from './harness.mjs';

export const question = 'Does an item cost more in a run of 10 million items than in one of 1 million?';

/** Not part of `npm run bench` without names. */
export const isLong = true;

export function run({ rounds = 3, millions = 10 } = {}) {
  const sizes = [1, millions];
  return withServer({ pages: millions * 1000, items: 1000 }, async (place) => {
    const measured = await interleaved(sizes.map(String), rounds, async (size) => {
      const used = await measure([...pullOf(place, Number(size) * 1000, 'null:'), '--allow', 'round-end']);
      return { ...used, cost: used.cpu / Number(size) };
    });
    return sizes.map((size) => ({
      'million items': size,
      seconds: +middleOf(measured[size], 'seconds').toFixed(1),
      'CPU us an item': +middleOf(measured[size], 'cost').toFixed(3),
      'peak MB': megabytes(middleOf(measured[size], 'peak')),
      'of the smallest': ratioOf(measured[size], measured[1], 'cost').middle,
    }));
  });
}

export const goals = (rows) => [
  {
    what: 'cost of an item in the longest run, of the shortest',
    goal: 1.1,
    value: rows.at(-1)['of the smallest'],
    isLess: true,
  },
];

export const reading = (rows) => [
  `Long runs: an item of ${rows.at(-1)['million items']} million costs ${rows.at(-1)['of the smallest']} times as much CPU time as one of 1 million.`,
];

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  console.log(machine());
  console.table(await run());
}
