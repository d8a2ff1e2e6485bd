/** Loads staged rows into a table, in statements of one transaction, and finds the item that a table refuses. */
import { ExtractError } from '../../src/core/errors/errors.js';
import { isWatching, validFrom, validTo } from '../tables/keys.js';
import type { DuckdbDatabase } from './duckdb-client.js';
import { duckdbReason, within } from './duckdb-errors.js';
import type { DuckdbSettings } from './duckdb-options.js';
import { columnName } from './leaf-slots.js';
import { type LoadedRows, type ReplacingRows, replaceRows } from './list-tables.js';
import type { PlaceNote } from './row-notes.js';
import { literal, nameBeside, quoted } from './sql.js';
import { columnValue, type StagedRows, sourceOf } from './staged-values.js';
import {
  keyColumns,
  type RowReason,
  type RuledRows,
  readRules,
  repeatedKey,
  ruledRows,
  type TableRules,
} from './table-rules.js';
import type { FilledColumn, TablePlan } from './target-table.js';

export interface Load extends LoadedRows {
  readonly settings: DuckdbSettings;
  /** What the run does not have is not there any more. */
  readonly isComplete: boolean;
  /** The rows are those of a list, and replace those of their items. */
  readonly replacing: ReplacingRows | undefined;
  /** How many of them the table has got. */
  inserted?: number;
}

const mebi = 1024 * 1024;

/** The memory that a load may take, in MiB. `least` is that without columns: each needs its vector and its segments. */
export const memoryFor = ({ plan: { columns }, rows }: Load, least: number): number =>
  Math.ceil(least + columns + (4 * rows.slots.rowBytes) / mebi);

/** Creates or changes the table, and adds the rows. Rejects with an error of DuckDB. */
export async function loadRows(database: DuckdbDatabase, load: Load): Promise<void> {
  const { plan, table, rows, settings } = load;
  for (const { sql, action } of plan.statements) {
    await within({ action, table: table.shown, job: table.job }, () => database.run(sql));
  }
  if (settings.mode === 'replace' && load.found !== undefined) await database.run(`DELETE FROM ${table.target}`);
  if (isWatching(settings.mode))
    return loadKeyed(database, load, settings, rows.items === 0 ? undefined : lastOf(load, settings));
  if (load.replacing !== undefined) {
    load.inserted = await replaceRows(database, load, load.replacing);
    return;
  }
  if (rows.items === 0) return;
  await database.run(settings.mode === 'merge' ? mergeOf(load, lastOf(load, settings)) : insertOf(load));
}

function insertOf({ table, found, plan, rows }: Load): string {
  const [first] = found ?? [];
  // If no item has a value, a row has none too.
  if (plan.filled.length === 0) {
    return `INSERT INTO ${table.target} (${column(first?.name ?? 'value')}) SELECT NULL FROM range(${rows.items})`;
  }
  const names = plan.filled.map(({ name }) => column(name)).join(', ');
  return `INSERT INTO ${table.target} (${names}) SELECT ${listOf(plan, rows)} FROM ${sourceOf(rows)} WHERE c0 IS NULL`;
}

const column = (name: string): string => quoted(name, 'column');

const listOf = ({ filled }: TablePlan, rows: StagedRows): string =>
  filled.map((each) => `${givenValue(each, rows)} AS ${column(each.name)}`).join(', ');

/** A required column that has a default gets it where an item has no value. */
const givenValue = (each: FilledColumn, { slots }: StagedRows): string =>
  each.fallback === undefined
    ? columnValue(each, slots)
    : `coalesce(${columnValue(each, slots)}, CAST(${each.fallback} AS ${each.type}))`;

/** The last of several items with one key. */
interface LastItems {
  /** A statement that selects them, with the columns of the table. */
  readonly select: string;
  /** Whether `old` and `given` have the same key. */
  readonly same: string;
  /** What a row gets: columns that only items of earlier runs have filled are empty then. */
  readonly set: readonly { readonly name: string; readonly value: string }[];
}

function lastOf({ plan, rows }: Load, { isTyped, keys }: DuckdbSettings): LastItems {
  const keyOf = (side: string, path: readonly string[]) =>
    isTyped ? `${side}.${column(nameIn(plan, path))}` : memberOf(side, path);
  const given = keys.map((path) => keyOf('given', path));
  const order = nameBeside(
    plan.filled.map(({ name }) => name),
    'n',
  );
  return {
    same: keys.map((path) => `${keyOf('old', path)} = ${keyOf('given', path)}`).join(' AND '),
    set: [
      ...plan.filled.map(({ name }) => ({ name: column(name), value: `given.${column(name)}` })),
      ...plan.unfilled.map(({ name, fallback = 'NULL' }) => ({ name: column(name), value: fallback })),
    ],
    select: `SELECT * EXCLUDE (${order}) FROM (SELECT ${listOf(plan, rows)}, row_number() OVER () AS ${order} FROM ${sourceOf(rows)} WHERE c0 IS NULL) AS given
      QUALIFY row_number() OVER (PARTITION BY ${given.join(', ')} ORDER BY ${order} DESC) = 1 ORDER BY ${order}`,
  };
}

/** An item replaces the row with its key. `select`: the items, or a table of them. */
function mergeOf({ table }: Load, { same, set, select }: LastItems): string {
  return `MERGE INTO ${table.target} AS old USING (${select}) AS given ON (${same})
    WHEN MATCHED THEN UPDATE SET ${set.map(({ name, value }) => `${name} = ${value}`).join(', ')}
    WHEN NOT MATCHED THEN INSERT (${set.map(({ name }) => name).join(', ')}) VALUES (${set.map(({ value }) => value).join(', ')})`;
}

/** Where the last items wait for several statements: a table of the connection. */
const given = 'temp.rxtract_given';

/** Publishes items and what is missing. `last`: undefined without items. */
async function loadKeyed(
  database: DuckdbDatabase,
  load: Load,
  { mode, deleted }: DuckdbSettings,
  last: LastItems | undefined,
): Promise<void> {
  const { target } = load.table;
  const isGiven = last === undefined ? 'false' : `EXISTS (SELECT 1 FROM ${given} AS given WHERE ${last.same})`;
  if (last !== undefined) await database.run(`CREATE TEMP TABLE rxtract_given AS ${last.select}`);
  const waiting = last && { ...last, select: `FROM ${given}` };
  if (mode === 'history') await addVersions(database, load, waiting);
  else if (waiting !== undefined) await database.run(mergeOf(load, waiting));
  const mark = mode === 'history' ? column(validTo) : deleted === undefined ? undefined : column(deleted);
  if (mode === 'mirror' && mark !== undefined) {
    await database.run(`UPDATE ${target} AS old SET ${mark} = NULL WHERE ${mark} IS NOT NULL AND ${isGiven}`);
  }
  if (load.isComplete) {
    const change = mark === undefined ? `DELETE FROM ${target} AS old` : `UPDATE ${target} AS old SET ${mark} = now()`;
    await database.run(`${change} WHERE ${mark === undefined ? '' : `${mark} IS NULL AND `}NOT ${isGiven}`);
  }
  if (last !== undefined) await database.run(`DROP TABLE ${given}`);
}

/** Ends the versions whose items have changed, and adds the new ones. */
async function addVersions(database: DuckdbDatabase, { table }: Load, last: LastItems | undefined): Promise<void> {
  if (last === undefined) return;
  const { same, set } = last;
  const [from, to] = [column(validFrom), column(validTo)];
  const differs = set.map(({ name, value }) => `old.${name} IS DISTINCT FROM ${value}`).join(' OR ');
  await database.run(
    `UPDATE ${table.target} AS old SET ${to} = now() FROM ${given} AS given
     WHERE old.${to} IS NULL AND ${same} AND (${differs})`,
  );
  await database.run(
    `INSERT INTO ${table.target} (${set.map(({ name }) => name).join(', ')}, ${from})
     SELECT ${set.map(({ value }) => value).join(', ')}, now() FROM ${given} AS given
     WHERE NOT EXISTS (SELECT 1 FROM ${table.target} AS old WHERE old.${to} IS NULL AND ${same})`,
  );
}

/** The column of a key, which each item has. */
const nameIn = ({ filled }: TablePlan, path: readonly string[]): string =>
  filled.find(({ leaf }) => leaf.member === columnName(path))?.name ?? columnName(path);

const memberOf = (side: string, path: readonly string[]): string =>
  `json_extract_string(${side}."item", ${literal(path.map((name) => `/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`).join(''))})`;

/**
 * The item for which the table refuses the rows: the first one that breaks a rule of the table by itself, or has the
 * unique value of another one. Undefined if there is none.
 */
export async function refusedItem(
  database: DuckdbDatabase,
  { table, found = [], rows, settings }: Load,
  thrown: unknown,
): Promise<ExtractError | undefined> {
  const rules = await readRules(database, table, found, settings);
  if (rules === undefined) return undefined;
  const { select, row, fault, reasons } = ruledRows(rules, rows, true);
  const [first] = await database.rows(
    `SELECT ${row} AS n, ${fault} AS fault FROM (${select}) WHERE ${fault} >= 0 ORDER BY ${row} LIMIT 1`,
  );
  if (first !== undefined)
    return refusal(await placeOf(database, rows, Number(first.n)), reasons[Number(first.fault)], thrown);
  for (const columns of rules.unique) {
    const [repeated] = await database.rows(repeatedRow(rules, columns, { select, row, fault }));
    if (repeated === undefined) continue;
    return refusal(await placeOf(database, rows, Number(repeated.n)), repeatedKey(table, columns), thrown);
  }
  return undefined;
}

function repeatedRow(
  rules: TableRules,
  columns: readonly string[],
  { select, row, fault }: Pick<RuledRows, 'select' | 'row' | 'fault'>,
): string {
  const keys = keyColumns(rules, columns).map(({ name }) => name);
  const place = nameBeside(columns, 'place');
  const rows = `SELECT ${row}, row_number() OVER (PARTITION BY ${keys.join(', ')} ORDER BY ${row}) AS ${place}, ${keys.join(', ')}
    FROM (${select}) WHERE ${fault} = -1 AND ${keys.map((key) => `${key} IS NOT NULL`).join(' AND ')}`;
  const same = keys.map((key) => `old.${key} = given.${key}`).join(' AND ');
  const isThere =
    rules.settings.mode === 'append' ? ` OR EXISTS (SELECT 1 FROM ${rules.table.target} AS old WHERE ${same})` : '';
  return `SELECT ${row} AS n FROM (${rows}) AS given WHERE ${place} > 1${isThere} ORDER BY ${row} LIMIT 1`;
}

interface Place extends PlaceNote {
  /** Among the items of the page, from 0. */
  readonly item: number;
}

/** The place of the item in a row, which is counted with the notes: after the last note on a place before it. */
async function placeOf(database: DuckdbDatabase, rows: StagedRows, row: number): Promise<Place> {
  const [found] = await database.rows(
    `SELECT c0 AS note, n FROM (SELECT c0, row_number() OVER () AS n FROM ${sourceOf(rows)})
     WHERE n < ${row} AND c0 LIKE '{"job":%' ORDER BY n DESC LIMIT 1`,
  );
  const note = JSON.parse(String(found?.note)) as PlaceNote; // written by the row writer
  return { ...note, item: note.offset + row - Number(found?.n) - 1 };
}

function refusal({ job, page, item }: Place, reason: RowReason | undefined, thrown: unknown): ExtractError {
  const { place, why } = reason ?? { place: 'table', why: duckdbReason(thrown) };
  const message = `duckdb: cannot publish (${place}, item ${item} of the page, from 0): ${why}`;
  return new ExtractError('ERR_SINK', message, { job, page, cause: thrown, remedy });
}

const remedy =
  'Change the table: with --state, --resume then publishes. Or run again, and leave the member or such items out: `--select`, `--on-item-error skip` or `dead-letter=URI`.';
