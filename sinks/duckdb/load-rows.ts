/** Loads staged rows into a table, in statements of one transaction, and finds the item that a table refuses. */
import { ExtractError } from '../../src/core/errors/errors.js';
import { kindOfType } from './column-types.js';
import type { DuckdbDatabase } from './duckdb-client.js';
import { duckdbReason, within } from './duckdb-errors.js';
import type { DuckdbSettings } from './duckdb-options.js';
import { columnName, type LeafSlots, type Slot } from './leaf-slots.js';
import type { PlaceNote } from './row-notes.js';
import { folded, literal, literalPath, quoted } from './sql.js';
import type { DuckdbTable, ExistingTable, FilledColumn, TablePlan } from './target-table.js';

/** The staged rows of a data type. */
export interface StagedRows {
  /** Of the files with them, in order. */
  readonly paths: readonly string[];
  readonly items: number;
  readonly slots: LeafSlots;
}

export interface Load {
  readonly table: DuckdbTable;
  readonly found: ExistingTable | undefined;
  readonly rows: StagedRows;
  readonly plan: TablePlan;
}

const leastBuffer = 1024 * 1024;
const mebi = 1024 * 1024;

/** The memory that a load may take, in MiB. `least` is that without columns: each needs its vector and its segments. */
export const memoryFor = ({ plan: { columns }, rows }: Load, least: number): number =>
  Math.ceil(least + columns + (4 * rows.slots.rowBytes) / mebi);

/** Creates or changes the table, and adds the rows. Rejects with an error of DuckDB. */
export async function loadRows(database: DuckdbDatabase, load: Load, settings: DuckdbSettings): Promise<void> {
  const { plan, table, rows } = load;
  for (const { sql, action } of plan.statements) {
    await within({ action, table: table.shown, job: table.job }, () => database.run(sql));
  }
  if (settings.mode === 'replace' && load.found !== undefined) await database.run(`DELETE FROM ${table.target}`);
  if (rows.items === 0) return;
  await database.run(settings.mode === 'merge' ? mergeOf(load, settings) : insertOf(load));
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
  filled.map((each) => `${columnValue(each, rows.slots)} AS ${column(each.name)}`).join(', ');

/** Of several items with one key the last one counts. */
function mergeOf({ table, plan, rows }: Load, { isTyped, keys }: DuckdbSettings): string {
  const keyOf = (side: string, path: readonly string[]) =>
    isTyped ? `${side}.${column(nameIn(plan, path))}` : memberOf(side, path);
  const given = keys.map((path) => keyOf('given', path));
  const same = keys.map((path) => `${keyOf('old', path)} = ${keyOf('given', path)}`).join(' AND ');
  const names = plan.filled.map(({ name }) => column(name));
  const order = orderBeside(plan);
  return `MERGE INTO ${table.target} AS old USING (
      SELECT * FROM (SELECT ${listOf(plan, rows)}, row_number() OVER () AS ${order} FROM ${sourceOf(rows)} WHERE c0 IS NULL) AS given
      QUALIFY row_number() OVER (PARTITION BY ${given.join(', ')} ORDER BY ${order} DESC) = 1 ORDER BY ${order}
    ) AS given ON (${same})
    WHEN MATCHED THEN UPDATE SET ${names.map((name) => `${name} = given.${name}`).join(', ')}
    WHEN NOT MATCHED THEN INSERT (${names.join(', ')}) VALUES (${names.map((name) => `given.${name}`).join(', ')})`;
}

/** A name for the order of the items that no column has. */
function orderBeside({ filled }: TablePlan): string {
  const names = new Set(filled.map(({ name }) => folded(name)));
  let name = 'n';
  while (names.has(name)) name += '_';
  return column(name);
}

function nameIn({ filled }: TablePlan, path: readonly string[]): string {
  const name = columnName(path);
  return filled.find((each) => folded(each.name) === folded(name))?.name ?? name;
}

const memberOf = (side: string, path: readonly string[]): string =>
  `json_extract_string(${side}."item", ${literal(path.map((name) => `/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`).join(''))})`;

/** The staged rows as a table with the columns c0, c1 ... */
function sourceOf({ paths, slots }: StagedRows): string {
  const most = slots.rowBytes;
  const columns = ["c0: 'VARCHAR'", ...slots.slots.map(({ kind }, slot) => `c${slot + 1}: '${cellTypes[kind]}'`)];
  if (slots.slots.length === 0) columns.push("c1: 'VARCHAR'");
  return `read_csv([${paths.map(literalPath).join(', ')}], header = false, auto_detect = false, delim = ',', quote = '"', escape = '"',
    new_line = '\\n', comment = '', nullstr = '', allow_quoted_nulls = false, null_padding = true, parallel = false,
    buffer_size = ${Math.max(leastBuffer, 2 * most)}, max_line_size = ${most}, columns = {${columns.join(', ')}})`;
}

/** Decimals and JSON are texts until their type is known. */
const cellTypes = {
  boolean: 'BOOLEAN',
  integer: 'BIGINT',
  decimal: 'VARCHAR',
  text: 'VARCHAR',
  json: 'VARCHAR',
} as const;

/** The value of a column: that of the one slot which has it. */
function columnValue({ leaf, type }: FilledColumn, slots: LeafSlots): string {
  const values = [...leaf.slots.values()].map((slot) => cellAs(slot, slots.slots[slot], type));
  return values.length === 1 ? (values[0] ?? 'NULL') : `coalesce(${values.join(', ')})`;
}

function cellAs(index: number, slot: Slot | undefined, type: string): string {
  const cell = `c${index + 1}`;
  const kind = slot?.kind ?? 'text';
  if (cellTypes[kind] === type) return cell;
  if (type === 'JSON' && kind === 'text') return `to_json(${cell})`;
  if (type === 'JSON' && kind !== 'json') return `CAST(CAST(${cell} AS VARCHAR) AS JSON)`;
  // A list, and such as a struct, is read from JSON.
  if (kind === 'json' && type !== 'JSON') return `CAST(CAST(${cell} AS JSON) AS ${type})`;
  const [, scale] = kind === 'decimal' ? (/^DECIMAL\(38,(\d+)\)$/.exec(type) ?? []) : [];
  return scale === undefined || scale === '0' ? `CAST(${cell} AS ${type})` : longDecimal(cell, Number(scale));
}

/**
 * The text of a number as DECIMAL(38,scale). DuckDB 1.5 casts a text to it at the twentieth of the speed of a cast to
 * HUGEINT: so its digits are cast, and multiplied by the smallest number of the scale. `scale` is at least 1.
 */
function longDecimal(cell: string, scale: number): string {
  const digits = `split_part(${cell}, '.', 1) || rpad(split_part(${cell}, '.', 2), ${scale}, '0')`;
  const smallest = `CAST('0.${'1'.padStart(scale, '0')}' AS DECIMAL(${scale},${scale}))`;
  return `CASE WHEN contains(${cell}, 'e') OR contains(${cell}, 'E') THEN CAST(${cell} AS DECIMAL(38,${scale}))
    ELSE CAST(CAST(${digits} AS HUGEINT) AS DECIMAL(38,0)) * ${smallest} END`;
}

/** Columns whose type is not of this sink may refuse a value, and required ones a missing one. */
export async function refusedItem(
  database: DuckdbDatabase,
  { table, found = [], plan, rows }: Load,
  thrown: unknown,
): Promise<ExtractError | undefined> {
  for (const filled of plan.filled) {
    const before = found.find(({ name }) => name === filled.name);
    const faults = [
      ...(kindOfType(filled.type) === undefined ? [refusedValue(filled, rows.slots)] : []),
      ...(before?.isRequired === true ? [`${columnValue(filled, rows.slots)} IS NULL`] : []),
    ];
    for (const condition of faults) {
      const place = await placeOf(database, rows, condition);
      if (place !== undefined) return refusal(table, filled, place, thrown);
    }
  }
  return undefined;
}

/** A cell has a value, and it has none in the type. */
function refusedValue({ leaf, type }: FilledColumn, slots: LeafSlots): string {
  const tried = [...leaf.slots.values()].map((slot) => {
    const cast = cellAs(slot, slots.slots[slot], type);
    return `(c${slot + 1} IS NOT NULL AND ${cast.replace(/^CAST/, 'TRY_CAST')} IS NULL)`;
  });
  return tried.join(' OR ');
}

interface Place extends PlaceNote {
  /** Among the items of the page, from 0. */
  readonly item: number;
}

/** The place of the first item for which the condition holds: after the last note on a place before it. */
async function placeOf(database: DuckdbDatabase, rows: StagedRows, condition: string): Promise<Place | undefined> {
  const numbered = `SELECT *, row_number() OVER () AS n FROM ${sourceOf(rows)}`;
  const [row] = await database.rows(
    `WITH numbered AS (${numbered}), first AS (SELECT min(n) AS n FROM numbered WHERE c0 IS NULL AND (${condition}))
     SELECT c0 AS note, first.n - numbered.n AS distance FROM numbered, first
     WHERE numbered.n < first.n AND c0 LIKE '{"job":%' ORDER BY numbered.n DESC LIMIT 1`,
  );
  if (row === undefined) return undefined;
  const note = JSON.parse(String(row.note)) as PlaceNote; // written by the row writer
  return { ...note, item: note.offset + Number(row.distance) - 1 };
}

function refusal({ shown }: DuckdbTable, { name, type }: FilledColumn, place: Place, thrown: unknown): ExtractError {
  const where = `table "${shown}", column "${name}" of the type ${type}, item ${place.item} of the page, from 0`;
  return new ExtractError('ERR_SINK', `duckdb: cannot publish (${where}): ${duckdbReason(thrown)}`, {
    ...{ job: place.job, page: place.page, cause: thrown },
    remedy:
      'Change the type of the column, or leave the member out with --select. With --state, --resume then publishes.',
  });
}
