/** Reads Parquet files back with pyarrow and DuckDB of Python. */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import * as assert from 'uvu/assert';
import { batchOf } from '../../../sinks/batch.js';
import { parquet } from '../../../sinks/parquet/parquet.js';
import { type Exact, isArray, isObject } from '../../../src/core/json/exact.js';
import { parseExact } from '../../../src/core/json/exact-parse.js';
import { calm } from '../lib.js';
import { mustAgree } from './agree.js';
import { itemsOf } from './random-tables.js';

/** Why they cannot be used here. */
export const pythonMissing =
  spawnSync('python3', ['-c', 'import pyarrow, duckdb, pytz']).status === 0
    ? undefined
    : 'pyarrow, duckdb and pytz of python3';

/** Prints each row as pyarrow reads it; both readers must find the same. */
const program = `
import sys, json, decimal, datetime, uuid, pyarrow.parquet as pq, duckdb
duckdb.execute("SET TimeZone = 'UTC'")
def text(value):
    if isinstance(value, dict): return {name: text(each) for name, each in value.items()}
    if isinstance(value, list): return [text(each) for each in value]
    if isinstance(value, (int, float, decimal.Decimal)) and not isinstance(value, bool): return {'number': str(value)}
    if isinstance(value, datetime.date): return value.isoformat()
    if isinstance(value, bytes): return str(uuid.UUID(bytes=value))
    return str(value) if isinstance(value, uuid.UUID) else value
for path in sys.stdin.read().split():
    table = pq.read_table(path)
    rows = [text(row) for row in table.to_pylist()]
    duck = duckdb.execute('select * from read_parquet(?)', [path]).fetchall()
    found = [text(dict(zip(table.column_names, row))) for row in duck]
    for index, row in enumerate(rows): assert row == found[index], (path, index, row, found[index])
    assert len(rows) == len(found)
    for row in rows: print(json.dumps(row))
`;

/** Writes random items of so many seeds, each into a file, and compares what is read. */
export async function readBackByPython(dir: string, firstSeed: number, count: number): Promise<void> {
  const seeds = Array.from({ length: count }, (_, index) => firstSeed + index);
  const all: Exact[] = [];
  const paths: string[] = [];
  for (const seed of seeds) {
    const items = itemsOf(seed, perSeed);
    all.push(...items);
    paths.push(join(dir, String(seed), 'users.parquet'));
    const sink = parquet(join(dir, String(seed)), { rowGroup: 11 });
    await sink.write(batchOf('users', items), calm);
    await sink.close();
  }
  const options = { input: paths.join('\n'), maxBuffer: 2 ** 30 };
  const { stdout, stderr, status } = spawnSync('python3', ['-c', program], options);
  assert.is(status, 0, stderr.toString());
  const rows = stdout.toString().trimEnd().split('\n');
  assert.is(rows.length, all.length);
  for (const [index, item] of all.entries()) {
    const seed = seeds[Math.floor(index / perSeed)];
    mustAgree(plainOf(parseExact(rows[index] ?? '')), item, `seed ${seed}, item ${index % perSeed}: `);
  }
}

const perSeed = 30;

/**
 * Numbers are texts, so that no digit is lost on the way. `JSON.parse` does not serve: on Node 24 it misreads escaped
 * names of members once it has seen a name with a backslash, github.com/nodejs/node/issues/63785.
 */
function plainOf(value: Exact): unknown {
  if (isArray(value)) return value.map(plainOf);
  if (value === null || !isObject(value)) return value;
  if (value.size === 1 && value.has('number')) return value.get('number');
  return Object.fromEntries([...value].map(([name, each]) => [name, plainOf(each)]));
}
