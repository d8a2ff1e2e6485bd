/** The kinds of value that a key of the configuration can have, as superstruct structs over exact JSON. */
import { coerce, define, refine, type Struct, unknown } from 'superstruct';
import { type Exact, type ExactObject, isNumber, isObject } from './exact.js';

/** Any text. */
export const text = define<string>('text', (value) => typeof value === 'string');

/** Text of at least one character. */
export const name = define<string>('a non-empty text', (value) => typeof value === 'string' && value !== '');

/** A whole number, or a text of digits; becomes a JavaScript number. */
export const wholeNumber: Struct<number, unknown> = coerce(
  define<number>('a whole number', Number.isSafeInteger),
  unknown(),
  (value) => {
    const digits = isNumber(value) ? value.text : value;
    return typeof digits === 'string' && /^-?\d+$/.test(digits) ? Number(digits) : value;
  },
);

/** A whole number from 0 up. */
export const count = refine(wholeNumber, 'a whole number from 0 up', (value) => value >= 0);

/** true or false. */
export const flag = define<boolean>('true or false', (value) => typeof value === 'boolean');

/** An object; its members are not looked at. An empty list is taken for an empty object, as the reference does. */
export const object: Struct<ExactObject, unknown> = coerce(
  define<ExactObject>('an object', isObject),
  unknown(),
  (value) => (Array.isArray(value) && value.length === 0 ? new Map() : value),
);

/** Any JSON value. */
export const anything = define<Exact>('a value', (value) => value !== undefined);

/** One of the given texts. */
export function oneOf<T extends string>(...texts: readonly T[]): Struct<T, unknown> {
  return define<T>(texts.map((each) => `"${each}"`).join(' or '), (value) => texts.some((each) => each === value));
}
