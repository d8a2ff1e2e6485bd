/**
 * Publishes rows that have a key: `mirror` treats rows that the run does not have, `history` adds a row for each
 * version of an item. All statements are of one transaction, so one time is that of all changes.
 */
import { ownColumns, validFrom, validTo } from '../tables/keys.js';
import type { PostgresConnection } from './postgres-client.js';
import { quoted } from './sql.js';
import { type FoundTable, fault, type TableMode, type TargetTable } from './table.js';

/** The rows of a run and those of earlier runs: in SQL, as `given` and `old`. */
export interface KeyedRows {
  readonly table: TargetTable;
  /** The key of a staged row, as expressions without an alias. */
  readonly keys: readonly string[];
  /** The column of the staging table with the order of the items. */
  readonly order: string;
  /** Whether `old` and `given` have the same key; `false` if there are no items. */
  readonly same: string;
  /** Whether their values differ. */
  readonly differs: string;
  /** The columns of the target that a version has, and their values in `given`. */
  readonly values: readonly { readonly column: string; readonly value: string }[];
}

const column = (name: string): string => quoted(name, 'column');

/** Leaves the last of several staged items with one key, and lets the server count them, so that it joins well. */
export async function keepLast(connection: PostgresConnection, { table, keys, order }: KeyedRows): Promise<void> {
  const { staging } = table;
  if (keys.length > 0) {
    await connection.query(
      `DELETE FROM ${staging} AS given USING
         (SELECT ${order}, row_number() OVER (PARTITION BY ${keys.join(', ')} ORDER BY ${order} DESC) AS place FROM ${staging}) AS each
       WHERE each.${order} = given.${order} AND each.place > 1`,
    );
  }
  await connection.query(`ANALYZE ${staging}`);
}

/**
 * Deletes the rows that a complete run does not have, or gives them the time in the column `deleted`. A row that has
 * come back loses it.
 */
export async function mirrorRows(
  connection: PostgresConnection,
  { table: { target, staging }, same }: KeyedRows,
  { deleted, isComplete }: { readonly deleted: string | undefined; readonly isComplete: boolean },
): Promise<void> {
  const isGiven = `EXISTS (SELECT FROM ${staging} AS given WHERE ${same})`;
  const mark = deleted === undefined ? '' : column(deleted);
  if (deleted !== undefined) {
    await connection.query(`UPDATE ${target} AS old SET ${mark} = NULL WHERE old.${mark} IS NOT NULL AND ${isGiven}`);
  }
  if (!isComplete) return;
  await connection.query(
    deleted === undefined
      ? `DELETE FROM ${target} AS old WHERE NOT ${isGiven}`
      : `UPDATE ${target} AS old SET ${mark} = now() WHERE old.${mark} IS NULL AND NOT ${isGiven}`,
  );
}

/** Ends the versions whose items have changed, adds the new ones, and after a complete run ends those without items. */
export async function addVersions(connection: PostgresConnection, rows: KeyedRows, isComplete: boolean): Promise<void> {
  const { table, same, differs, values, order } = rows;
  const { target, staging } = table;
  const [from, to] = [column(validFrom), column(validTo)];
  await connection.query(
    `UPDATE ${target} AS old SET ${to} = now() FROM ${staging} AS given WHERE old.${to} IS NULL AND ${same} AND (${differs})`,
  );
  if (values.length > 0) {
    await connection.query(
      `INSERT INTO ${target} (${values.map((each) => each.column).join(', ')}, ${from})
       SELECT ${values.map(({ value }) => value).join(', ')}, now() FROM ${staging} AS given
       WHERE NOT EXISTS (SELECT FROM ${target} AS old WHERE old.${to} IS NULL AND ${same}) ORDER BY given.${order}`,
    );
  }
  if (!isComplete) return;
  await connection.query(
    `UPDATE ${target} AS old SET ${to} = now()
     WHERE old.${to} IS NULL AND NOT EXISTS (SELECT FROM ${staging} AS given WHERE ${same})`,
  );
}

/** Adds the columns of versions to a new table. */
export const versionColumns = `${column(validFrom)} timestamptz NOT NULL DEFAULT now(), ${column(validTo)} timestamptz`;

/** A new table has one current version of each key. */
export const versionIndex = (target: string, keys: readonly string[]): string =>
  `CREATE UNIQUE INDEX ON ${target} (${keys.join(', ')}) WHERE ${column(validTo)} IS NULL`;

/** What the tables of both forms need to know. */
export interface KeyedOptions {
  readonly mode: TableMode;
  readonly mayCreate: boolean;
  readonly deleted: string | undefined;
}

/** Throws ERR_SINK for an existing table that lacks a column of the sink's own and cannot get it. */
export function mustHaveOwnColumns({ shown }: TargetTable, found: FoundTable, options: KeyedOptions): void {
  const { mode, mayCreate, deleted } = options;
  const missing = ownColumns(mode, deleted).find((name) => !found.columns.some((each) => each.name === name));
  if (missing === undefined) return;
  const lack = `the table "${shown}" has no column "${missing}"`;
  if (mode === 'history') throw fault(`${lack}, which mode=history needs`, 'Use a table that mode=history has made.');
  if (!mayCreate || !found.isOwned) {
    throw fault(`${lack} for deleted, and ${mayCreate ? 'the user does not own it' : 'create=false'}`);
  }
}

/** Adds the column of `deleted`, if it is missing. */
export async function addDeleted(
  connection: PostgresConnection,
  { target }: TargetTable,
  { deleted }: KeyedOptions,
): Promise<void> {
  if (deleted === undefined) return;
  await connection.query(`ALTER TABLE ${target} ADD COLUMN IF NOT EXISTS ${column(deleted)} timestamptz`);
}
