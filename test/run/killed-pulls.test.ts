/** Value and data at each place where a process can be killed while it ends: in DuckDB, and in files that are added. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { duckdb } from '../../sinks/duckdb/duckdb.js';
import { openDatabase } from '../../sinks/duckdb/duckdb-client.js';
import { ndjson } from '../../sinks/files/ndjson.js';
import { inFolder } from '../sinks/lib.js';
import { allKilledPulls, expectedVersions, pullKilled } from './killed-pulls.js';

const versionOf = ({ id, note }: Readonly<Record<string, unknown>>): string =>
  `${id}${typeof note === 'string' ? ` ${note}` : ''}`;

for (const { mode, place, next } of allKilledPulls) {
  test(
    `duckdb with mode=${mode}, killed ${place}, ${next}`,
    inFolder(async (dir) => {
      const file = join(dir, 'out.db');
      const key = mode === 'append' ? {} : { key: 'id' };
      await pullKilled({ place, next, make: () => duckdb({ file, mode, ...key }) });
      const database = await openDatabase(file);
      try {
        const found = await database.rows('SELECT id, note FROM rows');
        assert.equal(found.map(versionOf).sort(), expectedVersions(mode, { place, next }));
      } finally {
        database.close();
      }
    }),
  );
  if (mode !== 'append') continue;
  test(
    `ndjson with mode=append, killed ${place}, ${next}`,
    inFolder(async (dir) => {
      await pullKilled({ place, next, make: () => ndjson(dir, { mode }) });
      const names = readdirSync(dir);
      assert.equal(
        names.filter((name) => !name.endsWith('.ndjson')),
        [],
        'no temporary file stays',
      );
      const lines = names.flatMap((name) => readFileSync(join(dir, name), 'utf8').split('\n').slice(0, -1));
      assert.equal(lines.map((line) => versionOf(JSON.parse(line))).sort(), expectedVersions(mode, { place, next }));
    }),
  );
}

test.run();
