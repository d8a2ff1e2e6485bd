/**
 * Which columns items have filled: the table `rxtract_columns` of the schema. A later run that merges empties them
 * where an item has nothing; other columns are the user's own.
 */
import type { PostgresConnection } from './postgres-client.js';
import { quoted } from './sql.js';
import type { TargetTable } from './table.js';

const recordOf = (schema: string): string => `${quoted(schema, 'schema')}.rxtract_columns`;

/** Creates the table if it is missing, and verifies the rights that a run needs there. */
export async function prepareFilled(connection: PostgresConnection, schema: string): Promise<void> {
  const record = recordOf(schema);
  const { rows } = await connection.query('SELECT to_regclass($1) IS NOT NULL AS found', [record]);
  if (rows[0]?.found !== true) {
    await connection.query(
      `CREATE TABLE ${record} (table_name text, column_name text, PRIMARY KEY (table_name, column_name))`,
    );
  }
  await connection.query(
    `INSERT INTO ${record} SELECT table_name, column_name FROM ${record} WHERE false; DELETE FROM ${record} WHERE false`,
  );
}

/** The columns that items have filled so far. */
export async function filledColumns(
  connection: PostgresConnection,
  { schema, name }: TargetTable,
): Promise<ReadonlySet<string>> {
  const { rows } = await connection.query(`SELECT column_name FROM ${recordOf(schema)} WHERE table_name = $1`, [name]);
  return new Set(rows.map(({ column_name }) => String(column_name)));
}

/** Adds columns that items fill. */
export async function storeFilled(
  connection: PostgresConnection,
  { schema, name }: TargetTable,
  columns: readonly string[],
): Promise<void> {
  if (columns.length === 0) return;
  await connection.query(
    `INSERT INTO ${recordOf(schema)} SELECT $1, unnest($2::text[]) ORDER BY 2 ON CONFLICT DO NOTHING`,
    [name, columns],
  );
}

/** Forgets the columns of a table that is made anew. */
export async function forgetFilled(connection: PostgresConnection, { schema, name }: TargetTable): Promise<void> {
  await connection.query(`DELETE FROM ${recordOf(schema)} WHERE table_name = $1`, [name]);
}
