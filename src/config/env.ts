/** Values of the environment in a configuration: `{"env": "NAME"}`, in the place of any value, before anything else is read. */
import { type Exact, isArray, isObject } from '../exact.js';
import { didYouMean } from '../nearest.js';
import type { Notice } from '../types.js';
import { configError } from './parse-config.js';
import { createFindings, type Place } from './place.js';

export type Environment = Readonly<Record<string, string | undefined>>;

export interface Filled {
  readonly document: Exact;
  /** The values that were put in. All of them are secrets. */
  readonly values: readonly string[];
  /** Of variables that are empty. */
  readonly notices: readonly Notice[];
}

/** Puts in the value of each variable, a text. Throws ERR_CONFIG with all that are missing, each with its path. */
export function fillFromEnv(document: Exact, env: Environment): Filled {
  const findings = createFindings();
  const values = new Set<string>();
  const filled = fill(findings.root, document, (place, name) => {
    const value = Object.hasOwn(env, name) ? env[name] : undefined;
    if (value === undefined) place.problem(missing(name, env));
    else values.add(value);
    if (value === '') place.warn('empty-secret', `the variable "${name}" is empty`);
    return value ?? '';
  });
  if (findings.problems.length > 0) throw configError(findings.problems);
  return { document: filled, values: [...values], notices: findings.notices };
}

/** What a value of the environment is until it is known: a text that may be a number too. */
const standIn = '1';

/** The document with a text in the place of each variable, and the paths of these, for whoever has no environment. */
export function withoutVariables(document: Exact): { readonly document: Exact; readonly variables: readonly string[] } {
  const variables: string[] = [];
  const filled = fill(createFindings().root, document, ({ path }) => {
    variables.push(path);
    return standIn;
  });
  return { document: filled, variables };
}

function missing(name: string, env: Environment): string {
  const names = Object.keys(env).filter((each) => env[each] !== undefined);
  if (names.length === 0) return `there is no variable "${name}": no environment was given`;
  return `there is no variable "${name}" in the environment${didYouMean(name, names)}`;
}

/** What is no reference stays the value that it is. */
function fill(place: Place, value: Exact, resolve: (place: Place, name: string) => string): Exact {
  if (isArray(value)) return value.map((element, index) => fill(place.at(index), element, resolve));
  if (!isObject(value)) return value;
  const name = variableIn(value);
  if (name !== undefined) return resolve(place, name);
  return new Map([...value].map(([key, member]) => [key, fill(place.at(key), member, resolve)]));
}

/** The name of the variable, where the value is a reference to one. */
export function variableIn(value: Exact): string | undefined {
  const name = isObject(value) && value.size === 1 ? value.get('env') : undefined;
  return typeof name === 'string' ? name : undefined;
}
