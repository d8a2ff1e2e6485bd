/** The shape of items: the types of their values, which members they have, and what was seen of them. */

import type { ExactObject } from '../../src/core/json/exact.js';
import { joinedForm, type NumberForm, numberForm } from '../tables/number-forms.js';
import type { TextType } from '../tables/text-forms.js';

export const typeNames = ['null', 'boolean', 'integer', 'number', 'string', 'object', 'array'] as const;
export type TypeName = (typeof typeNames)[number];

/** The forms that all texts of a member may have. */
export const formatNames = ['date', 'date-time', 'uuid'] as const;
export type TextFormat = (typeof formatNames)[number];

/** What the column of a table makes of texts; `text`: they are texts there, although they have a format. */
export const columnTexts = ['date', 'uuid', 'instant', 'time', 'text'] as const satisfies readonly (
  | TextType
  | 'text'
)[];
export type ColumnText = (typeof columnTexts)[number];

/** What a value may be. */
export interface ValueShape {
  /** By first appearance. Empty: anything. `number` includes `integer`. */
  readonly types: ReadonlySet<TypeName>;
  /** The members of objects, in the order of their first item. */
  readonly properties: ReadonlyMap<string, ValueShape>;
  /** The members that each object has. */
  readonly required: ReadonlySet<string>;
  /** The values of members that are not listed. Absent: there are no others. */
  readonly rest?: ValueShape;
  /** The elements of arrays. Absent: anything. */
  readonly items?: ValueShape;
  /** The texts that occur. Absent: any text. */
  readonly values?: readonly string[];
  readonly format?: TextFormat;
  readonly seen?: Observed;
  /** What somebody has written of it, such as a title. */
  readonly notes?: ExactObject;
}

/** What was seen of the values. It decides nothing. */
export interface Observed {
  readonly count: number;
  readonly nulls: number;
  /** Objects without the member. */
  readonly missing: number;
  /** The fewest and the most characters of texts, or elements of arrays. */
  readonly length?: readonly [number, number];
  /** The lowest and the highest number, as written. */
  readonly range?: readonly [string, string];
  /** The digits of numbers that are not all whole and short. */
  readonly digits?: NumberForm;
  /** Absent: texts without a format, or none. */
  readonly column?: ColumnText;
}

export const anything: ValueShape = { types: new Set(), properties: new Map(), required: new Set() };

/** More different texts are no enumeration. */
export const mostValues = 20;

/** The shape that the values of both have. Members that one of them lacks are not required. */
export function joined(one: ValueShape, other: ValueShape): ValueShape {
  if (one.types.size === 0 || other.types.size === 0) return anything;
  const values = joinedValues(one, other);
  const format = joinedFormat(one, other);
  const seen = one.seen && other.seen ? joinedSeen(one.seen, other.seen) : (one.seen ?? other.seen);
  const column = joinedColumn(one, other);
  const notes = one.notes ?? other.notes;
  const items = joinedItems(one, other);
  const rest = one.rest && other.rest ? joined(one.rest, other.rest) : (one.rest ?? other.rest);
  return {
    types: withoutInteger(new Set([...one.types, ...other.types])),
    ...joinedMembers(one, other),
    ...(rest === undefined ? {} : { rest }),
    ...(items === undefined ? {} : { items }),
    ...(values === undefined ? {} : { values }),
    ...(format === undefined ? {} : { format }),
    ...(seen === undefined ? {} : { seen: { ...seen, ...(column === undefined ? {} : { column }) } }),
    ...(notes === undefined ? {} : { notes }),
  };
}

/** A number includes every integer. */
export function withoutInteger(types: ReadonlySet<TypeName>): ReadonlySet<TypeName> {
  if (!types.has('number') || !types.has('integer')) return types;
  return new Set([...types].filter((type) => type !== 'integer'));
}

function joinedMembers(one: ValueShape, other: ValueShape): Pick<ValueShape, 'properties' | 'required'> {
  const properties = new Map(one.properties);
  for (const [name, shape] of other.properties) {
    const known = properties.get(name);
    properties.set(name, known === undefined ? lacking(withoutValues(shape), one) : joined(known, shape));
  }
  for (const [name, shape] of one.properties) {
    if (!other.properties.has(name)) properties.set(name, lacking(shape, other));
  }
  const isIn = (shape: ValueShape, name: string) => !shape.types.has('object') || shape.required.has(name);
  const required = new Set([...properties.keys()].filter((name) => isIn(one, name) && isIn(other, name)));
  return { properties, required };
}

/** A member that the objects of another shape lack. */
function lacking(member: ValueShape, { types, seen }: ValueShape): ValueShape {
  if (member.seen === undefined || seen === undefined || !types.has('object')) return member;
  return { ...member, seen: { ...member.seen, missing: member.seen.missing + seen.count - seen.nulls } };
}

/** Elements that only one of them describes are those of both, unless the other accepts any. */
function joinedItems(one: ValueShape, other: ValueShape): ValueShape | undefined {
  const [first, second] = [one.items, other.items];
  if (first !== undefined && second !== undefined) return joined(first, second);
  const isFree = (shape: ValueShape) => shape.types.has('array') && shape.items === undefined && !isEmptyOnly(shape);
  return isFree(one) || isFree(other) ? undefined : (first ?? (second && withoutValues(second)));
}

/** The shape of values that are new: a few of them are no enumeration. */
function withoutValues({ values: _, ...shape }: ValueShape): ValueShape {
  const { items, rest } = shape;
  return {
    ...shape,
    properties: new Map([...shape.properties].map(([name, member]) => [name, withoutValues(member)])),
    ...(items === undefined ? {} : { items: withoutValues(items) }),
    ...(rest === undefined ? {} : { rest: withoutValues(rest) }),
  };
}

/** Arrays without elements say nothing of elements. */
const isEmptyOnly = ({ seen }: ValueShape): boolean => seen?.length?.[1] === 0;

function joinedValues(one: ValueShape, other: ValueShape): readonly string[] | undefined {
  if (!other.types.has('string')) return one.values;
  if (one.values === undefined || other.values === undefined) return undefined;
  const all = [...new Set([...one.values, ...other.values])];
  return all.length > mostValues ? undefined : all;
}

function joinedFormat(one: ValueShape, other: ValueShape): TextFormat | undefined {
  if (!one.types.has('string')) return other.format;
  if (!other.types.has('string')) return one.format;
  return one.format === other.format ? one.format : undefined;
}

function joinedColumn(one: ValueShape, other: ValueShape): ColumnText | undefined {
  if (!one.types.has('string')) return other.seen?.column;
  if (!other.types.has('string')) return one.seen?.column;
  if (one.seen?.column === other.seen?.column) return one.seen?.column;
  return joinedFormat(one, other) === undefined ? undefined : 'text';
}

function joinedSeen(one: Observed, other: Observed): Observed {
  const length = one.length && other.length ? spanned(one.length, other.length) : (one.length ?? other.length);
  const range = one.range && other.range ? widerRange(one.range, other.range) : (one.range ?? other.range);
  const digits = one.digits && other.digits ? joinedForm(one.digits, other.digits) : (one.digits ?? other.digits);
  return {
    count: one.count + other.count,
    nulls: one.nulls + other.nulls,
    missing: one.missing + other.missing,
    ...(length === undefined ? {} : { length }),
    ...(range === undefined ? {} : { range }),
    ...(digits === undefined ? {} : { digits: withWhole(digits, range) }),
  };
}

/** The most digits before the point are those of the lowest or the highest number. */
export const withWhole = (digits: NumberForm, range: readonly string[] = []): NumberForm => ({
  ...digits,
  whole: Math.max(...range.map((number) => numberForm(number).whole)),
});

const spanned = ([low, high]: readonly [number, number], [from, to]: readonly [number, number]) =>
  [Math.min(low, from), Math.max(high, to)] as const;

export const widerRange = ([low, high]: readonly [string, string], [from, to]: readonly [string, string]) =>
  [isLess(from, low) ? from : low, isLess(high, to) ? to : high] as const;

/** Whether one JSON number is below another. */
function isLess(one: string, other: string): boolean {
  const [first, second] = [Number(one), Number(other)];
  return first === second && isWhole(one) && isWhole(other) ? BigInt(one) < BigInt(other) : first < second;
}

/** Whether a JSON number has neither fraction nor exponent. */
export const isWhole = (number: string): boolean => !/[.eE]/.test(number);
