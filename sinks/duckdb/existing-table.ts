/** The tables of a database as they are. */
import type { ColumnType } from './column-types.js';
import type { DuckdbDatabase } from './duckdb-client.js';
import { type MemberColumn, readMembers } from './member-columns.js';
import { folded, literal } from './sql.js';

export interface ExistingColumn extends MemberColumn, ColumnType {
  /** A row without a value of it is refused. */
  readonly isRequired: boolean;
  /** An index or a constraint depends on it: DuckDB cannot change its type. */
  readonly isFixed: boolean;
  /** Its default, in SQL, if it must have a value. */
  readonly fallback?: string;
  /** It has a default, or its values are generated. */
  readonly hasDefault: boolean;
}

/** The columns of an existing table, in their order. */
export type ExistingTable = readonly ExistingColumn[];

/** Reads the tables of the schema, by their folded names. Views have the value `view`. */
export async function findTables(
  database: DuckdbDatabase,
  schema: string,
): Promise<ReadonlyMap<string, ExistingTable | 'view'>> {
  const where = `lower(schema_name) = lower(${literal(schema)}) AND database_name = current_database()`;
  const columns = await database.rows(
    `SELECT table_name, column_name, data_type, NOT is_nullable AND column_default IS NULL AS required,
       CASE WHEN NOT is_nullable THEN column_default END AS fallback, column_default IS NOT NULL AS given
     FROM duckdb_columns() WHERE ${where} ORDER BY table_name, column_index`,
  );
  const isFixed = await fixedColumns(database, where);
  const recordOf = await readMembers(database, schema);
  const views = await database.rows(`SELECT view_name FROM duckdb_views() WHERE ${where}`);
  const found = new Map<string, ExistingColumn[] | 'view'>();
  for (const { table_name, column_name, data_type, required, fallback, given } of columns) {
    const key = folded(String(table_name));
    const known = found.get(key);
    const list = known === undefined || known === 'view' ? [] : known;
    const name = String(column_name);
    list.push({
      name,
      type: String(data_type),
      isRequired: required === true,
      isFixed: isFixed(key, name),
      hasDefault: given === true,
      ...recordOf(key, name),
      ...(fallback === null || fallback === undefined ? {} : { fallback: String(fallback) }),
    });
    found.set(key, list);
  }
  for (const { view_name } of views) found.set(folded(String(view_name)), 'view');
  return found;
}

/** Which columns have an index or a constraint other than NOT NULL; an index holds all columns of its table. */
async function fixedColumns(
  database: DuckdbDatabase,
  where: string,
): Promise<(table: string, column: string) => boolean> {
  const rows = await database.rows(
    `SELECT table_name, unnest(constraint_column_names) AS name FROM duckdb_constraints()
     WHERE ${where} AND constraint_type <> 'NOT NULL'
     UNION ALL SELECT table_name, NULL FROM duckdb_indexes() WHERE ${where}`,
  );
  const keyOf = (table: string, column: string) => JSON.stringify([table, folded(column)]);
  const fixed = new Set(
    rows.map(({ table_name, name }) => keyOf(folded(String(table_name)), name === null ? '' : String(name))),
  );
  return (table, column) => fixed.has(keyOf(table, column)) || fixed.has(keyOf(table, ''));
}

export const columnNamed = (found: ExistingTable, name: string): ExistingColumn | undefined =>
  found.find((column) => folded(column.name) === folded(name));
