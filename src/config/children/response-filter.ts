/**
 * `responseFilter`: parts of a row that tables, placeholders and recursion filters read as JSON text.
 * docs/12-compatibility.md#filters.
 */

import { ExtractError } from '../../core/errors/errors.js';
import { type Exact, isArray, isObject } from '../../core/json/exact.js';
import { jsonText } from '../../core/json/json-text.js';
import type { ConfigPath } from '../../language/config-path.js';
import { kindOf } from '../../language/expression/convert.js';
import { describeMismatch, isPhpEmpty } from '../../language/read.js';

interface Segment {
  readonly name: string;
  /** Written `name[]`: continues in each element of the list. */
  readonly each: boolean;
}

/** A path, and its text for messages. */
export interface FilterPath {
  readonly segments: readonly Segment[];
  readonly text: string;
}

export type ResponseFilter = readonly FilterPath[];

/**
 * Reads a path or a list of paths. Values that are empty in PHP are no filter, and an empty delimiter is the dot. No
 * path means the row itself. Returns `undefined` after reporting a problem to `place`.
 */
export function readResponseFilter(
  place: ConfigPath,
  value: Exact | undefined,
  delimiter: string | undefined,
): ResponseFilter | undefined {
  if (value === undefined || isPhpEmpty(value)) return [];
  const paths = isArray(value) ? value.map((each, index) => pathOf(place.at(index), each)) : [pathOf(place, value)];
  const separator = delimiter === undefined || isPhpEmpty(delimiter) ? '.' : delimiter;
  const texts = paths.filter((path) => path !== undefined);
  if (texts.length < paths.length) return undefined;
  return texts.map((text) => ({ text, segments: text.split(separator).map(segmentOf) }));
}

function pathOf(place: ConfigPath, value: Exact): string | undefined {
  if (typeof value === 'string') return value;
  place.problem(describeMismatch('a path', value));
  return undefined;
}

function segmentOf(text: string): Segment {
  const each = text.endsWith('[]');
  return { name: each ? text.slice(0, -2) : text, each };
}

/**
 * Replaces the values at the paths by their JSON text, one path after the other: a later path sees the result of an
 * earlier one. Missing values, and values in anything but objects, are skipped. `isOld`: only objects and lists that
 * are not empty become texts, as with `compatLevel` 1 and 2. Throws ERR_FILTER if `[]` finds no list.
 */
export function filterRow(row: Exact, filter: ResponseFilter, isOld = false): Exact {
  const textOf = isOld ? (value: Exact) => (isText(value) ? value : jsonText(value)) : jsonText;
  return filter.reduce((value, path) => replaced(value, path, 0, textOf), row);
}

/** Single values, and an empty list. */
const isText = (value: Exact): boolean => !isObject(value) && (!isArray(value) || value.length === 0);

function replaced(value: Exact, path: FilterPath, depth: number, textOf: (value: Exact) => Exact): Exact {
  const segment = path.segments[depth];
  if (segment === undefined) return textOf(value);
  const { name, each } = segment;
  const member = isObject(value) ? value.get(name) : undefined;
  if (!isObject(value) || member === undefined) return value;
  const filtered = each
    ? listAt(member, path, depth).map((element) => replaced(element, path, depth + 1, textOf))
    : replaced(member, path, depth + 1, textOf);
  return new Map([...value]).set(name, filtered);
}

function listAt(value: Exact, { segments, text }: FilterPath, depth: number): readonly Exact[] {
  if (isArray(value)) return value;
  const { name } = segments[depth] ?? { name: '' };
  throw new ExtractError(
    'ERR_FILTER',
    `\`responseFilter\`: expected a list at "${name}[]" of "${text}", found ${kindOf(value)} in an item`,
  );
}
