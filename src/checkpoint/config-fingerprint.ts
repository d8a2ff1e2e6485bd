/**
 * Fingerprints a configuration: a digest for each value, by path, and the value if a message may show it, so that the
 * message can name what differs. Secrets leave no trace.
 */
import { createHash } from 'node:crypto';
import { variableName } from '../config/env.js';
import { type Exact, isArray, isObject, stringifyExact } from '../core/json/exact.js';
import { looksSecret } from '../core/secrets/looks-secret.js';
import { defined } from '../core/util/defined.js';
import { joinPath } from '../language/config-path.js';

/** By path. */
export interface ConfigFingerprint {
  /** A digest of each value. */
  readonly marks: Readonly<Record<string, string>>;
  /** The values that a message may show: numbers, and short texts that are no secrets and look like none. */
  readonly values: Readonly<Record<string, string>>;
}

/** What a login sends: a password is a secret there even without `#`. */
const ofLogins = /\.loginRequest\.(?:params|headers)$/;

/** Below these, texts are never shown: most of them identify the sender. */
const ofSenders = /(?:^|\.)(?:authentication|headers|aws|sshProxy)(?:\.|$)/;

/** Replaces the digest of a secret: a password may change between two runs. */
const hidden = 'secret';

interface Leaf {
  readonly path: string;
  readonly mark: string;
  readonly shown?: string;
}

/**
 * Fingerprints all values. `document` is the configuration before environment variables are filled in. Those are
 * secrets, and so is all below a key with `#`. `path` is the path of `document`.
 */
export function fingerprintOf(document: Exact, isSecret: (text: string) => boolean, path = ''): ConfigFingerprint {
  const found = leaves(path, document, isSecret);
  return {
    marks: Object.fromEntries(found.map((leaf) => [leaf.path, leaf.mark])),
    values: Object.fromEntries(found.flatMap(({ path: at, shown }) => (shown === undefined ? [] : [[at, shown]]))),
  };
}

function leaves(path: string, value: Exact, isSecret: (text: string) => boolean): readonly Leaf[] {
  if (variableName(value) !== undefined) return [{ path, mark: hidden }];
  const below = (key: string | number, member: Exact) => {
    const at = joinPath(path, key);
    const isHidden = String(key).startsWith('#') || ofLogins.test(at);
    return isHidden ? [{ path: at, mark: hidden }] : leaves(at, member, isSecret);
  };
  if (isArray(value) && value.length > 0) return value.flatMap((element, index) => below(index, element));
  if (isObject(value) && value.size > 0) return [...value].flatMap(([key, member]) => below(key, member));
  const text = stringifyExact(value);
  const plain = typeof value === 'string' ? value : text;
  if (isSecret(plain)) return [{ path, mark: hidden }];
  return [{ path, mark: digestOf(path, text), ...defined({ shown: shownOf(path, value, plain) }) }];
}

/** Characters of a text that is shown. */
const longestShown = 60;

/** The value as a message shows it. Undefined: it does not. */
function shownOf(path: string, value: Exact, text: string): string | undefined {
  if (value === null) return 'none';
  const [name = path] = path.split('.').slice(-1);
  if (text.length > longestShown || looksSecret(path, text) || looksSecret(name, text)) return undefined;
  if (typeof value !== 'string') return text;
  return ofSenders.test(path) ? undefined : JSON.stringify(text);
}

/** Short on purpose: it shows a change, and nothing of the value. */
const digestOf = (path: string, text: string): string =>
  createHash('sha256').update(`${path}\0${text}`).digest('hex').slice(0, 8);

/** Describes each path that differs, with both values if they may be shown; empty: nothing differs. */
export function differences(
  before: Pick<ConfigFingerprint, 'marks'> & Partial<ConfigFingerprint>,
  now: ConfigFingerprint,
): readonly string[] {
  const { marks, values = {} } = before;
  const paths = [...new Set([...Object.keys(now.marks), ...Object.keys(marks)])];
  return paths.flatMap((path) => {
    const [was, is] = [marks[path], now.marks[path]];
    if (was === undefined) return [`${path} is new`];
    if (is === undefined) return [`${path} is gone`];
    if (was === is || was === hidden || is === hidden) return [];
    const [old, latest] = [values[path], now.values[path]];
    return old === undefined || latest === undefined ? [`${path} differs`] : [`${path} was ${old} and is ${latest}`];
  });
}
