/** The fields of items: their types, and how many items have them. */
import { type Exact, isArray, isNumber, isObject, stringifyExact } from '../../core/json/exact.js';

/** One member of the items. */
export interface ItemField {
  readonly name: string;
  /** In the order of their first item, such as `integer`, `null`. */
  readonly types: readonly string[];
  /** How many items have it. */
  readonly count: number;
}

/** The fields of items, in the order of their first item. An item that is no object is the field `value`. */
export function fieldsOf(items: readonly Exact[]): readonly ItemField[] {
  const found = new Map<string, { types: Set<string>; count: number }>();
  for (const item of items) {
    for (const [name, value] of membersOf(item)) {
      const field = found.get(name) ?? { types: new Set(), count: 0 };
      field.types.add(typeOf(value));
      field.count += 1;
      found.set(name, field);
    }
  }
  return [...found].map(([name, { types, count }]) => ({ name, types: [...types], count }));
}

/** The members of an item; an item that is no object has one, `value`. */
export const membersOf = (item: Exact): ReadonlyMap<string, Exact> =>
  isObject(item) ? item : new Map([['value', item]]);

const texts: readonly (readonly [name: string, RegExp])[] = [
  ['date', /^\d{4}-\d\d-\d\d$/],
  ['time', /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)?$/],
  ['address', /^https?:\/\/\S+$/],
];

/** The type of a value: that of JSON, integers apart, and texts of a known form. */
export function typeOf(value: Exact): string {
  if (value === null) return 'null';
  if (typeof value === 'boolean') return 'boolean';
  if (isNumber(value)) return /^-?\d+$/.test(value.text) ? 'integer' : 'decimal';
  if (isArray(value)) return 'list';
  if (isObject(value)) return 'object';
  return texts.find(([, form]) => form.test(value))?.[0] ?? 'text';
}

/** A value on one line. */
export const shownValue = (value: Exact | undefined): string =>
  value === undefined ? '' : typeof value === 'string' ? value : stringifyExact(value);
