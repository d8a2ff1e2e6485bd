/**
 * Which member of the items has filled each column: the table `rxtract.columns` of the database. So a later run finds
 * the column of a member again, and knows which columns are those of items, and which the user's own.
 */
import type { DuckdbDatabase } from './duckdb-client.js';
import { bookkeeping } from './duckdb-options.js';
import { folded, literal } from './sql.js';

/** A column of a table. */
export interface MemberColumn {
  readonly name: string;
  /** The member of items that has filled it; absent: none has. */
  readonly member?: string;
}

const record = `"${bookkeeping}"."columns"`;

/** Finds the member of a column, by the folded name of its table. */
export type MemberOf = (table: string, column: string) => string | undefined;

/** Reads the members of all tables of a schema. */
export async function readMembers(database: DuckdbDatabase, schema: string): Promise<MemberOf> {
  const isThere = await database.rows(
    `SELECT 1 FROM duckdb_tables() WHERE database_name = current_database() AND schema_name = '${bookkeeping}' AND table_name = 'columns'`,
  );
  const where = `schema_name = ${literal(folded(schema))}`;
  const rows = isThere.length === 0 ? [] : await database.rows(`SELECT * FROM ${record} WHERE ${where}`);
  const keyOf = (table: string, column: string) => JSON.stringify([table, folded(column)]);
  const members = new Map(
    rows.map((row) => [keyOf(String(row.table_name), String(row.column_name)), String(row.member)]),
  );
  return (table, column) => members.get(keyOf(table, column));
}

interface FilledTable {
  readonly schema: string;
  readonly name: string;
  /** Its columns before the run; undefined: it is new. */
  readonly found: readonly MemberColumn[] | undefined;
  /** The columns that items of the run fill. */
  readonly filled: readonly Required<MemberColumn>[];
}

/** Stores the members of the columns, within the transaction that loads the rows. Names are stored without case. */
export async function storeMembers(database: DuckdbDatabase, table: FilledTable): Promise<void> {
  const before = new Map(table.found?.flatMap(({ name, member }) => (member === undefined ? [] : [[name, member]])));
  const after = membersAfter(before, table.filled);
  if (table.found !== undefined && [...after].every(([name, member]) => before.get(name) === member)) return;
  const key = [table.schema, table.name].map((name) => literal(folded(name)));
  await database.run(`CREATE SCHEMA IF NOT EXISTS "${bookkeeping}"`);
  await database.run(
    `CREATE TABLE IF NOT EXISTS ${record} (schema_name VARCHAR, table_name VARCHAR, column_name VARCHAR, member VARCHAR)`,
  );
  await database.run(`DELETE FROM ${record} WHERE (schema_name, table_name) = (${key.join(', ')})`);
  const rows = [...after].map((pair) => `(${[...key, ...pair.map(literal)].join(', ')})`);
  if (rows.length > 0) await database.run(`INSERT INTO ${record} VALUES ${rows.join(', ')}`);
}

/** A column keeps its member while another one fills it in a run without that member. */
function membersAfter(before: ReadonlyMap<string, string>, filled: FilledTable['filled']): ReadonlyMap<string, string> {
  const members = new Set(filled.map(({ member }) => member));
  const after = new Map(before);
  for (const { name, member } of filled) {
    const owner = before.get(name);
    if (owner === undefined || members.has(owner)) after.set(name, member);
  }
  return after;
}
