/** Compares what a reader found in a Parquet file with the items that were written. */
import { type Exact, isArray, isNumber, isObject, stringifyExact } from '../../../src/core/json/exact.js';

/** Throws if a value differs; `path` says where. Numbers are read as bigint, text of a decimal, or double. */
export function mustAgree(found: unknown, item: Exact | undefined, path = ''): void {
  if (item !== null && isObject(item) && typeof found === 'object' && found !== null) {
    const names = new Set([...Object.keys(found), ...[...item.keys()].map(wellFormed)]);
    for (const name of names) mustAgree(Reflect.get(found, name), memberOf(item, name), `${path}.${name}`);
  } else if (isArray(item) && Array.isArray(found) && found.length === item.length) {
    for (const [index, each] of item.entries()) mustAgree(found[index], each, `${path}[${index}]`);
  } else if (!isScalar(found, item)) throw different(found, item, path);
}

const memberOf = (item: ReadonlyMap<string, Exact>, name: string): Exact | undefined =>
  [...item].findLast(([each]) => wellFormed(each) === name)?.[1];

function isScalar(found: unknown, item: Exact | undefined): boolean {
  if (item === undefined || item === null) return found === null || found === undefined;
  if (isText(item)) return found === wellFormed(item) || found === jsonOf(item) || isTyped(found, item);
  if (typeof item === 'boolean' && typeof found === 'boolean') return found === item;
  return isNumber(item) || typeof found === 'string' ? isSame(String(found), item) : false;
}

/** A date, a time in UTC, or a UUID, as a reader shows it: a Date is rounded to milliseconds. */
function isTyped(found: unknown, item: string): boolean {
  if (!(found instanceof Date)) return typeof found === 'string' && plainTime(found) === plainTime(item);
  const text = plainTime(item).toUpperCase();
  return Math.abs(found.getTime() - Date.parse(text.includes('T') ? `${text}Z` : text)) <= 1;
}

const plainTime = (text: string): string =>
  text
    .toLowerCase()
    .replace(/^(\d{4}-\d\d-\d\d) /, '$1t')
    .replace(/(z|\+00(:?00)?)$/, '')
    .replace(/(:\d\d)(?:\.0+|(\.\d*?)0+)$/, '$1$2')
    .replace(/t00:00:00$/, '');

const isText = (item: Exact): item is string => typeof item === 'string';

const wellFormed = (text: string): string => Buffer.from(text).toString();

/** In JSON, half of a pair is the escape of U+FFFD. */
const jsonOf = (item: Exact): string => stringifyExact(item).replaceAll(/\\u[dD][89a-fA-F]../g, '\\ufffd');

/** The text of the item, or a number of the same value. */
function isSame(found: string, item: Exact): boolean {
  if (found === jsonOf(item)) return true;
  return isNumber(item) && canonical(found) === canonical(item.text);
}

/** Digits without zeros at their ends, and an exponent. */
function canonical(text: string): string {
  const [, sign, whole = '', fraction = '', exponent = '0'] =
    /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(text) ?? [];
  const all = `${whole}${fraction}`.replace(/^0+/, '');
  const digits = all.replace(/0+$/, '');
  if (digits === '') return '0';
  return `${sign}${digits}e${Number(exponent) - fraction.length + all.length - digits.length}`;
}

function different(found: unknown, item: Exact | undefined, path: string): Error {
  const shown = item === undefined ? 'nothing' : stringifyExact(item);
  const text = JSON.stringify(found, (_, value) => (typeof value === 'bigint' ? `${value}n` : value));
  return new Error(`at "${path}" the file has ${text}, the item has ${shown}`);
}
