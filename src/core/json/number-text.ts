/** Numbers as PHP writes them with a precision. docs/12-compatibility.md#text-as-php-writes-it. */

/**
 * Integers of 64 bits and numbers too large for a double keep their digits; others become a double with so many
 * significant digits, from 1 to 40.
 */
export function numberText(text: string, precision: number): string {
  const whole = wholeIn(text);
  if (whole !== undefined) return whole.toString();
  const value = Number(text);
  return Number.isFinite(value) ? doubleText(value, precision) : text;
}

/** The whole number of 64 bits; undefined: PHP reads the text as a double. */
export function wholeIn(text: string): bigint | undefined {
  if (!/^-?\d+$/.test(text)) return undefined;
  const whole = BigInt(text);
  return BigInt.asIntN(64, whole) === whole ? whole : undefined;
}

/** Scientific notation below 1e-4, and from as many digits as the precision has. */
function doubleText(value: number, precision: number): string {
  if (value === 0) return Object.is(value, -0) ? '-0' : '0';
  const { digits, exponent } = roundDigits(Math.abs(value), precision);
  const sign = value < 0 ? '-' : '';
  if (exponent < -4 || exponent >= precision) {
    return `${sign}${digits[0]}.${digits.slice(1) || '0'}e${exponent < 0 ? '-' : '+'}${Math.abs(exponent)}`;
  }
  if (exponent < 0) return `${sign}0.${'0'.repeat(-exponent - 1)}${digits}`;
  const whole = digits.slice(0, exponent + 1).padEnd(exponent + 1, '0');
  const fraction = digits.slice(exponent + 1);
  return `${sign}${whole}${fraction === '' ? '' : `.${fraction}`}`;
}

/**
 * Returns the significant digits without trailing zeros, and the exponent of the first. Ties round to the even digit,
 * as in C.
 */
function roundDigits(value: number, precision: number): { readonly digits: string; readonly exponent: number } {
  const [mantissa = '', exponent = '0'] = value.toExponential(40).split('e');
  const all = mantissa.replace('.', '');
  const [leading = '', isTie] = [all.slice(0, precision), /^50*$/.test(all.slice(precision))];
  if (isTie && Number(leading.at(-1)) % 2 === 0) return { digits: trimZeros(leading), exponent: Number(exponent) };
  const [short = '', shortExponent = '0'] = value.toExponential(precision - 1).split('e');
  return { digits: trimZeros(short.replace('.', '')), exponent: Number(shortExponent) };
}

const trimZeros = (digits: string): string => digits.replace(/0+$/, '');
