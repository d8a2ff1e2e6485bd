/** The columns of a typed table: their names, and the types of their kinds. */
import { createHash } from 'node:crypto';
import type { Notify } from '../../src/core/model/notice.js';
import { type ColumnKind, widened } from '../tables/column-kinds.js';
import { printedText, type TextPrinter, typeOfForm, type WrittenForm } from '../tables/text-forms.js';
import { mostNameBytes, quoted } from './sql.js';
import type { Column, TableMode } from './table.js';

export interface TypedTableOptions {
  readonly mode: TableMode;
  /** The type of lists. */
  readonly type: 'json' | 'jsonb';
  readonly mayCreate: boolean;
  /** Texts of one form have a type. */
  readonly findsForms: boolean;
  readonly keys: readonly (readonly string[])[];
  /** Staged rows have an order, also where they have no key. */
  readonly isOrdered?: boolean;
  /** The column for the time when a row was found missing. */
  readonly deleted: string | undefined;
  /** Receives notices on columns. */
  readonly notify: Notify;
}

/**
 * `["address", "city"]` is `address__city`. An item that is no object has the column `value`. A name of more than 63
 * bytes ends with a hash of it.
 */
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

/** As `format_type` writes them. */
const textTypes = {
  date: 'date',
  uuid: 'uuid',
  time: 'timestamp without time zone',
  instant: 'timestamp with time zone',
} as const;

/** The type of a new column. */
export function typeOf(kind: ColumnKind, { type }: Pick<TypedTableOptions, 'type'>): string {
  if (typeof kind === 'number') return textTypes[typeOfForm(kind)];
  return kind === 'json' ? type : sqlTypes[kind];
}

/** The kind of a column; undefined: a type that is never changed, whose values are those of its text form. */
export function kindOf({ type, form }: Pick<Column, 'type' | 'form'>): ColumnKind | undefined {
  if (form !== undefined && textTypes[typeOfForm(form)] === type) return form;
  if (type === 'json' || type === 'jsonb') return 'json';
  const found = Object.entries(sqlTypes).find(([, name]) => name === type);
  return found?.[0] as ColumnKind | undefined; // a key of the table
}

/** A column with values of these kinds: its type, and the form of texts that it has as a type. */
export function widenedColumn(
  column: Pick<Column, 'type' | 'form'>,
  kinds: readonly ColumnKind[],
  options: Pick<TypedTableOptions, 'type'>,
): Pick<Column, 'type' | 'form'> {
  const known = kindOf(column);
  if (known === undefined) return { type: column.type };
  const kind = kinds.reduce(widened, known);
  return { type: kind === known ? column.type : typeOf(kind, options), form: formOf(kind) };
}

/** The form of a kind of texts. */
export const formOf = (kind: ColumnKind): WrittenForm | undefined => (typeof kind === 'number' ? kind : undefined);

/** The values of a column as another type. */
export function converted(value: string, type: string, from: Pick<Column, 'type' | 'form'>): string {
  const kind = kindOf(from);
  if (typeof kind === 'number' && type === 'text') return printedText(kind, value, printer);
  return type === 'json' || type === 'jsonb' ? `to_${type}(${value})` : `${value}::${type}`;
}

const printer: TextPrinter = {
  date: (value) => `to_char(${value}, 'YYYY-MM-DD')`,
  uuid: (value) => `${value}::text`,
  time: (value, type, separator) =>
    `to_char(${value}${type === 'instant' ? " AT TIME ZONE 'UTC'" : ''}, 'YYYY-MM-DD"${separator}"HH24:MI:SS.US')`,
};
