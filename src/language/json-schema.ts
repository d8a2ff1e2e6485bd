import type { AnyFields, AnyStruct, FieldReference } from './types.js';

export type Json = null | boolean | number | string | readonly Json[] | JsonSchema;

export interface JsonSchema {
  readonly [keyword: string]: Json;
}

/** Writes down what a value may be. Whatever has parts of its own has them written by `write`. */
export type JsonForm = (write: SchemaWriter) => JsonSchema;

export interface SchemaWriter {
  /** What a struct takes. */
  of(struct: AnyStruct): JsonSchema;
  /** An object of these members and no others. */
  members(fields: AnyFields): JsonSchema;
  /** Any value; references and calls in it are evaluated. */
  expression(references: readonly FieldReference[]): JsonSchema;
  /** An object that is a reference or a call. */
  evaluated(references: readonly FieldReference[]): JsonSchema;
  /** A part of the language with a name: that of a section such as `config.jobs` (one job), `pagination`, `headers`. */
  part(name: string): JsonSchema;
}

/** One schema or the other, as a value fits `test` or not; absent: anything goes. */
export const when = (test: JsonSchema, fits?: JsonSchema, otherwise?: JsonSchema): JsonSchema => ({
  if: test,
  ...(fits === undefined ? {} : { [thenKeyword]: fits }),
  ...(otherwise === undefined ? {} : { else: otherwise }),
});

/** An object with a member of this name is taken for a promise by whoever awaits it; a schema is never awaited. */
const thenKeyword = 'then';

/** An object by one schema, any other value by another. */
export const objectOr = (object: JsonSchema, other: JsonSchema): JsonSchema => when({ type: 'object' }, object, other);

/** Neither a list nor an object. */
export const singleValue: JsonSchema = { type: ['null', 'boolean', 'number', 'string'] };

/** What `object` and `shape` take: an object, or an empty list in its place. */
export const objectOrEmptyList: JsonSchema = { type: ['object', 'array'], maxItems: 0 };
