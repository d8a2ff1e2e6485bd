/**
 * The tables of lists at the end of a run: an item replaces its rows in each of them. The table `rxtract.lists` of the
 * database has their names, so that a run without a list removes its rows of earlier runs.
 */
import { type ListRows, rowId } from '../../src/core/tables/list-rules.js';
import { isUpdating } from '../tables/keys.js';
import { convertedTo } from './column-types.js';
import type { DuckdbDatabase } from './duckdb-client.js';
import { bookkeeping, type DuckdbSettings } from './duckdb-options.js';
import { columnNamed, type ExistingTable } from './existing-table.js';
import { columnName } from './leaf-slots.js';
import { folded, literal, nameBeside, quoted } from './sql.js';
import { columnValue, type StagedRows, sourceOf } from './staged-values.js';
import type { DuckdbTable, FilledColumn, TablePlan } from './target-table.js';

/** Staged rows and the table that gets them. */
export interface LoadedRows {
  readonly table: DuckdbTable;
  /** The table before; undefined: there was none. */
  readonly found: ExistingTable | undefined;
  readonly rows: StagedRows;
  readonly plan: TablePlan;
}

/** The settings for a table of a list: its rows have no key, and are never marked as deleted. */
export const settingsOfList = (settings: DuckdbSettings): DuckdbSettings => ({
  ...settings,
  keys: [],
  deleted: undefined,
  mode: isUpdating(settings.mode) ? 'append' : settings.mode,
});

/** The paths of the columns of items to which lists refer. */
const keyPaths = ({ lists: { keys } }: DuckdbSettings): readonly (readonly string[])[] =>
  keys.length === 0 ? [[rowId]] : keys;

const column = (name: string): string => quoted(name, 'column');

/** The types that references must have: those of the columns to which they refer. By member of the rows. */
export function referenceTypes(owner: LoadedRows | undefined, { reference }: ListRows, settings: DuckdbSettings) {
  const keys = owner === undefined ? [] : keysOf(owner, settings);
  return new Map(reference.flatMap((name, index) => (keys[index] === undefined ? [] : [[name, keys[index].type]])));
}

/** The columns of the key that items of the run have. */
function keysOf({ plan }: LoadedRows, settings: DuckdbSettings): readonly (FilledColumn | undefined)[] {
  return keyPaths(settings).map((path) => plan.filled.find(({ leaf }) => leaf.member === columnName(path)));
}

/** Rows of a list that replace those of their items. */
export interface ReplacingRows {
  readonly list: ListRows;
  readonly owner: LoadedRows;
  readonly settings: DuckdbSettings;
}

/** Replaces the rows of each item that the run has. Returns how many there are now of these. */
export async function replaceRows(
  database: DuckdbDatabase,
  load: LoadedRows,
  { list, owner, settings }: ReplacingRows,
): Promise<number> {
  const { target } = load.table;
  if (load.found !== undefined) await deleteGiven(database, owner, { target, reference: list.reference }, settings);
  const insert = load.rows.items === 0 ? undefined : insertLast(load, list);
  const [row] = insert === undefined ? [] : await database.rows(insert);
  return Number(row?.Count ?? 0);
}

/**
 * A statement that inserts the rows of lists, of several items with one key those of the last one: that are the rows
 * after the last one without an element. Undefined: no item has an element.
 */
function insertLast(
  { table, plan: { filled }, rows }: LoadedRows,
  { reference, position }: ListRows,
): string | undefined {
  const named = (member: string) => filled.find(({ leaf }) => leaf.member === member);
  const place = named(position);
  if (place === undefined) return undefined;
  const names = filled.map(({ name }) => column(name));
  const order = nameBeside(
    filled.map(({ name }) => name),
    'n',
  );
  const values = filled.map((each, index) => `${columnValue(each, rows.slots)} AS ${names[index]}`).join(', ');
  const owner = reference.flatMap((name) => named(name) ?? []).map(({ name }) => column(name));
  const isEmpty = `${column(place.name)} IS NULL`;
  return `INSERT INTO ${table.target} (${names.join(', ')}) SELECT * EXCLUDE (${order}) FROM
    (SELECT ${values}, row_number() OVER () AS ${order} FROM ${sourceOf(rows)} WHERE c0 IS NULL) AS given
    QUALIFY NOT ${isEmpty} AND ${order} > coalesce(max(CASE WHEN ${isEmpty} THEN ${order} END) OVER (PARTITION BY ${owner.join(', ')}), 0)
    ORDER BY ${order}`;
}

/** A table of a list of the items of another one. */
export interface OwnedTable {
  /** Folded. */
  readonly name: string;
  /** Quoted, with its schema. */
  readonly target: string;
  /** Its columns that refer to the key of the items. */
  readonly reference: readonly string[];
  /** As they are; absent: the references have the types of the key. */
  readonly columns?: ExistingTable | undefined;
}

/** Removes earlier rows of lists that this run does not have: those of its items, with `mode=replace` all of them. */
export async function clearLists(
  database: DuckdbDatabase,
  owner: LoadedRows,
  lists: readonly OwnedTable[],
  settings: DuckdbSettings,
): Promise<void> {
  for (const list of lists) {
    if (settings.mode === 'replace') await database.run(`DELETE FROM ${list.target}`);
    else if (isUpdating(settings.mode)) await deleteGiven(database, owner, list, settings);
  }
}

async function deleteGiven(
  database: DuckdbDatabase,
  owner: LoadedRows,
  list: Omit<OwnedTable, 'name'>,
  settings: DuckdbSettings,
): Promise<void> {
  const { target, reference } = list;
  const { rows } = owner;
  const keys = keysOf(owner, settings).flatMap((key) => key ?? []);
  if (rows.items === 0 || keys.length < reference.length) return;
  const given = keys.map((key, index) => `${columnValue(key, rows.slots)} AS k${index}`);
  const same = keys.map(({ type }, index) => `given.k${index} = ${referenceAs(list, index, type)}`);
  await database.run(
    `DELETE FROM ${target} AS old WHERE EXISTS
     (SELECT 1 FROM (SELECT ${given.join(', ')} FROM ${sourceOf(rows)} WHERE c0 IS NULL) AS given WHERE ${same.join(' AND ')})`,
  );
}

/** Removes rows of lists whose items are there no more. */
export async function deleteOrphans(
  database: DuckdbDatabase,
  owner: LoadedRows,
  lists: readonly OwnedTable[],
  settings: DuckdbSettings,
): Promise<void> {
  const filled = keysOf(owner, settings);
  const keys = keyPaths(settings).flatMap(
    (path, index) => filled[index] ?? owner.found?.find(({ name }) => name === columnName(path)) ?? [],
  );
  for (const list of lists) {
    const { target, reference } = list;
    if (keys.length < reference.length) continue;
    const same = keys.map(({ name, type }, index) => `item.${column(name)} = ${referenceAs(list, index, type)}`);
    await database.run(
      `DELETE FROM ${target} AS old WHERE NOT EXISTS (SELECT 1 FROM ${owner.table.target} AS item WHERE ${same.join(' AND ')})`,
    );
  }
}

/** Earlier runs may have left another type: texts are compared as they were written. */
function referenceAs({ reference, columns = [] }: Omit<OwnedTable, 'name'>, index: number, type: string): string {
  const name = reference[index] ?? '';
  const found = columnNamed(columns, name);
  const value = `old.${column(name)}`;
  const isPrinted = found?.form !== undefined && type === 'VARCHAR';
  return isPrinted ? convertedTo(type, value, found) : `TRY_CAST(${value} AS ${type})`;
}

const record = `"${bookkeeping}"."lists"`;

/** The tables of lists that a schema has, by the folded name of their owner. `tables`: those of the schema. */
export async function readLists(
  database: DuckdbDatabase,
  { schema }: DuckdbSettings,
  tables: ReadonlyMap<string, ExistingTable | 'view'>,
): Promise<ReadonlyMap<string, readonly OwnedTable[]>> {
  const isThere = await database.rows(
    `SELECT 1 FROM duckdb_tables() WHERE database_name = current_database() AND schema_name = '${bookkeeping}' AND table_name = 'lists'`,
  );
  const lists = new Map<string, OwnedTable[]>();
  if (isThere.length === 0) return lists;
  const rows = await database.rows(
    `SELECT l.* FROM ${record} AS l WHERE schema_name = ${literal(folded(schema))} AND EXISTS (SELECT 1 FROM duckdb_tables() AS t
     WHERE t.database_name = current_database() AND lower(t.schema_name) = l.schema_name AND lower(t.table_name) = l.table_name)`,
  );
  for (const { table_name, owner_name, reference: written } of rows) {
    const [name, owner] = [String(table_name), String(owner_name)];
    const target = `${quoted(schema, 'schema')}.${quoted(name, 'table')}`;
    const reference = JSON.parse(String(written)) as readonly string[]; // as stored by `storeList`
    const found = tables.get(name);
    const list = { name, target, reference, columns: found === 'view' ? undefined : found };
    lists.set(owner, [...(lists.get(owner) ?? []), list]);
  }
  return lists;
}

/** Stores that a table is that of a list, within the transaction that publishes it. */
export async function storeList(
  database: DuckdbDatabase,
  { name }: DuckdbTable,
  { owner, reference }: ListRows,
  { schema }: DuckdbSettings,
): Promise<void> {
  const key = [schema, name].map((each) => literal(folded(each))).join(', ');
  await database.run(`CREATE SCHEMA IF NOT EXISTS "${bookkeeping}"`);
  await database.run(
    `CREATE TABLE IF NOT EXISTS ${record} (schema_name VARCHAR, table_name VARCHAR, owner_name VARCHAR, reference VARCHAR)`,
  );
  await database.run(`DELETE FROM ${record} WHERE (schema_name, table_name) = (${key})`);
  await database.run(
    `INSERT INTO ${record} VALUES (${key}, ${literal(folded(owner))}, ${literal(JSON.stringify(reference))})`,
  );
}
