/** The types with which parts of the language describe themselves. */
import type { Struct } from 'superstruct';

/** A struct of any type, as superstruct declares it. */
export type AnyStruct =
  ReturnType<Struct['entries']> extends Iterable<readonly [unknown, unknown, infer S]> ? S : never;

/** A field of any type: `Fields` without known options. */
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

/** A reference of an expression. docs/01-configuration.md#expressions. */
export type FieldReference = (typeof references)[number];

/** One key of a component. `type` validates and coerces the exact value; its `type` text completes "expected ...". */
export interface Field<T> {
  readonly type: Struct<T, unknown>;
  readonly summary: string;
  readonly required?: boolean;
  /** The default as written in a configuration; absent: none. */
  readonly default?: string;
  /** What applies without the key, in words, if there is no single default value. */
  readonly otherwise?: string;
  /**
   * Values that Generic Extractor treats as absent count as absent: false, 0, "", "0", an empty list or object. `but
   * zero`: zeros have a meaning.
   */
  readonly emptyIsAbsent?: true | 'but zero';
}

export type Fields<Options> = { readonly [K in keyof Options]-?: Field<Exclude<Options[K], undefined>> };
