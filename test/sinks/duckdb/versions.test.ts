/** A database that another version of DuckDB wrote: the error has both versions, and DuckDB's own words. */
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { version } from '@duckdb/node-api';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { duckdb } from '../../../sinks/duckdb/duckdb.js';
import { testWhere } from '../../where.js';
import { earlierOf, inFolder, rejection } from '../lib.js';

/** The first block of a database, with its checksum. */
function headerOf(storage: number, writer: string): Buffer {
  const block = Buffer.alloc(12_288);
  block.write('DUCK', 8);
  block.writeBigUInt64LE(BigInt(storage), 12);
  block.write(writer, 52);
  let checksum = 5381n;
  for (let at = 8; at < 4096; at += 8) {
    checksum ^= BigInt.asUintN(64, block.readBigUInt64LE(at) * 0xbf58476d1ce4e5b9n);
  }
  block.writeBigUInt64LE(checksum, 0);
  return block;
}

for (const [storage, writer, expected] of [
  [1234, 'v98.7.6', 'DuckDB v98.7.6 (storage version 1234)'],
  [39, '', 'an old DuckDB (storage version 39)'],
] as const) {
  test(
    `the error of a database of ${expected} names both versions`,
    inFolder(async (dir) => {
      const file = join(dir, 'other.db');
      writeFileSync(file, headerOf(storage, writer));
      for (const begin of ['check', 'resume'] as const) {
        const sink = duckdb({ file });
        const error = await rejection(async () => sink[begin]?.(earlierOf()), 'ERR_SINK');
        const start = `duckdb: cannot open the database "${file}" of ${expected} with DuckDB ${version()}: the database was written by another version of DuckDB: `;
        assert.is(error.message.slice(0, start.length), start);
        assert.match(
          error.message.slice(start.length),
          new RegExp(`version number ${storage}, but we can only read versions .*\\d$`),
        );
        assert.match(error.where.remedy ?? '', /latest, .*EXPORT DATABASE/);
      }
    }),
  );
}

const found = spawnSync('python3', ['-c', 'import duckdb; print(duckdb.__version__)'], {
  encoding: 'utf8',
}).stdout.trim();
const isOther = found !== '' && Number(found.split('.')[0]) > Number(version().slice(1).split('.')[0]);

testWhere(isOther ? undefined : 'duckdb of python3, of a newer major version')(
  'the error of a database that a newer DuckDB wrote names both versions',
  inFolder(async (dir) => {
    const file = join(dir, 'newer.db');
    const script = `import duckdb, sys; duckdb.connect(sys.argv[1]).execute('CREATE TABLE t (id INT)').close()`;
    assert.is(spawnSync('python3', ['-c', script, file]).status, 0);
    const both = new RegExp(
      `of DuckDB v${found} \\(storage version \\d+\\) with DuckDB ${version()}: .* can only read versions`,
    );
    await rejection(async () => duckdb({ file }).resume?.(earlierOf()), 'ERR_SINK', both);
  }),
);

test.run();
