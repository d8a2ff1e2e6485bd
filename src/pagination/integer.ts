/** Converts numeric text to an integer of any size. */

const numeric = /^\s*([+-]?)(\d*)(?:\.(\d*))?(?:e([+-]?\d{1,4}))?\s*$/i;

/** Most digits that an exponent may add. */
const mostDigits = 1000;

/**
 * Removes a fraction; `1.9e1` is 19. Returns `undefined` for text that is no number, or has more than a thousand digits
 * by its exponent.
 */
export function integerOf(text: string): bigint | undefined {
  const [, sign = '', whole = '', fraction = '', exponent = '0'] = numeric.exec(text) ?? [];
  const digits = whole + fraction;
  const length = whole.length + Number(exponent);
  if (digits === '' || length > Math.max(mostDigits, digits.length)) return undefined;
  const integer = BigInt(length > 0 ? digits.slice(0, length).padEnd(length, '0') : 0);
  return sign === '-' ? -integer : integer;
}
