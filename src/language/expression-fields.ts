/** Structs of values that may be expressions. */
import { Struct } from 'superstruct';
import { type Exact, type ExactObject, isNumber, isObject } from '../core/json/exact.js';
import { object } from './fields.js';
import { objectOr, originalSchema, when, withJsonSchema } from './json-schema.js';
import { type AnyStruct, type FieldReference, references } from './types.js';

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
    coercer: listAsObject,
    validator: isObject,
  });
  return withJsonSchema(either, (write) => {
    const element = when({ type: 'array' }, undefined, write.expression(references));
    return objectOr(write.of(itself), { type: 'array', items: element });
  });
}

/** Converts a list to an object with its indexes as keys; other values are unchanged. */
export const listAsObject = <T>(value: T): T | ExactObject =>
  Array.isArray(value) ? new Map(value.map((each: Exact, index) => [String(index), each])) : value;

/** A text, or an expression that evaluates to one; checked at evaluation. */
export function expression(...references: readonly FieldReference[]): Struct<Exact, unknown> {
  const type = 'a non-empty string, or an expression';
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
  const inner = originalSchema(schema);
  return Array.isArray(inner) && inner.every(isReference) ? inner : undefined;
}

const isReference = (value: unknown): value is FieldReference => references.some((each) => each === value);
