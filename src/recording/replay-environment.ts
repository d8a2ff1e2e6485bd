/** The variables of a replay: it needs no secrets, so that a missing one has a stand-in. */
import { type EnvironmentVariables, variableName } from '../config/env.js';
import { type Exact, isArray, isObject } from '../core/json/exact.js';
import type { Notice } from '../core/model/notice.js';

/** The environment, with a stand-in for each missing variable of the configuration: a replay needs no secrets. */
export function replayEnvironment(
  content: Exact,
  env: EnvironmentVariables,
): { readonly env: EnvironmentVariables; readonly notices: readonly Notice[] } {
  const missing = [...new Set(variablesOf(content))].filter((name) => env[name] === undefined);
  if (missing.length === 0) return { env, notices: [] };
  const standIns = missing.map((name) => [name, `replayed-${name}`] as const);
  const message = `the environment has no ${missing.join(', ')}: the replay uses stand-ins`;
  return {
    env: { ...env, ...Object.fromEntries(standIns) },
    notices: [{ level: 'info', code: 'replay-stand-in', message }],
  };
}

function variablesOf(value: Exact): readonly string[] {
  if (isArray(value)) return value.flatMap(variablesOf);
  if (!isObject(value)) return [];
  const name = variableName(value);
  return name === undefined ? [...value.values()].flatMap(variablesOf) : [name];
}
