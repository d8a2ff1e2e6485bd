/** The types by which the parts of the language describe themselves. */
import type { Struct } from 'superstruct';

/** A struct of whatever type, as superstruct itself says it. */
export type AnyStruct =
  ReturnType<Struct['entries']> extends Iterable<readonly [unknown, unknown, infer S]> ? S : never;

/** A field of whatever type: what is left of `Fields` when the options are not known. */
export interface AnyField {
  readonly type: AnyStruct;
  readonly summary: string;
  readonly required?: boolean;
  readonly default?: string;
  readonly otherwise?: string;
  readonly emptyIsAbsent?: true | 'but zero';
}

export type AnyFields = Readonly<Record<string, AnyField>>;

export const references = [
  'attr',
  'time',
  'response',
  'query',
  'request',
  'authorization',
  'consumer',
  'user',
  'placeholder',
] as const;

/** A reference that an expression can make. docs/01-configuration.md#expressions. */
export type FieldReference = (typeof references)[number];

/**
 * One key of a component. `type` validates the exact value and coerces it; its `type` text completes "expected ...".
 */
export interface Field<T> {
  readonly type: Struct<T, unknown>;
  readonly summary: string;
  readonly required?: boolean;
  /** The default as it would be written in the configuration; absent: none. */
  readonly default?: string;
  /** What holds without it, in words, where no one value is the default. */
  readonly otherwise?: string;
  /**
   * What the reference program takes for absent counts as absent: false, 0, "", "0", an empty list or object; zeros
   * where they mean nothing else.
   */
  readonly emptyIsAbsent?: true | 'but zero';
}

export type Fields<Options> = { readonly [K in keyof Options]-?: Field<Exclude<Options[K], undefined>> };
