/**
 * Foreign keys of the tables of lists: their rows refer to those of the table around, of items or of another list. They
 * are deferred, so that a run can delete and insert rows in any order, and checked before it is published.
 */
import type { ExtractError } from '../../src/core/errors/errors.js';
import { filledColumns, storeFilled } from './filled-columns.js';
import type { PostgresConnection } from './postgres-client.js';
import { isServerError } from './postgres-errors.js';
import { quoted } from './sql.js';
import { columnsOf, doesExist, fault, type TargetTable } from './table.js';
import { columnName, converted, isOrder, kindOf, quotedColumn } from './typed-columns.js';

/** A table of the items, or of a list. */
export type RelatedTable = Pick<TargetTable, 'schema' | 'name' | 'target'>;

export interface ForeignKey {
  readonly child: RelatedTable;
  readonly parent: RelatedTable;
  /** The columns of the child that refer to `keys` of the parent, in the same order. */
  readonly columns: readonly string[];
  readonly keys: readonly string[];
}

interface FoundKey extends ForeignKey {
  readonly name: string;
  readonly isDeferrable: boolean;
}

const nameOf = ({ name }: RelatedTable): string => columnName([`${name}_fkey`]);

const listOf = (columns: readonly string[]): string => columns.map(quotedColumn).join(', ');

/**
 * Removes the foreign keys between tables if publishing changes columns of one: types change together, and no table is
 * altered while checks of it wait. Returns them.
 */
export async function dropForChange(
  connection: PostgresConnection,
  tables: readonly RelatedTable[],
  staged: readonly TargetTable[],
): Promise<readonly ForeignKey[]> {
  const found = (await foreignKeys(connection, tables)).filter(({ child, name }) => name === nameOf(child));
  if (found.length === 0 || !(await isAnyChanged(connection, staged))) return [];
  for (const { child, name } of found) {
    await connection.query(`ALTER TABLE ${child.target} DROP CONSTRAINT ${quoted(name, 'constraint')}`);
  }
  return found;
}

async function isAnyChanged(connection: PostgresConnection, staged: readonly TargetTable[]): Promise<boolean> {
  for (const table of staged) {
    if (!(await doesExist(connection, table.target))) continue;
    const columns = await columnsOf(connection, table.target);
    const forms = await filledColumns(connection, table);
    const isSame = (await columnsOf(connection, table.staging)).every((column) => {
      const { name, type, form } = column;
      const found = columns.find((each) => each.name === name);
      return isOrder(column) || (found?.type === type && (form === undefined || form === forms.get(name)));
    });
    if (!isSame) return true;
  }
  return false;
}

/** Those between the tables, from the outermost one in: rows of inner lists have more references. */
async function foreignKeys(
  connection: PostgresConnection,
  tables: readonly RelatedTable[],
): Promise<readonly FoundKey[]> {
  const columnsAt = (relation: string, places: string) =>
    `(SELECT array_agg(attname::text ORDER BY place) FROM unnest(${places}) WITH ORDINALITY AS each (at, place)
      JOIN pg_attribute ON attrelid = ${relation} AND attnum = at)`;
  const { rows } = await connection.query(
    `SELECT conname, condeferrable, child.relname AS child, parent.relname AS parent,
       ${columnsAt('conrelid', 'conkey')} AS columns, ${columnsAt('confrelid', 'confkey')} AS keys
     FROM pg_constraint JOIN pg_class AS child ON child.oid = conrelid JOIN pg_class AS parent ON parent.oid = confrelid
     JOIN pg_namespace AS n ON n.oid = child.relnamespace AND n.oid = parent.relnamespace
     WHERE contype = 'f' AND nspname = $1 AND child.relname = ANY($2) AND parent.relname = ANY($2) ORDER BY cardinality(conkey), conname`,
    [tables[0]?.schema, tables.map(({ name }) => name)],
  );
  return rows.flatMap(({ conname, condeferrable, child, parent, columns, keys }) => {
    const [from, to] = [child, parent].map((name) => tables.find((each) => each.name === name));
    if (from === undefined || to === undefined) return [];
    const names = { name: String(conname), isDeferrable: condeferrable === true };
    return [{ ...names, child: from, parent: to, columns: textsIn(columns), keys: textsIn(keys) }];
  });
}

const textsIn = (value: unknown): readonly string[] => (Array.isArray(value) ? value.map(String) : []);

/**
 * Makes the foreign keys that are missing, in the given order: from the outermost table in. Those that are there are
 * checked first. Throws ERR_SINK for rows that do not fit.
 */
export async function makeForeignKeys(
  connection: PostgresConnection,
  tables: readonly RelatedTable[],
  wanted: readonly ForeignKey[],
): Promise<void> {
  const found = await foreignKeys(connection, tables);
  const deferred = found.flatMap(({ child: { schema }, name, isDeferrable }) =>
    isDeferrable ? [`${quoted(schema, 'schema')}.${quoted(name, 'constraint')}`] : [],
  );
  if (deferred.length > 0) await connection.query(`SET CONSTRAINTS ${deferred.join(', ')} IMMEDIATE`);
  const made = new Set(found.map(({ child }) => child.name));
  for (const key of wanted) {
    if (made.has(key.child.name)) continue;
    made.add(key.child.name);
    if (!(await doesExist(connection, key.child.target))) continue; // Its rows were rolled back.
    await makeUnique(connection, key);
    await alignTypes(connection, key);
    await makeForeignKey(connection, key);
  }
}

/** A foreign key needs a unique index on what it refers to. */
async function makeUnique(connection: PostgresConnection, { parent, keys }: ForeignKey): Promise<void> {
  const { rows } = await connection.query(
    `SELECT FROM (SELECT (SELECT array_agg(attname::text) FROM pg_attribute
         WHERE attrelid = indrelid AND attnum = ANY(indkey[0:indnkeyatts - 1])) AS columns
       FROM pg_index WHERE indrelid = to_regclass($1) AND indisunique AND indisvalid AND indimmediate
         AND indpred IS NULL AND indexprs IS NULL) AS unique_index
     WHERE columns @> $2::text[] AND columns <@ $2::text[]`,
    [parent.target, keys],
  );
  if (rows.length > 0) return;
  await connection.query(`CREATE UNIQUE INDEX ON ${parent.target} (${listOf(keys)})`).catch((thrown: unknown) => {
    if (!isServerError(thrown) || thrown.code !== '23505') throw thrown;
    throw several(parent, keys);
  });
}

/** References to a key whose type has changed since change theirs. */
async function alignTypes(connection: PostgresConnection, { child, parent, columns, keys }: ForeignKey): Promise<void> {
  const [mine, theirs] = [await columnsOf(connection, child.target), await columnsOf(connection, parent.target)];
  const [forms, keyForms] = [await filledColumns(connection, child), await filledColumns(connection, parent)];
  for (const [index, name] of columns.entries()) {
    const key = theirs.find((each) => each.name === keys[index]);
    const own = mine.find((each) => each.name === name);
    if (key === undefined || own === undefined || key.type === own.type) continue;
    const from = { type: own.type, form: forms.get(name) };
    const form = keyForms.get(key.name);
    if (kindOf(from) === undefined || kindOf({ type: key.type, form }) === undefined) continue; // The user's own.
    const column = quotedColumn(name);
    await connection.query(
      `ALTER TABLE ${child.target} ALTER COLUMN ${column} TYPE ${key.type} USING ${converted(column, key.type, from)}`,
    );
    await storeFilled(connection, child, new Map([[name, form]]));
  }
}

async function makeForeignKey(connection: PostgresConnection, key: ForeignKey): Promise<void> {
  const { child, parent, columns, keys } = key;
  const adding = connection.query(
    `ALTER TABLE ${child.target} ADD CONSTRAINT ${quoted(nameOf(child), 'constraint')} FOREIGN KEY (${listOf(columns)})
     REFERENCES ${parent.target} (${listOf(keys)}) DEFERRABLE INITIALLY DEFERRED`,
  );
  await adding.catch((thrown: unknown) => {
    if (!isServerError(thrown)) throw thrown;
    if (thrown.code === '23503') throw orphans(key);
    if (thrown.code === '42804') throw otherTypes(key);
    throw thrown;
  });
}

const shown = ({ schema, name }: RelatedTable): string => `"${schema}.${name}"`;

const several = (parent: RelatedTable, keys: readonly string[]): ExtractError =>
  fault(
    `the table ${shown(parent)} has several rows with one value of ${keys.map((name) => `"${name}"`).join(', ')}: foreignKeys needs a unique key`,
    'Name members that identify an item in key=..., or remove the rows that are there twice.',
  );

const orphans = ({ child, parent }: ForeignKey): ExtractError =>
  fault(
    `the table ${shown(child)} has rows without one in ${shown(parent)}: foreignKeys cannot refer to it`,
    'Remove these rows, or run with mode=replace.',
  );

const otherTypes = ({ child, parent, columns }: ForeignKey): ExtractError =>
  fault(
    `the column "${columns.join('", "')}" of the table ${shown(child)} has another type than the key of ${shown(parent)}: foreignKeys needs the same`,
    'Give the columns the same type with ALTER TABLE.',
  );
