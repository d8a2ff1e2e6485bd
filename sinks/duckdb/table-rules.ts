/** What an existing table refuses of an item: types that are never changed, required columns, and constraints. */

import { isKeyed, isUpdating } from '../tables/keys.js';
import { type ColumnType, kindOfColumn } from './column-types.js';
import type { DuckdbDatabase } from './duckdb-client.js';
import type { DuckdbSettings } from './duckdb-options.js';
import { columnNamed, type ExistingTable } from './existing-table.js';
import type { LeafSlots } from './leaf-slots.js';
import { folded, literal, nameBeside, quoted } from './sql.js';
import { refusedCell, sourceOf, triedValue } from './staged-values.js';
import { type DuckdbTable, type FilledColumn, mayChange } from './target-table.js';

interface Check {
  readonly expression: string;
  readonly columns: readonly string[];
}

export interface TableRules {
  readonly table: DuckdbTable;
  readonly found: ExistingTable;
  readonly settings: DuckdbSettings;
  readonly checks: readonly Check[];
  /** The columns of each UNIQUE and PRIMARY KEY. Empty with `mode=merge`, whose items replace rows. */
  readonly unique: readonly (readonly string[])[];
}

/** Reads the rules of a table; undefined: it refuses no item. */
export async function readRules(
  database: DuckdbDatabase,
  table: DuckdbTable,
  found: ExistingTable,
  settings: DuckdbSettings,
): Promise<TableRules | undefined> {
  const rows = await database.rows(
    `SELECT constraint_type AS kind, expression, CAST(to_json(constraint_column_names) AS VARCHAR) AS columns
     FROM duckdb_constraints() WHERE database_name = current_database() AND lower(schema_name) = lower(${literal(settings.schema)})
     AND lower(table_name) = lower(${literal(table.name)}) AND constraint_type IN ('CHECK', 'UNIQUE', 'PRIMARY KEY')
     ORDER BY constraint_index`,
  );
  const all = rows.map(({ kind, expression, columns }) => ({
    kind: String(kind),
    expression: String(expression),
    columns: JSON.parse(String(columns)) as readonly string[], // a list of names
  }));
  const checks = all.filter(({ kind }) => kind === 'CHECK');
  const unique = isKeyed(settings.mode) ? [] : all.filter(({ kind }) => kind !== 'CHECK').map((each) => each.columns);
  const isPicky = found.some((column) => column.isRequired || isGiven(column) || !mayChange(column, settings));
  return isPicky || all.length > 0 ? { table, found, settings, checks, unique } : undefined;
}

/** The type is not of this sink: values are cast to it. */
const isGiven = (column: ColumnType): boolean => kindOfColumn(column) === undefined;

/** Why a row is refused. */
export interface RowReason {
  /** Such as `table "t", column "id"`. */
  readonly place: string;
  readonly why: string;
}

/** The reason in one sentence about the item. */
export const reasonText = ({ place, why }: RowReason): string => `cannot be stored (${place}): ${why}`;

interface Fault extends RowReason {
  /** In SQL. */
  readonly condition: string;
}

/** How the rules see staged rows. */
export interface RuledRows {
  /**
   * A SELECT with the columns of the table by their names, the number of the row and the number of the first fault that
   * it has by itself; -1: none.
   */
  readonly select: string;
  /** Quoted names of the columns with the number of the row, from 1, and of its fault. */
  readonly row: string;
  readonly fault: string;
  /** Why a row is refused, by number of the fault. */
  readonly reasons: readonly RowReason[];
}

/** Judges staged rows one by one. `countsNotes`: the number of a row counts notes as well. */
export function ruledRows(
  rules: TableRules,
  rows: { readonly paths: readonly string[]; readonly slots: LeafSlots },
  countsNotes = false,
): RuledRows {
  const { found, settings, table } = rules;
  const filled = found.flatMap((column) => filledBy(rows.slots, column));
  const byName = new Map(filled.map((each) => [each.name, each]));
  const names = found.map(({ name }) => name);
  const [row, fault, own, note] = ['row', 'fault', 'own', 'note'].map((name) => nameBeside(names, name));
  const cells = cellFaults(rules, byName, rows.slots);
  const isSet = (name: string) => byName.has(name) || !staysAtMerge(columnNamed(found, name), settings);
  const checks = rules.checks.filter(({ columns }) => columns.every(isSet));
  const source = countsNotes ? sourceOf(rows) : `(SELECT * FROM ${sourceOf(rows)} WHERE c0 IS NULL)`;
  const inner = `SELECT row_number() OVER () AS ${row}, c0 IS NOT NULL AS ${note},
    ${firstTrue(cells.map(({ condition }) => condition))} AS ${own},
    ${found.map((column) => valueIn(column, byName, rows.slots)).join(', ')} FROM ${source}`;
  const broken = firstTrue(
    checks.map(({ expression }) => `NOT coalesce((${expression}), true)`),
    cells.length,
  );
  return {
    row: row ?? '',
    fault: fault ?? '',
    select: `SELECT *, CASE WHEN ${note} THEN -2 WHEN ${own} >= 0 THEN ${own} ELSE ${broken} END AS ${fault} FROM (${inner})`,
    reasons: [...cells, ...checks.map((check) => brokenCheck(table, check))],
  };
}

/** The number of the first condition that is true, counted from `from`; -1: none is. */
const firstTrue = (conditions: readonly string[], from = 0): string =>
  conditions.length === 0
    ? '-1'
    : `CASE ${conditions.map((condition, index) => `WHEN ${condition} THEN ${from + index}`).join(' ')} ELSE -1 END`;

/** The value that a column of the table would get, with its name. */
function valueIn(
  { name, type, fallback = 'NULL' }: ExistingTable[number],
  filled: ReadonlyMap<string, FilledColumn>,
  slots: LeafSlots,
): string {
  const each = filled.get(name);
  const value = each === undefined ? 'NULL' : triedValue(each, slots);
  return `CAST(coalesce(${value}, ${fallback}) AS ${type}) AS ${quoted(name, 'column')}`;
}

const filledBy = ({ leaves }: LeafSlots, { name, type }: ExistingTable[number]): readonly FilledColumn[] =>
  leaves.filter((leaf) => folded(leaf.name) === folded(name)).map((leaf) => ({ leaf, name, type }));

/** Why a row is refused for one of its values. */
function cellFaults(
  { found, settings, table }: TableRules,
  filled: ReadonlyMap<string, FilledColumn>,
  slots: LeafSlots,
): readonly Fault[] {
  const faults: Fault[] = [];
  for (const column of found) {
    const each = filled.get(column.name);
    const place = `table "${table.shown}", column "${column.name}" of the type ${column.type}`;
    const isCast = isGiven(column) || !mayChange(column, settings);
    if (each !== undefined && isCast) faults.push({ condition: refusedCell(each, slots), place, why: doesNotFit });
    if (!column.isRequired || (each === undefined && staysAtMerge(column, settings))) continue;
    const condition = each === undefined ? 'true' : `${triedValue(each, slots)} IS NULL`;
    faults.push({ condition, place, why: `the column "${column.name}" needs a value, and an item has none` });
  }
  return faults.map((each) => ({ ...each, condition: `(c0 IS NULL AND (${each.condition}))` }));
}

/** Whether a row that an item replaces keeps its value in a column that no item of the run fills. */
const staysAtMerge = (column: ExistingTable[number] | undefined, { mode }: DuckdbSettings): boolean =>
  isUpdating(mode) && column?.member === undefined;

const doesNotFit = 'a value does not fit the type of its column';

const brokenCheck = ({ shown }: DuckdbTable, { columns }: Check): RowReason => ({
  place: `table "${shown}", ${columnsText(columns)}`,
  why: 'an item breaks a CHECK constraint',
});

/** The reason of an item whose unique value another one has. */
export const repeatedKey = ({ shown }: DuckdbTable, columns: readonly string[]): RowReason => ({
  place: `table "${shown}", ${columnsText(columns)}`,
  why: 'an item has the key of another row (PRIMARY KEY or UNIQUE)',
});

const columnsText = (columns: readonly string[]): string => {
  const names = [...new Set(columns)].map((name) => `"${name}"`);
  return `column${names.length === 1 ? '' : 's'} ${names.join(', ')}`;
};

/** The quoted columns of a unique rule; a row without a value in one of them is never refused. */
export const keyColumns = ({ found }: TableRules, columns: readonly string[]) =>
  columns.map((name) => ({
    name: quoted(name, 'column'),
    type: columnNamed(found, name)?.type ?? 'VARCHAR',
  }));
