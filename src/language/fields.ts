/** The kinds of values of configuration keys, as superstruct structs over exact JSON. */
import { coerce, define, refine, Struct, unknown } from 'superstruct';
import { type Exact, type ExactObject, isNumber, isObject } from '../core/json/exact.js';
import type { Method } from '../core/model/request.js';
import { isHttpUrl } from '../core/url/url.js';
import { type JsonForm, type JsonSchema, objectOrEmptyList, withJsonSchema } from './json-schema.js';
import type { AnyFields, FieldReference } from './types.js';

/** Any text. */
export const string = withJsonSchema(
  define<string>('a string', (value) => typeof value === 'string'),
  () => ({ type: 'string' }),
);

/** A number counts as the string of its digits. */
export const stringOrNumber = withJsonSchema(
  coerce(string, unknown(), (value) => (isNumber(value) ? value.text : value)),
  () => ({ type: ['string', 'number'] }),
);

/** A text of at least one character. */
export const nonEmptyString = withJsonSchema(
  define<string>('a non-empty string', (value) => typeof value === 'string' && value !== ''),
  () => ({ type: 'string', minLength: 1 }),
);

/** A name, or a path to a member: a list of names, outermost first. */
export const nonEmptyStringOrPath = orPath('a non-empty string', 1);

/** The same, for keys whose default is an empty text. */
export const stringOrPath = orPath('a string', 0);

function orPath(type: string, minLength: number): Struct<string | readonly string[], unknown> {
  const isText = (value: unknown) => typeof value === 'string' && value.length >= minLength;
  const either = define<string | readonly string[]>(type, (value) => Array.isArray(value) || isText(value));
  const isPath = (value: string | readonly string[]) => value.length > 0 && [...value].every(isName);
  return withJsonSchema(
    refine(either, 'a path: a list of non-empty strings', (value) => isText(value) || isPath(value)),
    () => ({ type: ['string', 'array'], minLength, minItems: 1, items: { type: 'string', minLength: 1 } }),
  );
}

const isName = (value: unknown): boolean => typeof value === 'string' && value !== '';

const address = 'a path ("./a:b" if it begins with a name and a colon), or an http or https URL with a host';
const addressPattern = '^(?:[^:/?#{]*(?:[/?#{]|$)|[Hh][Tt][Tt][Pp][Ss]?:)';

/**
 * The address of a request: a path, or an absolute URL. Placeholders are not resolved yet. See
 * docs/01-configuration.md.
 */
export const endpoint = withJsonSchema(refine(nonEmptyString, address, isValidAddress), () => ({
  type: 'string',
  minLength: 1,
  pattern: addressPattern,
}));

/** The same, or an empty text: the base URL itself. */
export const endpointOrBase = withJsonSchema(refine(string, address, isValidAddress), () => ({
  type: 'string',
  pattern: addressPattern,
}));

function isValidAddress(text: string): boolean {
  const [known = ''] = text.split('{', 1);
  const scheme = /^([^:/?#]+):/.exec(known)?.[1];
  if (scheme !== undefined && !/^https?$/i.test(scheme)) return false;
  const isOpen = known.length < text.length && /^(?:[^:/?#]+:)?\/{0,2}[^/?#]*$/.test(known);
  const isWhole = scheme !== undefined || text.startsWith('//');
  return isOpen || !isWhole || isHttpUrl(scheme === undefined ? `http:${text}` : text);
}

/** An integer, or a text of digits; becomes a JavaScript number. */
export const integer = integerStruct('a whole number', Number.MIN_SAFE_INTEGER, '-?\\d+(\\.0*)?');

/** An integer from 0 up. */
export const nonNegativeInteger = integerStruct('a whole number from 0 up', 0, '(\\d+|-0+)(\\.0*)?');

/** An integer from 1 up. */
export const positiveInteger = integerStruct('a whole number from 1 up', 1, '0*[1-9]\\d*(\\.0*)?');

function integerStruct(type: string, least: number, digits: string): Struct<number, unknown> {
  const number = define<number>(
    type,
    (value) => typeof value === 'number' && Number.isSafeInteger(value) && value >= least,
  );
  const coerced = coerce(number, unknown(), (value) => {
    const digits = isNumber(value) ? value.text : value;
    return typeof digits === 'string' && /^-?\d+(?:\.0*)?$/.test(digits) ? Number(digits) : value;
  });
  return withJsonSchema(coerced, () => integerSchema(least, digits));
}

/** A number within bounds, or a text of digits. */
export const integerSchema = (least: number, digits: string): JsonSchema => ({
  type: ['integer', 'string'],
  minimum: least,
  maximum: Number.MAX_SAFE_INTEGER,
  pattern: `^(${digits})$`,
});

/** true or false. */
export const strictBoolean = withJsonSchema(
  define<boolean>('true or false', (value) => typeof value === 'boolean'),
  () => ({ type: 'boolean' }),
);

/**
 * true or false, or clear equivalents: 1, 0, `"1"`, `"0"`, `"true"`, an empty text. The text `"false"` is rejected:
 * Generic Extractor reads it as true, which is never meant.
 */
export const boolean: Struct<boolean, unknown> = withJsonSchema(
  coerce(strictBoolean, unknown(), (value) => {
    const word = isNumber(value) ? value.text : value;
    if (word === '1' || word === 'true') return true;
    return word === '0' || word === '' ? false : value;
  }),
  () => ({ enum: [true, false, 1, 0, '1', '0', 'true', ''] }),
);

/** true or false, or the texts and numbers that mean them. */
export const looseBoolean: Struct<boolean, unknown> = withJsonSchema(
  coerce(
    define<boolean>('true or false', (value) => typeof value === 'boolean'),
    unknown(),
    (value) => {
      const word = isNumber(value) ? value.text : value;
      if (word === '1' || word === 'true') return true;
      return word === '0' || word === 'false' || word === '' ? false : word;
    },
  ),
  () => ({ enum: [true, false, 1, 0, '1', '0', 'true', 'false', ''] }),
);

/** An object; its members are not checked. An empty list counts as an empty object, as in Generic Extractor. */
export const object: Struct<ExactObject, unknown> = withJsonSchema(
  coerce(define<ExactObject>('an object', isObject), unknown(), (value) =>
    Array.isArray(value) && value.length === 0 ? new Map() : value,
  ),
  () => objectOrEmptyList,
);

/** Any JSON value. */
export const anyValue = opaque('a value', null, () => ({}));

/**
 * Any value, described by the given words; its reader checks the rest. `schema` is as `objectWith` or `expressions` set
 * it; `form` is the JSON Schema, if no section of the configuration has one.
 */
export function opaque(
  type: string,
  schema: AnyFields | readonly FieldReference[] | null = null,
  form?: JsonForm,
): Struct<Exact, unknown> {
  const struct = new Struct<Exact, unknown>({ type, schema, validator: (value) => value !== undefined });
  return form === undefined ? struct : withJsonSchema(struct, form);
}

/** One of the given texts. */
export function oneOf<T extends string>(...texts: readonly T[]): Struct<T, unknown> {
  const quoted = texts.map((each) => `"${each}"`);
  const type = [quoted.slice(0, -1).join(', '), quoted.at(-1)].filter((each) => each !== '').join(' or ');
  return withJsonSchema(
    define<T>(type, (value) => texts.some((each) => each === value)),
    () => ({ enum: texts }),
  );
}

const methods: readonly Method[] = ['GET', 'POST', 'FORM', 'PUT', 'PATCH', 'DELETE', 'HEAD'];

/** An HTTP method, case-insensitive. docs/12-compatibility.md#parameters. */
export const method: Struct<Method, unknown> = withJsonSchema(
  coerce(oneOf(...methods), unknown(), (value) => methods.find((each) => each === upper(value)) ?? value),
  // Editors offer these names.
  () => ({ type: 'string', pattern: `^(${methods.map(inAnyCase).join('|')})$`, examples: methods }),
);

const upper = (value: unknown): unknown => (typeof value === 'string' ? value.toUpperCase() : value);

const inAnyCase = (word: string): string => word.replace(/[A-Z]/g, (letter) => `[${letter}${letter.toLowerCase()}]`);
