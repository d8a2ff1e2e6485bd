/**
 * A kind of value that an option takes, and a table of options. Keys of a configuration, options of an address, flags
 * and options in code are described by the same kinds.
 */
import { define, refine as refineStruct, Struct } from 'superstruct';
import type { FieldReference } from '../model/field-reference.js';
import type { JsonSchema } from './json-schema.js';

/** A struct of any type, as superstruct declares it. */
export type AnyStruct =
  ReturnType<Struct['entries']> extends Iterable<readonly [unknown, unknown, infer S]> ? S : never;

/** What a kind knows beside its struct. */
export interface KindDetails {
  /** Of values in a document. */
  readonly schema: JsonForm;
  /** Absent: a text is the value itself. */
  readonly text?: TextForm;
  /** The words that are possible, or usual if others are possible too: completion offers them. */
  readonly offers?: readonly string[];
  /** The options of an object. */
  readonly rows?: OptionRows;
  /** The kind of the elements of a list, or of the members of a map. */
  readonly each?: Kind<unknown>;
  /** The part of the configuration that has the options of the object. */
  readonly part?: string;
  /** The secrets in a value: no message shows them, and what reads the options masks them. */
  readonly secretsIn?: (value: unknown) => readonly string[];
  /** Expressions with these references are evaluated in it. */
  readonly references?: readonly FieldReference[];
}

/** A kind of value. The type of its values is only known to TypeScript, as for a struct of superstruct. */
export interface Kind<T> extends KindDetails {
  /**
   * Checks values, as code passes them. With `coerce` it also converts what a document writes: exact numbers, maps, and
   * what Generic Extractor takes for the same. Its `type` completes "expected ...".
   */
  readonly struct: AnyStruct;
  readonly TYPE?: T;
}

/** The values of a kind. */
export type ValueOf<K> = K extends Kind<infer T> ? T : never;

/** How a value is written as text: in an address, after a flag. */
export interface TextForm {
  /** Returns the value, or something that the kind refuses. */
  read(text: string): unknown;
  /** What is expected, in words. */
  readonly expected: string;
  /** The text of an address, and for some the value in code, is percent-encoded. Absent: it is decoded before. */
  readonly isEncoded?: 'in text' | 'in code too';
  /** What stands for the value in a description, such as `N`. */
  readonly value?: string;
  /** The largest number, where `expected` does not name it. */
  readonly most?: number;
  /** Writes a value in words of the kind; absent: as JavaScript does. */
  write?(value: number): string;
  /** Makes one value of those of several texts; absent: they are a list. */
  join?(values: readonly unknown[]): unknown;
}

/** Describes the values of a document as JSON Schema; its parts are written by `write`. */
export type JsonForm = (write: SchemaWriter) => JsonSchema;

export interface SchemaWriter {
  of(kind: Kind<unknown>): JsonSchema;
  /** An object with these keys and no others. */
  members(rows: OptionRows): JsonSchema;
  /** Any value; references and calls in it are evaluated. */
  expression(references: readonly FieldReference[]): JsonSchema;
  /** A map of expressions. */
  expressions(references: readonly FieldReference[]): JsonSchema;
  /** An object that is a reference or a call. */
  evaluated(references: readonly FieldReference[]): JsonSchema;
  /** A named part of the language, such as `config.jobs` (one job), `pagination`, `headers`. */
  part(name: string): JsonSchema;
}

/** One option. Summaries are phrases: lower case, no full stop. */
export interface OptionRow<T = unknown> {
  readonly kind: Kind<T>;
  readonly summary: string;
  readonly required?: true;
  /** The value without the option; it is filled in. */
  readonly default?: unknown;
  /** What applies without the option, in words, if the default does not say it. */
  readonly otherwise?: string;
  /**
   * Values that Generic Extractor treats as absent count as absent: false, 0, "", "0", an empty list or object. `but
   * zero`: zeros have a meaning.
   */
  readonly emptyIsAbsent?: true | 'but zero';
  /** Options that cannot be used with this one. */
  readonly excludes?: readonly string[];
  /** Its name as a flag, where that is another one: `maxItems` is `--max-items`. */
  readonly flag?: string;
  /** What stands for its value in a description, if its kind does not say it. */
  readonly value?: string;
  /** Further sentences of its documentation, Markdown; links are relative to `docs/`. */
  readonly details?: string;
  /** A resume accepts another value: it does not decide which items a run extracts. */
  readonly mayChangeOnResume?: true;
}

/** The options of something, by name. */
export type OptionRows = Readonly<Record<string, OptionRow>>;

type IsPresent<Row> = Row extends { readonly required: true } | { readonly default: unknown } ? true : false;
type IsRequired<Row> = Row extends { readonly required: true } ? true : false;

/** A type as one object, so that messages and editors show its members. */
type Flat<T> = { readonly [Name in keyof T]: T[Name] };

/** The values of the options of a table, defaults included. */
export type OptionsOf<Rows extends OptionRows> = Flat<
  {
    readonly [Name in keyof Rows as IsPresent<Rows[Name]> extends true ? Name : never]: ValueOf<Rows[Name]['kind']>;
  } & {
    readonly [Name in keyof Rows as IsPresent<Rows[Name]> extends true ? never : Name]?: ValueOf<Rows[Name]['kind']>;
  }
>;

/** The same as a caller gives them: what has a default may be absent. */
export type GivenOptions<Rows extends OptionRows> = Flat<
  {
    readonly [Name in keyof Rows as IsRequired<Rows[Name]> extends true ? Name : never]: ValueOf<Rows[Name]['kind']>;
  } & {
    readonly [Name in keyof Rows as IsRequired<Rows[Name]> extends true ? never : Name]?: ValueOf<Rows[Name]['kind']>;
  }
>;

interface KindRules extends Omit<KindDetails, 'schema'> {
  readonly schema: JsonForm | JsonSchema;
  /** Converts a value of a document; one that it does not know stays. */
  readonly fromExact?: (value: unknown) => unknown;
}

/** Makes a kind of a check of its values. `type` completes "expected ...". */
export function kind<T>(type: string, isValue: (value: unknown) => boolean, rules: KindRules): Kind<T> {
  const { fromExact, schema, ...details } = rules;
  const checked = define<T>(type, isValue);
  const struct = fromExact === undefined ? checked : new Struct({ ...checked, coercer: fromExact });
  return { ...details, struct, schema: formOf(schema) };
}

/** The same kind with a further check, whose failure says `type`. */
export function refine<T>(
  { struct, ...details }: Kind<T>,
  type: string,
  isValue: (value: T) => boolean,
  schema: JsonForm | JsonSchema,
): Kind<T> {
  const typed = struct as Struct<T, unknown>; // a kind is made with a struct of its values
  return { ...details, struct: refineStruct(typed, type, isValue), schema: formOf(schema) };
}

const formOf = (schema: JsonForm | JsonSchema): JsonForm => (typeof schema === 'function' ? schema : () => schema);
