/** JSON Schemas of the values of a configuration, and how a struct carries its own. */
import { Struct } from 'superstruct';
import type { AnyFields, AnyStruct, FieldReference } from './types.js';

export type Json = null | boolean | number | string | readonly Json[] | JsonSchema;

export interface JsonSchema {
  readonly [keyword: string]: Json;
}

/** Describes a value as JSON Schema; its parts are written by `write`. */
export type JsonForm = (write: SchemaWriter) => JsonSchema;

export interface SchemaWriter {
  /** The schema of a struct. */
  of(struct: AnyStruct): JsonSchema;
  /** An object with these members and no others. */
  members(fields: AnyFields): JsonSchema;
  /** Any value; references and calls in it are evaluated. */
  expression(references: readonly FieldReference[]): JsonSchema;
  /** An object that is a reference or a call. */
  evaluated(references: readonly FieldReference[]): JsonSchema;
  /** A named part of the language, such as `config.jobs` (one job), `pagination`, `headers`. */
  part(name: string): JsonSchema;
}

/** One schema or the other, depending on whether a value fits `test`; absent: any value. */
export const when = (test: JsonSchema, fits?: JsonSchema, otherwise?: JsonSchema): JsonSchema => ({
  if: test,
  ...(fits === undefined ? {} : { [thenKeyword]: fits }),
  ...(otherwise === undefined ? {} : { else: otherwise }),
});

/** A promise is recognised by a member of this name; a schema is never awaited. */
const thenKeyword = 'then';

/** One schema for objects, another for all other values. */
export const objectOr = (object: JsonSchema, other: JsonSchema): JsonSchema => when({ type: 'object' }, object, other);

/** Neither a list nor an object. */
export const singleValue: JsonSchema = { type: ['null', 'boolean', 'number', 'string'] };

/** An object, or an empty list in its place, for `object` and `objectWith`. */
export const objectOrEmptyList: JsonSchema = { type: ['object', 'array'], maxItems: 0 };

interface Described {
  readonly form: JsonForm;
  /** The schema of the original struct. */
  readonly inner: unknown;
}

/** Adds a JSON Schema to a struct. A coerced struct keeps it. */
export function withJsonSchema<T>(struct: Struct<T, unknown> | Struct<T, null>, form: JsonForm): Struct<T, unknown> {
  const { schema } = struct;
  const added: Described = { form, inner: originalSchema(schema) };
  return new Struct<T, unknown>({ ...struct, schema: added });
}

/** Returns the JSON Schema that `withJsonSchema` added. */
export function jsonSchemaOf({ schema }: AnyStruct): JsonForm | undefined {
  return isDescribed(schema) ? schema.form : undefined;
}

/** Returns the schema of a struct as it was before `withJsonSchema`. */
export const originalSchema = (schema: unknown): unknown => (isDescribed(schema) ? schema.inner : schema);

function isDescribed(schema: unknown): schema is Described {
  return isPlain(schema) && typeof schema.form === 'function';
}

/** Whether a value is an object literal. */
export function isPlain(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype;
}
