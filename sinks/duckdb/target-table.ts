/** The table of a data type: what it must have, and the changes that new values need. */
import { ExtractError } from '../../src/core/errors/errors.js';
import { defined } from '../../src/core/util/defined.js';
import type { ColumnChange } from '../contract.js';
import { absent } from '../errors.js';
import { ownColumns } from '../tables/keys.js';
import { joinedForm, type NumberForm, noDigits } from '../tables/number-forms.js';
import { createColumnNames } from './column-names.js';
import {
  type ColumnNeed,
  type ColumnType,
  convertedTo,
  dependsOnValues,
  formIn,
  isRounding,
  kindOfColumn,
  typeFor,
  widenedType,
} from './column-types.js';
import type { DuckdbDatabase } from './duckdb-client.js';
import { itemFault } from './duckdb-errors.js';
import type { DuckdbSettings } from './duckdb-options.js';
import { columnNamed, type ExistingColumn, type ExistingTable } from './existing-table.js';
import { columnName, type LeafSlots, type SlottedLeaf } from './leaf-slots.js';
import { folded, quoted } from './sql.js';

/** The table of a data type. */
export interface DuckdbTable {
  readonly name: string;
  /** Quoted, with its schema. */
  readonly target: string;
  /** For messages: `users`, with another schema `api.users`. */
  readonly shown: string;
  readonly job: string;
}

/** The quoted name of the table of a data type. Throws ERR_SINK for a name that no table can have. */
export function targetOf({ schema }: Pick<DuckdbSettings, 'schema'>, dataType: string, job: string): DuckdbTable {
  return {
    name: dataType,
    job,
    shown: shownOf(schema, dataType),
    target: `${quoted(schema, 'schema')}.${quoted(dataType, 'table')}`,
  };
}

const shownOf = (schema: string, dataType: string) => (schema === 'main' ? dataType : `${schema}.${dataType}`);

/** Whether the type of a column may be changed. */
export const mayChange = ({ isFixed }: ExistingColumn, { mayCreate }: Pick<DuckdbSettings, 'mayCreate'>): boolean =>
  mayCreate && !isFixed;

/** What is wrong with an existing table for this sink; nothing if it fits. Throws ERR_SINK. */
export function mustFit(table: DuckdbTable, found: ExistingTable | 'view' | undefined, settings: DuckdbSettings): void {
  const { shown } = table;
  const { isTyped, mayCreate, keys } = settings;
  if (found === 'view') throw fault(table, `"${shown}" is a view, and no table`, anotherName);
  if (found === undefined && !mayCreate) throw absent('duckdb', `table "${shown}"`).at({ job: table.job });
  if (found === undefined) return;
  mustHaveOwnColumns(table, found, settings);
  if (isTyped) {
    const items = itemColumns(found, settings);
    const missing = isPlaceholder(items) ? undefined : missingKey(items, keys.map(columnName));
    if (missing !== undefined) throw fault(table, `the table "${shown}" has no column "${missing}" for the key`);
    return;
  }
  const item = columnNamed(found, 'item');
  if (item === undefined)
    throw fault(table, `the table "${shown}" has no column "item": it has another shape`, anotherName);
  if (item.type !== 'JSON')
    throw fault(table, `the column "item" of the table "${shown}" is ${item.type}, expected JSON`);
  const required = found.find(({ name, isRequired }) => isRequired && folded(name) !== 'item');
  if (required === undefined) return;
  throw fault(
    table,
    `the column "${required.name}" of the table "${shown}" needs a value, and an item has none for it`,
  );
}

/** Without those of the sink's own. */
const itemColumns = (found: ExistingTable, { mode, deleted }: DuckdbSettings): ExistingTable =>
  found.filter(({ name }) => !ownColumns(mode, deleted).some((own) => folded(own) === folded(name)));

/** Throws ERR_SINK for an existing table that lacks a column of the sink's own and cannot get it. */
function mustHaveOwnColumns(
  table: DuckdbTable,
  found: ExistingTable,
  { mode, deleted, mayCreate }: DuckdbSettings,
): void {
  const missing = ownColumns(mode, deleted).find((name) => columnNamed(found, name) === undefined);
  if (missing === undefined) return;
  const lack = `the table "${table.shown}" has no column "${missing}"`;
  if (mode === 'history')
    throw fault(table, `${lack}, which mode=history needs`, 'Use a table that mode=history has made.');
  if (!mayCreate) throw fault(table, `${lack} for deleted, and create=false`);
}

/** A table of a run whose items had no member: it has no column of its own. */
const isPlaceholder = ([first, second]: ExistingTable): boolean => first?.name === 'value' && second === undefined;

function missingKey(found: ExistingTable, keys: readonly string[]): string | undefined {
  const names = createColumnNames(found, keys);
  return keys.find((key) => columnNamed(found, names.of(key)) === undefined);
}

const anotherName = 'Use another schema or database, or columns=typed.';

/** Throws the fault of an item if the table may not be changed and cannot hold the values of a leaf. */
export function mustHold(
  { shown, job }: DuckdbTable,
  found: ExistingTable | undefined,
  leaf: SlottedLeaf,
  all: LeafSlots,
  settings: DuckdbSettings,
): void {
  if (ownColumns(settings.mode, settings.deleted).some((own) => folded(own) === folded(leaf.name))) {
    const what = `items have a member for the column "${leaf.name}" of the table "${shown}", which is that of mode=${settings.mode}`;
    throw fault({ job }, what, 'Rename or leave out the member with --select.');
  }
  const column = found === undefined ? undefined : columnNamed(found, leaf.name);
  const need = needOf(leaf, all);
  if (column !== undefined && isRounding(column.type) && need.kinds.includes('decimal')) {
    const what = `the column "${leaf.name}" of the table "${shown}" is ${column.type}, and a value has a fraction`;
    throw itemFault(fault({ job }, what));
  }
  if (column === undefined && settings.mayCreate) return;
  if (column === undefined) {
    throw itemFault(fault({ job }, `the table "${shown}" has no column "${leaf.name}", and create=false`));
  }
  if (mayChange(column, settings) || keptType(column, need) === column.type) return;
  const kind = need.kinds.find((each) => keptType(column, { ...need, kinds: [each] }) !== column.type);
  const why = `is ${column.type} and cannot hold a value of the kind ${nameOf(kind ?? need.kinds.at(-1))}, and ${unchanged(settings)}`;
  throw itemFault(fault({ job }, `the column "${column.name}" of the table "${shown}" ${why}`));
}

const unchanged = ({ mayCreate }: Pick<DuckdbSettings, 'mayCreate'>): string =>
  mayCreate ? 'an index or a constraint depends on it' : 'create=false';

/** The type of a column that is not changed: integers are cast to it, and it holds what the cast accepts. */
function keptType(column: ColumnType, need: ColumnNeed): string {
  const isWhole = need.kinds.every((kind) => kind === 'integer');
  return isWhole && kindOfColumn(column) === 'integer' ? column.type : widenedType(column, need);
}

const nameOf = (kind: ColumnNeed['kinds'][number] | undefined) => (typeof kind === 'number' ? 'text' : kind);

/** The values that a leaf has. */
export function needOf({ slots }: SlottedLeaf, all: LeafSlots): ColumnNeed {
  const forms = [...slots.values()].map((slot) => all.slots[slot]?.form ?? noDigits);
  const kinds = [...slots].map(([kind, slot]) => (kind === 'text' ? all.slots[slot]?.texts || kind : kind));
  return { kinds, form: forms.reduce(joinedForm, noDigits) };
}

/** A column that the items fill, with its type after all changes. */
export interface FilledColumn extends Pick<ExistingColumn, 'fallback'>, ColumnType {
  readonly leaf: SlottedLeaf;
  readonly name: string;
}

/** A statement that creates or changes the table. */
export interface TableStatement {
  readonly sql: string;
  /** Such as `add the column "name"`, for its error. */
  readonly action: string;
}

/** The columns that the items fill, and how types change. */
export interface TablePlan {
  readonly filled: readonly FilledColumn[];
  /** Columns that only items of earlier runs have filled. */
  readonly unfilled: ExistingTable;
  readonly changed: readonly ColumnChange[];
  readonly statements: readonly TableStatement[];
  /** All columns of the table in the end. */
  readonly columns: number;
}

/** Plans the table. `types`: those of references to other tables. Throws ERR_SINK if a change is not allowed. */
export async function planTable(
  database: DuckdbDatabase,
  table: DuckdbTable,
  found: ExistingTable | undefined,
  slots: LeafSlots,
  { settings, types }: { readonly settings: DuckdbSettings; readonly types: ReadonlyMap<string, string> },
): Promise<TablePlan> {
  const filled: FilledColumn[] = [];
  const changed: ColumnChange[] = [];
  const statements: TableStatement[] = [];
  for (const leaf of slots.leaves) {
    const need = needOf(leaf, slots);
    const before = found === undefined ? undefined : columnNamed(found, leaf.name);
    const own = before === undefined ? typeFor(need) : await typeAfter(database, table, { before, need, settings });
    const type = types.get(leaf.member) ?? own;
    const name = before?.name ?? leaf.name;
    filled.push({ leaf, name, type, ...defined({ fallback: before?.fallback, form: formIn(type, need, before) }) });
    const from = before?.type ?? firstType(need, type);
    if (from !== type) changed.push({ column: name, from, to: type });
    if (found === undefined) continue;
    const isLocked = before === undefined ? !settings.mayCreate : !mayChange(before, settings);
    if (before?.type !== type && isLocked) throw notChanged(table, name, before?.type, settings);
    if (before === undefined) statements.push(addColumn(table, name, type));
    else if (before.type !== type) statements.push(alterType(table, before, type));
  }
  const own = ownColumns(settings.mode, settings.deleted);
  if (found !== undefined) {
    const lacking = own.filter((name) => columnNamed(found, name) === undefined);
    for (const name of lacking) statements.push(addColumn(table, name, ownType));
    const added = filled.filter(({ name }) => columnNamed(found, name) === undefined);
    const isFilled = new Set(filled.map(({ name }) => name));
    const unfilled = found.filter(({ name, member }) => member !== undefined && !isFilled.has(name));
    return { filled, unfilled, changed, statements, columns: found.length + added.length + lacking.length };
  }
  const all = filled.length === 0 ? [{ name: settings.isTyped ? 'value' : 'item', type: 'JSON' }] : filled;
  const list = [...all, ...own.map((name) => ({ name, type: ownType }))]
    .map(({ name, type }) => `${column(name)} ${type}`)
    .join(', ');
  return {
    filled,
    changed,
    unfilled: [],
    statements: [{ sql: `CREATE TABLE ${table.target} (${list})`, action: 'create the table' }],
    columns: all.length + own.length,
  };
}

const ownType = 'TIMESTAMPTZ';

const column = (name: string): string => quoted(name, 'column');

const addColumn = ({ target }: DuckdbTable, name: string, type: string): TableStatement => ({
  sql: `ALTER TABLE ${target} ADD COLUMN ${column(name)} ${type}`,
  action: `add the column "${name}"`,
});

/** The type of the first values of a new column, if its kind was changed later. */
function firstType({ kinds: [first = 'text'], form }: ColumnNeed, type: string): string {
  return kindOfColumn({ type }) === first ? type : typeFor({ kinds: [first], form });
}

async function typeAfter(
  database: DuckdbDatabase,
  { target }: DuckdbTable,
  { before, need, settings }: { before: ExistingColumn; need: ColumnNeed; settings: DuckdbSettings },
): Promise<string> {
  if (!mayChange(before, settings)) return keptType(before, need);
  if (!dependsOnValues(before, need)) return widenedType(before, need);
  return widenedType(before, need, await digitsIn(database, target, before));
}

/** The digits that the values of a column of numbers have. */
async function digitsIn(database: DuckdbDatabase, target: string, { name, type }: ExistingColumn): Promise<NumberForm> {
  const value = column(name);
  const [row] = await database.rows(
    `SELECT coalesce(max(length(ltrim(split_part(CAST(${value} AS VARCHAR), '.', 1), '-0'))), 0) AS whole,
       coalesce(max(length(rtrim(split_part(CAST(${value} AS VARCHAR), '.', 2), '0'))), 0) AS scale,
       coalesce(bool_and(coalesce(TRY_CAST(CAST(${value} AS DOUBLE) AS ${type}) = ${value}, ${value} IS NULL)), true) AS fits
     FROM ${target}`,
  );
  return { whole: Number(row?.whole), scale: Number(row?.scale), fitsDouble: row?.fits === true };
}

function alterType({ target }: DuckdbTable, before: ExistingColumn, type: string): TableStatement {
  const value = column(before.name);
  return {
    sql: `ALTER TABLE ${target} ALTER COLUMN ${value} SET DATA TYPE ${type} USING ${convertedTo(type, value, before)}`,
    action: `change the type of the column "${before.name}" to ${type}`,
  };
}

const notChanged = ({ shown, job }: DuckdbTable, name: string, type: string | undefined, settings: DuckdbSettings) =>
  fault(
    { job },
    type === undefined
      ? `the table "${shown}" has no column "${name}", and create=false`
      : `the column "${name}" of the table "${shown}" is ${type} and cannot hold all values, and ${unchanged(settings)}`,
  );

/** The error of a table that cannot be used. */
export const fault = ({ job }: Pick<DuckdbTable, 'job'>, message: string, remedy?: string): ExtractError =>
  new ExtractError('ERR_SINK', `duckdb: ${message}`, { job, ...(remedy === undefined ? {} : { remedy }) });
