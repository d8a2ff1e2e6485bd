/** Finds the member that identifies items, and how items are ordered. */
import { type Exact, type ExactNumber, isNumber, isObject, stringifyExact } from '../../core/json/exact.js';

const keyNames: readonly RegExp[] = [
  /^[_@]?id$/i,
  /^(?:uuid|guid|gid)$/i,
  /^key$/i,
  /^.*(?:_id|Id|ID|uuid)$/,
  /^(?:code|slug|sku|name|login|number|email|url|path|sha)$/i,
];

/** Returns the name of a member that all items have, each with another value; undefined: there is none. */
export function findKey(items: readonly Exact[]): string | undefined {
  const [first] = items;
  if (!isObject(first)) return undefined;
  const names = [...first.keys()].filter((name) => isUnique(items, name));
  for (const form of keyNames) {
    const name = names.find((each) => form.test(each));
    if (name !== undefined) return name;
  }
  return undefined;
}

function isUnique(items: readonly Exact[], name: string): boolean {
  const values = items.map((item) => textAt(item, name));
  return !values.includes(undefined) && new Set(values).size === items.length;
}

/** The text of a scalar member; undefined: there is none. */
export function textAt(item: Exact, name: string): string | undefined {
  const value = isObject(item) ? item.get(name) : undefined;
  if (typeof value === 'string' && value !== '') return value;
  return isNumber(value) ? value.text : undefined;
}

/** What identifies items: their key, or all that they are. */
export const identify = (items: readonly Exact[], key: string | undefined): readonly string[] =>
  items.map((item) => (key === undefined ? undefined : textAt(item, key)) ?? stringifyExact(item));

export type Order = 'ascending' | 'descending' | 'none';

/** The order of the values of a member: numbers by value, times by text. */
export function orderOf(items: readonly Exact[], name: string): Order {
  const values = items.map((item) => comparable(isObject(item) ? item.get(name) : undefined));
  if (values.length < 2 || values.includes(undefined)) return 'none';
  const steps = values.slice(1).map((value, index) => compare(values[index], value));
  if (steps.every((step) => step <= 0) && steps.some((step) => step < 0)) return 'ascending';
  return steps.every((step) => step >= 0) && steps.some((step) => step > 0) ? 'descending' : 'none';
}

type Comparable = string | number | undefined;

const comparable = (value: Exact | undefined): Comparable =>
  isNumber(value) ? Number((value as ExactNumber).text) : typeof value === 'string' ? value : undefined;

function compare(a: Comparable, b: Comparable): number {
  if (a === undefined || b === undefined || typeof a !== typeof b) return Number.NaN;
  return a < b ? -1 : a > b ? 1 : 0;
}

const timeForm = /^\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d.*)?$/;

/** Members with a time in every item, in whose order the items ascend. */
export function findTimes(items: readonly Exact[]): readonly string[] {
  const [first] = items;
  if (!isObject(first)) return [];
  return [...first.keys()].filter(
    (name) => items.every((item) => timeForm.test(textAt(item, name) ?? '')) && orderOf(items, name) === 'ascending',
  );
}
