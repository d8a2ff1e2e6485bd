/** Lists as tables in bulk: random shapes of items, written by each sink, joined again by DuckDB. */
import { test } from 'uvu';
import { inFolder } from '../sinks/lib.js';
import { reassembled, tableSinks } from '../sinks/related-tables/reassembly.js';

const seed = Number(process.env.LISTS_SEED ?? Math.floor(Math.random() * 2 ** 31));
const shapes = Number(process.env.LISTS_SHAPES ?? 150);

console.log(`seed ${seed} (set LISTS_SEED and LISTS_SHAPES to repeat)`);
const atOnce = 75;

for (const kind of tableSinks) {
  for (let from = 0; from < shapes; from += atOnce) {
    const seeds = Array.from({ length: Math.min(atOnce, shapes - from) }, (_, index) => seed + from + index);
    test(
      `${kind}: the random items ${from} to ${from + seeds.length} are what their tables are, joined again`,
      inFolder((dir) => reassembled(dir, kind, seeds)),
    );
  }
}

test.run();
