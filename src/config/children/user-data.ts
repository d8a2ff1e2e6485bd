/**
 * `userData` of the configuration and of a job: members that each row gets.
 * docs/09-child-jobs.md#what-is-added-to-items.
 */

import { type Exact, type ExactObject, emptyObject, isArray, isObject } from '../../core/json/exact.js';
import { checkExpressionMap, type Scope } from '../../language/check-expressions.js';
import type { ConfigPath } from '../../language/config-path.js';
import { explain, isPhpEmpty } from '../../language/read.js';

/** What a single value is called: in `config.userData`, and in that of a job. */
export type UserDataName = 'userData' | 'job_parent_id';

/**
 * Reads names and their expressions, unevaluated; what the reference takes for empty is none. `undefined` at a fault,
 * which `place` then knows: a list cannot be a member (docs/12-compatibility.md#output).
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
  for (const [key, list] of lists) place.at(key).problem(explain('a single value or an expression', list));
  return lists.length === 0 ? value : undefined;
}

function readSingle(place: ConfigPath, value: Exact, name: UserDataName): ExactObject | undefined {
  if (!isArray(value)) return new Map([[name, value]]);
  place.problem(explain('a single value, or an object of them', value));
  return undefined;
}

/** Lays that of a job over that of the configuration: same names keep their place, new ones follow. */
export function mergeUserData(ofConfig: ExactObject, ofJob: ExactObject): ExactObject {
  return new Map([...ofConfig, ...ofJob]);
}
