/** The columns of a shape: one for each value that is no object, as `duckdb:` and `postgres:` with `columns=typed`. */

import { quoted as quotedInDuckdb } from '../../../sinks/duckdb/sql.js';
import { quoted as quotedInPostgres } from '../../../sinks/postgres/sql.js';
import { columnName } from '../../../sinks/postgres/typed-columns.js';
import type { ValueShape } from '../../../sinks/shape/value-shape.js';
import { type ColumnKind, kindOfNumber, widened } from '../../../sinks/tables/column-kinds.js';

export interface ShapeColumn {
  readonly path: readonly string[];
  readonly shape: ValueShape;
  /** Each item has a value. */
  readonly isRequired: boolean;
}

/** The databases that tables are written for. */
export const databases = ['postgres', 'duckdb'] as const;
export type Database = (typeof databases)[number];

/** An object whose names are keys of a table is one column. */
export function columnsOf(shape: ValueShape): readonly ShapeColumn[] {
  return columnsAt(shape, [], true);
}

function columnsAt(shape: ValueShape, path: readonly string[], isRequired: boolean): readonly ShapeColumn[] {
  const { types, properties, required, rest } = shape;
  const isSplit = types.has('object') && rest === undefined;
  const others = [...types].filter((type) => type !== 'null' && (type !== 'object' || !isSplit));
  const isAlways = isRequired && !types.has('null');
  const own =
    others.length > 0 || !isSplit ? [{ path, shape, isRequired: isAlways && types.size > 0 && !isSplit }] : [];
  if (!isSplit) return own;
  const members = [...properties].flatMap(([name, member]) =>
    columnsAt(member, [...path, name], isAlways && others.length === 0 && required.has(name)),
  );
  return [...own, ...members];
}

const quotes = { postgres: quotedInPostgres, duckdb: quotedInDuckdb } as const;

export const quotedIn = (database: Database, name: string, what: string): string => quotes[database](name, what);

/** The names of columns: DuckDB does not tell upper from lower case, so a name that is taken gets a number. */
export function columnNames(columns: readonly ShapeColumn[], database: Database): readonly string[] {
  const taken = new Set<string>();
  return columns.map(({ path }) => {
    const name = database === 'postgres' ? columnName(path) : path.length === 0 ? 'value' : path.join('__') || '_';
    const keyOf = (each: string) => (database === 'duckdb' ? each.toLowerCase() : each);
    let free = name;
    for (let number = 1; taken.has(keyOf(free)); number++) free = `${name}_${number}`;
    taken.add(keyOf(free));
    return free;
  });
}

const sqlTypes = {
  postgres: { boolean: 'boolean', integer: 'bigint', decimal: 'numeric', text: 'text', json: 'jsonb' },
  duckdb: { boolean: 'BOOLEAN', integer: 'BIGINT', decimal: 'DOUBLE', text: 'VARCHAR', json: 'JSON' },
} as const;
const formatTypes = {
  postgres: { date: 'date', 'date-time': 'timestamptz', uuid: 'uuid' },
  duckdb: { date: 'DATE', 'date-time': 'TIMESTAMPTZ', uuid: 'UUID' },
} as const;
/** Of whole numbers with more than 64 bits. */
const longTypes = { postgres: 'numeric', duckdb: 'HUGEINT' } as const;

/** The type of a column. */
export function sqlType({ types, format, seen }: ValueShape, database: Database): string {
  const kinds = [...types].flatMap((type): ColumnKind[] => {
    if (type === 'array' || type === 'object') return ['json'];
    if (type === 'null') return [];
    return [type === 'string' ? 'text' : type === 'number' ? 'decimal' : type];
  });
  const kind = kinds.length === 0 ? (types.size === 0 ? 'json' : 'text') : kinds.reduce(widened);
  if (kind === 'text' && kinds.length === 1 && format !== undefined) return formatTypes[database][format];
  const isLong = kind === 'integer' && seen?.range?.some((number) => kindOfNumber(number) === 'decimal') === true;
  if (isLong) return longTypes[database];
  return sqlTypes[database][typeof kind === 'number' ? 'text' : kind];
}
