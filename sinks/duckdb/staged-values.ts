/** Staged rows as a table of DuckDB, and the values of columns in it. */
import type { LeafSlots, Slot } from './leaf-slots.js';
import { literalPath } from './sql.js';
import type { FilledColumn } from './target-table.js';

/** The staged rows of a data type. */
export interface StagedRows {
  /** Of the files with them, in order. */
  readonly paths: readonly string[];
  readonly items: number;
  readonly slots: LeafSlots;
}

const leastBuffer = 1024 * 1024;

/** The staged rows as a table with the columns c0, c1 ... */
export function sourceOf({ paths, slots }: Pick<StagedRows, 'paths' | 'slots'>): string {
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
export function columnValue({ leaf, type }: FilledColumn, slots: LeafSlots): string {
  return firstOf([...leaf.slots.values()].map((slot) => cellAs(slot, slots.slots[slot], type)));
}

const firstOf = (values: readonly string[]): string =>
  values.length === 1 ? (values[0] ?? 'NULL') : `coalesce(${values.join(', ')})`;

/** The same, and NULL for a value that does not fit the type. */
export function triedValue({ leaf, type }: FilledColumn, slots: LeafSlots): string {
  return firstOf([...leaf.slots.values()].map((slot) => triedCell(slot, slots, type)));
}

/** A cell has a value, and it has none in the type. */
export function refusedCell({ leaf, type }: FilledColumn, slots: LeafSlots): string {
  const tried = [...leaf.slots.values()].map((slot) => {
    return `(c${slot + 1} IS NOT NULL AND ${triedCell(slot, slots, type)} IS NULL)`;
  });
  return tried.join(' OR ');
}

const triedCell = (slot: number, slots: LeafSlots, type: string): string =>
  cellAs(slot, slots.slots[slot], type).replace(/^CAST/, 'TRY_CAST');

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
