/** Sinks that write into a folder, as destinations of a chaos run: compared with what an unbroken run writes. */
import { existsSync } from 'node:fs';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import type { Recovery, Sink } from '../../sinks/contract.js';
import { type DuckdbDatabase, openDatabase } from '../../sinks/duckdb/duckdb-client.js';
import { quoted } from '../../sinks/duckdb/sql.js';
import { sinkFromUri } from '../../sinks/index.js';
import { readParquet } from '../sinks/parquet/read.js';
import type { Destination } from './destination.js';
import { isOf, keyedRows, type Lines, type ListTables, ownedRows, readKeyedRows, readOwnedRows } from './list-rows.js';

interface FolderKind {
  readonly recovery: Recovery;
  /** The address of the sink. */
  uri(folder: string): string;
  /** The rows or items of a data type, in their order, as texts. */
  read(folder: string, dataType: string): Promise<readonly string[]>;
  /** It is compared with the rows that follow from the items, not with those of an unbroken run. */
  readonly lists?: ListTables;
}

/** By the name for `--sink`. */
export const folders = {
  csv: { recovery: 'cut', uri: (folder) => `csv:${folder}`, read: readCsv },
  parquet: { recovery: 'cut', uri: (folder) => `parquet:${folder}`, read: readRows },
  'ndjson-gzip': { recovery: 'cut', uri: (folder) => `ndjson:${folder}?compress=gzip`, read: readGzip },
  'ndjson-rotate': { recovery: 'cut', uri: (folder) => `ndjson:${folder}?rotate=4KB`, read: readParts },
  duckdb: { recovery: 'cut', uri: (folder) => `duckdb:${folder}.db`, read: readTable },
  'duckdb-append': {
    recovery: 'cut',
    uri: (folder) => `duckdb:${folder}.db?mode=append&columns=item`,
    read: readTable,
  },
  'duckdb-lists': { recovery: 'cut', uri: (folder) => `duckdb:${folder}.db?lists=tables`, read: readTables },
  'duckdb-lists-merge': {
    recovery: 'cut',
    uri: (folder) => `duckdb:${folder}.db?lists=tables&mode=merge&key=id`,
    read: readListTables,
    lists: { earlier: 'merged', rows: keyedRows },
  },
  'duckdb-lists-mirror': {
    recovery: 'cut',
    uri: (folder) => `duckdb:${folder}.db?lists=tables&mode=mirror&key=id`,
    read: readListTables,
    lists: { earlier: 'gone', rows: keyedRows },
  },
  tables: {
    recovery: 'cut',
    uri: (folder) => `tables:${folder}`,
    read: async (folder, dataType) => readOwnedRows(folder, dataType),
    lists: { earlier: 'none', rows: ownedRows },
  },
  'csv-lists': { recovery: 'cut', uri: (folder) => `csv:${folder}?lists=tables&key=id`, read: readCsvTables },
} as const satisfies Readonly<Record<string, FolderKind>>;

export type FolderName = keyof typeof folders;

/** What a destination needs of its run. */
export interface Expected {
  readonly dataTypes: readonly string[];
  /** Writes everything into the sink that it gets, without a fault. */
  writeWhole(to: Sink): Promise<unknown>;
  /** The same of an earlier run. */
  writeEarlier(to: Sink): Promise<unknown>;
  /** The rows that the tables of lists must have. */
  rowsOf(tables: ListTables): Lines;
}

/** A folder for the runs. */
export async function startFolder(name: FolderName, run: Expected): Promise<Destination> {
  const { uri, read, lists }: FolderKind = folders[name];
  const folder = await mkdtemp(join(tmpdir(), 'rxtract-chaos-folder-'));
  const [whole, own] = [join(folder, 'whole'), join(folder, 'out')];
  const readAll = async (from: string, dataTypes: Iterable<string>) => {
    const found = new Map<string, readonly string[]>();
    for (const each of dataTypes) found.set(each, await read(from, each).catch(noRows));
    return found;
  };
  if (lists === undefined) await run.writeWhole(sinkFromUri(uri(whole)));
  else if (lists.earlier !== 'none') await run.writeEarlier(sinkFromUri(uri(own)));
  const expected = lists === undefined ? await readAll(whole, run.dataTypes) : run.rowsOf(lists);
  const before = await readAll(own, expected.keys());
  let found = before;
  const settle = async () => {
    found = await readAll(own, expected.keys());
  };
  return {
    ...{ url: uri(own), faults: 0, settle, expected },
    items: (dataType) => found.get(dataType) ?? [],
    async torn() {
      await settle();
      return [...expected.keys()].filter((each) => {
        const rows = sorted(found.get(each) ?? []);
        return [before, expected].every((whole) => sorted(whole.get(each) ?? []) !== rows);
      });
    },
    close: () => rm(folder, { recursive: true, force: true, maxRetries: 10 }),
  };
}

/** A file that is missing has no rows; one that cannot be read is an error. */
function noRows(thrown: unknown): readonly string[] {
  if (thrown instanceof Error && 'code' in thrown && thrown.code === 'ENOENT') return [];
  throw thrown;
}

const sorted = (rows: readonly string[]) => [...rows].sort().join('\n');

const linesOf = (bytes: Buffer) => bytes.toString().split('\n').slice(0, -1);

/** The header is a row too. The values of these worlds have no line breaks. */
async function readCsv(folder: string, dataType: string): Promise<readonly string[]> {
  return linesOf(await readFile(join(folder, `${dataType}.csv`)));
}

async function readRows(folder: string, dataType: string): Promise<readonly string[]> {
  const { rows } = await readParquet(join(folder, `${dataType}.parquet`));
  return rows.map((row) => JSON.stringify(row, (_, value) => (typeof value === 'bigint' ? String(value) : value)));
}

async function readTable(folder: string, dataType: string): Promise<readonly string[]> {
  return readDatabase(folder, async ({ rows }) => {
    const tables = await rows('SELECT table_name AS name FROM duckdb_tables()');
    if (!tables.some(({ name }) => name === dataType)) return [];
    const found = await rows(`SELECT to_json(t)::VARCHAR AS text FROM ${quoted(dataType, 'table')} AS t`);
    return found.map(({ text }) => String(text));
  });
}

/** Rows of the lists too, with their tables. */
async function readTables(folder: string, dataType: string): Promise<readonly string[]> {
  return readDatabase(folder, async ({ rows }) => {
    const tables = await rows("SELECT table_name AS name FROM duckdb_tables() WHERE schema_name = 'main'");
    const own = tables.map(({ name }) => String(name)).filter((name) => isOf(name, dataType));
    const found = own.map((name) =>
      rows(`SELECT '${name} ' || to_json(t)::VARCHAR AS text FROM ${quoted(name, 'table')} AS t`),
    );
    return (await Promise.all(found)).flat().map(({ text }) => String(text));
  });
}

async function readListTables(folder: string, dataType: string): Promise<readonly string[]> {
  return readDatabase(folder, async ({ rows }) =>
    readKeyedRows({ rows, schema: 'main', texts: 'COLUMNS(*)::VARCHAR' }, dataType),
  );
}

/** A run that was killed has left no table, or the file of the database is not there yet. */
async function readDatabase<T>(folder: string, read: (database: DuckdbDatabase) => Promise<readonly T[]>) {
  const file = `${folder}.db`;
  if (!existsSync(file)) return [];
  const database = await openDatabase(file);
  try {
    return await read(database);
  } finally {
    database.close();
  }
}

async function readCsvTables(folder: string, dataType: string): Promise<readonly string[]> {
  const names = (await readdir(folder))
    .map((file) => file.split('.'))
    .filter(([, kind, more]) => kind === 'csv' && more === undefined);
  const own = names.map(([name = '']) => name).filter((name) => isOf(name, dataType));
  return (
    await Promise.all(own.map(async (name) => (await readCsv(folder, name)).map((row) => `${name} ${row}`)))
  ).flat();
}

async function readGzip(folder: string, dataType: string): Promise<readonly string[]> {
  return linesOf(gunzipSync(await readFile(join(folder, `${dataType}.ndjson.gz`))));
}

async function readParts(folder: string, dataType: string): Promise<readonly string[]> {
  const all = await readdir(folder, { recursive: true });
  const parts = all.filter((path) => path.startsWith(`${dataType}.`) && !path.endsWith('.partial')).sort();
  return (await Promise.all(parts.map((part) => readFile(join(folder, part))))).flatMap(linesOf);
}
