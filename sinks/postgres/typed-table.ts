/**
 * A table with a column for each leaf of its items. A column is added when a value of it first appears, and widened
 * when a value does not fit: in the staging table with the page that has it, in the target when that is published.
 */
import type { ColumnChange } from '../contract.js';
import { type ColumnKind, widened } from '../tables/column-kinds.js';
import { isKeyed, ownColumns } from '../tables/keys.js';
import { createLeafReader, type Leaf, type LeafReader, LeafRow, type ReadRows } from '../tables/leaves.js';
import type { WrittenForm } from '../tables/text-forms.js';
import type { CopyStatement } from './copy-query.js';
import { copyText } from './copy-text.js';
import { filledColumns, forgetFilled, storeFilled } from './filled-columns.js';
import type { PostgresConnection } from './postgres-client.js';
import { itemFault } from './postgres-errors.js';
import { mustHaveKey, publishTyped } from './publish-typed.js';
import {
  type Column,
  type CopiedItems,
  columnsOf,
  commentForms,
  doesExist,
  type FoundTable,
  fault,
  findTable,
  noTable,
  type TableForm,
  type TargetTable,
} from './table.js';
import {
  columnName,
  converted,
  formOf,
  isOrder,
  kindOf,
  order,
  quotedColumn,
  type TypedTableOptions,
  typeOf,
  widenedColumn,
} from './typed-columns.js';

/** What a process knows of a table. */
interface Known {
  readonly reader: LeafReader;
  /** The target before this run; undefined: there is none. */
  readonly target: FoundTable | undefined;
  /** The columns of the staging table, if nothing has changed them since. */
  staging: readonly Column[] | undefined;
  /** By column, how its type was changed. */
  readonly changed: Map<string, ColumnChange>;
  /** With `log`: the columns that are recorded as filled. */
  readonly recorded: Set<string>;
}

/** Creates the form of tables with typed columns. */
export function typedTable(options: TypedTableOptions): TableForm {
  const { mode, mayCreate } = options;
  const known = new Map<string, Known>();
  const knownOf = (table: TargetTable, target?: FoundTable): Known => {
    const found = known.get(table.name) ?? newTable(table, target, options);
    known.set(table.name, found);
    return found;
  };
  return {
    async prepare(connection, table) {
      const target = await findTable(connection, table, mode);
      if (target === undefined && !mayCreate) throw noTable(table);
      const found = target && { ...target, columns: await withForms(connection, table, target.columns) };
      known.delete(table.name);
      knownOf(table, found);
      if (found !== undefined && isKeyed(mode)) await mustHaveKey(connection, table, found, options);
      if (await doesExist(connection, table.staging)) return;
      const required = requiredColumns(found, options);
      await connection.query(`CREATE TABLE ${table.staging} (${firstColumns(required, options).join(', ')})`);
      const noted = required.filter(({ form }) => form !== undefined);
      await commentForms(connection, table.staging, new Map(noted.map(({ name, form }) => [name, form])));
      if (mode === 'log') await forgetFilled(connection, table);
      await table.addRules?.(connection);
    },
    async copy(connection, table, items) {
      const found = knownOf(table);
      const read = readItems(table, found, items, options);
      await addColumns(connection, table, found, read, options);
      if (found.staging === undefined) await table.addRules?.(connection);
      found.staging ??= await stagingColumns(connection, table);
      await copyRows(connection, table, found.staging, read);
      if (mode === 'log') await recordSeen(connection, table, found, read);
    },
    statement: (table, items) => statementOf(table, knownOf(table), items, options),
    forget({ name }) {
      const found = known.get(name);
      if (found !== undefined) found.staging = undefined;
      found?.recorded.clear();
    },
    async publish(connection, table, isComplete) {
      const isThere = await doesExist(connection, table.target);
      if (!isThere && !mayCreate) throw noTable(table);
      return publishTyped(connection, table, { isThere, isComplete }, options);
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

/** Undefined: a column is missing or too narrow, or is not recorded, or no item has a value. */
function statementOf(
  table: TargetTable,
  found: Known,
  items: CopiedItems,
  options: TypedTableOptions,
): CopyStatement | undefined {
  const { staging, recorded } = found;
  if (staging === undefined || table.isShared === true) return undefined;
  const read = readItems(table, found, items, options);
  const unnoted = { ...found, changed: new Map() };
  const isReady = [...read.seen].every(
    ([leaf, kinds]) =>
      changeOf(table, { staging, found: unnoted, leaf, kinds }, options).length === 0 &&
      (options.mode !== 'log' || recorded.has(leaf.name)),
  );
  return isReady ? copyOf(table, staging, read) : undefined;
}

const newTable = (table: TargetTable, target: FoundTable | undefined, options: TypedTableOptions): Known => ({
  reader: readerOf(table, options),
  target,
  staging: undefined,
  changed: new Map(),
  recorded: new Set(),
});

const readerOf = ({ shown }: TargetTable, { findsForms }: TypedTableOptions) =>
  createLeafReader({ nameOf: columnName, what: `postgres: the table "${shown}"`, findsForms });

/** The columns of the target, with what is recorded of their forms. */
async function withForms(
  connection: PostgresConnection,
  table: TargetTable,
  columns: readonly Column[],
): Promise<readonly Column[]> {
  const forms = await filledColumns(connection, table);
  return columns.map((column) => ({ ...column, form: forms.get(column.name) }));
}

/** With `log` the staging table is the target. */
async function stagingColumns(connection: PostgresConnection, table: TargetTable): Promise<readonly Column[]> {
  const columns = await columnsOf(connection, table.staging);
  return table.staging === table.target ? withForms(connection, table, columns) : columns;
}

/** Required columns of the target are required at once, so that COPY names the item. */
function requiredColumns(target: FoundTable | undefined, { mode, isOrdered }: TypedTableOptions): readonly Column[] {
  // Rows that only have an order are no rows of the target: some of them have no value.
  const isOfTarget = mode !== 'log' && (isKeyed(mode) || isOrdered !== true);
  return isOfTarget ? (target?.columns ?? []).filter(({ isRequired }) => isRequired) : [];
}

/** The order is for merging. */
function firstColumns(
  required: readonly Column[],
  { mode, isOrdered = isKeyed(mode) }: TypedTableOptions,
): readonly string[] {
  return [
    ...(isOrdered ? [`${order} bigint GENERATED ALWAYS AS IDENTITY`] : []),
    ...required.map(({ name, type }) => `${quotedColumn(name)} ${type} NOT NULL`),
  ];
}

/** Throws ERR_SINK for an item without its key, and for a member with the name of a column of the sink's own. */
function readItems(table: TargetTable, { reader }: Known, items: CopiedItems, options: TypedTableOptions): ReadRows {
  const read = reader.read(items.chunks);
  mustHaveKeys(table, read, items, options);
  const own = ownColumns(options.mode, options.deleted);
  const taken = own.length === 0 ? undefined : [...read.seen.keys()].find(({ name }) => own.includes(name));
  if (taken === undefined) return read;
  const what = `items have a member for the column "${taken.name}" of the table "${table.shown}", which is that of mode=${options.mode}`;
  throw fault(what, 'Rename or leave out the member with --select.');
}

function mustHaveKeys(
  { shown, job }: TargetTable,
  read: ReadRows,
  { offset }: CopiedItems,
  { keys }: TypedTableOptions,
): void {
  for (const path of keys) {
    const name = columnName(path);
    const leaf = [...read.seen.keys()].find((each) => each.name === name);
    const at = firstWithout(leaf, read);
    if (at < 0) continue;
    const what = `item ${offset + at} of the page (from 0) has no key "${path.join('.')}"`;
    throw itemFault(`${what} (table "${shown}", job "${job}")`);
  }
}

/** The first row without a value of the leaf; -1: all have one. */
function firstWithout(leaf: Leaf | undefined, { chunks }: ReadRows): number {
  const values = new LeafRow();
  let before = 0;
  for (const chunk of chunks) {
    for (let row = 0; row < chunk.ends.length; row++) {
      values.read(chunk, row);
      if (leaf === undefined || !values.has(leaf.index)) return before + row;
    }
    before += chunk.ends.length;
  }
  return -1;
}

/** Adds and widens columns of the staging table, so that the rows fit. */
async function addColumns(
  connection: PostgresConnection,
  table: TargetTable,
  found: Known,
  { seen }: ReadRows,
  options: TypedTableOptions,
): Promise<void> {
  const changesOf = (staging: readonly Column[], known: Known) =>
    [...seen].flatMap(([leaf, kinds]) => changeOf(table, { staging, found: known, leaf, kinds }, options));
  let staging = found.staging ?? (await stagingColumns(connection, table));
  const isChanging = changesOf(staging, { ...found, changed: new Map() }).length > 0;
  if (table.isShared === true || (options.mode === 'log' && isChanging)) {
    // Another process may have changed the table since. This lock keeps it as it is until the commit.
    await connection.query(`LOCK TABLE ${table.staging} IN ${isChanging ? 'ACCESS' : 'ROW'} EXCLUSIVE MODE`);
    staging = await stagingColumns(connection, table);
  }
  const changes = changesOf(staging, found);
  found.staging = changes.length === 0 ? staging : undefined;
  const clauses = changes.flatMap(({ clause }) => clause ?? []);
  if (clauses.length > 0) await connection.query(`ALTER TABLE ${table.staging} ${clauses.join(', ')}`);
  const forms = new Map(changes.filter((each) => 'form' in each).map(({ name, form }) => [name, form]));
  if (options.mode === 'log') await storeFilled(connection, table, forms);
  else await commentForms(connection, table.staging, forms);
}

interface SeenLeaf {
  readonly staging: readonly Column[];
  readonly found: Known;
  readonly leaf: Leaf;
  readonly kinds: readonly ColumnKind[];
}

interface Change {
  readonly name: string;
  /** Of ALTER TABLE. */
  readonly clause?: string;
  /** Absent: it stays. */
  readonly form?: WrittenForm | undefined;
}

/** The change that a leaf needs, if any. Throws ERR_SINK if the target may not be changed as well. */
function changeOf(
  table: TargetTable,
  { staging, found, leaf, kinds }: SeenLeaf,
  options: TypedTableOptions,
): readonly Change[] {
  const { name } = leaf;
  const column = staging.find((each) => each.name === name);
  if (column === undefined) return [addedColumn(table, { found, leaf, kinds }, options)];
  const { type, form } = widenedColumn(column, kinds, options);
  const noted = form === column.form ? {} : { form };
  if (type === column.type) return 'form' in noted ? [{ name, ...noted }] : [];
  if (found.target !== undefined) mustBeOwned(table, found.target, options, 'cannot hold a value in', leaf);
  noteChange(found, column, type);
  const quoted = quotedColumn(name);
  return [{ name, clause: `ALTER COLUMN ${quoted} TYPE ${type} USING ${converted(quoted, type, column)}`, ...noted }];
}

/** A new column of the staging table begins as that of the target, if there is one. */
function addedColumn(
  table: TargetTable,
  { found, leaf, kinds }: Omit<SeenLeaf, 'staging'>,
  options: TypedTableOptions,
): Change {
  const { name } = leaf;
  const before = found.target?.columns.find((each) => each.name === name);
  if (before === undefined && found.target !== undefined)
    mustBeOwned(table, found.target, options, `has no column`, leaf);
  const kind = kinds.reduce(widened);
  const { type, form } =
    before === undefined ? { type: typeOf(kind, options), form: formOf(kind) } : widenedColumn(before, kinds, options);
  if (before !== undefined && type !== before.type)
    mustBeOwned(table, found.target, options, `cannot hold a value in`, leaf);
  if (before !== undefined) noteChange(found, before, type);
  return { name, clause: `ADD COLUMN ${quotedColumn(name)} ${type}`, ...(form !== undefined && { form }) };
}

function noteChange({ changed }: Known, { name, type }: Column, to: string): void {
  const from = changed.get(name)?.from ?? type;
  if (from !== to) changed.set(name, { column: name, from, to });
}

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
  table: TargetTable,
  columns: readonly Column[],
  read: ReadRows,
): Promise<void> {
  const statement = copyOf(table, columns, read);
  if (statement !== undefined) return connection.copy(statement);
  await connection.query(`INSERT INTO ${table.staging} SELECT FROM generate_series(1, ${read.count})`);
}

/** Undefined: no row has a value. */
function copyOf({ staging }: TargetTable, columns: readonly Column[], read: ReadRows): CopyStatement | undefined {
  const used = [...read.seen.keys()].flatMap((leaf) => {
    const column = columns.find(({ name }) => name === leaf.name);
    return column === undefined ? [] : [{ leaf, isJson: kindOf(column) === 'json' }];
  });
  if (used.length === 0) return undefined;
  const names = used.map(({ leaf }) => quotedColumn(leaf.name)).join(', ');
  const wanted = used.map(({ leaf: { index }, isJson }) => ({ index, isJson }));
  return { text: `COPY ${staging} (${names}) FROM STDIN`, chunks: copyText(read, wanted) };
}

/** Rows of pages that are visible at once have no end of a run: their columns are recorded with the first of them. */
async function recordSeen(
  connection: PostgresConnection,
  table: TargetTable,
  { recorded, staging: columns = [] }: Known,
  { seen }: ReadRows,
): Promise<void> {
  const added = columns.filter(
    ({ name }) => !recorded.has(name) && [...seen.keys()].some((leaf) => leaf.name === name),
  );
  await storeFilled(connection, table, new Map(added.map(({ name, form }) => [name, form])));
  for (const { name } of added) recorded.add(name);
}
