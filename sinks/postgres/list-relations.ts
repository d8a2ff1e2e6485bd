/**
 * The tables of lists at the end of a run: an item replaces its rows in each of them. The table `rxtract_lists` of the
 * schema has their names, so that a run without a list removes its rows of earlier runs.
 */
import type { ListRows } from '../../src/core/tables/list-rules.js';
import { filledColumns } from './filled-columns.js';
import type { PostgresConnection } from './postgres-client.js';
import { quoted } from './sql.js';
import { columnsOf, commentForms, type TargetTable } from './table.js';
import { columnName, converted, order, quotedColumn } from './typed-columns.js';

const recordOf = (schema: string): string => `${quoted(schema, 'schema')}.rxtract_lists`;

/** A table of a list of the items of another one. */
export interface OwnedRelation extends Pick<TargetTable, 'schema' | 'name' | 'target'> {
  /** Its columns that refer to the key of the items. */
  readonly reference: readonly string[];
}

/** The tables of lists that earlier runs have made for a data type. */
export async function readLists(
  connection: PostgresConnection,
  { schema, name }: Pick<TargetTable, 'schema' | 'name'>,
): Promise<readonly OwnedRelation[]> {
  const record = recordOf(schema);
  const { rows: found } = await connection.query('SELECT to_regclass($1) IS NOT NULL AS found', [record]);
  if (found[0]?.found !== true) return [];
  const { rows } = await connection.query(
    `SELECT table_name, reference FROM ${record} WHERE owner_name = $1
     AND to_regclass(format('%I.%I', $2::text, table_name)) IS NOT NULL`,
    [name, schema],
  );
  return rows.map(({ table_name, reference }) => {
    const table = String(table_name);
    const target = `${quoted(schema, 'schema')}.${quoted(table, 'table')}`;
    return { schema, name: table, target, reference: JSON.parse(String(reference)) as readonly string[] }; // of `storeList`
  });
}

/** Stores that a table is that of a list. */
export async function storeList(
  connection: PostgresConnection,
  { schema, name }: TargetTable,
  { owner, reference }: ListRows,
): Promise<void> {
  const record = recordOf(schema);
  await connection.query(
    `CREATE TABLE IF NOT EXISTS ${record} (table_name text PRIMARY KEY, owner_name text NOT NULL, reference text NOT NULL)`,
  );
  await connection.query(
    `INSERT INTO ${record} VALUES ($1, $2, $3) ON CONFLICT (table_name) DO UPDATE
     SET owner_name = excluded.owner_name, reference = excluded.reference`,
    [name, owner, JSON.stringify(reference)],
  );
}

/**
 * Leaves the rows of a staging table that count: those after the last row of their item that has no element. Such rows
 * and the order go.
 */
export async function keepLastRows(
  connection: PostgresConnection,
  { staging }: TargetTable,
  { reference, position }: ListRows,
): Promise<void> {
  const columns = await columnsOf(connection, staging);
  const place = columns.find(({ name }) => name === columnName([position]));
  const owner = reference.map((name) => quotedColumn(columnName([name])));
  if (place === undefined) await connection.query(`DELETE FROM ${staging}`);
  else {
    const isEmpty = `${quotedColumn(place.name)} IS NULL`;
    await connection.query(
      `DELETE FROM ${staging} AS given USING
         (SELECT ${owner.join(', ')}, max(${order}) AS place FROM ${staging} WHERE ${isEmpty} GROUP BY ${owner.join(', ')}) AS last
       WHERE ${owner.map((name) => `last.${name} = given.${name}`).join(' AND ')} AND given.${order} <= last.place`,
    );
  }
  await connection.query(`ALTER TABLE ${staging} DROP COLUMN ${order}`);
}

/** Items and the members that identify them. */
export interface KeyedItems {
  readonly table: TargetTable;
  readonly keys: readonly (readonly string[])[];
}

/** Removes the rows of the items that the run has. */
export async function deleteGiven(
  connection: PostgresConnection,
  { table: { schema, staging, target }, keys }: KeyedItems,
  list: OwnedRelation,
): Promise<void> {
  const names = keys.map(columnName);
  const staged = await columnsOf(connection, staging);
  if (!names.every((name) => staged.some((each) => each.name === name))) return; // There are no items.
  const same = await sameKeys(connection, { schema, target, names }, list, 'given');
  await connection.query(`DELETE FROM ${list.target} AS old USING ${staging} AS given WHERE ${same}`);
}

/** Removes the rows whose items are there no more. */
export async function deleteOrphans(
  connection: PostgresConnection,
  { table: { schema, target }, keys }: KeyedItems,
  list: OwnedRelation,
): Promise<void> {
  const same = await sameKeys(connection, { schema, target, names: keys.map(columnName) }, list, 'item');
  await connection.query(
    `DELETE FROM ${list.target} AS old WHERE NOT EXISTS (SELECT FROM ${target} AS item WHERE ${same})`,
  );
}

/** Keys are compared as the items have them: references of earlier runs may have a narrower type, or one of texts. */
async function sameKeys(
  connection: PostgresConnection,
  { schema, target, names }: { readonly schema: string; readonly target: string; readonly names: readonly string[] },
  { name: list, target: listTarget, reference }: OwnedRelation,
  other: string,
): Promise<string> {
  const columns = await columnsOf(connection, target);
  const references = await columnsOf(connection, listTarget);
  const forms = await filledColumns(connection, { schema, name: list });
  const same = names.map((name, index) => {
    const type = columns.find((each) => each.name === name)?.type ?? 'text';
    const mine = columnName([reference[index] ?? '']);
    const from = { type: references.find((each) => each.name === mine)?.type ?? type, form: forms.get(mine) };
    return `${converted(`old.${quotedColumn(mine)}`, type, from)} = CAST(${other}.${quotedColumn(name)} AS ${type})`;
  });
  return same.join(' AND ');
}

/** References in a staging table become texts where the key is one, so that both can be joined. */
export async function alignReferences(
  connection: PostgresConnection,
  { table, keys }: KeyedItems,
  { staging }: TargetTable,
  { reference }: ListRows,
): Promise<void> {
  const ofItems = await columnsOf(connection, table.target);
  const ofRows = await columnsOf(connection, staging);
  const changed = keys.flatMap((key, index) => {
    const isText = ofItems.find(({ name }) => name === columnName(key))?.type === 'text';
    const found = ofRows.find(({ name }) => name === columnName([reference[index] ?? '']));
    return isText && found !== undefined && found.type !== 'text' ? [found] : [];
  });
  if (changed.length === 0) return;
  const clauses = changed.map((column) => {
    const name = quotedColumn(column.name);
    return `ALTER COLUMN ${name} TYPE text USING ${converted(name, 'text', column)}`;
  });
  await connection.query(`ALTER TABLE ${staging} ${clauses.join(', ')}`);
  await commentForms(connection, staging, new Map(changed.map(({ name }) => [name, undefined])));
}
