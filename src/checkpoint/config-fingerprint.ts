/**
 * Fingerprints a configuration: a digest for each value, by path, so that a message can name what differs. Secrets
 * leave no trace.
 */
import { createHash } from 'node:crypto';
import { variableName } from '../config/env.js';
import { type Exact, isArray, isObject, stringifyExact } from '../core/json/exact.js';
import { joinPath } from '../language/config-path.js';

export type ConfigFingerprint = Readonly<Record<string, string>>;

/** What a login sends: a password is a secret there even without `#`. */
const ofLogins = /\.loginRequest\.(?:params|headers)$/;

/** Replaces the digest of a secret: a password may change between two runs. */
const hidden = 'secret';

/**
 * Fingerprints all values. `document` is the configuration before environment variables are filled in. Those are
 * secrets, and so is all below a key with `#`. `path` is the path of `document`.
 */
export function fingerprintOf(document: Exact, isSecret: (text: string) => boolean, path = ''): ConfigFingerprint {
  return Object.fromEntries(leaves(path, document, isSecret));
}

function leaves(
  path: string,
  value: Exact,
  isSecret: (text: string) => boolean,
): readonly (readonly [string, string])[] {
  if (variableName(value) !== undefined) return [[path, hidden]];
  const below = (key: string | number, member: Exact) => {
    const at = joinPath(path, key);
    return String(key).startsWith('#') || ofLogins.test(at) ? [[at, hidden] as const] : leaves(at, member, isSecret);
  };
  if (isArray(value) && value.length > 0) return value.flatMap((element, index) => below(index, element));
  if (isObject(value) && value.size > 0) return [...value].flatMap(([key, member]) => below(key, member));
  const text = stringifyExact(value);
  return [[path, isSecret(typeof value === 'string' ? value : text) ? hidden : digestOf(path, text)]];
}

/** Short on purpose: it shows a change, and nothing of the value. */
const digestOf = (path: string, text: string): string =>
  createHash('sha256').update(`${path}\0${text}`).digest('hex').slice(0, 8);

/** Describes each path that differs; empty: nothing differs. */
export function differences(before: ConfigFingerprint, now: ConfigFingerprint): readonly string[] {
  const paths = [...new Set([...Object.keys(now), ...Object.keys(before)])];
  return paths.flatMap((path) => {
    const [was, is] = [before[path], now[path]];
    if (was === undefined) return [`${path} is new`];
    if (is === undefined) return [`${path} is gone`];
    return was === is || was === hidden || is === hidden ? [] : [`${path} differs`];
  });
}
