/** Parquet in bulk: 1,000 random tables, ten thousand columns, and a type that changes with the last of many items. */
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { finished } from 'node:stream/promises';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { batchOf } from '../../sinks/batch.js';
import { pageCodecOf } from '../../sinks/parquet/compression.js';
import { convert } from '../../sinks/parquet/convert-file.js';
import { parquet } from '../../sinks/parquet/parquet.js';
import { calm, inFolder } from '../sinks/lib.js';
import { pythonMissing, readBackByPython } from '../sinks/parquet/python.js';
import { readParquet } from '../sinks/parquet/read.js';
import { testWhere } from '../where.js';

const seed = Number(process.env.PARQUET_SEED ?? Math.floor(Math.random() * 2 ** 31));
const tables = Number(process.env.PARQUET_TABLES ?? 1000);

console.log(`seed ${seed} (set PARQUET_SEED and PARQUET_TABLES to repeat)`);
const atOnce = 100;

for (let from = 0; from < tables; from += atOnce) {
  testWhere(pythonMissing)(
    `pyarrow and DuckDB read every value of the random tables ${from} to ${Math.min(from + atOnce, tables)} back`,
    inFolder((dir) => readBackByPython(dir, seed + from, Math.min(atOnce, tables - from))),
  );
}

test(
  'ten thousand columns, a new one in each of the last items',
  inFolder(async (dir) => {
    const names = Array.from({ length: 10_000 }, (_, index) => `c${index}`);
    const items = [
      Object.fromEntries(names.slice(0, 9000).map((name, index) => [name, index])),
      ...names.slice(9000).map((name) => ({ [name]: 'x' })),
    ];
    const sink = parquet(dir);
    for (const item of items) await sink.write(batchOf('users', [item]), calm);
    await sink.close();
    const { rows, types } = await readParquet(join(dir, 'users.parquet'));
    assert.equal(Object.keys(types), names);
    assert.is(rows.length, 1001);
    assert.is(rows[0]?.c8999, 8999n);
    assert.is(rows[1000]?.c9999, 'x');
    assert.is(rows[999]?.c9999, null);
  }),
);

test(
  'a whole number that becomes a text with item 999,999',
  inFolder(async (dir) => {
    const [from, to] = [join(dir, 'items'), join(dir, 'users.parquet')];
    const file = createWriteStream(from);
    for (let page = 0; page < 1000; page++) {
      const ids = Array.from({ length: 1000 }, (_, index) => 9_000_000_000_000_000_000n + BigInt(page * 1000 + index));
      const lines = ids.map((id, index) => `{"id":${page * 1000 + index < 999_999 ? id : '"last"'}}\n`);
      if (!file.write(lines.join(''))) await once(file, 'drain');
    }
    file.end();
    await finished(file);
    const form = {
      dataType: 'users',
      codec: pageCodecOf('snappy'),
      groupRows: 100_000,
      nestedAsJson: false,
      findsForms: true,
    };
    const { changed } = await convert(from, to, { ...form, onLoneSurrogate: () => {} });
    assert.equal(changed, [{ column: 'id', from: 'INT64', to: 'STRING' }]);
    const { rows } = await readParquet(to);
    assert.is(rows.length, 1_000_000);
    const wrong = rows.findIndex(
      ({ id }, index) => id !== (index < 999_999 ? String(9_000_000_000_000_000_000n + BigInt(index)) : 'last'),
    );
    assert.is(wrong, -1);
  }),
);

test.run();
