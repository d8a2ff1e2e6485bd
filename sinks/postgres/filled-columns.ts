/**
 * Which columns items have filled, and how their texts were written if they have them as a type: the table
 * `rxtract_columns` of the schema. A later run that merges empties them where an item has nothing; other columns are
 * the user's own.
 */
import type { WrittenForm } from '../tables/text-forms.js';
import type { PostgresConnection } from './postgres-client.js';
import { quoted } from './sql.js';
import type { TargetTable } from './table.js';

const recordOf = (schema: string): string => `${quoted(schema, 'schema')}.rxtract_columns`;

/** Creates the table if it is missing, and verifies the rights that a run needs there. */
export async function prepareFilled(connection: PostgresConnection, schema: string): Promise<void> {
  const record = recordOf(schema);
  const { rows } = await connection.query(
    `SELECT to_regclass($1) IS NOT NULL AS found, EXISTS (SELECT FROM pg_attribute
       WHERE attrelid = to_regclass($1) AND attname = 'form' AND NOT attisdropped) AS forms`,
    [record],
  );
  const [row] = rows;
  if (row?.found !== true) {
    await connection.query(
      `CREATE TABLE ${record} (table_name text, column_name text, form int, PRIMARY KEY (table_name, column_name))`,
    );
  } else if (row.forms !== true) await connection.query(`ALTER TABLE ${record} ADD COLUMN IF NOT EXISTS form int`);
  await connection.query(
    `INSERT INTO ${record} SELECT table_name, column_name FROM ${record} WHERE false; DELETE FROM ${record} WHERE false;
     UPDATE ${record} SET form = NULL WHERE false`,
  );
}

/** The columns that items have filled so far, with their forms. */
export async function filledColumns(
  connection: PostgresConnection,
  { schema, name }: Pick<TargetTable, 'schema' | 'name'>,
): Promise<ReadonlyMap<string, WrittenForm | undefined>> {
  const { rows } = await connection.query(`SELECT column_name, form FROM ${recordOf(schema)} WHERE table_name = $1`, [
    name,
  ]);
  return new Map(
    rows.map(({ column_name, form }) => [String(column_name), typeof form === 'number' ? form : undefined]),
  );
}

/** Adds columns that items fill, with their forms. */
export async function storeFilled(
  connection: PostgresConnection,
  { schema, name }: Pick<TargetTable, 'schema' | 'name'>,
  columns: ReadonlyMap<string, WrittenForm | undefined>,
): Promise<void> {
  if (columns.size === 0) return;
  await connection.query(
    `INSERT INTO ${recordOf(schema)} AS old SELECT $1, name, form FROM unnest($2::text[], $3::int[]) AS given (name, form) ORDER BY 2
     ON CONFLICT (table_name, column_name) DO UPDATE SET form = excluded.form WHERE old.form IS DISTINCT FROM excluded.form`,
    [name, [...columns.keys()], [...columns.values()].map((form) => form ?? null)],
  );
}

/** Forgets the columns of a table that is made anew. */
export async function forgetFilled(connection: PostgresConnection, { schema, name }: TargetTable): Promise<void> {
  await connection.query(`DELETE FROM ${recordOf(schema)} WHERE table_name = $1`, [name]);
}
