/** A table of a PostgreSQL server as it is: its columns, and the rights that the user has. */
import { ExtractError } from '../../src/core/errors/errors.js';
import type { Batch } from '../../src/core/model/batch.js';
import type { ListForms } from '../../src/core/tables/list-rules.js';
import type { SinkOutput } from '../contract.js';
import { absent } from '../errors.js';
import type { RowsMode } from '../tables/keys.js';
import type { WrittenForm } from '../tables/text-forms.js';
import type { CopyStatement } from './copy-query.js';
import type { PostgresConnection } from './postgres-client.js';
import { quoted } from './sql.js';

/** What a run does with its tables: `log` appends each page at once, the others publish at the end. */
export type TableMode = RowsMode | 'log';

/** The table of a data type. */
export interface TargetTable {
  readonly schema: string;
  readonly name: string;
  /** Quoted, with its schema. */
  readonly target: string;
  /** Where rows wait until the end of the run, quoted; with `log` the target itself. */
  readonly staging: string;
  /** `public.users`, for messages. */
  readonly shown: string;
  readonly job: string;
  /** Other processes store rows in staging too, and change its columns. */
  readonly isShared?: true;
  /** Called when staging has new columns. Absent: an item that breaks a rule of the target is found at the end. */
  readonly addRules?: (connection: PostgresConnection) => Promise<void>;
}

/** How items become rows. Each function works on the connection that it gets, within its transaction. */
export interface TableForm {
  /** Verifies the target, and creates what is missing. Throws ERR_SINK for a table of another shape. */
  prepare(connection: PostgresConnection, table: TargetTable): Promise<void>;
  /** Appends items of one page to the staging table. `items` has their bytes, a line each. */
  copy(connection: PostgresConnection, table: TargetTable, items: CopiedItems): Promise<void>;
  /** The statement that appends the items; undefined: `copy` does more, such as adding a column. */
  statement(table: TargetTable, items: CopiedItems): CopyStatement | undefined;
  /** What the last `copy` did to the table was rolled back. */
  forget(table: TargetTable): void;
  /** Moves the rows of the staging table to the target. `isComplete`: what the run does not have is not there. */
  publish(connection: PostgresConnection, table: TargetTable, isComplete: boolean): Promise<void>;
  /** Notes what the jobs of a data type say of its lists, before `prepare`. */
  choose?(dataType: string, forms: ListForms): void;
  /** The tables of lists that were published, for the summary. */
  lists?(): readonly Pick<SinkOutput, 'dataType' | 'items' | 'columns' | 'changed'>[];
  /** The columns of the rows that were stored, for the summary; empty for a table without typed columns. */
  columns(name: string): Pick<SinkOutput, 'columns' | 'changed'>;
}

export interface CopiedItems {
  readonly chunks: readonly Uint8Array[];
  /** Where the chunks are from; absent: they are rows of a list. */
  readonly batches?: readonly Batch[];
  /** The place of the first item in its page, from 0. */
  readonly offset: number;
}

export interface Column {
  readonly name: string;
  /** As `format_type` writes it, such as `numeric(10,2)`. */
  readonly type: string;
  /** A row without a value of it is refused. */
  readonly isRequired: boolean;
  /** The form of the texts that it has as a type. Absent in a target: `filledColumns` has it. */
  readonly form?: WrittenForm | undefined;
}

export interface FoundTable {
  readonly columns: readonly Column[];
  /** The user may change its columns. */
  readonly isOwned: boolean;
}

const needed: Readonly<Record<TableMode, readonly string[]>> = {
  log: ['INSERT'],
  append: ['INSERT'],
  replace: ['INSERT', 'DELETE', 'SELECT'],
  merge: ['INSERT', 'UPDATE', 'SELECT'],
  mirror: ['INSERT', 'UPDATE', 'DELETE', 'SELECT'],
  history: ['INSERT', 'UPDATE', 'SELECT'],
};

/** The quoted name of a data type in a schema. Throws ERR_SINK for a name that no table can have. */
export function targetOf(schema: string, dataType: string): string {
  if (dataType.startsWith('rxtract_')) {
    throw new ExtractError('ERR_SINK', `postgres: the table "${dataType}": names that begin with rxtract_ are taken`);
  }
  return `${quoted(schema, 'schema')}.${quoted(dataType, 'table')}`;
}

/** Whether there is a table of this quoted name. */
export async function doesExist(connection: PostgresConnection, table: string): Promise<boolean> {
  const { rows } = await connection.query('SELECT to_regclass($1) IS NOT NULL AS found', [table]);
  return rows[0]?.found === true;
}

/** Reads the target; undefined: there is none. Throws ERR_SINK for a view, and where a right is missing. */
export async function findTable(
  connection: PostgresConnection,
  { target, shown }: TargetTable,
  mode: TableMode,
): Promise<FoundTable | undefined> {
  const rights = needed[mode].map((right) => `has_table_privilege(oid, '${right}') AS "${right}"`).join(', ');
  const found = await connection.query(
    `SELECT relkind, pg_has_role(relowner, 'USAGE') AS owned, ${rights} FROM pg_class WHERE oid = to_regclass($1)`,
    [target],
  );
  const [row] = found.rows;
  if (row === undefined) return undefined;
  if (row.relkind !== 'r' && row.relkind !== 'p') throw fault(`"${shown}" is not a table`);
  const missing = needed[mode].filter((right) => row[right] !== true);
  if (missing.length > 0) {
    throw fault(`the user lacks the right ${missing.join(', ')} on the table "${shown}"`, grantRemedy);
  }
  return { columns: await columnsOf(connection, target), isOwned: row.owned === true };
}

const grantRemedy = 'Grant the right to the user of --to, or use another table or schema.';

/** The columns of a table, in their order. */
export async function columnsOf(connection: PostgresConnection, table: string): Promise<readonly Column[]> {
  const { rows } = await connection.query(
    `SELECT attname, format_type(atttypid, atttypmod) AS type,
       attnotnull AND NOT atthasdef AND attidentity = '' AS required,
       substring(col_description(attrelid, attnum) FROM '^rxtract form (\\d+)$')::int AS form
     FROM pg_attribute WHERE attrelid = to_regclass($1) AND attnum > 0 AND NOT attisdropped ORDER BY attnum`,
    [table],
  );
  return rows.map(({ attname, type, required, form }) => ({
    name: String(attname),
    type: String(type),
    isRequired: required === true,
    ...(typeof form === 'number' && { form }),
  }));
}

/** Notes the forms of columns of a staging table in their comments. */
export async function commentForms(
  connection: PostgresConnection,
  table: string,
  forms: ReadonlyMap<string, WrittenForm | undefined>,
): Promise<void> {
  const comments = [...forms].map(([name, form]) => {
    const comment = form === undefined ? 'NULL' : `'rxtract form ${form}'`;
    return `COMMENT ON COLUMN ${table}.${quoted(name, 'column')} IS ${comment}`;
  });
  if (comments.length > 0) await connection.query(comments.join('; '));
}

/** What an INSERT may do with a column of the target. */
export interface TargetColumn {
  readonly name: string;
  /** Its default, in SQL, if it must have a value. */
  readonly fallback?: string;
  /** It has a default, or makes its values itself. */
  readonly hasDefault: boolean;
  /** It makes its values itself: no statement may set it. */
  readonly isGenerated: boolean;
}

/** The columns of the target, in their order. PostgreSQL before 12 has no `attgenerated`. */
export async function targetColumns(
  connection: PostgresConnection,
  { target }: TargetTable,
): Promise<readonly TargetColumn[]> {
  const { rows } = await connection.query(
    `SELECT attname, atthasdef OR attidentity <> '' AS given,
       attidentity <> '' OR coalesce(to_jsonb(a) ->> 'attgenerated', '') <> '' AS generated,
       CASE WHEN attnotnull THEN pg_get_expr(adbin, adrelid) END AS fallback
     FROM pg_attribute AS a LEFT JOIN pg_attrdef ON adrelid = attrelid AND adnum = attnum
     WHERE attrelid = to_regclass($1) AND attnum > 0 AND NOT attisdropped ORDER BY attnum`,
    [target],
  );
  return rows.map(({ attname, given, generated, fallback }) => ({
    name: String(attname),
    hasDefault: given === true,
    isGenerated: generated === true,
    ...(typeof fallback === 'string' && generated !== true ? { fallback } : {}),
  }));
}

/** The error of a table that cannot be used. */
export const fault = (message: string, remedy?: string): ExtractError =>
  new ExtractError('ERR_SINK', `postgres: ${message}`, remedy === undefined ? {} : { remedy });

/** The error of a missing table that may not be created. */
export const noTable = ({ shown }: TargetTable): ExtractError => absent('postgres', `table "${shown}"`);
