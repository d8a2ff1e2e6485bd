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

/** An object, or an empty list in its place, for `object` and `shape`. */
export const objectOrEmptyList: JsonSchema = { type: ['object', 'array'], maxItems: 0 };
