/**
 * `userData` of the configuration and of a job: members that are added to each row.
 * docs/04-child-jobs.md#what-is-added-to-items.
 */

import { type Exact, type ExactObject, emptyObject, isArray, isObject } from '../../core/json/exact.js';
import { objectOr, singleValue } from '../../core/options/json-schema.js';
import { checkExpressionMap, type Scope } from '../../language/check-expressions.js';
import type { ConfigPath } from '../../language/config-path.js';
import { expressions } from '../../language/expression-kinds.js';
import { opaque } from '../../language/kinds.js';
import { describeMismatch, isPhpEmpty } from '../../language/read.js';

/** The type of `userData`; `readUserData` reads it. */
export const userDataType = opaque('a single value, or an object of them', (write) =>
  objectOr(write.of(expressions('attr', 'time')), singleValue),
);

/** The name of a single value: in `config.userData`, and in that of a job. */
export type UserDataName = 'userData' | 'job_parent_id';

/**
 * Reads names and their expressions, unevaluated; values that are empty in PHP are none. Returns `undefined` after
 * reporting a problem to `place`: a list cannot be a member (docs/12-compatibility.md#output).
 */
export function readUserData(
  place: ConfigPath,
  value: Exact | undefined,
  name: UserDataName,
  scope: Scope,
): ExactObject | undefined {
  if (value === undefined || isPhpEmpty(value)) return emptyObject;
  if (!isObject(value)) return readSingle(place, value, name);
  checkExpressionMap(place, value, scope);
  const lists = [...value].filter(([, member]) => isArray(member));
  for (const [key, list] of lists) place.at(key).problem(describeMismatch('a single value or an expression', list));
  return lists.length === 0 ? value : undefined;
}

function readSingle(place: ConfigPath, value: Exact, name: UserDataName): ExactObject | undefined {
  if (!isArray(value)) return new Map([[name, value]]);
  place.problem(describeMismatch('a single value, or an object of them', value));
  return undefined;
}

/** Merges that of a job over that of the configuration: the same names keep their places, new ones follow. */
export function mergeUserData(ofConfig: ExactObject, ofJob: ExactObject): ExactObject {
  return new Map([...ofConfig, ...ofJob]);
}
