/**
 * A table with a column for each leaf of its items. A column is added when a value of it first appears, and widened
 * when a value does not fit: in the staging table with the page that has it, in the target when that is published.
 */
import { createHash } from 'node:crypto';
import type { ColumnChange } from '../contract.js';
import { type ColumnKind, widened } from '../tables/column-kinds.js';
import { createLeafReader, type Leaf, type LeafReader, type ReadRows } from '../tables/leaves.js';
import { copyText } from './copy-text.js';
import { mustHaveIndex, renamed } from './item-table.js';
import type { PostgresConnection } from './postgres-client.js';
import { itemFault } from './postgres-errors.js';
import { doesExist } from './postgres-session.js';
import { mostNameBytes, quoted } from './sql.js';
import {
  type Column,
  type CopiedItems,
  columnsOf,
  type FoundTable,
  fault,
  findTable,
  noTable,
  type TableForm,
  type TableMode,
  type TargetTable,
} from './table.js';

export interface TypedTableOptions {
  readonly mode: TableMode;
  /** The type of lists. */
  readonly type: 'json' | 'jsonb';
  readonly mayCreate: boolean;
  readonly keys: readonly (readonly string[])[];
}

/** What a process knows of a table. */
interface Known {
  readonly reader: LeafReader;
  /** The target before this run; undefined: there is none. */
  readonly target: FoundTable | undefined;
  /** The columns of the staging table, if nothing has changed them since. */
  staging: readonly Column[] | undefined;
  /** By column, how its type was changed. */
  readonly changed: Map<string, ColumnChange>;
}

/** Creates the form of tables with typed columns. */
export function typedTable(options: TypedTableOptions): TableForm {
  const { mode, mayCreate } = options;
  const known = new Map<string, Known>();
  const knownOf = (table: TargetTable, target?: FoundTable): Known => {
    const found = known.get(table.name) ?? { reader: readerOf(table), target, staging: undefined, changed: new Map() };
    known.set(table.name, found);
    return found;
  };
  return {
    async prepare(connection, table) {
      const found = await findTable(connection, table, mode);
      if (found === undefined && !mayCreate) throw noTable(table);
      known.delete(table.name);
      knownOf(table, found);
      if (found !== undefined && mode === 'merge') await mustHaveKey(connection, table, found, options);
      if (await doesExist(connection, table.staging)) return;
      await connection.query(`CREATE TABLE ${table.staging} (${firstColumns(found, options).join(', ')})`);
      await table.addRules?.(connection);
    },
    async copy(connection, table, items) {
      const found = knownOf(table);
      const read = found.reader.read(items.chunks);
      mustHaveKeys(table, read, items, options);
      await addColumns(connection, table, found, read, options);
      if (found.staging === undefined) await table.addRules?.(connection);
      found.staging ??= await columnsOf(connection, table.staging);
      await copyRows(connection, table, found.staging, read);
    },
    forget({ name }) {
      const found = known.get(name);
      if (found !== undefined) found.staging = undefined;
    },
    async publish(connection, table) {
      const isThere = await doesExist(connection, table.target);
      if (!isThere && !mayCreate) throw noTable(table);
      if (!isThere && mode !== 'merge') return renamed(connection, table);
      if (isThere) await widenTarget(connection, table, options);
      else await createMerged(connection, table, options);
      if (mode === 'replace') await connection.query(`DELETE FROM ${table.target}`);
      return insertRows(connection, table, options);
    },
    columns(name) {
      const { staging, changed } = known.get(name) ?? {};
      return {
        ...(staging === undefined ? {} : { columns: staging.filter((column) => !isOrder(column)).length }),
        ...(changed === undefined || changed.size === 0 ? {} : { changed: [...changed.values()] }),
      };
    },
  };
}

const readerOf = ({ shown }: TargetTable) =>
  createLeafReader({ nameOf: columnName, what: `postgres: the table "${shown}"` });

/** `["address", "city"]` is `address__city`. An item that is no object has the column `value`. */
export function columnName(path: readonly string[]): string {
  const name = path.length === 0 ? 'value' : path.join('__') || '_';
  if (Buffer.byteLength(name) <= mostNameBytes) return name;
  const digits = createHash('sha256').update(name).digest('hex').slice(0, 8);
  let most = mostNameBytes - 9;
  while (Buffer.byteLength(name.slice(0, most)) > mostNameBytes - 9) most -= 1;
  return `${name.slice(0, most).replace(/[\ud800-\udbff]$/, '')}_${digits}`;
}

const quotedColumn = (name: string) => quoted(name, 'column');

/** The order is for merging. Required columns of the target are required at once, so that COPY names the item. */
function firstColumns(target: FoundTable | undefined, { mode }: TypedTableOptions): readonly string[] {
  if (mode === 'log') return [];
  const required = (target?.columns ?? []).filter(({ isRequired }) => isRequired);
  return [
    ...(mode === 'merge' ? [`${order} bigint GENERATED ALWAYS AS IDENTITY`] : []),
    ...required.map(({ name, type }) => `${quotedColumn(name)} ${type} NOT NULL`),
  ];
}

/** The name of the column with the order of items. No leaf has it: two underscores separate members. */
const order = '"rxtract n"';
const isOrder = ({ name }: Column) => `"${name}"` === order;

const sqlTypes = { boolean: 'boolean', integer: 'bigint', decimal: 'numeric', text: 'text' } as const;

const typeOf = (kind: ColumnKind, { type }: TypedTableOptions): string => (kind === 'json' ? type : sqlTypes[kind]);

/** The kind of a column; undefined: a type that is never changed, whose values are those of its text form. */
function kindOf({ type }: Column): ColumnKind | undefined {
  if (type === 'json' || type === 'jsonb') return 'json';
  const found = Object.entries(sqlTypes).find(([, name]) => name === type);
  return found?.[0] as ColumnKind | undefined; // a key of the table
}

function mustHaveKeys(
  { shown, job }: TargetTable,
  { rows, seen }: ReadRows,
  { offset }: CopiedItems,
  { keys }: TypedTableOptions,
): void {
  for (const path of keys) {
    const name = columnName(path);
    const leaf = [...seen.keys()].find((each) => each.name === name);
    const at = rows.findIndex((row) => leaf === undefined || row[leaf.index] === undefined);
    if (at < 0) continue;
    const what = `item ${offset + at} of the page (from 0) has no key "${path.join('.')}"`;
    throw itemFault(`${what} (table "${shown}", job "${job}")`);
  }
}

/** Adds and widens columns of the staging table, so that the rows fit. */
async function addColumns(
  connection: PostgresConnection,
  table: TargetTable,
  found: Known,
  { seen }: ReadRows,
  options: TypedTableOptions,
): Promise<void> {
  const staging = found.staging ?? (await columnsOf(connection, table.staging));
  const changes = [...seen].flatMap(([leaf, kinds]) => changeOf(table, { staging, found, leaf, kinds }, options));
  found.staging = changes.length === 0 ? staging : undefined;
  if (changes.length > 0) await connection.query(`ALTER TABLE ${table.staging} ${changes.join(', ')}`);
}

interface SeenLeaf {
  readonly staging: readonly Column[];
  readonly found: Known;
  readonly leaf: Leaf;
  readonly kinds: readonly ColumnKind[];
}

/** The clause of ALTER TABLE that a leaf needs, if any. Throws ERR_SINK if the target may not be changed as well. */
function changeOf(
  table: TargetTable,
  { staging, found, leaf, kinds }: SeenLeaf,
  options: TypedTableOptions,
): readonly string[] {
  const name = quotedColumn(leaf.name);
  const column = staging.find((each) => each.name === leaf.name);
  if (column === undefined) {
    const before = found.target?.columns.find((each) => each.name === leaf.name);
    if (before === undefined && found.target !== undefined)
      mustBeOwned(table, found.target, options, `has no column`, leaf);
    const type = before === undefined ? typeOf(kinds.reduce(widened), options) : widenedType(before, kinds, options);
    if (before !== undefined && type !== before.type)
      mustBeOwned(table, found.target, options, `cannot hold a value in`, leaf);
    if (before !== undefined) noteChange(found, before, type);
    return [`ADD COLUMN ${name} ${type}`];
  }
  const type = widenedType(column, kinds, options);
  if (type === column.type) return [];
  if (found.target !== undefined) mustBeOwned(table, found.target, options, 'cannot hold a value in', leaf);
  noteChange(found, column, type);
  return [`ALTER COLUMN ${name} TYPE ${type} USING ${converted(name, type)}`];
}

function noteChange({ changed }: Known, { name, type }: Column, to: string): void {
  const from = changed.get(name)?.from ?? type;
  if (from !== to) changed.set(name, { column: name, from, to });
}

/** The type that holds the column and values of these kinds; types that are not of this sink stay. */
function widenedType(column: Column, kinds: readonly ColumnKind[], options: TypedTableOptions): string {
  const known = kindOf(column);
  if (known === undefined) return column.type;
  const wide = kinds.reduce(widened, known);
  return wide === known ? column.type : typeOf(wide, options);
}

const converted = (name: string, type: string): string =>
  type === 'json' || type === 'jsonb' ? `to_${type}(${name})` : `${name}::${type}`;

function mustBeOwned(
  { shown }: TargetTable,
  target: FoundTable | undefined,
  { mayCreate }: TypedTableOptions,
  what: string,
  { name }: Leaf,
): void {
  if (mayCreate && target?.isOwned !== false) return;
  const why = mayCreate ? 'the user does not own it' : 'create=false';
  throw itemFault(`the table "${shown}" ${what} "${name}", and ${why}: it is not changed`);
}

/** Rows without any column are counted only. */
async function copyRows(
  connection: PostgresConnection,
  { staging }: TargetTable,
  columns: readonly Column[],
  { rows, seen }: ReadRows,
): Promise<void> {
  const used = [...seen.keys()].flatMap((leaf) => {
    const column = columns.find(({ name }) => name === leaf.name);
    return column === undefined ? [] : [{ leaf, isJson: kindOf(column) === 'json' }];
  });
  if (used.length === 0) {
    await connection.query(`INSERT INTO ${staging} SELECT FROM generate_series(1, ${rows.length})`);
    return;
  }
  const names = used.map(({ leaf }) => quotedColumn(leaf.name)).join(', ');
  const wanted = used.map(({ leaf: { index }, isJson }) => ({ index, isJson }));
  await connection.copy(`COPY ${staging} (${names}) FROM STDIN`, copyText(rows, wanted));
}

/** The target gets the columns and types of the staging table. */
async function widenTarget(
  connection: PostgresConnection,
  { staging, target }: TargetTable,
  options: TypedTableOptions,
): Promise<void> {
  const before = await columnsOf(connection, target);
  const changes = (await columnsOf(connection, staging)).flatMap((column) => {
    if (isOrder(column)) return [];
    const name = quotedColumn(column.name);
    const found = before.find((each) => each.name === column.name);
    if (found === undefined) return [`ADD COLUMN ${name} ${column.type}`];
    const kind = kindOf(column);
    const type = kind === undefined ? found.type : widenedType(found, [kind], options);
    return type === found.type ? [] : [`ALTER COLUMN ${name} TYPE ${type} USING ${converted(name, type)}`];
  });
  if (changes.length > 0) await connection.query(`ALTER TABLE ${target} ${changes.join(', ')}`);
}

/** A new target for merging: the columns of the staging table without the order, and an index on the key. */
async function createMerged(
  connection: PostgresConnection,
  { staging, target }: TargetTable,
  { keys }: TypedTableOptions,
): Promise<void> {
  await connection.query(`CREATE TABLE ${target} (LIKE ${staging}); ALTER TABLE ${target} DROP COLUMN ${order}`);
  const columns = await columnsOf(connection, target);
  const names = keys.map(columnName);
  if (!names.every((name) => columns.some((each) => each.name === name))) return; // There were no items.
  await connection.query(`CREATE UNIQUE INDEX ON ${target} (${names.map(quotedColumn).join(', ')})`);
}

async function insertRows(
  connection: PostgresConnection,
  { staging, target }: TargetTable,
  { mode, keys }: TypedTableOptions,
): Promise<void> {
  const columns = (await columnsOf(connection, staging)).filter((column) => !isOrder(column));
  const names = columns.map(({ name }) => quotedColumn(name));
  const list = names.join(', ');
  if (mode !== 'merge') {
    const into = names.length === 0 ? '' : ` (${list})`;
    await connection.query(`INSERT INTO ${target}${into} SELECT ${list} FROM ${staging}`);
    return;
  }
  const key = keys.map((path) => quotedColumn(columnName(path)));
  if (!key.every((name) => names.includes(name))) return;
  const set = names.filter((name) => !key.includes(name)).map((name) => `${name} = excluded.${name}`);
  const action = set.length === 0 ? 'NOTHING' : `UPDATE SET ${set.join(', ')}`;
  await connection.query(
    `INSERT INTO ${target} (${list})
     SELECT ${list} FROM (SELECT DISTINCT ON (${key.join(', ')}) * FROM ${staging} ORDER BY ${key.join(', ')}, ${order} DESC) AS last
     ORDER BY ${order} ON CONFLICT (${key.join(', ')}) DO ${action}`,
  );
}

/** The target of a merge must have the columns of the key, and a unique index on them. */
async function mustHaveKey(
  connection: PostgresConnection,
  table: TargetTable,
  { columns }: FoundTable,
  { keys }: TypedTableOptions,
): Promise<void> {
  const names = keys.map(columnName);
  const missing = names.find((name) => !columns.some((each) => each.name === name));
  if (missing !== undefined) throw fault(`the table "${table.shown}" has no column "${missing}" for the key`);
  const list = names.map(quotedColumn);
  const insert = `INSERT INTO ${table.target} (${list.join(', ')}) SELECT ${list.join(', ')} FROM ${table.target}`;
  await mustHaveIndex(connection, table, `${insert} ON CONFLICT (${list.join(', ')}) DO NOTHING`, list);
}
