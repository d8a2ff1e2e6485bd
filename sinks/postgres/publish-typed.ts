/** Publishes the rows of a typed table: the target gets the columns, the types and the rows of the staging table. */
import { noticeOfKept } from '../tables/kept-columns.js';
import { isKeyed, isWatching, ownColumns } from '../tables/keys.js';
import { filledColumns, forgetFilled, storeFilled } from './filled-columns.js';
import { mustHaveIndex, renamed } from './item-table.js';
import {
  addDeleted,
  addVersions,
  type KeyedRows,
  keepLast,
  mirrorRows,
  mustHaveOwnColumns,
  versionColumns,
  versionIndex,
} from './keyed-rows.js';
import type { PostgresConnection } from './postgres-client.js';
import {
  type Column,
  columnsOf,
  commentForms,
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
  widenedColumn,
} from './typed-columns.js';

/** Publishes into the target, or makes it. */
export async function publishTyped(
  connection: PostgresConnection,
  table: TargetTable,
  { isThere, isComplete }: { readonly isThere: boolean; readonly isComplete: boolean },
  options: TypedTableOptions,
): Promise<void> {
  const { mode } = options;
  const staged = (await columnsOf(connection, table.staging)).filter((column) => !isOrder(column));
  const names = staged.map(({ name }) => name);
  if (!isThere) await forgetFilled(connection, table);
  const earlier = await filledColumns(connection, table);
  const before = isThere ? await columnsOf(connection, table.target) : [];
  const old = before.map((column) => ({ ...column, form: earlier.get(column.name) }));
  const after = staged.map((column) => targetColumn(column, old, options));
  await storeFilled(connection, table, new Map(after.map(({ name, form }) => [name, form])));
  if (!isThere && !isKeyed(mode)) return renameStaging(connection, table, staged);
  if (isThere) await widenTarget(connection, table, { before: old, staged, after });
  else await createMerged(connection, table, options);
  if (isKeyed(mode) && itemColumns(before, options).length === 0) await createIndex(connection, table, names, options);
  if (mode === 'replace') await connection.query(`DELETE FROM ${table.target}`);
  const columns = await targetColumns(connection, table);
  if (!isKeyed(mode)) return insertRows(connection, table, names, columns);
  const merged = { names, earlier, columns };
  if (!isWatching(mode)) return mergeRows(connection, table, merged, options);
  const rows = keyedRowsOf(table, merged, await columnsOf(connection, table.target), options);
  await keepLast(connection, rows);
  if (mode === 'history') return addVersions(connection, rows, isComplete);
  await addDeleted(connection, table, options);
  await mergeRows(connection, table, merged, options);
  await mirrorRows(connection, rows, { deleted: options.deleted, isComplete });
}

/** Without those of the sink's own. */
function itemColumns<C extends { readonly name: string }>(columns: readonly C[], { mode, deleted }: TypedTableOptions) {
  return columns.filter(({ name }) => !ownColumns(mode, deleted).includes(name));
}

/** Values are compared as the target has them. A column that only items of earlier runs have filled is empty now. */
function keyedRowsOf(
  table: TargetTable,
  { names, earlier, columns }: Merged,
  target: readonly Column[],
  options: TypedTableOptions,
): KeyedRows {
  const key = keyColumns(options);
  const hasItems = key.every((name) => names.includes(name));
  const typeNamed = (name: string) => target.find((each) => each.name === name)?.type ?? 'text';
  const generated = new Set(columns.filter(({ isGenerated }) => isGenerated).map(({ name }) => name));
  const filled = [...names, ...[...earlier.keys()].filter((name) => !names.includes(name))].filter(
    (name) => !generated.has(name) && target.some((each) => each.name === name),
  );
  const givenOf = (name: string) => {
    const fallback = columns.find((each) => each.name === name)?.fallback;
    const given = names.includes(name) ? `given.${quotedColumn(name)}` : 'NULL';
    const value = fallback === undefined ? given : `coalesce(${given}, ${fallback})`;
    return `CAST(${value} AS ${typeNamed(name)})`;
  };
  const differs = filled.map((name) => {
    const cast = typeNamed(name) === 'json' ? '::text' : ''; // json has no comparison
    return `old.${quotedColumn(name)}${cast} IS DISTINCT FROM ${givenOf(name)}${cast}`;
  });
  return {
    table,
    keys: hasItems ? key.map(quotedColumn) : [],
    order,
    same: hasItems ? key.map((name) => `old.${quotedColumn(name)} = ${givenOf(name)}`).join(' AND ') : 'false',
    differs: differs.join(' OR ') || 'false',
    values: hasItems ? filled.map((name) => ({ column: quotedColumn(name), value: givenOf(name) })) : [],
  };
}

/** The staging table becomes the target, without what it notes of forms. */
async function renameStaging(
  connection: PostgresConnection,
  table: TargetTable,
  staged: readonly Column[],
): Promise<void> {
  const noted = staged.filter(({ form }) => form !== undefined);
  await commentForms(connection, table.staging, new Map(noted.map(({ name }) => [name, undefined])));
  await renamed(connection, table);
}

/** A column of the target that also gets the values of the staging table; one of the user's own stays. */
function targetColumn(column: Column, before: readonly Column[], options: TypedTableOptions): Column {
  const found = before.find((each) => each.name === column.name);
  const kind = kindOf(column);
  if (found === undefined) return column;
  return kind === undefined ? found : { ...found, form: undefined, ...widenedColumn(found, [kind], options) };
}

interface Columns {
  readonly before: readonly Column[];
  readonly staged: readonly Column[];
  /** Of the target in the end, as those of the staging table. */
  readonly after: readonly Column[];
}

/** The target gets the columns and types of the staging table; texts that it does not have as a type are printed. */
async function widenTarget(
  connection: PostgresConnection,
  { staging, target }: TargetTable,
  { before, staged, after }: Columns,
): Promise<void> {
  const changes = after.flatMap(({ name, type }) => {
    const found = before.find((each) => each.name === name);
    if (found === undefined) return [`ADD COLUMN ${quotedColumn(name)} ${type}`];
    return type === found.type ? [] : [retyped(found, type)];
  });
  const printed = staged.flatMap((column, index) => {
    const isOther = column.form !== undefined && after[index]?.type !== column.type;
    return isOther ? [retyped(column, 'text')] : [];
  });
  if (changes.length > 0) await connection.query(`ALTER TABLE ${target} ${changes.join(', ')}`);
  if (printed.length > 0) await connection.query(`ALTER TABLE ${staging} ${printed.join(', ')}`);
}

function retyped(column: Column, type: string): string {
  const name = quotedColumn(column.name);
  return `ALTER COLUMN ${name} TYPE ${type} USING ${converted(name, type, column)}`;
}

/** A new target for merging has the columns of the staging table without the order. */
async function createMerged(
  connection: PostgresConnection,
  { staging, target }: TargetTable,
  { mode }: TypedTableOptions,
): Promise<void> {
  const more = mode === 'history' ? `, ${versionColumns}` : '';
  await connection.query(`CREATE TABLE ${target} (LIKE ${staging}${more}); ALTER TABLE ${target} DROP COLUMN ${order}`);
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
  const list = key.map(quotedColumn);
  const index = `CREATE UNIQUE INDEX ON ${target} (${list.join(', ')})`;
  await connection.query(options.mode === 'history' ? versionIndex(target, list) : index);
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
  readonly earlier: ReadonlyMap<string, unknown>;
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
  if (earlier.size === 0) noticeOfKept(name, keptColumns(names, itemColumns(columns, options)), notify);
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
  found: FoundTable,
  options: TypedTableOptions,
): Promise<void> {
  mustHaveOwnColumns(table, found, options);
  const columns = itemColumns(found.columns, options);
  if (columns.length === 0) return; // The items of an earlier run had no members.
  const names = keyColumns(options);
  const missing = names.find((name) => !columns.some((each) => each.name === name));
  if (missing !== undefined) throw fault(`the table "${table.shown}" has no column "${missing}" for the key`);
  if (options.mode === 'history') return;
  const list = names.map(quotedColumn);
  const insert = `INSERT INTO ${table.target} (${list.join(', ')}) SELECT ${list.join(', ')} FROM ${table.target}`;
  await mustHaveIndex(connection, table, `${insert} ON CONFLICT (${list.join(', ')}) DO NOTHING`, list);
}
