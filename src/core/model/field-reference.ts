/** The references of expressions, by name. */

export const references = [
  'attr',
  'time',
  'incremental',
  'response',
  'query',
  'request',
  'authorization',
  'consumer',
  'user',
  'placeholder',
] as const;

/** A reference of an expression. docs/01-configuration.md#expressions. */
export type FieldReference = (typeof references)[number];
