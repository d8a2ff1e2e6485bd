/** Kinds of values that may be expressions. */
import { type Exact, type ExactObject, isNumber, isObject } from '../core/json/exact.js';
import type { FieldReference } from '../core/model/field-reference.js';
import { objectOr, when } from '../core/options/json-schema.js';
import { type Kind, kind } from '../core/options/kind.js';
import { object } from './kinds.js';

/** An object whose members are expressions; `references` are the allowed ones. docs/01-configuration.md#expressions. */
export const expressions = (...references: readonly FieldReference[]): Kind<ExactObject> => ({
  ...object,
  references,
  schema: (write) => write.expressions(references),
});

/** As `expressions`, or a list, which becomes an object with its indexes as keys. docs/01-configuration.md#jobs. */
export const parameters = (...references: readonly FieldReference[]): Kind<ExactObject> =>
  kind<ExactObject>('an object or a list', isObject, {
    references,
    fromExact: listAsObject,
    schema: (write) => {
      const element = when({ type: 'array' }, undefined, write.expression(references));
      return objectOr(write.expressions(references), { type: 'array', items: element });
    },
  });

/** Converts a list to an object with its indexes as keys; other values are unchanged. */
export function listAsObject<T>(value: T): T | ExactObject {
  return Array.isArray(value) ? new Map(value.map((each: Exact, index) => [String(index), each])) : value;
}

const isText = (value: unknown): boolean => (typeof value === 'string' && value !== '') || isNumber(value);

/** A text, or an expression that evaluates to one; checked at evaluation. */
export const expression = (...references: readonly FieldReference[]): Kind<Exact> =>
  kind<Exact>('a non-empty string, or an expression', (value) => isText(value) || isObject(value), {
    references,
    schema: (write) => objectOr(write.evaluated(references), { type: ['string', 'number'], minLength: 1 }),
  });
