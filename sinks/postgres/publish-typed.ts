/** Publishes the rows of a typed table: the target gets the columns, the types and the rows of the staging table. */
import { noticeOfKept } from '../tables/kept-columns.js';
import { filledColumns, forgetFilled, storeFilled } from './filled-columns.js';
import { mustHaveIndex, renamed } from './item-table.js';
import type { PostgresConnection } from './postgres-client.js';
import {
  type Column,
  columnsOf,
  type FoundTable,
  fault,
  type TargetColumn,
  type TargetTable,
  targetColumns,
} from './table.js';
import {
  columnName,
  converted,
  isOrder,
  kindOf,
  order,
  quotedColumn,
  type TypedTableOptions,
  widenedType,
} from './typed-columns.js';

/** Publishes into the target, or makes it. */
export async function publishTyped(
  connection: PostgresConnection,
  table: TargetTable,
  isThere: boolean,
  options: TypedTableOptions,
): Promise<void> {
  const { mode } = options;
  const staged = (await columnsOf(connection, table.staging)).filter((column) => !isOrder(column));
  const names = staged.map(({ name }) => name);
  if (!isThere) await forgetFilled(connection, table);
  const earlier = await filledColumns(connection, table);
  await storeFilled(connection, table, names);
  if (!isThere && mode !== 'merge') return renamed(connection, table);
  const before = isThere ? await columnsOf(connection, table.target) : [];
  if (isThere) await widenTarget(connection, table, { before, staged }, options);
  else await createMerged(connection, table);
  if (mode === 'merge' && before.length === 0) await createIndex(connection, table, names, options);
  if (mode === 'replace') await connection.query(`DELETE FROM ${table.target}`);
  const columns = await targetColumns(connection, table);
  if (mode !== 'merge') return insertRows(connection, table, names, columns);
  return mergeRows(connection, table, { names, earlier, columns }, options);
}

/** The target gets the columns and types of the staging table. */
async function widenTarget(
  connection: PostgresConnection,
  { target }: TargetTable,
  { before, staged }: { readonly before: readonly Column[]; readonly staged: readonly Column[] },
  options: TypedTableOptions,
): Promise<void> {
  const changes = staged.flatMap((column) => {
    const name = quotedColumn(column.name);
    const found = before.find((each) => each.name === column.name);
    if (found === undefined) return [`ADD COLUMN ${name} ${column.type}`];
    const kind = kindOf(column);
    const type = kind === undefined ? found.type : widenedType(found, [kind], options);
    return type === found.type ? [] : [`ALTER COLUMN ${name} TYPE ${type} USING ${converted(name, type)}`];
  });
  if (changes.length > 0) await connection.query(`ALTER TABLE ${target} ${changes.join(', ')}`);
}

/** A new target for merging has the columns of the staging table without the order. */
async function createMerged(connection: PostgresConnection, { staging, target }: TargetTable): Promise<void> {
  await connection.query(`CREATE TABLE ${target} (LIKE ${staging}); ALTER TABLE ${target} DROP COLUMN ${order}`);
}

const keyColumns = ({ keys }: TypedTableOptions): readonly string[] => keys.map(columnName);

/** A table without columns gets the index for merging with its first items. */
async function createIndex(
  connection: PostgresConnection,
  { target }: TargetTable,
  names: readonly string[],
  options: TypedTableOptions,
): Promise<void> {
  const key = keyColumns(options);
  if (!key.every((name) => names.includes(name))) return;
  await connection.query(`CREATE UNIQUE INDEX ON ${target} (${key.map(quotedColumn).join(', ')})`);
}

/** A required column that has a default gets it where an item has no value. */
function givenValue(name: string, columns: readonly TargetColumn[]): string {
  const fallback = columns.find((column) => column.name === name)?.fallback;
  return fallback === undefined ? quotedColumn(name) : `coalesce(${quotedColumn(name)}, ${fallback})`;
}

async function insertRows(
  connection: PostgresConnection,
  { staging, target }: TargetTable,
  names: readonly string[],
  columns: readonly TargetColumn[],
): Promise<void> {
  const into = names.length === 0 ? '' : ` (${names.map(quotedColumn).join(', ')})`;
  const values = names.map((name) => givenValue(name, columns)).join(', ');
  await connection.query(`INSERT INTO ${target}${into} SELECT ${values} FROM ${staging}`);
}

interface Merged {
  /** The columns that items of this run fill. */
  readonly names: readonly string[];
  /** Those that items of earlier runs have filled. */
  readonly earlier: ReadonlySet<string>;
  /** Of the target. */
  readonly columns: readonly TargetColumn[];
}

/** An item replaces the row with its key: columns that only items of earlier runs have filled are empty then. */
async function mergeRows(
  connection: PostgresConnection,
  { name, staging, target }: TargetTable,
  { names, earlier, columns }: Merged,
  options: TypedTableOptions,
): Promise<void> {
  const { notify } = options;
  const key = keyColumns(options);
  if (!key.every((name) => names.includes(name))) return; // There are no items.
  if (earlier.size === 0) noticeOfKept(name, keptColumns(names, columns), notify);
  const unfilled = columns.filter(
    ({ name, isGenerated }) => earlier.has(name) && !isGenerated && !names.includes(name),
  );
  const set = [
    ...names.map((name) => ({ name, value: givenValue(name, columns) })),
    ...unfilled.map(({ name, fallback = 'NULL' }) => ({ name, value: fallback })),
  ];
  const updates = set
    .filter(({ name }) => !key.includes(name))
    .map(({ name }) => `${quotedColumn(name)} = excluded.${quotedColumn(name)}`);
  const action = updates.length === 0 ? 'NOTHING' : `UPDATE SET ${updates.join(', ')}`;
  const keys = key.map(quotedColumn).join(', ');
  await connection.query(
    `INSERT INTO ${target} (${set.map(({ name }) => quotedColumn(name)).join(', ')})
     SELECT ${set.map(({ value }) => value).join(', ')}
     FROM (SELECT DISTINCT ON (${keys}) * FROM ${staging} ORDER BY ${keys}, ${order} DESC) AS last
     ORDER BY ${order} ON CONFLICT (${keys}) DO ${action}`,
  );
}

const keptColumns = (names: readonly string[], columns: readonly TargetColumn[]): readonly string[] =>
  columns.filter(({ name, hasDefault }) => !hasDefault && !names.includes(name)).map(({ name }) => name);

/** The target of a merge must have the columns of the key, and a unique index on them. */
export async function mustHaveKey(
  connection: PostgresConnection,
  table: TargetTable,
  { columns }: FoundTable,
  { keys }: TypedTableOptions,
): Promise<void> {
  if (columns.length === 0) return; // The items of an earlier run had no members.
  const names = keys.map(columnName);
  const missing = names.find((name) => !columns.some((each) => each.name === name));
  if (missing !== undefined) throw fault(`the table "${table.shown}" has no column "${missing}" for the key`);
  const list = names.map(quotedColumn);
  const insert = `INSERT INTO ${table.target} (${list.join(', ')}) SELECT ${list.join(', ')} FROM ${table.target}`;
  await mustHaveIndex(connection, table, `${insert} ON CONFLICT (${list.join(', ')}) DO NOTHING`, list);
}
