/** Items that are not what a table expects: an error with its place and nothing published, or tables as documented. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'csv-parse/sync';
import { test } from 'uvu';
import { type DuckdbDatabase, openDatabase } from '../../../sinks/duckdb/duckdb-client.js';
import { inFolder } from '../lib.js';
import { badItems, mustEnd, type Published, shortened } from './bad-items.js';

/** What is published of the columns of files. */
const filesOf = (dir: string, extension: string, columns: (path: string) => Promise<readonly string[]>) => async () => {
  const names = existsSync(dir) ? readdirSync(dir).filter((name) => !/\.(partial|manifest)$/.test(name)) : [];
  const found: [string, readonly string[] | number][] = [];
  for (const name of names.sort()) {
    found.push([name.slice(0, name.length - extension.length), shortened(await columns(join(dir, name)))]);
  }
  return Object.fromEntries(found);
};

async function headerOf(path: string): Promise<readonly string[]> {
  const [header = []]: readonly (readonly string[])[] = parse(readFileSync(path), { to: 1 });
  return header;
}

async function withDatabase<T>(file: string, read: (database: DuckdbDatabase) => Promise<T>): Promise<T> {
  const database = await openDatabase(file);
  try {
    return await read(database);
  } finally {
    database.close();
  }
}

const parquetColumns = (path: string) =>
  withDatabase(':memory:', async ({ rows }) =>
    (await rows(`DESCRIBE SELECT * FROM '${path}'`)).map(({ column_name }) => String(column_name)),
  );

const tablesIn = (file: string) => () =>
  withDatabase(file, async ({ rows }): Promise<Published> => {
    const found = await rows(
      `SELECT table_name AS name, list(column_name ORDER BY ordinal_position)::JSON::VARCHAR AS columns
       FROM information_schema.columns WHERE table_schema = 'main' GROUP BY 1 ORDER BY 1`,
    );
    return Object.fromEntries(found.map(({ name, columns }) => [name, shortened(JSON.parse(String(columns)))]));
  });

const options = '?lists=tables&key=id';
const sinks = {
  csv: (dir: string) => [`csv:${dir}/out${options}`, filesOf(`${dir}/out`, '.csv', headerOf)],
  parquet: (dir: string) => [`parquet:${dir}/out${options}`, filesOf(`${dir}/out`, '.parquet', parquetColumns)],
  duckdb: (dir: string) => [`duckdb:${dir}/out.db${options}`, tablesIn(`${dir}/out.db`)],
  tables: (dir: string) => [`tables:${dir}/out`, filesOf(`${dir}/out`, '', headerOf)],
} as const satisfies Record<string, (dir: string) => readonly [string, () => Promise<Published>]>;

for (const [sink, open] of Object.entries(sinks)) {
  for (const { what, items, outcomes } of badItems) {
    const expected = outcomes[sink as keyof typeof sinks];
    test(
      `${sink}: ${what} ${expected instanceof RegExp ? 'is an error with its page, and nothing is published' : 'has its tables'}`,
      inFolder(async (dir) => {
        const [to, read] = open(dir);
        await mustEnd(items, expected, to, read);
      }),
    );
  }
}

test.run();
