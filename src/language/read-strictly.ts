/** Reads an object in which an unknown key is a problem: without the key the object would mean something else. */
import { type Exact, isObject } from '../core/json/exact.js';
import type { OptionRows, OptionsOf } from '../core/options/kind.js';
import { isAbsent, objectOf } from '../core/options/object-kinds.js';
import { didYouMeanKey } from '../core/util/suggest.js';
import type { ConfigPath } from './config-path.js';
import { readValue } from './read.js';

/**
 * Validates and coerces an object. Returns `undefined` if something does not fit, after reporting it to `place`: also
 * an unknown key, with the nearest name, and two keys that exclude each other.
 */
export function readStrictly<const Rows extends OptionRows>(
  place: ConfigPath,
  value: Exact,
  rows: Rows,
): OptionsOf<Rows> | undefined {
  const names = Object.keys(rows);
  let isSound = true;
  const reject = (key: string, message: string) => {
    place.at(key).problem(message);
    isSound = false;
  };
  for (const [key, member] of isObject(value) ? value : []) {
    const row: OptionRows[string] | undefined = Object.hasOwn(rows, key) ? rows[key] : undefined;
    if (row === undefined)
      reject(key, `unknown key${didYouMeanKey(key, names, names) || `: expected ${listed(names)}`}`);
    const other = member === null ? undefined : row?.excludes?.find((each) => isPresent(value, rows, each));
    if (other !== undefined) reject(key, `cannot be used with ${place.at(other).path}: remove one of them`);
  }
  const options = readValue(place, value, objectOf(rows));
  return isSound ? options : undefined;
}

function isPresent(value: Exact, rows: OptionRows, name: string): boolean {
  const row = rows[name];
  return isObject(value) && row !== undefined && !isAbsent(value.get(name) ?? null, row);
}

const listed = (names: readonly string[]): string => names.map((each) => `"${each}"`).join(', ');
