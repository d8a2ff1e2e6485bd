/** The columns of a typed table: their names, and the types of their kinds. */
import { createHash } from 'node:crypto';
import type { Notify } from '../../src/core/model/notice.js';
import { type ColumnKind, widened } from '../tables/column-kinds.js';
import { mostNameBytes, quoted } from './sql.js';
import type { Column, TableMode } from './table.js';

export interface TypedTableOptions {
  readonly mode: TableMode;
  /** The type of lists. */
  readonly type: 'json' | 'jsonb';
  readonly mayCreate: boolean;
  readonly keys: readonly (readonly string[])[];
  /** Staged rows have an order, also where they have no key. */
  readonly isOrdered?: boolean;
  /** The column for the time when a row was found missing. */
  readonly deleted: string | undefined;
  /** Receives notices on columns. */
  readonly notify: Notify;
}

/** `["address", "city"]` is `address__city`. An item that is no object has the column `value`. */
export function columnName(path: readonly string[]): string {
  const name = path.length === 0 ? 'value' : path.join('__') || '_';
  if (Buffer.byteLength(name) <= mostNameBytes) return name;
  const digits = createHash('sha256').update(name).digest('hex').slice(0, 8);
  let most = mostNameBytes - 9;
  while (Buffer.byteLength(name.slice(0, most)) > mostNameBytes - 9) most -= 1;
  return `${name.slice(0, most).replace(/[\ud800-\udbff]$/, '')}_${digits}`;
}

/** The name of a column in quotes. */
export const quotedColumn = (name: string) => quoted(name, 'column');

/** The name of the column with the order of items. No leaf has it: two underscores separate members. */
export const order = '"rxtract n"';

/** Whether a column of the staging table has the order of items. */
export const isOrder = ({ name }: Column) => `"${name}"` === order;

const sqlTypes = { boolean: 'boolean', integer: 'bigint', decimal: 'numeric', text: 'text' } as const;

/** The type of a new column. */
export const typeOf = (kind: ColumnKind, { type }: TypedTableOptions): string =>
  kind === 'json' ? type : sqlTypes[kind];

/** The kind of a column; undefined: a type that is never changed, whose values are those of its text form. */
export function kindOf({ type }: Column): ColumnKind | undefined {
  if (type === 'json' || type === 'jsonb') return 'json';
  const found = Object.entries(sqlTypes).find(([, name]) => name === type);
  return found?.[0] as ColumnKind | undefined; // a key of the table
}

/** The type that holds the column and values of these kinds; types that are not of this sink stay. */
export function widenedType(column: Column, kinds: readonly ColumnKind[], options: TypedTableOptions): string {
  const known = kindOf(column);
  if (known === undefined) return column.type;
  const wide = kinds.reduce(widened, known);
  return wide === known ? column.type : typeOf(wide, options);
}

/** The values of a column as another type. */
export const converted = (name: string, type: string): string =>
  type === 'json' || type === 'jsonb' ? `to_${type}(${name})` : `${name}::${type}`;
