// What scripts that write tables look like: undici, `body.json()`, and a page at a time to the writer of a package.
//
//   node table.mjs KIND ORIGIN DIR PAGES
//
//   csv          csv-stringify, the columns of the first page, into DIR/items.csv
//   parquet      hyparquet-writer, columns and types of the first page, into DIR/items.parquet
//   duckdb       NDJSON beside the database, and at the end one transaction that loads it by read_json, with columns
//                and types that the script knows, into DIR/items.db. Numbers become doubles
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { finished } from 'node:stream/promises';
import { Pool } from 'undici';

const [kind, origin, dir, most] = process.argv.slice(2);
const pages = Number(most);
const pool = new Pool(origin, { connections: 1 });

async function* read() {
  for (let page = 1; page <= pages; page++) {
    const { body } = await pool.request({ path: `/items?page=${page}`, method: 'GET' });
    yield (await body.json()).data;
  }
}

const kinds = {
  async csv() {
    const { stringify } = await import('csv-stringify/sync');
    const file = createWriteStream(join(dir, 'items.csv'));
    let columns;
    for await (const items of read()) {
      const isFirst = columns === undefined;
      columns ??= Object.keys(items[0]);
      // JSON has booleans by name; the package would write 1 and nothing.
      const text = stringify(items, { columns, header: isFirst, cast: { boolean: String } });
      if (!file.write(text)) await once(file, 'drain');
    }
    file.end();
    await finished(file);
  },
  async parquet() {
    const { fileWriter, parquetWriteRows } = await import('hyparquet-writer');
    const pagesOfItems = read();
    const { value: first } = await pagesOfItems.next();
    async function* rows() {
      yield* first;
      for await (const items of pagesOfItems) yield* items;
    }
    const columns = Object.keys(first[0]).map((name) => ({ name }));
    const writer = fileWriter(join(dir, 'items.parquet'));
    await parquetWriteRows({ writer, rows: rows(), columns, rowGroupSize: 100_000 });
  },
  async duckdb() {
    const { DuckDBInstance } = await import('@duckdb/node-api');
    const instance = await DuckDBInstance.create(join(dir, 'items.db'));
    const connection = await instance.connect();
    const lines = join(dir, 'loop.ndjson');
    const file = createWriteStream(lines);
    for await (const items of read()) {
      const text = items.map((item) => `${JSON.stringify(item)}\n`).join('');
      if (!file.write(text)) await once(file, 'drain');
    }
    file.end();
    await finished(file);
    await connection.run('BEGIN TRANSACTION');
    await connection.run(`CREATE OR REPLACE TABLE items AS ${selection(lines)}`);
    await connection.run('COMMIT');
    connection.closeSync();
    instance.closeSync();
    await rm(lines);
  },
};

const selection = (lines) => `
  SELECT id, name, email, active, score, created_at, tags,
    address.street AS address__street, address.city AS address__city, address.zip AS address__zip,
    address.geo.lat AS address__geo__lat, address.geo.lng AS address__geo__lng, note, page
  FROM read_json('${lines}', format = 'newline_delimited', columns = {
    id: 'BIGINT', name: 'VARCHAR', email: 'VARCHAR', active: 'BOOLEAN', score: 'DOUBLE', created_at: 'VARCHAR',
    tags: 'JSON', note: 'VARCHAR', page: 'VARCHAR',
    address: 'STRUCT(street VARCHAR, city VARCHAR, zip VARCHAR, geo STRUCT(lat DOUBLE, lng DOUBLE))'})`;

await kinds[kind]();
await pool.close();
