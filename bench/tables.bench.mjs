// How fast is a pull into a file with a table, against a loop with a package for that format? 1,000 items of 345 bytes
// a page. Whole processes in turn, each variant once a round. The loop holds each page as text, as objects and as text
// again. It knows the columns from the first page, into DuckDB also their types; rxtract also finds columns that appear
// later, and keeps digits that a double has not. Into DuckDB both load everything in one transaction at the end. Then a
// pull of 10,000,000 items, whose memory must stay within 200 MB.
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  interleaved,
  machine,
  measure,
  megabytes,
  middleOf,
  program,
  pullOf,
  ratioOf,
  withServer,
} from './harness.mjs';

export const question = 'How fast is a pull into a table file, against a loop with a package for that format?';
export const isLong = true;

const perPage = 1000;
const loop = 'loop';

/** By the kind of the loop in peers/table.mjs: its package, the goal, and a check that both wrote the same. */
const formats = {
  csv: {
    writer: 'csv-stringify',
    goal: 2,
    to: (dir) => dir,
    file: 'items.csv',
    read: async (path) => (await readFile(path, 'utf8')).replaceAll('\r\n', '\n'),
  },
  parquet: { writer: 'hyparquet-writer', goal: 2, to: (dir) => dir, file: 'items.parquet', read: readRows },
  duckdb: {
    writer: 'read_json of @duckdb/node-api',
    goal: 0.9,
    to: (dir) => join(dir, 'items.db'),
    file: 'items.db',
    read: readTable,
  },
};

/** The rows as JSON, with decimals as doubles: the loop has only doubles. */
async function readTable(path) {
  const { DuckDBInstance } = await import('@duckdb/node-api');
  const instance = await DuckDBInstance.create(path);
  const connection = await instance.connect();
  const numbers = ['score', 'address__geo__lat', 'address__geo__lng'];
  const doubles = numbers.map((name) => `CAST(${name} AS DOUBLE) AS ${name}`).join(', ');
  const rows = await connection.runAndReadAll(`SELECT * REPLACE (${doubles}) FROM items`);
  const found = JSON.stringify(rows.getRowObjectsJson());
  connection.closeSync();
  instance.closeSync();
  return found;
}

/** The rows as JSON, with numbers of 12 digits: the reader makes doubles of decimals, and the loop has only doubles. */
async function readRows(path) {
  const { asyncBufferFromFile, parquetReadObjects } = await import('hyparquet');
  const rows = await parquetReadObjects({ file: await asyncBufferFromFile(path) });
  const isNumber = (value) => typeof value === 'bigint' || typeof value === 'number';
  return JSON.stringify(rows, (_, value) => (isNumber(value) ? Number(value).toPrecision(12) : value));
}

export async function run({ rounds = 5, pages = 600, long = 10_000 } = {}) {
  const rows = [];
  for (const [name, format] of Object.entries(formats)) {
    rows.push(
      ...(await withServer({ pages: long, items: perPage }, (place) =>
        compare(name, format, place, { rounds, pages, long }),
      )),
    );
  }
  return rows;
}

async function compare(name, format, place, { rounds, pages, long }) {
  await mustAgree(name, format, place);
  const measured = await interleaved(['rxtract', loop], rounds, (variant) => pull(name, format, variant, place, pages));
  const { peak, seconds } = await pull(name, format, 'rxtract', place, long);
  return ['rxtract', loop].map((variant) => {
    const { middle, text } = ratioOf(measured[loop], measured[variant], 'seconds');
    return {
      format: name,
      variant: variant === loop ? `undici, body.json(), ${format.writer}` : variant,
      'items/s': Math.round((pages * perPage) / middleOf(measured[variant], 'seconds')),
      'CPU s': +middleOf(measured[variant], 'cpu').toFixed(2),
      'peak MB': megabytes(middleOf(measured[variant], 'peak')),
      [`peak MB, ${(long * perPage).toLocaleString('en')} items`]: variant === loop ? '' : megabytes(peak),
      'items/s of these': variant === loop ? '' : Math.round((long * perPage) / seconds),
      'of the loop': middle,
      quartiles: text,
    };
  });
}

async function pull(name, { file }, variant, place, pages) {
  const used = await measure(wordsOf(name, variant, place, pages));
  await rm(join(place.dir, file));
  return used;
}

const wordsOf = (name, variant, place, pages) =>
  variant === loop
    ? [program('peers/table.mjs'), name, place.origin, place.dir, String(pages)]
    : pullOf(place, pages, `${name}:${formats[name].to(place.dir)}`);

/** Both must write the same rows. */
async function mustAgree(name, { file, read }, place) {
  const written = [];
  for (const variant of ['rxtract', loop]) {
    await measure(wordsOf(name, variant, place, 3));
    written.push(await read(join(place.dir, file)));
    await rm(join(place.dir, file));
  }
  if (written[0] !== written[1]) throw new Error(`${name}: the loop writes another table`);
}

const ours = (rows) => rows.filter(({ variant }) => variant === 'rxtract');
const peakOf = (row) => Object.entries(row).find(([name]) => name.startsWith('peak MB, '))?.[1];

export const goals = (rows) =>
  ours(rows).flatMap((row) => [
    { what: `${row.format}: against the loop`, goal: formats[row.format].goal, value: row['of the loop'] },
    { what: `${row.format}: peak MB of the long pull`, goal: 200, value: peakOf(row), isLess: true },
  ]);

export const reading = (rows) =>
  ours(rows).map(
    (row) =>
      `Tables: into ${row.format} a pull runs at ${row['of the loop']} times the rate of a loop, and the longest one needed ${peakOf(row)} MB.`,
  );

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  console.log(machine());
  console.table(await run());
}
