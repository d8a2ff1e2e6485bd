/** Formats numbers for `sprintf`: rounded from the exact value of a double, ties to even. */

/** A double as `digits` / 10^`scale`, without loss. */
interface Decimal {
  readonly digits: bigint;
  readonly scale: number;
}

/** Fixed notation with so many decimals. `number` is not negative. */
export function fixed(number: number, decimals: number): string {
  const digits = round(toDecimal(number), decimals)
    .toString()
    .padStart(decimals + 1, '0');
  if (decimals === 0) return digits;
  return `${digits.slice(0, -decimals)}.${digits.slice(-decimals)}`;
}

/** Scientific notation such as `1.50e+3`, with so many decimals. `number` is not negative. */
export function scientific(number: number, decimals: number): string {
  const { digits, exponent } = significant(number, decimals + 1);
  return withExponent(digits, exponent);
}

/** The shorter notation, with at most so many digits. `number` is not negative. */
export function general(number: number, most: number): string {
  const { digits: all, exponent } = significant(number, Math.max(most, 1));
  const digits = all.replace(/0+$/, '');
  if (digits === '') return '0';
  if (exponent < -4 || exponent >= Math.max(most, 1)) return withExponent(digits.padEnd(2, '0'), exponent);
  if (exponent < 0) return `0.${'0'.repeat(-exponent - 1)}${digits}`;
  const whole = digits.slice(0, exponent + 1).padEnd(exponent + 1, '0');
  return digits.length > exponent + 1 ? `${whole}.${digits.slice(exponent + 1)}` : whole;
}

function withExponent(digits: string, exponent: number): string {
  const fraction = digits.length > 1 ? `.${digits.slice(1)}` : '';
  return `${digits[0]}${fraction}e${exponent < 0 ? '-' : '+'}${Math.abs(exponent)}`;
}

/** Returns the first `count` digits, and the power of ten of the first one. */
function significant(number: number, count: number): { digits: string; exponent: number } {
  const decimal = toDecimal(number);
  if (decimal.digits === 0n) return { digits: '0'.repeat(count), exponent: 0 };
  const exponent = decimal.digits.toString().length - decimal.scale - 1;
  const digits = round(decimal, count - 1 - exponent).toString();
  // 9.99 may have become 10.0.
  return { digits: digits.slice(0, count), exponent: exponent + digits.length - count };
}

/** Returns the number times 10^`decimals`, rounded to an integer. */
function round({ digits, scale }: Decimal, decimals: number): bigint {
  if (decimals >= scale) return digits * 10n ** BigInt(decimals - scale);
  const unit = 10n ** BigInt(scale - decimals);
  const [whole, twice] = [digits / unit, (digits % unit) * 2n];
  return twice > unit || (twice === unit && whole % 2n === 1n) ? whole + 1n : whole;
}

/** A double is an integer times a power of two; m / 2^k is m * 5^k / 10^k. IEEE 754. */
function toDecimal(number: number): Decimal {
  const view = new DataView(new ArrayBuffer(8));
  view.setFloat64(0, number);
  const bits = view.getBigUint64(0);
  const fraction = bits & ((1n << 52n) - 1n);
  const exponent = Number((bits >> 52n) & 0x7ffn);
  const mantissa = exponent === 0 ? fraction : fraction | (1n << 52n);
  const power = Math.max(exponent, 1) - 1075;
  if (power >= 0) return { digits: mantissa << BigInt(power), scale: 0 };
  return { digits: mantissa * 5n ** BigInt(-power), scale: -power };
}
