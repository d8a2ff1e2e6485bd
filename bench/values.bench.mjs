// How fast do parsed values reach code that does nothing with them? A function as sink, which takes the values of each
// batch, against undici and JSON.parse of each body. 1,000 items a page; whole processes in turn. Memory must not grow
// with the number of pages, so that is measured with a quarter of them too.
import { fileURLToPath } from 'node:url';
import { interleaved, machine, measure, megabytes, middleOf, program, ratioOf, startServer } from './harness.mjs';

export const question = 'How fast do parsed values reach a consumer in code, next to a JSON.parse loop?';

export async function run({ pages = 1200, rounds = 5 } = {}) {
  const server = await startServer({ pages, items: 1000 });
  try {
    const words = (kind, some) => [program('peers/values.mjs'), kind, server.origin, String(some)];
    const names = ['rxtract', 'JSON.parse loop'];
    const kindOf = (name) => (name === 'rxtract' ? name : 'loop');
    const few = {};
    for (const name of names) few[name] = await measured(words(kindOf(name), pages / 4), pages / 4);
    const all = await interleaved(names, rounds, (name) => measured(words(kindOf(name), pages), pages));
    return names.map((name) => {
      const { middle, text } = ratioOf(all[name], all['JSON.parse loop'], 'rate');
      return {
        variant: name,
        'items/s': Math.round(middleOf(all[name], 'rate')),
        'CPU s': +middleOf(all[name], 'cpu').toFixed(2),
        'peak MB': megabytes(middleOf(all[name], 'peak')),
        'peak MB, a quarter of the pages': megabytes(few[name].peak),
        'of the loop': middle,
        quartiles: text,
      };
    });
  } finally {
    server.stop();
  }
}

async function measured(words, pages) {
  const used = await measure(words);
  if (Number(used.output) !== pages * 1000) throw new Error(`${words[1]} found ${used.output} items`);
  return { ...used, rate: (pages * 1000) / used.seconds };
}

export const goals = ([ours]) => [
  { what: 'values in code, of the JSON.parse loop', goal: 0.9, value: ours['of the loop'] },
];

export const reading = ([ours, loop]) => [
  `Values in code: a function that gets parsed values runs at ${ours['of the loop']} times the rate of a JSON.parse loop, because rxtract checks each byte before V8 parses it, and takes longer to load. The peak was ${ours['peak MB']} MB against ${loop['peak MB']} MB, and ${ours['peak MB, a quarter of the pages']} MB with a quarter of the pages.`,
];

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  console.log(machine());
  console.table(await run());
}
