/**
 * A configuration as it is stored for workers: values at keys that begin with `#` are encrypted. References such as
 * `{"env": "NAME"}` stay what they are: each worker reads its own variables and files.
 */

import { type EnvironmentVariables, variableName } from '../../config/env.js';
import { secretSource } from '../../config/secret-sources.js';
import { configError } from '../../core/errors/collect-errors.js';
import { ExtractError, type Problem } from '../../core/errors/errors.js';
import { type Exact, isArray, isNumber, isObject, stringifyExact } from '../../core/json/exact.js';
import { parseExact } from '../../core/json/exact-parse.js';
import { type ConfigPath, createDiagnostics } from '../../language/config-path.js';
import { keyForm, keyIn, keyVariable, sealText, unsealText } from '../store/sealed-text.js';

const remedy = `Set ${keyVariable} to ${keyForm}, such as \`openssl rand -base64 32\` prints, the same for all workers.`;

/** Reads the key of the environment; undefined: it has none. Throws ERR_USAGE for a text that is no key. */
export function keyOf(env: EnvironmentVariables): Uint8Array | undefined {
  const text = env[keyVariable];
  if (text === undefined) return undefined;
  const key = keyIn(text);
  if (key !== undefined) return key;
  throw new ExtractError('ERR_USAGE', `the variable ${keyVariable} is not a key: expected ${keyForm}`, { remedy });
}

/**
 * Encrypts each text and number at and below keys that begin with `#`, except references. Throws ERR_CONFIG with the
 * paths of all of them if there is no key.
 */
export function sealConfiguration(document: Exact, key: Uint8Array | undefined): Exact {
  return changed(document, (place, value) => {
    if (isReference(value)) return value;
    if (!isSecretText(value)) return undefined;
    if (key !== undefined) return new Map([[sealedName, sealText(stringifyExact(value), key, useAt(place.path))]]);
    place.problem(
      `a secret that is written in the configuration is stored for workers only if it is encrypted, which needs the variable ${keyVariable}: set it, or write {"env": "NAME"} here`,
    );
    return value;
  });
}

/** Restores what `sealConfiguration` made. Throws ERR_CONFIG with the paths of all values that cannot be decrypted. */
export function unsealConfiguration(document: Exact, key: Uint8Array | undefined): Exact {
  return changed(document, (place, value) => {
    const sealed = isObject(value) && value.size === 1 ? value.get(sealedName) : undefined;
    if (typeof sealed !== 'string') return undefined;
    const text = key === undefined ? undefined : unsealText(sealed, key, useAt(place.path));
    if (text !== undefined) return parseExact(Buffer.from(text));
    place.problem(
      key === undefined
        ? `the value is encrypted, and there is no variable ${keyVariable}: set it to the key of the process that submitted the run`
        : `the value cannot be decrypted: ${keyVariable} is another key than that of the process that submitted the run, or the value was changed`,
    );
    return value;
  });
}

/** The only member of an object that stands for an encrypted value. */
const sealedName = 'sealed';

/** A value is decrypted at its own path alone. */
const useAt = (path: string): string => `rxtract-configuration/1 ${path}`;

const isSecretText = (value: Exact): boolean => (typeof value === 'string' && value !== '') || isNumber(value);

const isReference = (value: Exact): boolean => variableName(value) !== undefined || secretSource(value) !== undefined;

/** Replaces a value; undefined: looks at what is below it. */
type Replace = (place: ConfigPath, value: Exact) => Exact | undefined;

/** Replaces values at and below keys that begin with `#`. Throws ERR_CONFIG with all problems. */
function changed(document: Exact, replace: Replace): Exact {
  const findings = createDiagnostics();
  const walk = (place: ConfigPath, value: Exact, isSecret: boolean): Exact => {
    const replaced = isSecret ? replace(place, value) : undefined;
    if (replaced !== undefined) return replaced;
    if (isArray(value)) return value.map((element, index) => walk(place.at(index), element, isSecret));
    if (!isObject(value)) return value;
    return new Map(
      [...value].map(([name, member]) => [name, walk(place.at(name), member, isSecret || name.startsWith('#'))]),
    );
  };
  const result = walk(findings.root, document, false);
  const problems: readonly Problem[] = findings.problems;
  if (problems.length > 0) throw configError(problems);
  return result;
}
