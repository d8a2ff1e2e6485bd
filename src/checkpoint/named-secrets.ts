/** Collects the secrets of a configuration by path: the journal stores the path instead of the value. */
import { variableName } from '../config/env.js';
import { type Exact, isArray, isNumber, isObject } from '../core/json/exact.js';
import type { Job } from '../core/model/job.js';
import type { Secrets } from '../core/model/secrets.js';
import { joinPath } from '../language/config-path.js';
import type { NamedSecret } from './secret-refs.js';

/**
 * Collects values below keys with `#`, and values from the environment. `written` is the document before variables are
 * filled in.
 */
export function namedSecrets(written: Exact, filled: Exact, path = '', isSecret = false): readonly NamedSecret[] {
  if (isObject(filled) && isObject(written)) {
    return [...filled].flatMap(([key, value]) =>
      namedSecrets(written.get(key) ?? null, value, joinPath(path, key), isSecret || key.startsWith('#')),
    );
  }
  if (isArray(filled) && isArray(written)) {
    return filled.flatMap((value, index) =>
      namedSecrets(written[index] ?? null, value, joinPath(path, index), isSecret),
    );
  }
  const isLeaf = typeof filled === 'string' || isNumber(filled);
  return isLeaf && (isSecret || variableName(written) !== undefined) ? [{ name: path, value: String(filled) }] : [];
}

/** Collects evaluated parameters of a job that are secrets: a link may return one. */
export const secretsOfJob = (
  { params }: Pick<Job, 'params'>,
  secrets: Pick<Secrets, 'isSecret'>,
): readonly NamedSecret[] =>
  params.size === 0
    ? noSecrets
    : [...params].flatMap(([name, value]) =>
        typeof value === 'string' && secrets.isSecret(value) ? [{ name: `params.${name}`, value }] : [],
      );

const noSecrets: readonly NamedSecret[] = [];
