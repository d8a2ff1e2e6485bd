/** A thousand random bodies in each coding, in random chunks, by each of the decoders. */
import { test } from 'uvu';
import { checkBorders } from '../http/transport/chunk-borders.js';
import { codedBodies, ways } from '../http/transport/coded-bodies.js';
import { testWhere } from '../where.js';

const base = Number(process.env.BORDERS_SEED ?? Math.floor(Math.random() * 2 ** 31));
const seeds = Number(process.env.BORDERS_SEEDS ?? 1000);

console.log(`seed ${base} (set BORDERS_SEED and BORDERS_SEEDS to repeat)`);

for (const [way, decoders, hasZstd] of ways) {
  for (const coded of codedBodies.filter(({ coding }) => hasZstd || coding !== 'zstd')) {
    testWhere(coded.missing)(`${coded.what}${way} in random chunks, ${seeds} seeds from ${base}`, async () => {
      for (let seed = base; seed < base + seeds; seed++) await checkBorders(coded, seed, decoders);
    });
  }
}

test.run();
