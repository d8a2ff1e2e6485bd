/** The kinds of values of configuration keys, as superstruct structs over exact JSON. */
import { coerce, define, refine, Struct, unknown } from 'superstruct';
import { type Exact, type ExactObject, isArray, isNumber, isObject, isPhpEmpty } from '../core/json/exact.js';
import type { Method } from '../core/model/request.js';
import { isHttpUrl } from '../core/url/url.js';
import { type JsonForm, type JsonSchema, objectOr, objectOrEmptyList, when } from './json-schema.js';
import {
  type AnyField,
  type AnyFields,
  type AnyStruct,
  type FieldReference,
  type Fields,
  references,
} from './types.js';

/** Any text. */
export const text = withJsonSchema(
  define<string>('a text', (value) => typeof value === 'string'),
  () => ({ type: 'string' }),
);

/** A text of at least one character. */
export const name = withJsonSchema(
  define<string>('a non-empty text', (value) => typeof value === 'string' && value !== ''),
  () => ({ type: 'string', minLength: 1 }),
);

/** A name, or a path to a member: a list of names, outermost first. */
export const nameOrPath = orPath('a non-empty text', 1);

/** The same, for keys whose default is an empty text. */
export const textOrPath = orPath('a text', 0);

function orPath(type: string, minLength: number): Struct<string | readonly string[], unknown> {
  const isText = (value: unknown) => typeof value === 'string' && value.length >= minLength;
  const either = define<string | readonly string[]>(type, (value) => Array.isArray(value) || isText(value));
  const isPath = (value: string | readonly string[]) => value.length > 0 && [...value].every(isName);
  return withJsonSchema(
    refine(either, 'a path: a list of non-empty texts', (value) => isText(value) || isPath(value)),
    () => ({ type: ['string', 'array'], minLength, minItems: 1, items: { type: 'string', minLength: 1 } }),
  );
}

const isName = (value: unknown): boolean => typeof value === 'string' && value !== '';

const address = 'a path ("./a:b" where its beginning holds a colon), or an http or https address with a host';
const addressPattern = '^(?:[^:/?#{]*(?:[/?#{]|$)|[Hh][Tt][Tt][Pp][Ss]?:)';

/**
 * The address of a request: a path, or an absolute URL. Placeholders are not resolved yet. See
 * docs/01-configuration.md.
 */
export const endpoint = withJsonSchema(refine(name, address, mayBeResolved), () => ({
  type: 'string',
  minLength: 1,
  pattern: addressPattern,
}));

/** The same, or an empty text: the base URL itself. */
export const endpointOrBase = withJsonSchema(refine(text, address, mayBeResolved), () => ({
  type: 'string',
  pattern: addressPattern,
}));

function mayBeResolved(text: string): boolean {
  const [known = ''] = text.split('{', 1);
  const scheme = /^([^:/?#]+):/.exec(known)?.[1];
  if (scheme !== undefined && !/^https?$/i.test(scheme)) return false;
  const isOpen = known.length < text.length && /^(?:[^:/?#]+:)?\/{0,2}[^/?#]*$/.test(known);
  const isWhole = scheme !== undefined || text.startsWith('//');
  return isOpen || !isWhole || isHttpUrl(scheme === undefined ? `http:${text}` : text);
}

/** An integer, or a text of digits; becomes a JavaScript number. */
export const wholeNumber = whole('a whole number', Number.MIN_SAFE_INTEGER, '-?\\d+(\\.0*)?');

/** An integer from 0 up. */
export const count = whole('a whole number from 0 up', 0, '(\\d+|-0+)(\\.0*)?');

/** An integer from 1 up. */
export const positive = whole('a whole number from 1 up', 1, '0*[1-9]\\d*(\\.0*)?');

function whole(type: string, least: number, digits: string): Struct<number, unknown> {
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
export const flag = withJsonSchema(
  define<boolean>('true or false', (value) => typeof value === 'boolean'),
  () => ({ type: 'boolean' }),
);

/**
 * true or false, or clear equivalents: 1, 0, `"1"`, `"0"`, `"true"`, an empty text. The text `"false"` is rejected:
 * Generic Extractor reads it as true, which is never meant.
 */
export const truth: Struct<boolean, unknown> = withJsonSchema(
  coerce(flag, unknown(), (value) => {
    const word = isNumber(value) ? value.text : value;
    if (word === '1' || word === 'true') return true;
    return word === '0' || word === '' ? false : value;
  }),
  () => ({ enum: [true, false, 1, 0, '1', '0', 'true', ''] }),
);

/** true or false, or the texts and numbers that mean them. */
export const switched: Struct<boolean, unknown> = withJsonSchema(
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
export const anything = opaque('a value', null, () => ({}));

/**
 * Any value, described by the given words; its reader checks the rest. `schema` is as `shape` or `expressions` set it;
 * `form` is the JSON Schema, if no section of the configuration has one.
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
/**
 * An object with members of its own. Becomes a plain object of the validated members; absent and null ones are left
 * out, and empty ones if their field says so. Members that `fields` does not name are left out; the reader of a
 * configuration warns of them by the struct's `schema`.
 */
export function shape<Options>(fields: Fields<Options>): Struct<Options, AnyFields>;
export function shape(fields: AnyFields): Struct<Readonly<Record<string, unknown>>, AnyFields>;
export function shape(fields: AnyFields): Struct<Readonly<Record<string, unknown>>, AnyFields> {
  return new Struct({
    type: 'an object',
    schema: fields,
    coercer: (value) => {
      if (isArray(value) && value.length === 0) return {};
      if (!isObject(value)) return value;
      const named = Object.entries(fields).map(([key, field]) => [key, value.get(key) ?? null, field] as const);
      return Object.fromEntries(named.filter(([, member, field]) => !isAbsent(member, field)));
    },
    validator: isPlain,
    *entries(value) {
      if (!isPlain(value)) return;
      for (const [key, { type, required }] of Object.entries(fields)) {
        if (required === true || value[key] !== undefined) yield [key, value[key], type];
      }
    },
  });
}

function isAbsent(value: Exact, { emptyIsAbsent }: AnyField): boolean {
  if (value === null || emptyIsAbsent === undefined) return value === null;
  const isZero = value === '0' || (isNumber(value) && Number(value.text) === 0);
  return isPhpEmpty(value) && (emptyIsAbsent === true || !isZero);
}

/** Returns the fields of a struct made by `shape` or `either`, `undefined` for others. */
export function fieldsOf({ schema }: AnyStruct): AnyFields | undefined {
  const inner = isFormed(schema) ? schema.inner : schema;
  return isFields(inner) ? inner : undefined;
}

/**
 * A list of elements of one kind. An object with numbers as keys counts too: PHP writes a list so that has lost an
 * element.
 */
export function listOf<T>(element: Struct<T, unknown>, plural: string): Struct<readonly T[], unknown> {
  const list = new Struct<readonly T[], unknown>({
    type: `a list of ${plural}`,
    schema: null,
    coercer: (value) => (Array.isArray(value) ? [...value] : isNumbered(value) ? [...value.values()] : value),
    validator: (value) => Array.isArray(value),
    *entries(value) {
      if (Array.isArray(value)) for (const [index, each] of value.entries()) yield [index, each, element];
    },
  });
  return withJsonSchema(list, (write) => {
    const each = write.of(element);
    return {
      type: ['array', 'object'],
      items: each,
      propertyNames: { type: 'string', pattern: '^\\d+$' },
      additionalProperties: each,
    };
  });
}

const isNumbered = (value: unknown): value is ExactObject =>
  isObject(value) && [...value.keys()].every((key) => /^\d+$/.test(key));

/** A value that is no object, of one kind, or an object; `type` describes both. */
export function either<A, B>(
  other: Struct<A, unknown>,
  shaped: Struct<B, AnyFields>,
  type: string,
): Struct<A | B, unknown> {
  const choose = (value: unknown): AnyStruct => (isObject(value) || isPlain(value) ? shaped : other);
  const struct = new Struct<A | B, unknown>({
    type,
    schema: shaped.schema,
    coercer: (value, context) => choose(value).coercer(value, context),
    validator: (value, context) => [...choose(value).validator(value, context)].length === 0,
    entries: (value, context) => choose(value).entries(value, context),
  });
  return withJsonSchema(struct, (write) => objectOr(write.of(shaped), write.of(other)));
}

interface Formed {
  readonly form: JsonForm;
  /** The schema of the original struct. */
  readonly inner: unknown;
}

/** Adds a JSON Schema to a struct. A coerced struct keeps it. */
export function withJsonSchema<T>(struct: Struct<T, unknown> | Struct<T, null>, form: JsonForm): Struct<T, unknown> {
  const { schema } = struct;
  const added: Formed = { form, inner: isFormed(schema) ? schema.inner : schema };
  return new Struct<T, unknown>({ ...struct, schema: added });
}

/** Returns the JSON Schema that `withJsonSchema` added. */
export function formOf({ schema }: AnyStruct): JsonForm | undefined {
  return isFormed(schema) ? schema.form : undefined;
}

function isFormed(schema: unknown): schema is Formed {
  return isPlain(schema) && typeof schema.form === 'function';
}

/** An object whose members are expressions; `references` are the allowed ones. docs/01-configuration.md#expressions. */
export function expressions(...references: readonly FieldReference[]): Struct<ExactObject, readonly FieldReference[]> {
  return new Struct<ExactObject, readonly FieldReference[]>({ ...object, schema: references });
}

/** As `expressions`, or a list, which becomes an object with its indexes as keys. docs/01-configuration.md#jobs. */
export function parameters(...references: readonly FieldReference[]): Struct<ExactObject, unknown> {
  const itself = expressions(...references);
  const either = new Struct<ExactObject, readonly FieldReference[]>({
    type: 'an object or a list',
    schema: references,
    coercer: byIndex,
    validator: isObject,
  });
  return withJsonSchema(either, (write) => {
    const element = when({ type: 'array' }, undefined, write.expression(references));
    return objectOr(write.of(itself), { type: 'array', items: element });
  });
}

/** Converts a list to an object with its indexes as keys; other values are unchanged. */
export const byIndex = <T>(value: T): T | ExactObject =>
  Array.isArray(value) ? new Map(value.map((each: Exact, index) => [String(index), each])) : value;

/** A text, or an expression that evaluates to one; checked at evaluation. */
export function expression(...references: readonly FieldReference[]): Struct<Exact, unknown> {
  const type = 'a non-empty text, or an expression';
  const struct = new Struct<Exact, readonly FieldReference[]>({
    type,
    schema: references,
    validator: (value) => (typeof value === 'string' && value !== '') || isNumber(value) || isObject(value),
  });
  return withJsonSchema(struct, (write) =>
    objectOr(write.evaluated(references), { type: ['string', 'number'], minLength: 1 }),
  );
}

/** Returns the references allowed in a struct made by `expressions`, `undefined` for others. */
export function referencesOf({ schema }: AnyStruct): readonly FieldReference[] | undefined {
  const inner = isFormed(schema) ? schema.inner : schema;
  return Array.isArray(inner) && inner.every(isReference) ? inner : undefined;
}

const isReference = (value: unknown): value is FieldReference => references.some((each) => each === value);

function isPlain(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype;
}

function isFields(value: unknown): value is AnyFields {
  return isPlain(value) && Object.values(value).every((field) => isPlain(field) && field.type instanceof Struct);
}
