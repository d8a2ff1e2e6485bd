/** The digits that numbers need, read from their texts: a column of them keeps each digit. */

export interface NumberForm {
  /** Digits before the decimal point; 0 for `0.5`. */
  readonly whole: number;
  /** Digits after the decimal point, as written. */
  readonly scale: number;
  /** A double prints the same number: no digit is lost in one. */
  readonly fitsDouble: boolean;
}

export const noDigits: NumberForm = { whole: 0, scale: 0, fitsDouble: true };

/** No column has so many digits. */
const mostDigits = 1_000_000;

/** Every decimal number with so many digits is that of a double. */
const digitsOfDouble = 15;

/** Amounts have fewer digits after the point. */
const digitsOfAmounts = 9;

/**
 * Numbers that were computed with doubles, such as 0.30000000000000004: a double prints each as it is, and a decimal
 * would print 1.1 with the digits of the longest.
 */
export const areDoubles = ({ whole, scale, fitsDouble }: NumberForm): boolean =>
  fitsDouble && scale > digitsOfAmounts && whole + scale > digitsOfDouble;

/** The form of a JSON number. */
export function numberForm(text: string): NumberForm {
  const { digits, point, scale } = decimalOf(text);
  const whole = digits === '' ? 0 : Math.max(0, point);
  return { whole, scale: Math.max(0, scale), fitsDouble: isOfDouble(text, digits, point) };
}

/** The double that prints the same number, if there is one. */
export function doubleOf(text: string): number | undefined {
  const value = Number(text);
  return String(value) === text || numberForm(text).fitsDouble ? value : undefined;
}

/** The form that holds the numbers of both. */
export function joinedForm(one: NumberForm, other: NumberForm): NumberForm {
  return {
    whole: Math.max(one.whole, other.whole),
    scale: Math.max(one.scale, other.scale),
    fitsDouble: one.fitsDouble && other.fitsDouble,
  };
}

/** Whether a column of the form holds a number of the other. */
export const holdsForm = (form: NumberForm, { whole, scale, fitsDouble }: NumberForm): boolean =>
  form.whole >= whole && form.scale >= scale && (fitsDouble || !form.fitsDouble);

/** A number in bytes, without an exponent. */
export interface WrittenNumber {
  readonly source: Buffer;
  readonly from: number;
  readonly to: number;
  /** Digits before the point. */
  readonly whole: number;
  /** Digits after it. */
  readonly scale: number;
}

/** The same for a number that is not read yet; it may also hold one for which this is false. Most need no text. */
export function holdsDigits(form: NumberForm, { source, from, to, whole, scale }: WrittenNumber): boolean {
  if (form.whole < whole || form.scale < scale) return false;
  if (whole + scale <= digitsOfDouble || !form.fitsDouble) return true;
  const text = source.toString('latin1', from, to);
  return String(Number(text)) === text;
}

/** A JSON number: `digits` divided by ten to the power of `scale`. */
interface Decimal {
  /** Without zeros at the beginning; empty: the number is zero. */
  readonly digits: string;
  /** The number is `0.DIGITS` times ten to the power of this. */
  readonly point: number;
  /** Digits after the decimal point; below 0 if the number ends before it. */
  readonly scale: number;
}

/** Reads a JSON number. Exponents beyond a million are cut. */
export function decimalOf(text: string): Decimal {
  const [, before = '', after = '', power = '0'] = /^-?(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(text) ?? [];
  const exponent = Math.max(-mostDigits, Math.min(mostDigits, Number(power)));
  const all = `${before}${after}`;
  const digits = all.replace(/^0+/, '');
  return { digits, point: before.length + exponent - (all.length - digits.length), scale: after.length - exponent };
}

function isOfDouble(text: string, digits: string, point: number): boolean {
  if (digits.length <= digitsOfDouble && Math.abs(point) < 300) return true;
  const value = Number(text);
  if (!Number.isFinite(value)) return false;
  const own = decimalOf(String(value));
  const trimmed = digits.replace(/0+$/, '');
  return trimmed === own.digits.replace(/0+$/, '') && (trimmed === '' || point === own.point);
}

const [zero, nine] = [0x30, 0x39];

/** The position after the digits that begin at a position. */
export function afterDigits(source: Buffer, from: number): number {
  let at = from;
  for (let byte = source[at] ?? 0; byte >= zero && byte <= nine; byte = source[at] ?? 0) at += 1;
  return at;
}
