/** Reads JSON numbers digit by digit: which types of Parquet hold them exactly, and their values there. */
import { kindOfNumber } from '../tables/column-kinds.js';
import { decimalOf } from '../tables/number-forms.js';

/** The facts about one number. */
export class NumberReader {
  /** The first 15 significant digits as a whole number, without the sign. */
  value = 0;
  /** The digits after them, if there are not more than 30 in all. */
  #rest = 0;
  isNegative = false;
  /** Significant digits, without leading zeros. */
  digits = 0;
  /** Digits after the point. */
  scale = 0;
  hasExponent = false;
  hasPoint = false;

  /** Reads the number that begins at `from`, and returns the position after it. */
  read(source: Buffer, from: number): number {
    let at = from;
    this.isNegative = source[at] === MINUS;
    if (this.isNegative) at += 1;
    this.value = this.#rest = this.digits = this.scale = 0;
    at = this.#digits(source, at);
    this.hasPoint = source[at] === POINT;
    if (this.hasPoint) {
      const end = this.#digits(source, at + 1);
      this.scale = end - at - 1;
      at = end;
    }
    this.hasExponent = source[at] === LOWER_E || source[at] === UPPER_E;
    return this.hasExponent ? this.#readExponent(source, from, at) : at;
  }

  /** Digits before the point, without leading zeros. */
  whole(): number {
    return Math.max(0, this.digits - this.scale);
  }

  /** `value` has all digits. */
  isShort(): boolean {
    return this.digits <= 15 && !this.hasExponent;
  }

  /** The double of a short number: both parts of the quotient are exact, so it is the one that is nearest. */
  double(): number | undefined {
    return this.isShort() && this.scale <= 22 ? this.#signed(this.value) / 10 ** this.scale : undefined;
  }

  /** Whether it is a whole number, without point and exponent, that 64 bits with a sign hold. */
  isInt64(source: Buffer, from: number, to: number): boolean {
    if (this.hasPoint || this.hasExponent) return false;
    return this.digits < 19 || kindOfNumber(source.toString('latin1', from, to)) === 'integer';
  }

  /** The number that was read at `from`, times 10 to the power of `scale`, which is not less than its own. */
  unscaled(scale: number, source: Buffer, from: number, to: number): number | bigint {
    const zeros = scale - this.scale;
    if (this.isShort() && this.digits + zeros <= 15) return this.#signed(this.value * 10 ** zeros);
    if (this.hasExponent || this.digits > 30) return unscaled(source.toString('latin1', from, to), scale);
    const more = Math.max(0, this.digits - 15);
    const value = (BigInt(this.value) * power(more) + BigInt(this.#rest)) * power(zeros);
    return this.isNegative ? -value : value;
  }

  #signed(value: number): number {
    return this.isNegative ? -value : value;
  }

  #digits(source: Buffer, from: number): number {
    let at = from;
    for (let code = (source[at] ?? 0) - ZERO; code >= 0 && code <= 9; code = (source[++at] ?? 0) - ZERO) {
      if (code > 0 || this.digits > 0) this.digits += 1;
      if (this.digits <= 15) this.value = this.value * 10 + code;
      else this.#rest = this.#rest * 10 + code;
    }
    return at;
  }

  #readExponent(source: Buffer, from: number, at: number): number {
    let end = at + 1;
    while (isExponent(source[end])) end += 1;
    const { digits, scale } = decimalOf(source.toString('latin1', from, end));
    const isZero = digits === '';
    this.scale = isZero ? 0 : Math.max(0, scale);
    this.digits = isZero ? 0 : digits.length + Math.max(0, -scale);
    return end;
  }
}

const [MINUS, POINT, ZERO, LOWER_E, UPPER_E] = [0x2d, 0x2e, 0x30, 0x65, 0x45];

const isExponent = (byte: number | undefined): boolean =>
  byte !== undefined && ((byte >= ZERO && byte <= 0x39) || byte === MINUS || byte === 0x2b);

const powers = Array.from({ length: 64 }, (_, exponent) => 10n ** BigInt(exponent));
const power = (exponent: number): bigint => powers[exponent] ?? 10n ** BigInt(exponent);

/** The number times 10 to the power of `scale`, which is not less than its own. */
function unscaled(text: string, scale: number): bigint {
  const { digits, scale: own } = decimalOf(text);
  if (digits === '') return 0n;
  const value = BigInt(digits) * 10n ** BigInt(scale - own);
  return text.startsWith('-') ? -value : value;
}
