/** A hundred random bodies in each coding; `test/fuzz/chunk-borders.test.ts` has a thousand. */
import { test } from 'uvu';
import { testWhere } from '../../where.js';
import { checkBorders } from './chunk-borders.js';
import { codedBodies, ways } from './coded-bodies.js';

const base = Date.now() % 100_000;

for (const [way, decoders, hasZstd] of ways) {
  for (const coded of codedBodies.filter(({ coding }) => hasZstd || coding !== 'zstd')) {
    testWhere(coded.missing)(
      `${coded.what}${way} in random chunks is what was encoded, seeds from ${base}`,
      async () => {
        for (let seed = base; seed < base + 100; seed++) await checkBorders(coded, seed, decoders);
      },
    );
  }
}

test.run();
