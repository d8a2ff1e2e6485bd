/** The types of DuckDB for the kinds of values: never narrower than before, and every digit is kept. */
import { type ColumnKind, widened } from '../tables/column-kinds.js';
import { areDoubles, holdsForm, joinedForm, type NumberForm } from '../tables/number-forms.js';
import { printedText, type TextPrinter, typeOfForm, type WrittenForm } from '../tables/text-forms.js';

/** The values that a column gets. */
export interface ColumnNeed {
  /** By first appearance; not empty. */
  readonly kinds: readonly ColumnKind[];
  /** The digits of all its numbers. */
  readonly form: NumberForm;
}

/** The type of a column, and what is known of its values. */
export interface ColumnType {
  /** As DuckDB writes it, such as `DECIMAL(18,2)`. */
  readonly type: string;
  /** The form of the texts that it was made from; absent: it was not made from texts, or is one of texts. */
  readonly form?: WrittenForm | undefined;
}

/** As DuckDB writes them. */
const textTypes = { date: 'DATE', uuid: 'UUID', time: 'TIMESTAMP', instant: 'TIMESTAMP WITH TIME ZONE' } as const;

const plainTypes = { boolean: 'BOOLEAN', integer: 'BIGINT', text: 'VARCHAR', json: 'JSON' } as const;

/** The most digits of DECIMAL and HUGEINT. */
const mostDigits = 38;
/** The most digits of a DECIMAL that is stored in 8 bytes. */
const digitsOfLong = 18;

/** The type of a new column. */
export function typeFor({ kinds, form }: ColumnNeed): string {
  return typeOfKind(kinds.reduce(widened), form);
}

function typeOfKind(kind: ColumnKind, form: NumberForm): string {
  if (typeof kind === 'number') return textTypes[typeOfForm(kind)];
  return kind === 'decimal' ? numberType(form) : plainTypes[kind];
}

/**
 * A type that holds each number: DECIMAL with room for more digits, HUGEINT without a fraction, DOUBLE if many digits
 * are those of doubles, or exponents are too large and no digit is lost, else text.
 */
function numberType(form: NumberForm): string {
  const { whole, scale, fitsDouble } = form;
  if (areDoubles(form)) return 'DOUBLE';
  if (whole + scale > mostDigits) return fitsDouble ? 'DOUBLE' : 'VARCHAR';
  if (scale === 0) return 'HUGEINT';
  return `DECIMAL(${whole + scale <= digitsOfLong ? digitsOfLong : mostDigits},${scale})`;
}

/** The digits that types of integers can hold. */
const wholeDigits: Readonly<Record<string, number>> = {
  TINYINT: 2,
  SMALLINT: 4,
  INTEGER: 9,
  BIGINT: 19,
  HUGEINT: mostDigits,
};

/** The digits that a type of numbers can hold; undefined: it has no such limit. */
function rangeOf(type: string): NumberForm | undefined {
  const [, digits, scale] = /^DECIMAL\((\d+),(\d+)\)$/.exec(type) ?? [];
  if (digits !== undefined && scale !== undefined) return rangeWith(Number(digits) - Number(scale), Number(scale));
  const whole = wholeDigits[type];
  return whole === undefined ? undefined : rangeWith(whole, 0);
}

const rangeWith = (whole: number, scale: number): NumberForm => ({ whole, scale, fitsDouble: false });

/** The kind of a column; undefined: its type is not of this sink, and is never changed. */
export function kindOfColumn({ type, form }: ColumnType): ColumnKind | undefined {
  if (form !== undefined && textTypes[typeOfForm(form)] === type) return form;
  if (type === 'DOUBLE' || type === 'HUGEINT' || type.startsWith('DECIMAL(')) return 'decimal';
  if (wholeDigits[type] !== undefined) return 'integer';
  const found = Object.entries(plainTypes).find(([, name]) => name === type);
  return found?.[0] as ColumnKind | undefined; // a key of the table
}

/** Whether numbers with a fraction would be rounded: types of integers that are never changed. */
export const isRounding = (type: string): boolean => /^U(?:TINY|SMALL|BIG|HUGE)?INT(?:EGER)?$/.test(type);

/** The type of an existing column that also gets these values. `digits`: those of its values, if they were counted. */
export function widenedType(column: ColumnType, need: ColumnNeed, digits?: NumberForm): string {
  const { type } = column;
  const known = kindOfColumn(column);
  if (known === undefined) return type;
  const kind = need.kinds.reduce(widened, known);
  if (kind !== 'integer' && kind !== 'decimal') return kind === known ? type : typeOfKind(kind, need.form);
  const range = rangeOf(type);
  if (range === undefined) return need.form.fitsDouble ? type : 'VARCHAR';
  if (kind === 'integer') return type === 'BIGINT' || holdsForm(range, need.form) ? type : 'BIGINT';
  if (known === 'decimal' && holdsForm(range, need.form)) return type;
  return numberType(joinedForm(digits ?? range, need.form));
}

/** Whether the new type depends on the digits that the values have: those that the type has are too many. */
export function dependsOnValues(column: ColumnType, { kinds, form }: ColumnNeed): boolean {
  const known = kindOfColumn(column);
  const range = rangeOf(column.type);
  if (known === undefined || range === undefined || kinds.reduce(widened, known) !== 'decimal') return false;
  const joined = joinedForm(range, form);
  const mayBeDoubles = areDoubles({ ...joined, fitsDouble: form.fitsDouble });
  return !holdsForm(range, form) && (mayBeDoubles || joined.whole + joined.scale > mostDigits);
}

/** The form of the texts of a column that gets a type; undefined: it has no texts as a type. */
export function formIn(
  type: string,
  { kinds }: Pick<ColumnNeed, 'kinds'>,
  before?: ColumnType,
): WrittenForm | undefined {
  const known = before === undefined ? undefined : kindOfColumn(before);
  if (before !== undefined && known === undefined) return undefined; // a column of the user's own
  const kind = known === undefined ? kinds.reduce(widened) : kinds.reduce(widened, known);
  return typeof kind === 'number' && textTypes[typeOfForm(kind)] === type ? kind : undefined;
}

/** An expression for the values of a column as another type. */
export function convertedTo(type: string, value: string, { form, type: from }: ColumnType): string {
  const isText = form !== undefined && type === plainTypes.text && textTypes[typeOfForm(form)] === from;
  if (isText) return printedText(form, value, printer);
  return type === 'JSON' ? `CAST(CAST(${value} AS VARCHAR) AS JSON)` : `CAST(${value} AS ${type})`;
}

const printer: TextPrinter = {
  date: (value) => `strftime(${value}, '%Y-%m-%d')`,
  uuid: (value) => `CAST(${value} AS VARCHAR)`,
  // Without the time zone of the session.
  time: (value, _, separator) => `strftime(make_timestamp(epoch_us(${value})), '%Y-%m-%d${separator}%H:%M:%S.%f')`,
};
