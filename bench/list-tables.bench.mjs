// How fast are items with a list of five objects as two tables, against dlt on the same items? And what memory do
// 10,000,000 flat items need, and a table of a list with 50,000,000 rows? Whole processes. The two take turns, once a
// round; the ratio is that of CPU time, which other work on the machine disturbs least. Memory is the peak resident set
// of the command's process, DuckDB included; the server is another one.
//
// dlt is measured where `node bench/rivals/measure.mjs --install --only dlt` has installed it.
import { execFileSync, fork } from 'node:child_process';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { command, interleaved, machine, measure, megabytes, middleOf, program, ratioOf, scratch } from './harness.mjs';
import { timed } from './rivals/run-tool.mjs';
import { installedRivals, python, tools } from './rivals/tools.mjs';

export const question = 'Lists as tables: how fast against dlt, and in how much memory?';
export const isLong = true;

const dlt = 'dlt';
const perPage = 1000;

const inFile = (path) => (dir, name) => `'${join(dir, 'out', path(name))}'`;

/** Addresses of each kind of table, and what DuckDB reads of it: a table of a database file, or a file. */
const kinds = {
  duckdb: { to: (dir) => `duckdb:${join(dir, 'out/items.db')}`, file: 'out/items.db', rows: (_, name) => name },
  parquet: { to: (dir) => `parquet:${join(dir, 'out')}`, rows: inFile((name) => `${name}.parquet`) },
  csv: { to: (dir) => `csv:${join(dir, 'out')}`, rows: inFile((name) => `${name}.csv`) },
};
const ofDlt = {
  duckdb: { file: 'out/items.db', rows: (_, name) => `data.${name}`, count: countByPython },
  parquet: { rows: inFile((name) => `data/${name}/*.parquet`) },
};

export async function run({ rounds = 5, pages = 60, long = 10_000 } = {}) {
  const rows = [];
  const isInstalled = tools.dlt.installed(installedRivals) !== undefined;
  for (const kind of ['duckdb', 'parquet']) {
    if (isInstalled) rows.push(...(await compare(kind, pages, rounds)));
    else rows.push({ what: `one list of five, ${kind}`, variant: dlt, note: 'not installed, so not measured' });
  }
  for (const kind of Object.keys(kinds)) {
    rows.push(await longPull(kind, { pages: long, items: perPage, elements: 0 }));
    rows.push(await longPull(kind, { pages: long / 10, items: perPage, elements: 50 }));
  }
  return rows;
}

/** Starts the server, and passes it to the work with a folder and a configuration in it. */
const withLists = ({ pages, items, elements }, work) =>
  scratch(async (dir) => {
    const server = fork(program('peers/list-server.mjs'), [pages, items, elements].map(String));
    try {
      const port = await new Promise((resolve) => server.once('message', resolve));
      const origin = `http://127.0.0.1:${port}`;
      const api = { baseUrl: `${origin}/`, pagination: { method: 'pagenum', limit: perPage } };
      const jobs = [{ endpoint: 'items', dataType: 'items', dataField: 'data' }];
      const config = join(dir, 'config.json');
      await writeFile(config, JSON.stringify({ api, config: { jobs } }));
      return await work({ dir, config, origin });
    } finally {
      server.disconnect();
    }
  });

const pullOf = (kind, { dir, config }) => [
  ...[command, 'run', config, '--quiet', '--to'],
  `${kinds[kind].to(dir)}?lists=tables&key=id`,
];

export async function compare(kind, pages, rounds) {
  const items = pages * perPage;
  const measured = await withLists({ pages, items: perPage, elements: 5 }, (place) =>
    interleaved(['rxtract', dlt], rounds, (variant) => pullOnce(kind, variant, place, items)),
  );
  return ['rxtract', dlt].map((variant) => {
    const { middle, text } = ratioOf(measured[dlt], measured[variant], 'cpu');
    return {
      what: `${items.toLocaleString('en')} items with a list of five, ${kind}`,
      variant,
      'CPU s': +middleOf(measured[variant], 'cpu').toFixed(2),
      seconds: +middleOf(measured[variant], 'seconds').toFixed(2),
      'peak MB': megabytes(middleOf(measured[variant], 'peak')),
      'of the CPU of dlt': middle,
      quartiles: text,
    };
  });
}

async function pullOnce(kind, variant, place, items) {
  const { dir, origin } = place;
  const words =
    variant === dlt
      ? [python(installedRivals), program('rivals/dlt-tables.py'), origin, join(dir, 'out'), kind]
      : [process.execPath, ...pullOf(kind, place)];
  const used = await timed(words, { usage: join(dir, 'usage.txt'), env: {} });
  await mustHave(dir, variant === dlt ? ofDlt[kind] : kinds[kind], [items, 5 * items]);
  return used;
}

/** Throws unless the two tables have so many rows, and removes them. */
async function mustHave(dir, { file, rows, count = countBy }, [items, lines]) {
  const expected = { items, ...(lines > 0 && { items__lines: lines }) };
  for (const [name, wanted] of Object.entries(expected)) {
    const found = Number(await count(file === undefined ? ':memory:' : join(dir, file), rows(dir, name)));
    if (found !== wanted) throw new Error(`${name} has ${found} rows, not ${wanted}`);
  }
  for (const each of ['out', 'out.state']) await rm(join(dir, each), { recursive: true, force: true });
}

async function countBy(file, rows) {
  const { DuckDBInstance } = await import('@duckdb/node-api');
  const instance = await DuckDBInstance.create(file);
  const connection = await instance.connect();
  const found = await connection.runAndReadAll(`SELECT count(*) FROM ${rows}`);
  connection.closeSync();
  instance.closeSync();
  return found.getRows()[0][0];
}

/** By the DuckDB of dlt, which may be newer. */
function countByPython(file, rows) {
  const program = `import duckdb; print(duckdb.connect("${file}").execute("SELECT count(*) FROM ${rows}").fetchall()[0][0])`;
  return execFileSync(python(installedRivals), ['-c', program], { encoding: 'utf8' });
}

export async function longPull(kind, shape) {
  const items = shape.pages * shape.items;
  const lines = items * shape.elements;
  const { seconds, cpu, peak } = await withLists(shape, async (place) => {
    const used = await measure(pullOf(kind, place));
    await mustHave(place.dir, kinds[kind], [items, lines]);
    return used;
  });
  const rows = items + lines;
  return {
    what: `${items.toLocaleString('en')} items${lines === 0 ? '' : `, ${lines.toLocaleString('en')} of lists`}, ${kind}`,
    variant: 'rxtract',
    'CPU s': +cpu.toFixed(1),
    seconds: +seconds.toFixed(1),
    'peak MB': megabytes(peak),
    'rows/s of CPU': Math.round(rows / cpu),
  };
}

export const goals = (rows) =>
  rows
    .filter(({ variant, note }) => variant === 'rxtract' && note === undefined)
    .map((row) =>
      row['of the CPU of dlt'] === undefined
        ? { what: `peak MB: ${row.what}`, goal: 200, value: row['peak MB'], isLess: true }
        : { what: `against dlt: ${row.what}`, goal: 3, value: row['of the CPU of dlt'] },
    );

export const reading = (rows) =>
  goals(rows).map(({ what, value, isLess }) => `Lists as tables, ${what}: ${value}${isLess ? '' : ' times'}.`);

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  console.log(machine());
  console.table(await run());
}
