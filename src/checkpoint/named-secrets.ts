/** The secrets that a configuration holds, by their paths: what a state may refer to instead of writing it. */
import { variableName } from '../config/env.js';
import { type Exact, type ExactObject, isArray, isNumber, isObject } from '../core/json/exact.js';
import type { Job } from '../core/model/job.js';
import type { Secrets } from '../core/model/secrets.js';
import { joinPath } from '../language/config-path.js';
import type { NamedSecret } from './secret-refs.js';

/**
 * What lies below keys with `#`, and what came from the environment. `written` is the document before it was filled in.
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

/** What the parameters of a job came to, where that is a secret: a link may bring it back. */
export const secretsOfJob = (
  { params }: Pick<Job, 'params'>,
  secrets: Pick<Secrets, 'isSecret'>,
): readonly NamedSecret[] =>
  [...(params satisfies ExactObject)].flatMap(([name, value]) =>
    typeof value === 'string' && secrets.isSecret(value) ? [{ name: `params.${name}`, value }] : [],
  );
