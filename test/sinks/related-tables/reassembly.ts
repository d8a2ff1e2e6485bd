/**
 * Random items with lists, written as related tables and joined again by SQL: keys and positions must give the items.
 * DuckDB reads the files of the other sinks.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as assert from 'uvu/assert';
import { batchOf } from '../../../sinks/batch.js';
import type { Sink } from '../../../sinks/contract.js';
import { csv } from '../../../sinks/csv/csv.js';
import { duckdb } from '../../../sinks/duckdb/duckdb.js';
import { type DuckdbDatabase, openDatabase } from '../../../sinks/duckdb/duckdb-client.js';
import { literal, quoted } from '../../../sinks/duckdb/sql.js';
import { parquet } from '../../../sinks/parquet/parquet.js';
import { mulberry32 } from '../../support/mulberry32.js';
import { calm, earlierOf, pageEnd } from '../lib.js';

export const tableSinks = ['duckdb', 'csv', 'parquet'] as const;

export type TableSink = (typeof tableSinks)[number];

/** What a value is, the same in all items: a column then has one type. */
type Shape =
  | 'number'
  | 'text'
  | 'boolean'
  | { readonly list: Shape }
  | { readonly members: ReadonlyMap<string, Shape> };

type Below = (most: number) => number;

const texts = ['', 'a', 'č 語', '"', 'a,b', 'two\nlines', '[1]', 'null'];
const names = ['a', 'b', 'c', 'd', 'e'];

function randomShape(below: Below, depth: number): Shape {
  const kind = below(depth > 3 ? 3 : 6);
  if (kind < 3) return (['number', 'text', 'boolean'] as const)[kind as 0];
  if (kind === 3) return randomObject(below, depth);
  return { list: randomShape(below, depth + 1) };
}

const randomObject = (below: Below, depth: number): Shape => ({
  members: new Map(names.slice(0, 1 + below(4)).map((name) => [name, randomShape(below, depth + 1)] as const)),
});

function randomValue(shape: Shape, below: Below): unknown {
  const fate = below(8);
  if (fate === 0) return null;
  if (shape === 'number') return below(2000) / 2 - 500;
  if (shape === 'text') return texts[below(texts.length)];
  if (shape === 'boolean') return below(2) === 0;
  if ('list' in shape) return Array.from({ length: below(4) }, () => randomValue(shape.list, below));
  const members = [...shape.members].filter(() => below(6) > 0);
  return Object.fromEntries(members.map(([name, each]) => [name, randomValue(each, below)]));
}

/** Random items of one shape, with an `id`. */
function randomItems(seed: number): readonly object[] {
  const random = mulberry32(seed);
  const below = (most: number) => random() % most;
  const shape = randomObject(below, 0);
  return Array.from({ length: 1 + below(6) }, (_, id) => ({ ...Object(randomValue(shape, below)), id }));
}

/** Without what has no row or cell: null, empty objects and lists. An element without a value is null. */
function bare(value: unknown): unknown {
  if (value === null) return undefined;
  if (Array.isArray(value)) return value.length === 0 ? undefined : value.map((each) => bare(each) ?? null);
  if (typeof value !== 'object') return value;
  const members = Object.entries(Object(value)).flatMap(([name, each]) => {
    const member = bare(each);
    return member === undefined ? [] : [[name, member] as const];
  });
  return members.length === 0 ? undefined : Object.fromEntries(members);
}

/** Cells of CSV are texts. */
const asTexts = (value: unknown): unknown =>
  JSON.parse(JSON.stringify(value), (_, each) => (each === null || typeof each === 'object' ? each : String(each)));

/** How a database is read. */
export interface JoiningDatabase {
  rows(sql: string): Promise<readonly Readonly<Record<string, unknown>>[]>;
  /** Makes an object of names and values. */
  readonly object: 'json_object' | 'json_build_object';
  /** Makes a list of the values of a group. */
  readonly list: (value: string, order: string) => string;
  readonly schema: string;
}

/** Writes items of so many shapes, each a data type, and compares what SQL makes of their tables. */
export async function reassembled(dir: string, kind: TableSink, seeds: readonly number[]): Promise<void> {
  for (const hasKey of [true, false]) {
    const place = join(dir, `${kind}-${hasKey}`);
    const all = await writeShapes(sinkOf(kind, place, hasKey), seeds);
    const database = await openDatabase(kind === 'duckdb' ? join(place, 'out.db') : ':memory:');
    try {
      if (kind !== 'duckdb') await readFiles(database, place);
      await compare({ ...duckdbJoins, rows: (sql) => database.rows(sql) }, all, { hasKey, isText: kind === 'csv' });
    } finally {
      database.close();
    }
  }
}

const duckdbJoins = {
  object: 'json_object',
  list: (value: string, order: string) => `to_json(list(${value} ORDER BY ${order}))`,
  schema: 'main',
} as const;

interface Compared {
  readonly hasKey: boolean;
  /** All values are texts. */
  readonly isText: boolean;
}

/** Joins the tables of each data type, and compares the result with its items. */
export async function compare(
  database: JoiningDatabase,
  all: ReadonlyMap<string, readonly object[]>,
  { hasKey, isText }: Compared,
): Promise<void> {
  const tables = await tablesOf(database);
  for (const [dataType, items] of all) {
    const rows = await database.rows(
      `SELECT made FROM (${rowsOf(database, dataType, hasKey, tables)}) AS items ORDER BY CAST(id AS INT)`,
    );
    const found = rows.map(({ made }) => bare(itemOf(JSON.parse(String(made)))));
    const expected = items.map((item) => bare(isText ? asTexts(item) : item));
    assert.equal(found, expected, `${hasKey ? 'with' : 'without'} key, seed ${dataType.slice(1)}`);
  }
}

/** Writes random items of a shape for each seed, and returns them by their data types. */
export async function writeShapes(
  sink: Sink,
  seeds: readonly number[],
): Promise<ReadonlyMap<string, readonly object[]>> {
  const all = new Map(seeds.map((seed) => [`s${seed}`, randomItems(seed)] as const));
  await write(sink, all);
  return all;
}

function sinkOf(kind: TableSink, dir: string, hasKey: boolean): Sink {
  const lists = { lists: 'tables', ...(hasKey && { key: 'id' }) };
  if (kind === 'duckdb') return duckdb({ file: join(dir, 'out.db'), ...lists });
  return kind === 'csv' ? csv(dir, { ...lists, nested: 'dot' }) : parquet(dir, lists);
}

async function write(sink: Sink, all: ReadonlyMap<string, readonly object[]>): Promise<void> {
  await sink.resume?.(earlierOf({ isStored: false }));
  for (const dataType of all.keys()) await sink.open?.(dataType, dataType);
  for (const [dataType, items] of all) {
    await sink.write(batchOf(dataType, items), calm);
    await sink.commit?.(pageEnd(dataType), calm);
  }
  await sink.close();
}

async function readFiles(database: DuckdbDatabase, dir: string): Promise<void> {
  for (const file of existsSync(dir) ? readdirSync(dir) : []) {
    const [name = '', kind] = file.split('.');
    const path = literal(join(dir, file));
    const rows = kind === 'csv' ? csvOf(join(dir, file)) : `read_parquet(${path})`;
    await database.run(`CREATE TABLE ${quoted(name, 'table')} AS SELECT * FROM ${rows}`);
  }
}

/** Cells as texts: DuckDB would guess their types. No name needs quotes. */
function csvOf(file: string): string {
  const [header = ''] = readFileSync(file, 'utf8').split('\r\n', 1);
  const columns = header.split(',').map((name) => `${literal(name)}: 'VARCHAR'`);
  return `read_csv(${literal(file)}, columns = {${columns.join(', ')}}, header = true, auto_detect = false, delim = ',',
    quote = '"', escape = '"', new_line = '\\r\\n', allow_quoted_nulls = false)`;
}

async function tablesOf({ rows: read, schema }: JoiningDatabase): Promise<ReadonlyMap<string, readonly string[]>> {
  const tables = new Map<string, string[]>();
  const rows = await read(
    `SELECT table_name AS name, column_name AS col FROM information_schema.columns WHERE table_schema = '${schema}'
     ORDER BY table_name, ordinal_position`,
  );
  for (const { name, col } of rows) tables.set(String(name), [...(tables.get(String(name)) ?? []), String(col)]);
  return tables;
}

const isPosition = (name: string) => name.endsWith('__position');

/** A statement with a row for each item: `made` has its cells, and by name its lists, whose elements have the same. */
function rowsOf(
  { object, list }: JoiningDatabase,
  dataType: string,
  hasKey: boolean,
  tables: ReadonlyMap<string, readonly string[]>,
): string {
  const own = [...tables].filter(([name]) => name.startsWith(`${dataType}__`));
  const key = hasKey ? 'id' : 'row_id';
  const reference = `${dataType}__${key}`;
  const level = (table: string, columns: readonly string[], positions: readonly string[]): string => {
    const lists = own.filter(([, each]) => {
      const found = each.filter(isPosition);
      return found.length === positions.length + 1 && positions.every((name, index) => name === found[index]);
    });
    const by = [reference, ...positions].map((name) => quoted(name, 'column')).join(', ');
    const joins = lists.map(([name, each], index) => {
      const place = each.filter(isPosition);
      const last = quoted(place.at(-1) ?? '', 'column');
      return `LEFT JOIN (SELECT ${by}, ${list('made', `CAST(${last} AS INT)`)} AS l${index}
        FROM (${level(name, each, place)}) AS each GROUP BY ${by}) AS list${index} USING (${by})`;
    });
    const isAdded = (name: string) => name === reference || name === 'row_id' || isPosition(name);
    const cells = columns
      .filter((name) => !isAdded(name))
      .map((name) => `${literal(name)}, own.${quoted(name, 'column')}`);
    const before = positions.length === 0 ? '' : `${positions.at(-1)?.slice(0, -'position'.length)}`;
    const members = lists.map(([, each], index) => {
      const name = each.filter(isPosition).at(-1)?.slice(before.length, -'__position'.length) ?? '';
      return `${literal(name)}, l${index}`;
    });
    const root = positions.length === 0 ? `, ${quoted(key, 'column')} AS ${quoted(reference, 'column')}` : '';
    return `SELECT ${positions.length === 0 ? 'id, ' : ''}${by}, ${object}('own', ${object}(${cells.join(', ')}), 'lists', ${object}(${members.join(', ')})) AS made
      FROM (SELECT *${root} FROM ${quoted(table, 'table')}) AS own ${joins.join(' ')}`;
  };
  return level(dataType, tables.get(dataType) ?? [], []);
}

interface Joined {
  readonly own: Readonly<Record<string, unknown>>;
  readonly lists: Readonly<Record<string, readonly Joined[] | null>>;
}

function itemOf({ own, lists }: Joined): unknown {
  const item: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(own)) put(item, name.split(/__|\./), value);
  for (const [name, rows] of Object.entries(lists)) if (rows !== null) put(item, name.split('__'), rows.map(itemOf));
  return item.value === undefined || item.value === null ? { ...item, value: null } : item.value;
}

function put(item: Record<string, unknown>, [name = '', ...rest]: readonly string[], value: unknown): void {
  if (rest.length === 0) item[name] = isEmpty(value) ? item[name] : merged(item[name], value);
  else {
    item[name] = Object(item[name] ?? {});
    put(item[name] as Record<string, unknown>, rest, value);
  }
}

/** An empty object is a text in CSV. */
const isEmpty = (value: unknown): boolean => value === null || value === '{}';

/** A struct of Parquet and the lists that were in it. */
const merged = (one: unknown, other: unknown): unknown =>
  typeof one === 'object' && one !== null && !Array.isArray(other) ? { ...one, ...Object(other) } : other;
