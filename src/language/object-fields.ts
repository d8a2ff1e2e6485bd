/** Structs of objects with members of their own, and of lists. */
import { Struct } from 'superstruct';
import { type Exact, type ExactObject, isArray, isNumber, isObject, isPhpEmpty } from '../core/json/exact.js';
import { isPlain, objectOr, originalSchema, withJsonSchema } from './json-schema.js';
import type { AnyField, AnyFields, AnyStruct, Fields } from './types.js';

/**
 * An object with members of its own. Becomes a plain object of the validated members; absent and null ones are left
 * out, and empty ones if their field says so. Members that `fields` does not name are left out; the reader of a
 * configuration warns of them by the struct's `schema`.
 */
export function objectWith<Options>(fields: Fields<Options>): Struct<Options, AnyFields>;
export function objectWith(fields: AnyFields): Struct<Readonly<Record<string, unknown>>, AnyFields>;
export function objectWith(fields: AnyFields): Struct<Readonly<Record<string, unknown>>, AnyFields> {
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

/** Returns the fields of a struct made by `objectWith` or `union`, `undefined` for others. */
export function fieldsOf({ schema }: AnyStruct): AnyFields | undefined {
  const inner = originalSchema(schema);
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
export function union<A, B>(
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

function isFields(value: unknown): value is AnyFields {
  return isPlain(value) && Object.values(value).every((field) => isPlain(field) && field.type instanceof Struct);
}
