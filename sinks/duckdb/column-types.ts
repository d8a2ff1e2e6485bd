/** The types of DuckDB for the kinds of values: never narrower than before, and every digit is kept. */
import { type ColumnKind, widened } from '../tables/column-kinds.js';
import { holdsForm, joinedForm, type NumberForm } from '../tables/number-forms.js';

/** The values that a column gets. */
export interface ColumnNeed {
  /** By first appearance; not empty. */
  readonly kinds: readonly ColumnKind[];
  /** The digits of all its numbers. */
  readonly form: NumberForm;
}

const plainTypes = { boolean: 'BOOLEAN', integer: 'BIGINT', text: 'VARCHAR', json: 'JSON' } as const;

/** The most digits of DECIMAL and HUGEINT. */
const mostDigits = 38;
/** The most digits of a DECIMAL that is stored in 8 bytes. */
const digitsOfLong = 18;

/** The type of a new column. */
export function typeFor({ kinds, form }: ColumnNeed): string {
  const kind = kinds.reduce(widened);
  return kind === 'decimal' ? numberType(form) : plainTypes[kind];
}

/**
 * A type that holds each number: DECIMAL with room for more digits, HUGEINT without a fraction, DOUBLE if exponents
 * are too large and no digit is lost, else text.
 */
function numberType({ whole, scale, fitsDouble }: NumberForm): string {
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
export function kindOfType(type: string): ColumnKind | undefined {
  if (type === 'DOUBLE' || type === 'HUGEINT' || type.startsWith('DECIMAL(')) return 'decimal';
  if (wholeDigits[type] !== undefined) return 'integer';
  const found = Object.entries(plainTypes).find(([, name]) => name === type);
  return found?.[0] as ColumnKind | undefined; // a key of the table
}

/** Whether numbers with a fraction would be rounded: types of integers that are never changed. */
export const isRounding = (type: string): boolean => /^U(?:TINY|SMALL|BIG|HUGE)?INT(?:EGER)?$/.test(type);

/** The type of an existing column that also gets these values. `digits`: those of its values, if they were counted. */
export function widenedType(type: string, need: ColumnNeed, digits?: NumberForm): string {
  const known = kindOfType(type);
  if (known === undefined) return type;
  const kind = need.kinds.reduce(widened, known);
  if (kind !== 'integer' && kind !== 'decimal') return kind === known ? type : plainTypes[kind];
  const range = rangeOf(type);
  if (range === undefined) return need.form.fitsDouble ? type : 'VARCHAR';
  if (kind === 'integer') return type === 'BIGINT' || holdsForm(range, need.form) ? type : 'BIGINT';
  if (known === 'decimal' && holdsForm(range, need.form)) return type;
  return numberType(joinedForm(digits ?? range, need.form));
}

/** Whether the new type depends on the digits that the values have, because those that the type has are too many. */
export function dependsOnValues(type: string, { kinds, form }: ColumnNeed): boolean {
  const known = kindOfType(type);
  const range = rangeOf(type);
  if (known === undefined || range === undefined || kinds.reduce(widened, known) !== 'decimal') return false;
  const joined = joinedForm(range, form);
  return !holdsForm(range, form) && joined.whole + joined.scale > mostDigits;
}
