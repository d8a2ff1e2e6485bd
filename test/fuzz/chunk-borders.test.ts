/** A thousand random bodies in each coding, in random chunks, by each of the decoders. */
import { test } from 'uvu';
import { checkBorders } from '../http/transport/chunk-borders.js';
import { codedBodies, ways } from '../http/transport/coded-bodies.js';
import { testWhere } from '../where.js';

const base = Number(process.env.BORDERS_SEED ?? Math.floor(Math.random() * 2 ** 31));
const seeds = Number(process.env.BORDERS_SEEDS ?? 1000);
/** A decoder works in another thread: one body alone would mostly wait. */
const atOnce = 8;

console.log(`seed ${base} (set BORDERS_SEED and BORDERS_SEEDS to repeat)`);

for (const [way, decoders, hasZstd] of ways) {
  for (const coded of codedBodies.filter(({ coding }) => hasZstd || coding !== 'zstd')) {
    testWhere(coded.missing)(`${coded.what}${way} in random chunks, ${seeds} seeds from ${base}`, async () => {
      for (let seed = base; seed < base + seeds; seed += atOnce) {
        const few = Array.from({ length: Math.min(atOnce, base + seeds - seed) }, (_, index) => seed + index);
        await Promise.all(few.map((each) => checkBorders(coded, each, decoders)));
      }
    });
  }
}

test.run();
