/**
 * Which member of the items has filled each column, and how its texts were written if it has them as a type: the table
 * `rxtract.columns` of the database. So a later run finds the column of a member again, knows which columns are those
 * of items, and which the user's own, and can make a column one of texts again.
 */
import { defined } from '../../src/core/util/defined.js';
import type { WrittenForm } from '../tables/text-forms.js';
import type { DuckdbDatabase } from './duckdb-client.js';
import { bookkeeping } from './duckdb-options.js';
import { folded, literal } from './sql.js';

/** A column of a table. */
export interface MemberColumn {
  readonly name: string;
  /** The member of items that has filled it; absent: none has. */
  readonly member?: string;
  /** The form of the texts that it has as a type. */
  readonly form?: WrittenForm | undefined;
}

const record = `"${bookkeeping}"."columns"`;

type Recorded = Pick<MemberColumn, 'member' | 'form'>;

/** Finds what is recorded of a column, by the folded name of its table. */
export type MemberOf = (table: string, column: string) => Recorded;

/** Reads the members of all tables of a schema. */
export async function readMembers(database: DuckdbDatabase, schema: string): Promise<MemberOf> {
  const isThere = await database.rows(
    `SELECT 1 FROM duckdb_tables() WHERE database_name = current_database() AND schema_name = '${bookkeeping}' AND table_name = 'columns'`,
  );
  const where = `schema_name = ${literal(folded(schema))}`;
  const rows = isThere.length === 0 ? [] : await database.rows(`SELECT * FROM ${record} WHERE ${where}`);
  const keyOf = (table: string, column: string) => JSON.stringify([table, folded(column)]);
  const columns = new Map(
    rows.map(({ table_name, column_name, member, form }) => [
      keyOf(String(table_name), String(column_name)),
      { member: String(member), ...defined({ form: formOf(form) }) },
    ]),
  );
  return (table, column) => columns.get(keyOf(table, column)) ?? {};
}

/** Records of earlier versions have none. */
const formOf = (value: unknown): WrittenForm | undefined =>
  value === undefined || value === null ? undefined : Number(value);

interface FilledTable {
  readonly schema: string;
  readonly name: string;
  /** Its columns before the run; undefined: it is new. */
  readonly found: readonly MemberColumn[] | undefined;
  /** The columns that items of the run fill. */
  readonly filled: readonly (MemberColumn & { readonly member: string })[];
}

/** Stores what is known of the columns, within the transaction that loads the rows. Names are stored without case. */
export async function storeMembers(database: DuckdbDatabase, table: FilledTable): Promise<void> {
  const before = new Map(table.found?.flatMap((each) => (each.member === undefined ? [] : [[each.name, each]])));
  const after = columnsAfter(before, table.filled);
  const isKnown = ([name, { member, form }]: readonly [string, Recorded]) =>
    before.get(name)?.member === member && before.get(name)?.form === form;
  if (table.found !== undefined && [...after].every(isKnown)) return;
  const key = [table.schema, table.name].map((name) => literal(folded(name)));
  await database.run(`CREATE SCHEMA IF NOT EXISTS "${bookkeeping}"`);
  await database.run(
    `CREATE TABLE IF NOT EXISTS ${record} (schema_name VARCHAR, table_name VARCHAR, column_name VARCHAR, member VARCHAR)`,
  );
  await database.run(`ALTER TABLE ${record} ADD COLUMN IF NOT EXISTS form INTEGER`);
  await database.run(`DELETE FROM ${record} WHERE (schema_name, table_name) = (${key.join(', ')})`);
  const rows = [...after].map(
    ([name, { member = '', form }]) => `(${[...key, literal(name), literal(member), form ?? 'NULL'].join(', ')})`,
  );
  if (rows.length > 0) await database.run(`INSERT INTO ${record} VALUES ${rows.join(', ')}`);
}

/** A column keeps its member while another one fills it in a run without that member. */
function columnsAfter(
  before: ReadonlyMap<string, Recorded>,
  filled: FilledTable['filled'],
): ReadonlyMap<string, Recorded> {
  const members = new Set(filled.map(({ member }) => member));
  const after = new Map(before);
  for (const { name, member, form } of filled) {
    const owner = before.get(name)?.member;
    after.set(name, { member: owner === undefined || members.has(owner) ? member : owner, form });
  }
  return after;
}
