/** Lists as tables in bulk: 1,000 random shapes of items, written by each sink, joined again by DuckDB. */
import { test } from 'uvu';
import { inFolder } from '../sinks/lib.js';
import { reassembled } from '../sinks/related-tables/reassembly.js';

const seed = Number(process.env.LISTS_SEED ?? Math.floor(Math.random() * 2 ** 31));
const shapes = Number(process.env.LISTS_SHAPES ?? 1000);

console.log(`seed ${seed} (set LISTS_SEED and LISTS_SHAPES to repeat)`);
const atOnce = 100;

for (const kind of ['duckdb', 'csv', 'parquet'] as const) {
  for (let from = 0; from < shapes; from += atOnce) {
    const seeds = Array.from({ length: Math.min(atOnce, shapes - from) }, (_, index) => seed + from + index);
    test(
      `${kind}: the random items ${from} to ${from + seeds.length} are what their tables are, joined again`,
      inFolder((dir) => reassembled(dir, kind, seeds)),
    );
  }
}

test.run();
