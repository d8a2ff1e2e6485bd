/** JSON Schemas of values, draft-07, and the few forms that kinds of options are written in. */

export type Json = null | boolean | number | string | readonly Json[] | JsonSchema;

export interface JsonSchema {
  readonly [keyword: string]: Json;
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

/** An object, or an empty list in its place. */
export const objectOrEmptyList: JsonSchema = { type: ['object', 'array'], maxItems: 0 };

export const isSchema = (value: Json | undefined): value is JsonSchema =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
