/** The kinds of single values and of lists that any option may have. */
import { isNumber } from '../json/exact.js';
import { isMethod } from '../util/check-value.js';
import { type Kind, kind } from './kind.js';
import { parseBytes, parseDuration, type TimeUnit, writeBytes, writeDuration } from './units.js';

/** Any text. */
export const text = kind<string>('a string', (value) => typeof value === 'string', { schema: { type: 'string' } });

/** A text of at least one character. */
export const nonEmptyText = kind<string>('a non-empty string', (value) => typeof value === 'string' && value !== '', {
  schema: { type: 'string', minLength: 1 },
});

/** A text that no message shows, such as a password. */
export const secret: Kind<string> = {
  ...nonEmptyText,
  secretsIn: (value) => (typeof value === 'string' ? [value] : []),
};
/** A text of at least one character, described in words; `value` stands for it in a description. */
export const named = (expected: string, value: string): Kind<string> => ({
  ...nonEmptyText,
  text: { read: (text) => text, expected, value },
});

export const file = named('a file', 'FILE');
export const folder = named('a folder', 'DIR');

/** true or false. */
export const flag = kind<boolean>('true or false', (value) => typeof value === 'boolean', {
  schema: { type: 'boolean' },
  text: { read: (text) => (text === 'true' ? true : text === 'false' ? false : text), expected: 'true or false' },
  offers: ['true', 'false'],
});

/** One of the given texts. */
export function word<const Word extends string>(...words: readonly Word[]): Kind<Word> {
  return kind<Word>(alternatives(words.map((each) => `"${each}"`)), (value) => words.some((each) => each === value), {
    schema: { enum: words },
    text: { read: (text) => text, expected: alternatives(words), value: words.join('|') },
    offers: words,
  });
}

/** `a, b or c`. */
export const alternatives = (words: readonly string[]): string => words.join(', ').replace(/, (?=[^,]*$)/, ' or ');

/**
 * A whole number within bounds, those included; in a document also a string of its digits. `name` replaces "a whole
 * number" in messages; `digits` is a regular expression of the digits in a document.
 */
export function whole(
  least?: number,
  most: number = Number.MAX_SAFE_INTEGER,
  { name = 'a whole number', digits = digitsFrom(least) }: { readonly name?: string; readonly digits?: string } = {},
): Kind<number> {
  const lowest = least ?? Number.MIN_SAFE_INTEGER;
  const upTo = most === Number.MAX_SAFE_INTEGER ? 'up' : `to ${most}`;
  const type = least === undefined ? name : `${name} from ${least} ${upTo}`;
  const isValue = (value: unknown) => Number.isSafeInteger(value) && Number(value) >= lowest && Number(value) <= most;
  return kind<number>(type, isValue, {
    schema: { ...digitsSchema(lowest, `${digits}(\\.0*)?`), maximum: most },
    fromExact: numberOf,
    text: { read: (text) => (/^-?\d+$/.test(text) ? Number(text) : text), expected: type, value: 'N' },
  });
}

function digitsFrom(least: number | undefined): string {
  if (least === undefined) return '-?\\d+';
  return least === 0 ? '(\\d+|-0+)' : '0*[1-9]\\d*';
}

/** The number of a number without a fraction, or of a string of digits; other values stay. */
export function numberOf(value: unknown): unknown {
  const digits = isNumber(value) ? value.text : value;
  return typeof digits === 'string' && /^-?\d+(?:\.0*)?$/.test(digits) ? Number(digits) : value;
}

/** A number from `minimum` up, or a string of digits. */
export const digitsSchema = (minimum: number, digits: string) => ({
  type: ['integer', 'string'],
  minimum,
  maximum: Number.MAX_SAFE_INTEGER,
  pattern: `^(${digits})$`,
});

/** A number from `least` to `most`; `type` completes "expected ...". */
export const decimal = (least: number, most: number, type: string): Kind<number> =>
  kind<number>(type, (value) => typeof value === 'number' && value >= least && value <= most, {
    schema: { type: 'number', minimum: least, maximum: most },
    fromExact: (value) => (isNumber(value) ? Number(value.text) : value),
    text: { read: (text) => (/^\d*\.?\d+$/.test(text) ? Number(text) : text), expected: type },
  });

/** A number of bytes from 1 up; as text also with a unit, such as `64MB` or `64MiB`. */
export function bytes(most: number = Number.MAX_SAFE_INTEGER): Kind<number> {
  const expected = 'a number of bytes, or one such as 500MB or 64MiB';
  const read = (text: string) => parseBytes(text) ?? text;
  return { ...whole(1, most), text: { read, expected, value: 'SIZE', most, write: writeBytes } };
}

/** A time in ms within bounds; as text with a unit, such as `90s` or `1h30m`, or a number of `unit`. */
export function duration(unit: TimeUnit, least = 1, most: number = Number.MAX_SAFE_INTEGER): Kind<number> {
  const expected = 'a time such as 90s, 10m or 1h30m';
  const read = (text: string) => parseDuration(text, unit) ?? text;
  return { ...whole(least, most), text: { read, expected, value: 'TIME', most, write: writeDuration } };
}

/** A time in whole seconds, from 1 up; as text with a unit, such as `90s` or `1h30m`, or a number of seconds. */
export function seconds(most: number = Number.MAX_SAFE_INTEGER): Kind<number> {
  const number = whole(1, most, { name: 'a whole number of seconds' });
  const read = (text: string) => {
    const ms = parseDuration(text, 's');
    return ms === undefined ? text : ms / 1000;
  };
  return { ...number, text: { read, expected: `${number.struct.type}, or a time such as 10m or 1h30m` } };
}
/** A value that only code has; `type` completes "expected ...". */
export const inCode = <T>(type: string, isValue: (value: unknown) => boolean): Kind<T> =>
  kind<T>(type, isValue, { schema: {} });

export const callback = <T>(): Kind<T> => inCode<T>('a function', (value) => typeof value === 'function');

/** An object with these methods. */
export const objectWith = <T>(type: string, ...methods: readonly (keyof T & string)[]): Kind<T> =>
  inCode<T>(type, (value) => hasMethods(value, methods));

export const hasMethods = (value: unknown, methods: readonly string[]): boolean =>
  typeof value === 'object' && value !== null && methods.every((name) => isMethod(value, name));
