import { test } from 'uvu';
import { inFolder } from '../lib.js';
import { reassembled } from './reassembly.js';

const seeds = Array.from({ length: 10 }, (_, index) => index + 1);

for (const kind of ['duckdb', 'csv', 'parquet'] as const)
  test(
    `items are what their tables are, joined again: ${kind}`,
    inFolder((dir) => reassembled(dir, kind, seeds)),
  );

test.run();
