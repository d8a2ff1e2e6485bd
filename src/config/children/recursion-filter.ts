/**
 * `recursionFilter`: selects the rows of the parent for which a child job runs. Read once, before any request.
 * docs/12-compatibility.md#filters.
 */

import { ExtractError } from '../../core/errors/errors.js';
import { type Exact, isArray, isObject } from '../../core/json/exact.js';
import { text as textKind } from '../../core/options/kinds.js';
import type { ConfigPath } from '../../language/config-path.js';
import { kindOf, toText } from '../../language/expression/convert.js';
import { isPhpEmpty, readValue } from '../../language/read.js';
import { type Condition, operatorNames, parseCondition } from './condition.js';
import type { Row } from './row.js';

export interface RecursionFilter {
  /** The paths that it reads in the row of the parent. */
  readonly paths: readonly string[];
  /** Its paths without a value in the row, each with a suggestion. */
  absent(row: Row): ReadonlyMap<string, string | undefined>;
  /**
   * `|` separates alternatives, `&` binds tighter, and evaluation stops when the result is known. Throws ERR_FILTER for
   * a list or an object.
   */
  matches(row: Row): boolean;
}

/**
 * Returns `undefined` if there is no filter (or one that is empty in PHP), or a problem, after reporting it to `place`.
 */
export function readRecursionFilter(place: ConfigPath, value: Exact | undefined): RecursionFilter | undefined {
  if (value === undefined || isPhpEmpty(value)) return undefined;
  const filter = readValue(place, value, textKind);
  if (filter === undefined) return undefined;

  const number = numbering(filter);
  const alternatives = filter
    .split('|')
    .map((each) => each.split('&').map((text) => conditionAt(place, text, number())));
  const complete = alternatives.map((all) => all.filter((condition) => condition !== undefined));
  if (alternatives.flat().includes(undefined)) return undefined;
  const paths = [...new Set(complete.flat().map(({ path }) => path))];
  return {
    paths,
    absent: (row) =>
      new Map(paths.filter((path) => row.at(path) === undefined).map((path) => [path, row.nearest(path)])),
    matches: (row) => complete.some((all) => all.every((condition) => holds(condition, row))),
  };
}

/** Names the conditions of a filter in order. */
function numbering(filter: string): () => string {
  const isOnly = !/[&|]/.test(filter);
  let last = 0;
  return () => (isOnly ? 'the condition' : `condition ${++last}`);
}

function conditionAt(place: ConfigPath, text: string, name: string): Condition | undefined {
  if (text === '') {
    place.problem(`${name} is empty: expected one on both sides of each "&" and "|"`);
    return undefined;
  }
  const condition = parseCondition(text);
  if (isGrouped(condition?.path ?? text)) {
    place.problem(`${name} begins with a parenthesis, which filters do not support: "&" binds tighter than "|"`);
    return undefined;
  }
  if (condition === undefined) place.problem(`${name} has no operator: expected one of ${operators}${meant(text)}`);
  else if (condition.path === '') place.problem(`${name} has no path before its operator`);
  else noteOddities(place, condition, name);
  return condition?.path === '' ? undefined : condition;
}

/** A member may be called `(a)`, but never `(a`. */
const isGrouped = (path: string): boolean => path.trimStart().startsWith('(') && !path.includes(')');

const operators = operatorNames.map((each) => `"${each}"`).join(', ');

function meant(text: string): string {
  if (text.includes('=')) return '; did you mean "=="?';
  return text.includes('~') ? '; did you mean "~~"?' : '';
}

/** Spaces count: those next to an operator are rarely meant to be part of the path or the value. */
function noteOddities(place: ConfigPath, { path, value }: Condition, name: string): void {
  if (path.trim() !== path)
    place.warn('filter-space', `the path of ${name} begins or ends with a space, which is part of it`);
  if (value.trim() !== value)
    place.warn('filter-space', `the value of ${name} begins or ends with a space, which is part of it`);
  if (value.split('(').length < value.split(')').length) {
    place.warn('filter-parenthesis', `the value of ${name} contains ")", which is compared as part of it`);
  }
  if (/[=~!<>]$/.test(path)) place.note('filter-operator', `the path of ${name} ends with a character of an operator`);
  if (/^[=~<>]/.test(value))
    place.note('filter-operator', `the value of ${name} begins with a character of an operator`);
}

/** A missing value counts as empty. */
function holds({ path, passes }: Condition, row: Row): boolean {
  const value = row.at(path) ?? null;
  if (!isArray(value) && !isObject(value)) return passes(toText(value));
  throw new ExtractError(
    'ERR_FILTER',
    `\`recursionFilter\`: the item has ${kindOf(value)} at "${path}", expected a single value`,
  );
}
