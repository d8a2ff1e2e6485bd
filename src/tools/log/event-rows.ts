/** Rows that describe the members of an event of the log: a type, a schema, and a phrase for the documentation. */
import type { JsonSchema } from '../../core/options/json-schema.js';

/** The values that a member may have. */
export interface Form<T> {
  readonly schema: JsonSchema;
  /** The members of an object, or of the objects of a list. */
  readonly rows?: MemberRows;
  readonly isList?: true;
  /** Carries the type only. */
  readonly ACCEPTS?: (value: T) => void;
}

/** One member. Summaries are phrases; links are relative to `docs/`. */
export interface MemberRow<T> {
  readonly form: Form<T>;
  readonly summary: string;
  /** The event has the member only where it applies. */
  readonly optional?: true;
}

export type MemberRows = Readonly<Record<string, MemberRow<never>>>;

/** Rows for all members of a type and no others: a member that is new there needs a row. */
export type RowsFor<T> = {
  readonly [Name in keyof T]-?: undefined extends T[Name]
    ? MemberRow<Exclude<T[Name], undefined>> & { readonly optional: true }
    : MemberRow<T[Name]> & { readonly optional?: never };
};

type ValueIn<Row> = Row extends { readonly form: Form<infer T> } ? T : never;

/** The members that rows describe. One that is undefined is not written. */
export type MembersOf<Rows> = {
  readonly [Name in keyof Rows as Rows[Name] extends { readonly optional: true } ? never : Name]: ValueIn<Rows[Name]>;
} & {
  readonly [Name in keyof Rows as Rows[Name] extends { readonly optional: true } ? Name : never]?:
    | ValueIn<Rows[Name]>
    | undefined;
};

const form = <T>(schema: JsonSchema): Form<T> => ({ schema });

export const text = form<string>({ type: 'string' });
export const flag = form<boolean>({ type: 'boolean' });
export const isTrue = form<true>({ const: true });
/** A whole number from `minimum` up. */
export const whole = (minimum: number): Form<number> => form({ type: 'integer', minimum });
/** A number from 0 to 1. */
export const share = form<number>({ type: 'number', minimum: 0, maximum: 1 });
export const texts = form<readonly string[]>({ type: 'array', items: { type: 'string' } });
export const word = <const Word extends string>(...words: readonly Word[]): Form<Word> => form({ enum: words });

/** An object with these members. Later versions may add others. */
export const objectWith = <const Rows>(rows: Rows & MemberRows): Form<MembersOf<Rows>> => ({
  schema: objectSchema(rows),
  rows,
});

/** A list of such objects. */
export const listOf = <const Rows>(rows: Rows & MemberRows): Form<readonly MembersOf<Rows>[]> => ({
  schema: { type: 'array', items: objectSchema(rows) },
  rows,
  isList: true,
});

/** `before`: members that come first. */
export function objectSchema(rows: MemberRows, before: JsonSchema = {}): JsonSchema {
  const own = Object.entries(rows).map(([name, { form, summary }]) => [
    name,
    { description: plain(summary), ...form.schema },
  ]);
  const required = Object.entries(rows).flatMap(([name, { optional }]) => (optional === true ? [] : [name]));
  return {
    type: 'object',
    properties: { ...before, ...Object.fromEntries(own) },
    required: [...Object.keys(before), ...required],
  };
}

/** Links in a description have no target. */
const plain = (markdown: string): string => markdown.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1');
