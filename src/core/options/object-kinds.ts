/** Kinds of objects with options of their own, and of lists; defaults are filled in. */
import { Struct } from 'superstruct';
import { type Exact, type ExactObject, isArray, isNumber, isObject, isPhpEmpty } from '../json/exact.js';
import { type Json, objectOr, when } from './json-schema.js';
import type { GivenOptions, Kind, OptionRow, OptionRows, OptionsOf } from './kind.js';

/**
 * An object with the options of a table. Absent and null ones have their defaults or are left out, and so are empty
 * ones if their row says so. Members that the table does not name are left out; the reader warns of them.
 */
export function objectOf<const Rows extends OptionRows>(rows: Rows): Kind<OptionsOf<Rows>> {
  const struct = new Struct<OptionsOf<Rows>, null>({
    type: 'an object',
    schema: null,
    coercer: (value) => {
      if (isArray(value) && value.length === 0) return defaultsOf(rows);
      if (!isObject(value)) return value;
      const given = Object.entries(rows).map(([name, row]) => [name, value.get(name) ?? null, row] as const);
      const present = given.filter(([, member, row]) => !isAbsent(member, row));
      return withDefaults(rows, Object.fromEntries(present));
    },
    validator: isPlain,
    *entries(value) {
      if (!isPlain(value)) return;
      for (const [name, { kind, required }] of Object.entries(rows)) {
        if (required === true || value[name] !== undefined) yield [name, value[name], kind.struct];
      }
    },
  });
  return { struct, rows, schema: (write) => write.members(rows) };
}

/** Whether a value of a document counts as absent for the row. */
export function isAbsent(value: Exact, { emptyIsAbsent }: OptionRow): boolean {
  if (value === null || emptyIsAbsent === undefined) return value === null;
  const isZero = value === '0' || (isNumber(value) && Number(value.text) === 0);
  return isPhpEmpty(value) && (emptyIsAbsent === true || !isZero);
}

/** Whether a value is an object literal. */
export function isPlain(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype;
}

/** Returns the options with the defaults of those that are absent. */
export function withDefaults<Rows extends OptionRows>(
  rows: Rows,
  given: OrUndefined<GivenOptions<Rows>>,
): OptionsOf<Rows>;
export function withDefaults(rows: OptionRows, given: object): object;
export function withDefaults(rows: OptionRows, given: object): object {
  const present = Object.entries(given).filter(([, value]) => value !== undefined);
  return { ...defaultsOf(rows), ...Object.fromEntries(present) };
}

type OrUndefined<T> = { readonly [Name in keyof T]: T[Name] | undefined };

/** The options that the rows name. */
export const onlyOf = <Rows extends OptionRows>(rows: Rows, options: object): Partial<OptionsOf<Rows>> =>
  // The same options, fewer of them.
  Object.fromEntries(Object.entries(options).filter(([name]) => Object.hasOwn(rows, name))) as Partial<OptionsOf<Rows>>;

/** The options that differ from their defaults, as text: a resume compares them. An option that is new is not there. */
export const changedOf = (rows: OptionRows, options: Readonly<Record<string, unknown>>): string =>
  JSON.stringify(
    Object.entries(rows).flatMap(([name, row]) => {
      const value = options[name];
      return value === undefined || value === row.default ? [] : [[name, value]];
    }),
  );

/** The options that have a default. */
export const defaultsOf = (rows: OptionRows): Readonly<Record<string, unknown>> =>
  Object.fromEntries(
    Object.entries(rows).flatMap(([name, row]) => (row.default === undefined ? [] : [[name, row.default] as const])),
  );

/** The same options without defaults: those that are absent come from elsewhere. */
export function withoutDefaults<const Rows extends OptionRows>(rows: Rows): WithoutDefaults<Rows> {
  const bare = Object.entries(rows).map(([name, { default: _, ...row }]) => [name, row]);
  return Object.fromEntries(bare) as WithoutDefaults<Rows>; // the same names
}

type WithoutDefaults<Rows extends OptionRows> = { readonly [Name in keyof Rows]: Omit<Rows[Name], 'default'> };

/** The default as JSON, for descriptions; undefined: it says nothing, or other words say it. */
export function shownDefault({ default: value, otherwise }: OptionRow): Json | undefined {
  const isShown = otherwise === undefined && (typeof value !== 'object' || isArray(value));
  return isShown ? (value as Json | undefined) : undefined; // a single value or a list of them
}

/** The same as text: a string stays as it is. */
export function writtenDefault(row: OptionRow): string | undefined {
  const value = shownDefault(row);
  if (isArray(value)) return `[${value.map((each) => JSON.stringify(each)).join(', ')}]`;
  if (typeof value === 'number') return row.kind.text?.write?.(value) ?? String(value);
  return value === undefined ? undefined : String(value);
}

/**
 * A list of elements of one kind. An object with numbers as keys counts too: PHP writes a list so that has lost an
 * element.
 */
export function listOf<T>(element: Kind<T>, plural: string): Kind<readonly T[]> {
  const struct = new Struct<readonly T[], null>({
    type: `a list of ${plural}`,
    schema: null,
    coercer: (value) => (Array.isArray(value) ? [...value] : isNumbered(value) ? [...value.values()] : value),
    validator: (value) => Array.isArray(value),
    *entries(value) {
      if (Array.isArray(value)) for (const [index, each] of value.entries()) yield [index, each, element.struct];
    },
  });
  return {
    struct,
    each: element,
    schema: (write) => {
      const each = write.of(element);
      const propertyNames = { type: 'string', pattern: '^\\d+$' };
      return { type: ['array', 'object'], items: each, propertyNames, additionalProperties: each };
    },
  };
}

const isNumbered = (value: unknown): value is ExactObject =>
  isObject(value) && [...value.keys()].every((key) => /^\d+$/.test(key));

/** An object with any members, whose values are of one kind; `type` completes "expected ...". */
export function mapOf<T>(element: Kind<T>, type: string): Kind<Readonly<Record<string, T>>> {
  const struct = new Struct<Readonly<Record<string, T>>, null>({
    type,
    schema: null,
    coercer: (value) => (isObject(value) ? Object.fromEntries(value) : value),
    validator: isPlain,
    *entries(value) {
      if (isPlain(value)) for (const [name, each] of Object.entries(value)) yield [name, each, element.struct];
    },
  });
  return { struct, each: element, schema: (write) => ({ type: 'object', additionalProperties: write.of(element) }) };
}

/** A value that is no object, of one kind, or an object; `type` describes both. */
export function union<A, B>(other: Kind<A>, shaped: Kind<B>, type: string): Kind<A | B> {
  const struct = eitherOf<A | B>(type, (value) => (isObject(value) || isPlain(value) ? shaped : other));
  const { rows } = shaped;
  return {
    struct,
    ...(rows === undefined ? {} : { rows }),
    schema: (write) => objectOr(write.of(shaped), write.of(other)),
  };
}

/** One value, or a list of them. */
export function oneOrList<T>(element: Kind<T>, plural: string): Kind<T | readonly T[]> {
  const list = listOf(element, plural);
  const type = `${element.struct.type}, or a list of ${plural}`;
  const struct = eitherOf<T | readonly T[]>(type, (value) => (Array.isArray(value) ? list : element));
  return { struct, each: element, schema: (write) => when({ type: 'array' }, write.of(list), write.of(element)) };
}

/** A struct that checks by the kind that the value calls for. */
function eitherOf<T>(type: string, kindOf: (value: unknown) => Kind<unknown>): Struct<T, null> {
  return new Struct<T, null>({
    type,
    schema: null,
    coercer: (value, context) => kindOf(value).struct.coercer(value, context),
    validator: (value, context) => [...kindOf(value).struct.validator(value, context)].length === 0,
    entries: (value, context) => kindOf(value).struct.entries(value, context),
  });
}
