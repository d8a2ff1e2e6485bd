/**
 * Replaces `{"env": "NAME"}` by the value of an environment variable, anywhere in a configuration, before anything else
 * is read.
 */

import type { Problem } from '../core/errors/errors.js';
import { type Exact, isArray, isObject } from '../core/json/exact.js';
import type { Notice } from '../core/model/notice.js';
import { missingVariable } from '../core/util/missing-variable.js';
import { type ConfigPath, createDiagnostics } from '../language/config-path.js';

export type EnvironmentVariables = Readonly<Record<string, string | undefined>>;

export interface FilledDocument {
  readonly document: Exact;
  /** Missing variables, each with its path. The document has a stand-in there and must not be run. */
  readonly missing: readonly Problem[];
  /** The inserted values. All of them are secrets. */
  readonly values: readonly string[];
  /** Warnings of empty variables. */
  readonly notices: readonly Notice[];
}

/**
 * Inserts the value of each variable as a string. A missing one is a problem; its stand-in allows checking the rest.
 */
export function fillFromEnv(document: Exact, env: EnvironmentVariables): FilledDocument {
  const findings = createDiagnostics();
  const values = new Set<string>();
  const filled = fill(findings.root, document, (place, name) => {
    const value = Object.hasOwn(env, name) ? env[name] : undefined;
    if (value === undefined) place.problem(missingVariable(name, env));
    else values.add(value);
    if (value === '') place.warn('empty-secret', `the variable "${name}" is empty`);
    return value ?? standInText;
  });
  return { document: filled, missing: findings.problems, values: [...values], notices: findings.notices };
}

/** Stands in for a missing value; no other text of a configuration equals it. */
const standInText = 'a-variable-that-is-not-known';

/** Removes the problems that stand-ins at these paths have caused. */
export function withoutStandIns(problems: readonly Problem[], paths: readonly string[]): readonly Problem[] {
  return problems.filter(
    ({ path, message }) => !mentionsStandIn(message) && !paths.some((each) => isWithin(path, each)),
  );
}

/** Whether a message is about a stand-in. */
export const mentionsStandIn = (message: string): boolean => message.includes(standInText);

const isWithin = (path: string, place: string): boolean =>
  path.startsWith(place) && /^(?:[.[]|$)/.test(path.slice(place.length));

/** Returns the document with a string in place of each variable, and their paths, for use without an environment. */
export function withoutVariables(document: Exact): { readonly document: Exact; readonly variables: readonly string[] } {
  const variables: string[] = [];
  const filled = fill(createDiagnostics().root, document, ({ path }) => {
    variables.push(path);
    return standInText;
  });
  return { document: filled, variables };
}

/** Values that are no references are unchanged. */
function fill(place: ConfigPath, value: Exact, resolve: (place: ConfigPath, name: string) => string): Exact {
  if (isArray(value)) return value.map((element, index) => fill(place.at(index), element, resolve));
  if (!isObject(value)) return value;
  const name = variableName(value);
  if (name !== undefined) return resolve(place, name);
  return new Map([...value].map(([key, member]) => [key, fill(place.at(key), member, resolve)]));
}

/** Returns the name of the variable if the value is a reference to one. */
export function variableName(value: Exact): string | undefined {
  const name = isObject(value) && value.size === 1 ? value.get('env') : undefined;
  return typeof name === 'string' ? name : undefined;
}
