/** How a part of the language describes itself once: schema, error messages and reference pages all come from here. */
import type { Struct } from 'superstruct';

/** One key of a component. `type` validates the exact value and coerces it; its `type` text completes "expected ...". */
export interface Field<T> {
  readonly type: Struct<T, unknown>;
  readonly summary: string;
  readonly required?: boolean;
  /** The default as it would be written in the configuration; absent: none. */
  readonly default?: string;
  /** What holds without it, in words, where no one value is the default. */
  readonly otherwise?: string;
  /** What the reference program takes for absent counts as absent: false, 0, "", "0", an empty list or object. */
  readonly emptyIsAbsent?: true;
}

export type Fields<Options> = { readonly [K in keyof Options]-?: Field<Exclude<Options[K], undefined>> };

/**
 * A registry entry: an authentication type or a pagination method. `create` gets validated options; absent keys stay absent.
 * Summaries, here and of fields, are phrases: small letters, no full stop.
 */
export interface Component<Options, Made, Needs = undefined> {
  readonly summary: string;
  readonly fields: Fields<Options>;
  /** What the fields one by one do not tell: a sentence each. */
  readonly rules?: readonly string[];
  /** A piece of configuration that a reader can copy. */
  readonly example: string;
  create(options: Options, needs: Needs): Made;
}
