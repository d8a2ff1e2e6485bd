/** Sinks that write into a folder, as destinations of a chaos run: compared with what an unbroken run writes. */
import { existsSync } from 'node:fs';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import type { Recovery, Sink } from '../../sinks/contract.js';
import { openDatabase } from '../../sinks/duckdb/duckdb-client.js';
import { quoted } from '../../sinks/duckdb/sql.js';
import { sinkFromUri } from '../../sinks/index.js';
import { readParquet } from '../sinks/parquet/read.js';
import type { Destination } from './destination.js';

interface FolderKind {
  readonly recovery: Recovery;
  /** The address of the sink. */
  uri(folder: string): string;
  /** The rows or items of a data type, in their order, as texts. */
  read(folder: string, dataType: string): Promise<readonly string[]>;
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
    read: readTables,
  },
  'csv-lists': { recovery: 'cut', uri: (folder) => `csv:${folder}?lists=tables&key=id`, read: readCsvTables },
} as const satisfies Readonly<Record<string, FolderKind>>;

export type FolderName = keyof typeof folders;

/** A folder for the runs. `writeWhole` writes everything into the sink that it gets, without a fault. */
export async function startFolder(
  name: FolderName,
  dataTypes: readonly string[],
  writeWhole: (to: Sink) => Promise<unknown>,
): Promise<Destination> {
  const { uri, read }: FolderKind = folders[name];
  const folder = await mkdtemp(join(tmpdir(), 'rxtract-chaos-folder-'));
  const [whole, own] = [join(folder, 'whole'), join(folder, 'out')];
  await writeWhole(sinkFromUri(uri(whole)));
  const wanted = new Map<string, readonly string[]>();
  for (const dataType of dataTypes) wanted.set(dataType, await read(whole, dataType));
  const found = new Map<string, readonly string[]>();
  const settle = async () => {
    for (const dataType of dataTypes) found.set(dataType, await read(own, dataType).catch(noRows));
  };
  return {
    ...{ url: uri(own), faults: 0, settle },
    items: (dataType) => found.get(dataType) ?? [],
    expected: (dataType) => wanted.get(dataType) ?? [],
    async torn() {
      await settle();
      return dataTypes.filter((each) => {
        const rows = found.get(each) ?? [];
        return rows.length > 0 && sorted(rows) !== sorted(wanted.get(each) ?? []);
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

/** A run that was killed has left no table, or the file of the database is not there yet. */
async function readTable(folder: string, dataType: string): Promise<readonly string[]> {
  const file = `${folder}.db`;
  if (!existsSync(file)) return [];
  const database = await openDatabase(file);
  try {
    const tables = await database.rows('SELECT table_name AS name FROM duckdb_tables()');
    if (!tables.some(({ name }) => name === dataType)) return [];
    const rows = await database.rows(`SELECT to_json(t)::VARCHAR AS text FROM ${quoted(dataType, 'table')} AS t`);
    return rows.map(({ text }) => String(text));
  } finally {
    database.close();
  }
}

/** Rows of the lists too, with their tables. */
async function readTables(folder: string, dataType: string): Promise<readonly string[]> {
  const file = `${folder}.db`;
  if (!existsSync(file)) return [];
  const database = await openDatabase(file);
  try {
    const tables = await database.rows("SELECT table_name AS name FROM duckdb_tables() WHERE schema_name = 'main'");
    const own = tables.map(({ name }) => String(name)).filter((name) => isOf(name, dataType));
    const rows = own.map((name) =>
      database.rows(`SELECT '${name} ' || to_json(t)::VARCHAR AS text FROM ${quoted(name, 'table')} AS t`),
    );
    return (await Promise.all(rows)).flat().map(({ text }) => String(text));
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

const isOf = (table: string, dataType: string): boolean => table === dataType || table.startsWith(`${dataType}__`);

async function readGzip(folder: string, dataType: string): Promise<readonly string[]> {
  return linesOf(gunzipSync(await readFile(join(folder, `${dataType}.ndjson.gz`))));
}

async function readParts(folder: string, dataType: string): Promise<readonly string[]> {
  const all = await readdir(folder, { recursive: true });
  const parts = all.filter((path) => path.startsWith(`${dataType}.`) && !path.endsWith('.partial')).sort();
  return (await Promise.all(parts.map((part) => readFile(join(folder, part))))).flatMap(linesOf);
}
