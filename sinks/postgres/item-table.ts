/** A table with one column, `item`: the JSON of each item. */
import { isKeyed, isWatching } from '../tables/keys.js';
import type { CopyStatement } from './copy-query.js';
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
import { literal, quoted } from './sql.js';
import {
  type CopiedItems,
  doesExist,
  fault,
  findTable,
  noTable,
  type TableForm,
  type TableMode,
  type TargetTable,
} from './table.js';

export interface ItemTableOptions {
  readonly mode: TableMode;
  readonly type: 'json' | 'jsonb';
  readonly mayCreate: boolean;
  /** Paths of the members that identify an item; empty without a key. */
  readonly keys: readonly (readonly string[])[];
  /** The column for the time when a row was found missing. */
  readonly deleted: string | undefined;
}

/** Creates the form of tables with a column `item`. */
export function itemTable(options: ItemTableOptions): TableForm {
  const { mode, type, mayCreate, keys } = options;
  const expressions = keys.map((path) => expressionOf(path));
  const insert = (table: TargetTable) => insertOf(table, options, expressions);
  return {
    async prepare(connection, table) {
      const found = await findTable(connection, table, mode);
      if (found === undefined && !mayCreate) throw noTable(table);
      const item = found?.columns.find(({ name }) => name === 'item');
      const required = found?.columns.find(({ name, isRequired }) => isRequired && name !== 'item');
      if (required !== undefined)
        throw fault(`the column "${required.name}" of the table "${table.shown}" ${needsValue}`);
      if (found !== undefined && item === undefined) throw fault(`the table "${table.shown}" ${noItem}`);
      if (item !== undefined && item.type !== type) throw otherType(table, item.type, type);
      if (found === undefined && mode === 'log') await connection.query(`CREATE TABLE ${table.target} (item ${type})`);
      if (mode === 'log') return;
      if (!(await doesExist(connection, table.staging))) await connection.query(stagingOf(table, type, expressions));
      await table.addRules?.(connection);
      if (found === undefined || !isKeyed(mode)) return;
      mustHaveOwnColumns(table, found, options);
      if (mode !== 'history') await mustHaveIndex(connection, table, insert(table), expressions);
    },
    copy: (connection, table, items) => connection.copy(copyOf(table, items)),
    statement: copyOf,
    forget() {},
    async publish(connection, table, isComplete) {
      const isThere = await doesExist(connection, table.target);
      if (!isThere && !mayCreate) throw noTable(table);
      if (!isThere && !isKeyed(mode)) return renamed(connection, table);
      if (!isThere) await connection.query(createOf(table, options, expressions));
      if (mode === 'replace') await connection.query(`DELETE FROM ${table.target}`);
      if (isWatching(mode)) return publishKeyed(connection, table, isComplete, options);
      return void (await connection.query(insert(table)));
    },
    columns: () => ({}),
  };
}

const needsValue = 'needs a value, and an item has none for it: give it a default, or use columns=typed';
const noItem = 'has no column "item": it has another shape. Use another schema or table, or columns=typed';

/**
 * Compact JSON has no control characters, so a quote and a delimiter that are such characters leave each line as it is:
 * nothing needs an escape.
 */
const asTheyAre = `(FORMAT csv, QUOTE E'\\x01', DELIMITER E'\\x02', ESCAPE E'\\x01')`;

const copyOf = ({ staging }: TargetTable, { chunks }: CopiedItems): CopyStatement => ({
  text: `COPY ${staging} (item) FROM STDIN ${asTheyAre}`,
  chunks,
});

/** The staging table becomes the target. */
export async function renamed(connection: PostgresConnection, { staging, name }: TargetTable): Promise<void> {
  await connection.query(`ALTER TABLE ${staging} RENAME TO ${quoted(name, 'table')}`);
}

/** A new table for items with a key. */
function createOf({ target }: TargetTable, { mode, type }: ItemTableOptions, keys: readonly string[]): string {
  if (mode === 'history') {
    return `CREATE TABLE ${target} (item ${type}, ${versionColumns}); ${versionIndex(target, keys)}`;
  }
  return `CREATE TABLE ${target} (item ${type}); CREATE UNIQUE INDEX ON ${target} (${keys.join(', ')})`;
}

async function publishKeyed(
  connection: PostgresConnection,
  table: TargetTable,
  isComplete: boolean,
  options: ItemTableOptions,
): Promise<void> {
  const { mode, type, keys, deleted } = options;
  const same = keys.map((path) => `${expressionOf(path, 'old.item')} = ${expressionOf(path, 'given.item')}`);
  const cast = type === 'json' ? '::text' : ''; // json has no comparison
  const rows: KeyedRows = {
    table,
    keys: keys.map((path) => expressionOf(path)),
    order: 'n',
    same: same.join(' AND '),
    differs: `old.item${cast} IS DISTINCT FROM given.item${cast}`,
    values: [{ column: 'item', value: 'given.item' }],
  };
  await keepLast(connection, rows);
  if (mode === 'history') return addVersions(connection, rows, isComplete);
  await addDeleted(connection, table, options);
  await connection.query(insertOf(table, options, rows.keys));
  await mirrorRows(connection, rows, { deleted, isComplete });
}

/** `(item -> 'address' ->> 'city')`. */
function expressionOf(path: readonly string[], item = 'item'): string {
  const parts = path.map((name, index) => `${index === path.length - 1 ? '->>' : '->'} ${literal(name)}`);
  return `(${item} ${parts.join(' ')})`;
}

/** `n` is the order of the items: of several with one key the last one counts. */
function stagingOf({ staging }: TargetTable, type: string, keys: readonly string[]): string {
  if (keys.length === 0) return `CREATE TABLE ${staging} (item ${type})`;
  const rule = keys.map((key) => `${key} IS NOT NULL`).join(' AND ');
  return `CREATE TABLE ${staging} (n bigint GENERATED ALWAYS AS IDENTITY, item ${type}, CONSTRAINT has_key CHECK (${rule}))`;
}

function insertOf({ staging, target }: TargetTable, { mode }: ItemTableOptions, keys: readonly string[]): string {
  if (!isKeyed(mode)) return `INSERT INTO ${target} (item) SELECT item FROM ${staging}`;
  const key = keys.join(', ');
  return `INSERT INTO ${target} (item)
    SELECT item FROM (SELECT DISTINCT ON (${key}) n, item FROM ${staging} ORDER BY ${key}, n DESC) AS last ORDER BY n
    ON CONFLICT (${key}) DO UPDATE SET item = excluded.item`;
}

/** Merging needs a unique index on the key, and the plan of its statement is refused without one. */
export async function mustHaveIndex(
  connection: PostgresConnection,
  { target, shown }: TargetTable,
  statement: string,
  keys: readonly string[],
): Promise<void> {
  await connection.query(`EXPLAIN ${statement}`).catch((thrown: unknown) => {
    if (!(thrown instanceof Error && 'code' in thrown && thrown.code === '42P10')) throw thrown;
    const command = `CREATE UNIQUE INDEX ON ${target} (${keys.join(', ')})`;
    throw fault(`the table "${shown}" has no unique index on the key: merge needs one`, `Create it: \`${command}\`.`);
  });
}

const otherType = ({ shown }: TargetTable, found: string, expected: string) =>
  fault(
    `the column "item" of the table "${shown}" is ${found}, expected ${expected}`,
    found === 'json' || found === 'jsonb' ? `Add type=${found} to --to.` : 'Use another schema or table.',
  );
